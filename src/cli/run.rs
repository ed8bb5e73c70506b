//! The default command: runs a recipe and shows or writes the result. Writing comes before reporting, so that a
//! closed pipe or a full disk behind standard output never costs the output.

use super::deliver;
use super::input::{self, Loaded, Refused};
use super::show::{Report, refused};
use super::{Format, RunArgs, Streams, exit, watch};
use crate::check::{self, Input};
use crate::ops::Note;
use crate::report::{failure, findings};
use crate::run::{self, Mode, Run};
use crate::workspace::{Workspace, load};
use std::time::Instant;

/// Runs a recipe as the arguments say; the exit status.
pub fn run(args: &RunArgs, streams: &mut Streams<'_>) -> u8 {
    if args.watch {
        return watch::watch(args, streams);
    }
    let (status, ran) = once(args, streams);
    // The program ends here, and to free thousands of files one by one would only make it end later.
    std::mem::forget(ran);
    status
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
    // What is tried need not be whole: a recipe file is judged as a port.
    Ok(if loaded.file.is_none() { tree.as_trial() } else { tree })
}
