//! `--watch`: runs again whenever the recipe or a file of an overlay was saved, and prints what that changed. Files are
//! looked at a few times a second, which needs no help from the system and works on every file system.

use super::input::Loaded;
use super::{RunArgs, Streams, exit, run};
use crate::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use crate::report::{Color, Style, diff, log};
use crate::run::Run;
use crate::workspace::{Change, Entry, Origin, RepoPath, Workspace};
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::thread::sleep;
use std::time::{Duration, SystemTime};
use walkdir::WalkDir;

/// How often is looked. A save of several files within this time is one change.
const INTERVAL: Duration = Duration::from_millis(150);

/// What a run left for the next one to compare with.
#[derive(Default)]
struct Last {
    /// The log without the numbers of the lines, which shift as the recipe is edited.
    log: Vec<String>,
    /// Warnings and errors.
    complaints: String,
    /// The tree, when the recipe applied.
    tree: Option<Workspace>,
}

/// Runs until nobody reads the output any more, or the program is stopped.
pub fn watch(args: &RunArgs, streams: &mut Streams<'_>) -> u8 {
    let Some(recipe) = args.recipe.clone() else {
        streams.error("--watch needs a recipe file", None);
        return exit::USAGE;
    };
    let mut last: Option<Last> = None;
    let mut tree: Option<Workspace> = None;
    let mut known = Vec::new();
    loop {
        let before = snapshot(&recipe, &mut known);
        let (status, mut now, printed) = attempt(args, streams);
        match &last {
            None => streams.say(printed),
            // Where nothing ran there is nothing to compare.
            Some(last) if now.log.is_empty() => now.log.clone_from(&last.log),
            Some(last) => streams.say(difference(&last.log, &now.log)),
        }
        if last.as_ref().is_none_or(|last| last.complaints != now.complaints) {
            streams.complain(&now.complaints);
        } else if now.tree.is_none() {
            streams.complain("the same errors as before\n");
        }
        // Mistakes in the recipe can be saved away, those on the command line cannot.
        if last.is_none() && status == exit::USAGE && (overlays(&recipe).is_some() || !recipe.is_file()) {
            return status;
        }
        if let (Some(old), Some(new)) = (&tree, &now.tree) {
            changes(args, old, new, streams);
        }
        if now.tree.is_some() {
            tree.clone_from(&now.tree);
        }
        last = Some(now);
        let names = loop {
            // A write that failed is how a closed pipe is noticed.
            let _ = streams.out.flush();
            if streams.closed.get() {
                return exit::DONE;
            }
            sleep(INTERVAL);
            let after = snapshot(&recipe, &mut known);
            // An editor may remove a file for a moment, or write it in pieces.
            if after != before && recipe.is_file() && {
                sleep(INTERVAL / 3);
                snapshot(&recipe, &mut known) == after
            } {
                break changed(&before, &after);
            }
        };
        let heading = format!("== {} changed", names.join(", "));
        streams.say(format!("{}\n", streams.out_style.paint(Color::Bold, &heading)));
    }
}

/// One run, its output kept back: exit status, what to compare with, and what it printed.
fn attempt(args: &RunArgs, streams: &Streams<'_>) -> (u8, Last, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut inner = Streams {
        out: &mut out,
        err: &mut err,
        out_style: streams.out_style,
        err_style: streams.err_style,
        terminal: streams.terminal,
        closed: Rc::clone(&streams.closed),
    };
    let (status, ran) = run::once(args, &mut inner);
    let mut last = Last::default();
    if let Some((Loaded { recipe, .. }, Run { steps, mut workspace, .. })) = ran {
        let name = |op: usize| recipe.ops[op].spec.name;
        last.log = steps.iter().map(|step| format!("{}  {}", name(step.op), step.log)).collect();
        // The overlay's files may be saved over before the next run compares with them.
        let settled = workspace.settle(true);
        last.tree = (status == exit::DONE && settled.is_ok()).then_some(workspace);
    }
    last.complaints = String::from_utf8_lossy(&err).into_owned();
    (status, last, String::from_utf8_lossy(&out).into_owned())
}

/// The lines of the log that are new, and those that are gone.
fn difference(old: &[String], new: &[String]) -> String {
    let changes = similar::capture_diff_slices(similar::Algorithm::Myers, old, new);
    let mut out = String::new();
    for change in changes.iter().flat_map(|op| op.iter_changes(old, new)) {
        match change.tag() {
            similar::ChangeTag::Equal => {}
            similar::ChangeTag::Delete => out.push_str(&format!("- {}\n", change.value())),
            similar::ChangeTag::Insert => out.push_str(&format!("+ {}\n", change.value())),
        }
    }
    out
}

