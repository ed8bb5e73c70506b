//! The command line: what was typed, checked for sense, and one file for each subcommand.

mod args;
mod check;
mod deliver;
mod explain;
mod generate;
mod input;
mod ops;
mod outdated;
mod repin;
mod run;
mod show;
mod variants;
mod verify;
mod watch;

pub use args::{Cli, ColorChoice, Command, Format, RunArgs};
pub use check::CheckArgs;
pub use explain::ExplainArgs;
pub use ops::{OpsArgs, example_output};
pub use outdated::OutdatedArgs;
pub use repin::RepinArgs;
pub use run::run;
pub use variants::VariantsArgs;
pub use verify::VerifyArgs;

use crate::report::{Color, Style, nearest};
use clap::CommandFactory;
use std::cell::Cell;
use std::io::Write;
use std::rc::Rc;

/// The exit statuses, as the README documents them.
pub mod exit {
    /// Done.
    pub const DONE: u8 = 0;
    /// The recipe does not apply: drift, a failed op or final check.
    pub const DOES_NOT_APPLY: u8 = 1;
    /// Bad usage or recipe text.
    pub const USAGE: u8 = 2;
    /// Wrong commit, not clean, no checkout.
    pub const SOURCE: u8 = 3;
    /// `--check` found differences.
    pub const DIFFERS: u8 = 4;
    /// The output could not be written.
    pub const OUTPUT: u8 = 5;
}

/// The two streams and how they look.
pub struct Streams<'a> {
    /// Standard output.
    pub out: &'a mut dyn Write,
    /// Standard error.
    pub err: &'a mut dyn Write,
    /// Style of standard output.
    pub out_style: Style,
    /// Style of standard error.
    pub err_style: Style,
    /// Whether standard output is a terminal.
    pub terminal: bool,
    /// Becomes true when nobody reads standard output any more.
    pub closed: Rc<Cell<bool>>,
}

impl Streams<'_> {
    /// Writes to standard output. Its errors are kept by the stream and reported at the end.
    pub fn say(&mut self, text: impl AsRef<str>) {
        let _ = self.out.write_all(text.as_ref().as_bytes());
    }

    /// Writes to standard error, where nothing can be done about a failure.
    pub fn complain(&mut self, text: impl AsRef<str>) {
        // What was said before stays before it on a terminal.
        let _ = self.out.flush();
        let _ = self.err.write_all(text.as_ref().as_bytes());
    }

    /// One complete line about what is wrong, and what to do.
    pub fn error(&mut self, message: &str, help: Option<&str>) {
        let word = self.err_style.paint(Color::Error, "error:");
        self.complain(format!("{word} {message}\n"));
        if let Some(help) = help {
            self.complain(self.err_style.help(help));
        }
    }

    /// One line about what is odd.
    pub fn warn(&mut self, message: &str) {
        let word = self.err_style.paint(Color::Warning, "warning:");
        self.complain(format!("{word} {message}\n"));
    }
}

/// A first word that was taken for a recipe, made the rest of the line senseless, and is nearly a command; the command.
pub fn misspelt_command(error: &clap::Error, first: Option<String>) -> Option<(String, String)> {
    let word = first.filter(|word| !word.starts_with('-') && !word.contains(['.', '/']))?;
    let cli = Cli::command();
    let near = nearest::one(&word, cli.get_subcommands().map(clap::Command::get_name))?;
    let unknown = error.kind() == clap::error::ErrorKind::UnknownArgument && near != word;
    unknown.then(|| (word, near.to_owned()))
}

/// Runs what was asked for; the exit status.
pub fn main(cli: &Cli, streams: &mut Streams<'_>) -> u8 {
    match &cli.command {
        None => run(&cli.run, streams),
        Some(Command::Ops(args)) => ops::main(args, streams),
        Some(Command::Variants(args)) => variants::run(args, streams.out, streams.err),
        Some(Command::Completions(args)) => generate::completions(args, streams),
        Some(Command::Outdated(args)) => outdated::main(args, streams),
        Some(Command::Check(args)) => check::main(args, streams),
        Some(Command::Verify(args)) => verify::main(args, streams),
        Some(Command::Explain(args)) => explain::main(args, streams),
        Some(Command::Repin(args)) => repin::main(args, streams),
        Some(Command::Man) => generate::man(streams),
    }
}
