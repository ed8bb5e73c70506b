//! The default command: runs a recipe and shows or writes the result. Writing comes before reporting, so that a
//! closed pipe or a full disk behind standard output never costs the output.

use super::deliver::{self, Delivered};
use super::input::{self, Loaded, Refused};
use super::{Format, RunArgs, Streams, exit, watch};
use crate::check::{self, Input};
use crate::ops::Note;
use crate::output::{OutputError, Target};
use crate::report::{self, diff, failure, findings, findings_json, json, log, print, stories, tree};
use crate::run::{self, Mode, Run};
use crate::workspace::{Workspace, load};
use std::io;
use std::time::Instant;

/// Runs a recipe as the arguments say; the exit status.
pub fn run(args: &RunArgs, streams: &mut Streams<'_>) -> u8 {
    if args.watch { watch::watch(args, streams) } else { once(args, streams).0 }
}

/// Runs a recipe once: the exit status, and what was run, where it came to that.
pub(super) fn once(args: &RunArgs, streams: &mut Streams<'_>) -> (u8, Option<(Loaded, Run)>) {
    let mut ran = None;
    let status = try_run(args, streams, &mut ran).unwrap_or_else(|Refused(status)| status);
    (status, ran)
}

fn try_run(
    args: &RunArgs,
    streams: &mut Streams<'_>,
    ran: &mut Option<(Loaded, Run)>,
) -> Result<u8, Refused> {
    let start = Instant::now();
    let loaded = input::load_recipe(args, streams)?;
    input::refuse_idle_options(args, &loaded.recipe, streams)?;
    let checkouts = input::checkouts(args, &loaded.recipe, streams)?;
    let target = match &args.out {
        Some(out) => Some(deliver::target(out, args, &loaded).map_err(|e| refused(&e, streams))?),
        None => None,
    };
    if let (true, Some(directory)) = (args.in_place, &args.dir)
        && let Some(note) = deliver::recover(directory).map_err(|e| refused(&e, streams))?
    {
        streams.warn(note);
    }
    let tree = base_tree(args, &loaded, streams).map_err(|refused| {
        // Without a tree nothing is counted, but that pins are missing can be said.
        input::refuse_unpinned(args, &loaded.recipe, None, streams).err().unwrap_or(refused)
    })?;
    let mode = if args.fail_fast { Mode::FailFast } else { Mode::Measure };
    let until = args.until.map_or(usize::MAX, |line| loaded.recipe.ops.partition_point(|op| op.line < line));
    let mut run = run::run(&loaded.recipe, until, tree, &checkouts, mode);
    if args.in_place && run.drift.is_empty() {
        // What is shown afterwards compares with files that will be gone by then.
        run.workspace.settle(args.diff).map_err(|error| {
            streams.error(&format!("cannot read what changed: {error}"), None);
            Refused(exit::SOURCE)
        })?;
    }
    let (loaded, run) = &*ran.insert((loaded, run));
    let mut report = Report { args, loaded, run, streams, start };
    if run.drift.is_empty() {
        report.refuse_unpinned()?;
    }
    if args.format == Format::Json {
        return report.as_json(target.as_ref());
    }
    if let Some(first) = run.drift.first() {
        return Ok(report.drift(failure::exit_status(first.failure.kind), target.as_ref()));
    }
    // A tree half way is nothing to judge.
    let checked = match args.until {
        Some(_) => check::Report::default(),
        None => check::run(&Input::new(&run.workspace, &run.records), &run.records, loaded.file.is_none()),
    };
    let findings = {
        let more = (!args.verbose).then_some("--verbose");
        findings::text(&checked, args.strict, more, report.streams.err_style)
    };
    if checked.fails(args.strict) {
        report.log();
        // What is at fault can be looked at.
        if args.tree {
            report.changes(&run.workspace);
        }
        if args.print {
            report.contents(&run.workspace);
        }
        report.streams.complain(findings);
        if args.partial {
            report.streams.complain(
                "--partial wrote nothing: every op applies, and it is the result that is at fault\n  \
                 help: fix the findings or accept them with `allow`; --tree and --print show the result, --until LINE the tree before an op\n",
            );
        }
        return Ok(exit::DOES_NOT_APPLY);
    }
    // Writing comes first: nothing that happens to the printing may cost the output.
    let delivered = deliver::deliver(args, loaded, run, target.as_ref());
    report.log();
    report.streams.complain(findings);
    match delivered {
        Ok(delivered) => Ok(report.delivered(&delivered)),
        Err(error) => Err(refused(&error, report.streams)),
    }
}