/// The files that differ from the last run that succeeded.
fn changes(args: &RunArgs, old: &Workspace, new: &Workspace, streams: &mut Streams<'_>) {
    let between = match between(old, new) {
        Ok(between) => between,
        Err(error) => return streams.error(&format!("cannot compare with the last run: {error}"), None),
    };
    let set = between.changes();
    if set.files.is_empty() {
        streams.say("the tree is the same\n");
    } else if args.diff {
        let style: Style = streams.out_style;
        if let Err(error) = diff::patch(&set, &mut streams.out, streams.terminal, style) {
            streams.error(&format!("cannot show the changes: {error}"), None);
        }
    } else {
        streams.say(log::changes(&between, &set, args.verbose, streams.out_style));
    }
}

/// A tree that was `old` and became `new`. Files that both have from upstream as they are need not be read.
fn between(old: &Workspace, new: &Workspace) -> io::Result<Workspace> {
    let untouched = |entry: &Entry| entry.origin == Origin::Upstream && !entry.written;
    let same = |path: &RepoPath, entry: &Entry, other: &Workspace| {
        let there = other.get(path).filter(|other| untouched(other) && untouched(entry));
        there.is_some_and(|other| other.upstream_path == entry.upstream_path)
    };
    let base = old.iter().filter(|(path, entry)| !same(path, entry, new));
    let base = base.map(|(path, e)| Entry::upstream(path.clone(), e.content.clone(), e.mode));
    let mut between = Workspace::new(base);
    let gone: Vec<Change> = between.iter().map(|(path, _)| Change::Delete { path: path.clone() }).collect();
    let put = new.iter().filter(|(path, entry)| !same(path, entry, old)).map(|(path, entry)| Change::Put {
        path: path.clone(),
        content: entry.content.clone(),
        mode: entry.mode,
        origin: Origin::Generated,
    });
    let put = put.collect();
    let failed = |error: crate::workspace::ApplyError| io::Error::other(error.to_string());
    between.apply(gone).and_then(|()| between.apply(put)).map_err(failed)?;
    Ok(between)
}

/// What tells that a file was saved.
type Stamp = (Option<SystemTime>, u64, u64);

/// The recipe and all files of its overlays. While the recipe has mistakes, its last overlays count.
fn snapshot(recipe: &Path, known: &mut Vec<PathBuf>) -> BTreeMap<PathBuf, Stamp> {
    if let Some(now) = overlays(recipe) {
        *known = now;
    }
    let mut files = BTreeMap::new();
    let mut add = |path: &Path| {
        if let Ok(meta) = fs::symlink_metadata(path)
            .and_then(|link| if link.is_symlink() { fs::metadata(path).or(Ok(link)) } else { Ok(link) })
        {
            files.insert(path.to_path_buf(), (meta.modified().ok(), meta.len(), meta.ino()));
        }
    };
    add(recipe);
    for overlay in known {
        let entries = WalkDir::new(overlay).into_iter().filter_map(Result::ok);
        entries.filter(|entry| !entry.file_type().is_dir()).for_each(|entry| add(entry.path()));
    }
    files
}

/// The overlays of the recipe as it stands; `None` while it has mistakes.
fn overlays(recipe: &Path) -> Option<Vec<PathBuf>> {
    let text = fs::read_to_string(recipe).ok()?;
    let base = recipe.parent().map(Path::to_path_buf).unwrap_or_default();
    let context = BuildContext { base, ..BuildContext::default() };
    let input = RecipeInput { text: RecipeText::new("", text), inline: false, context };
    let recipe = Recipe::build(&input).ok()?;
    let file = Some(input.context.base.join("port.kdl"));
    Some(Loaded { recipe, file }.overlays())
}

/// The names of the files that two snapshots disagree about.
fn changed(before: &BTreeMap<PathBuf, Stamp>, after: &BTreeMap<PathBuf, Stamp>) -> Vec<String> {
    let all = before.keys().chain(after.keys().filter(|path| !before.contains_key(*path)));
    let differs = all.filter(|path| before.get(*path) != after.get(*path));
    differs.map(|path| crate::report::escape::line(&path.display().to_string())).collect()
}
