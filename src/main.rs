//! The program: reads the command line, prints, and ends with an exit status. Everything else is in the library.

use clap::Parser;
use kernel_port::cli::{self, Cli, ColorChoice, Streams, exit};
use kernel_port::report::{self, Out, Style};
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

/// Python's trees are many small allocations: a third faster than with the C library's allocator.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            if let Some((word, command)) = cli::misspelt_command(&error, std::env::args().nth(1)) {
                let _ = writeln!(
                    io::stderr(),
                    "error: there is no command `{word}`\n  help: did you mean `{command}`?"
                );
                return ExitCode::from(exit::USAGE);
            }
            // Help and version come as errors of exit status 0; a closed pipe is no reason to fail.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(exit::USAGE));
        }
    };
    let env = |name: &str| std::env::var(name).ok();
    let style = |terminal: bool| Style {
        color: match cli.run.color {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => report::color_wanted(terminal, env),
        },
        unicode: report::unicode_wanted(env),
        width: report::terminal_width(env),
        terminal,
    };
    let terminal = io::stdout().is_terminal();
    let mut out = Out::stdout();
    let closed = out.closed();
    let mut err = io::stderr();
    let mut streams = Streams {
        out: &mut out,
        err: &mut err,
        out_style: style(terminal),
        err_style: style(io::stderr().is_terminal()),
        terminal,
        closed,
    };
    let status = cli::main(&cli, &mut streams);
    match out.finish() {
        Some(error) if status == exit::DONE => {
            let _ = writeln!(err, "error: cannot write to standard output: {error}");
            ExitCode::from(exit::OUTPUT)
        }
        _ => ExitCode::from(status),
    }
}