/// Prints why an output was not written.
fn refused(error: &OutputError, streams: &mut Streams<'_>) -> Refused {
    streams.error(&error.message, None);
    for line in &error.details {
        streams.complain(format!("  {line}\n"));
    }
    if let Some(help) = &error.help {
        streams.complain(streams.err_style.help(help));
    }
    Refused(deliver::exit_status(error.kind))
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
        if sourced {
            return Ok(Workspace::default());
        }
        let help = "--dir CHECKOUT names one, --file PATH=TEXT builds one";
        return Err(input::usage(
            streams,
            "the recipe has no mistakes, but there is no tree to run it on",
            Some(help),
        ));
    };
    if !directory.is_dir() {
        let found = if directory.exists() { "is no directory" } else { "does not exist" };
        let help = "--dir names a checkout of upstream: `git clone URL DIR` makes one";
        return Err(input::usage(streams, &format!("--dir {} {found}", directory.display()), Some(help)));
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
    if directory.join(".git").exists() {
        streams.warn(&format!(
            "{} is a git checkout and the recipe has no source op: untracked and ignored files are included",
            directory.display()
        ));
    }
    Ok(tree)
}

struct Report<'a, 's, 'o> {
    args: &'a RunArgs,
    loaded: &'a Loaded,
    run: &'a Run,
    streams: &'s mut Streams<'o>,
    start: Instant,
}

