//! The default command: runs a recipe and shows or writes the result. Writing comes before reporting, so that a
//! closed pipe or a full disk behind standard output never costs the output.

use super::input::{self, Loaded, Refused};
use super::{RunArgs, Streams, exit};
use crate::ops::Note;
use crate::report::{self, diff, failure, log, print};
use crate::run::{self, Mode, Run};
use crate::workspace::{Workspace, load};
use std::io;

/// Runs a recipe as the arguments say; the exit status.
pub fn run(args: &RunArgs, streams: &mut Streams<'_>) -> u8 {
    try_run(args, streams).unwrap_or_else(|Refused(status)| status)
}

fn try_run(args: &RunArgs, streams: &mut Streams<'_>) -> Result<u8, Refused> {
    let loaded = input::load_recipe(args, streams)?;
    let checkouts = input::checkouts(args, &loaded.recipe, streams)?;
    let tree = base_tree(args, &loaded, streams)?;
    let mode = if args.fail_fast { Mode::FailFast } else { Mode::Measure };
    let run = run::run(&loaded.recipe, usize::MAX, tree, &checkouts, mode);
    let mut report = Report { args, loaded: &loaded, run: &run, streams };
    if let Some(first) = run.drift.first() {
        report.log();
        let text = failure::drift(&loaded.recipe, &run.drift, args.verbose, report.streams.err_style);
        report.streams.complain(text);
        return Ok(failure::exit_status(first.failure.kind));
    }
    report.log();
    report.changes();
    report.contents();
    report.ending();
    Ok(exit::DONE)
}

/// The tree before the first op: typed files, a directory as it is, or nothing yet when a `source` op brings it.
fn base_tree(args: &RunArgs, loaded: &Loaded, streams: &mut Streams<'_>) -> Result<Workspace, Refused> {
    let sourced = loaded.recipe.ops.iter().any(|op| op.spec.name == "source");
    if !args.files.is_empty() {
        if sourced {
            let help = "try the other ops alone with -e, or give the checkout with --dir";
            return Err(input::usage(streams, "--file and a source op exclude each other", Some(help)));
        }
        return input::typed_files(&args.files, streams);
    }
    let Some(directory) = &args.dir else {
        let help = "--dir CHECKOUT names one, --file PATH=TEXT builds one";
        return Err(input::usage(
            streams,
            "the recipe has no mistakes, but there is no tree to run it on",
            Some(help),
        ));
    };
    if !directory.is_dir() {
        let found = if directory.exists() { "is no directory" } else { "does not exist" };
        return Err(input::usage(streams, &format!("--dir {} {found}", directory.display()), None));
    }
    if sourced {
        return Ok(Workspace::default());
    }
    let (tree, notes) = load::directory(directory).map_err(|failure| {
        streams.error(&failure.message, None);
        Refused(exit::SOURCE)
    })?;
    for note in notes {
        match note {
            Note::Warning(text) => streams.warn(&text),
            Note::Info(_) | Note::Detail(_) => {}
        }
    }
    Ok(tree)
}

struct Report<'a, 's, 'o> {
    args: &'a RunArgs,
    loaded: &'a Loaded,
    run: &'a Run,
    streams: &'s mut Streams<'o>,
}

impl Report<'_, '_, '_> {
    /// Where the log goes: to standard error when standard output is a patch.
    fn tell(&mut self, text: impl AsRef<str>) {
        if self.args.quiet {
            return;
        }
        if self.args.diff { self.streams.complain(text) } else { self.streams.say(text) }
    }

    fn style(&self) -> report::Style {
        if self.args.diff { self.streams.err_style } else { self.streams.out_style }
    }

    fn log(&mut self) {
        let text = log::steps(&self.loaded.recipe, &self.run.steps, self.args.verbose, self.style());
        self.tell(text);
        let warnings = log::warnings(&self.loaded.recipe, &self.run.steps, self.streams.err_style);
        self.streams.complain(warnings);
    }

    fn changes(&mut self) {
        let set = self.run.workspace.changes();
        let mut text = log::changes(&self.run.workspace, &set, self.args.verbose, self.style());
        if text.is_empty() {
            text.push_str("no changes\n");
        }
        self.tell(text);
    }

    /// The patch or the files, when asked for; a tree of typed files that goes nowhere is shown.
    fn contents(&mut self) {
        let shown = (|| -> io::Result<()> {
            if self.args.diff {
                let set = self.run.workspace.changes();
                diff::patch(&set, &mut self.streams.out, self.streams.terminal, self.streams.out_style)?;
            }
            let typed = !self.args.files.is_empty() && self.args.out.is_none();
            if self.args.print || (typed && !self.args.dry_run && !self.args.diff && !self.args.quiet) {
                print::tree(&self.run.workspace, &mut self.streams.out, self.streams.out_style)?;
            }
            self.streams.out.flush()
        })();
        if let Err(error) = shown {
            self.streams.error(&format!("cannot show the tree: {error}"), None);
        }
    }

    fn ending(&mut self) {
        if self.args.dir.is_some() && self.args.out.is_none() && !self.args.in_place && !self.args.dry_run {
            self.tell(
                "preview: nothing was written; --out DIR writes the tree, --in-place changes the checkout\n",
            );
        }
    }
}
