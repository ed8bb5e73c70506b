//! What a run tells: the log, what changed, why it failed, as text or as one JSON document. The writing itself is
//! `deliver`'s.

use super::deliver::{self, Delivered};
use super::input::{self, Loaded, Refused};
use super::{RunArgs, Streams, exit};
use crate::check::{self, Input};
use crate::output::{OutputError, Target};
use crate::report::json_run::RunDocument;
use crate::report::{self, diff, failure, findings_json, json, log, print, stories, tree};
use crate::run::Run;
use crate::workspace::Workspace;
use std::io;
use std::time::Instant;

/// Prints why an output was not written.
pub fn refused(error: &OutputError, streams: &mut Streams<'_>) -> Refused {
    streams.error(&error.message, None);
    for line in &error.details {
        streams.complain(format!("  {line}\n"));
    }
    if let Some(help) = &error.help {
        streams.complain(streams.err_style.help(help));
    }
    Refused(deliver::exit_status(error.kind))
}

/// A run, and where its story goes.
pub struct Report<'a, 's, 'o> {
    /// What was asked for.
    pub args: &'a RunArgs,
    /// The recipe.
    pub loaded: &'a Loaded,
    /// What it did.
    pub run: &'a Run,
    /// Where it is told.
    pub streams: &'s mut Streams<'o>,
    /// When it began.
    pub start: Instant,
}

impl Report<'_, '_, '_> {
    /// The whole run as one document on standard output; nothing else is printed there.
    pub fn as_json(&mut self, target: Option<&Target>) -> Result<u8, Refused> {
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
                Err(error) => {
                    output = deliver::refusal_as_json(&error, target);
                    Refused(status) = refused(&error, self.streams);
                }
            }
        }
        let document = RunDocument::new(recipe, run, status, findings_json::json(&checked), output);
        self.streams.say(json::document(&document));
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

    pub fn log(&mut self) {
        let text = log::steps(&self.loaded.recipe, self.run, self.args.verbose, self.style());
        self.tell(text);
        let warnings = log::warnings(&self.loaded.recipe, &self.run.steps, self.streams.err_style);
        self.streams.complain(warnings);
    }

    /// Ops without a pin under `--require-pins`, after the matches when those are wanted.
    pub fn refuse_unpinned(&mut self) -> Result<(), Refused> {
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
    pub fn drift(&mut self, status: u8, target: Option<&Target>) -> u8 {
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
    pub fn delivered(&mut self, delivered: &Delivered) -> u8 {
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
        if self.streams.terminal && !self.args.quiet && !self.args.check && self.args.until.is_none() {
            let ops = report::plural(self.run.steps.len(), ("op", "ops"));
            let summary = log::summary(&workspace.changes());
            let time = self.start.elapsed().as_secs_f64();
            self.tell(format!("{ops}: {summary}; {time:.1} s\n"));
        }
    }

    pub fn changes(&mut self, workspace: &Workspace) {
        if self.args.quiet || (self.args.check && !self.args.verbose) {
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
    pub fn contents(&mut self, workspace: &Workspace) {
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