impl Report<'_, '_, '_> {
    /// The whole run as one document on standard output; nothing else is printed there.
    fn as_json(&mut self, target: Option<&Target>) -> Result<u8, Refused> {
        let (recipe, run) = (&self.loaded.recipe, self.run);
        let inline = self.loaded.file.is_none();
        let mut status = run.drift.first().map_or(exit::DONE, |d| failure::exit_status(d.failure.kind));
        let checked = match (self.args.until, status) {
            (None, exit::DONE) => check::run(&Input::new(&run.workspace, &run.records), &run.records, inline),
            _ => check::Report::default(),
        };
        let mut output = serde_json::Value::Null;
        if status == exit::DONE && checked.fails(self.args.strict) {
            status = exit::DOES_NOT_APPLY;
        } else if status == exit::DONE {
            match deliver::deliver(self.args, self.loaded, run, target) {
                Ok(delivered) => {
                    if !delivered.differences.is_empty() {
                        status = exit::DIFFERS;
                    }
                    output = deliver::as_json(&delivered, target);
                }
                Err(error) => return Err(refused(&error, self.streams)),
            }
        }
        let mut document = json::run(recipe, run, status);
        document["checks"] = findings_json::json(&checked);
        document["output"] = output;
        self.streams.say(format!("{document:#}\n"));
        Ok(status)
    }

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
        let text = log::steps(&self.loaded.recipe, self.run, self.args.verbose, self.style());
        self.tell(text);
        let warnings = log::warnings(&self.loaded.recipe, &self.run.steps, self.streams.err_style);
        self.streams.complain(warnings);
    }

    /// Ops without a pin under `--require-pins`, after the matches when those are wanted.
    fn refuse_unpinned(&mut self) -> Result<(), Refused> {
        if self.args.require_pins && self.args.verbose && self.run.drift.is_empty() {
            self.log();
        }
        input::refuse_unpinned(self.args, &self.loaded.recipe, Some(self.run), self.streams)
    }

    /// Where the longer story is, for who waits at a terminal and may be new to it.
    fn point_to(&mut self, story: &str) {
        if self.streams.terminal {
            let text = format!("kernel-port explain {story}: what that means and what to do\n");
            let text = self.streams.err_style.paint(report::Color::Dim, text.trim_end());
            self.streams.complain(text + "\n");
        }
    }

    /// An op that does not apply, and with `--partial` the tree before it.
    fn drift(&mut self, status: u8, target: Option<&Target>) -> u8 {
        self.log();
        let text =
            failure::drift(&self.loaded.recipe, &self.run.drift, self.args.verbose, self.streams.err_style);
        self.streams.complain(text);
        self.point_to(self.run.drift.first().map_or("drift", |drift| stories::of(drift.failure.kind)));
        // One run shows all of it; that the recipe does not apply stays the news.
        let _ = self.refuse_unpinned();
        if let (true, Some(target)) = (self.args.partial, target) {
            match deliver::partial(self.args, self.loaded, self.run, target) {
                Ok(text) => self.streams.complain(text),
                // The recipe does not apply: that stays the news.
                Err(error) => drop(refused(&error, self.streams)),
            }
        }
        status
    }

    /// What the run gave, after the log.
    fn delivered(&mut self, delivered: &Delivered) -> u8 {
        let shown = delivered.against.as_ref().unwrap_or(&self.run.workspace);
        self.changes(shown);
        self.contents(shown);
        for note in &delivered.notes {
            self.streams.warn(note);
        }
        self.tell(&delivered.ending);
        self.summary(shown);
        if delivered.differences.is_empty() {
            return exit::DONE;
        }
        let number = report::plural(delivered.differences.len(), ("difference", "differences"));
        let out = self.args.out.as_deref().unwrap_or(std::path::Path::new("--out"));
        let message = format!("{} is not what the recipe makes: {number}", out.display());
        self.streams.error(&message, None);
        for difference in &delivered.differences {
            self.streams.complain(format!("  {difference}\n"));
        }
        self.streams.complain("  help: run without --check to write it; --diff shows the changes\n");
        exit::DIFFERS
    }

    /// Counts and time, for whoever waits at a terminal. A log that is kept holds nothing that differs from run to run.
    fn summary(&mut self, workspace: &Workspace) {
        if self.streams.terminal && !self.args.check && self.args.until.is_none() {
            let ops = report::plural(self.run.steps.len(), ("op", "ops"));
            let summary = log::summary(&workspace.changes());
            let time = self.start.elapsed().as_secs_f64();
            self.tell(format!("{ops}: {summary}; {time:.1} s\n"));
        }
    }

    fn changes(&mut self, workspace: &Workspace) {
        if self.args.check && !self.args.verbose {
            return;
        }
        if let Some(op) =
            self.args.until.and_then(|line| self.loaded.recipe.ops.iter().find(|op| op.line >= line))
        {
            self.tell(format!("stopped before line {}: {}\n", op.line, op.spec.name));
        }
        if self.args.tree || self.args.until.is_some() && !self.args.diff && !self.args.print {
            self.tell(tree::tree(&self.run.workspace, self.args.verbose, self.style()));
            return;
        }
        let set = workspace.changes();
        let mut text = log::changes(workspace, &set, self.args.verbose, self.style());
        if text.is_empty() {
            text.push_str("no changes\n");
        }
        self.tell(text);
    }

    /// The patch or the files, when asked for; a tree of typed files that goes nowhere is shown.
    fn contents(&mut self, workspace: &Workspace) {
        let shown = (|| -> io::Result<()> {
            if self.args.diff {
                let set = workspace.changes();
                diff::patch(&set, &mut self.streams.out, self.streams.terminal, self.streams.out_style)?;
            }
            let typed = !self.args.files.is_empty() && self.args.out.is_none() && !self.args.tree;
            if self.args.print || (typed && !self.args.dry_run && !self.args.diff && !self.args.quiet) {
                print::tree(&self.run.workspace, &mut self.streams.out, self.streams.out_style)?;
            }
            self.streams.out.flush()
        })();
        if let Err(error) = shown {
            self.streams.error(&format!("cannot show the tree: {error}"), None);
        }
    }
}
