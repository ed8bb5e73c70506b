//! The run log: one line an op, its notes below, and the list of changed files.

use super::style::Color;
use super::{Style, escape};
use crate::ops::Note;
use crate::recipe::Recipe;
use crate::run::{Run, Step};
use crate::workspace::{ChangeKind, ChangeSet, RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

/// The log of the steps that did what the recipe says. One that was only measured is in the report of the drift.
pub fn steps(recipe: &Recipe, run: &Run, verbose: bool, style: Style) -> String {
    let name_width = recipe.ops.iter().map(|op| op.spec.name.len()).max().unwrap_or(0);
    let line_width = recipe.ops.last().map_or(0, |op| op.line.to_string().len()).max(3);
    let mut out = String::new();
    let drifted = |step: &&Step| run.drift.iter().any(|drift| drift.op == step.op);
    for step in run.steps.iter().filter(|step| !drifted(step)) {
        let op = &recipe.ops[step.op];
        let place = style.paint(Color::Dim, &format!("[line {:>line_width$}]", op.line));
        let _ = writeln!(out, "{place} {:<name_width$}  {}", op.spec.name, escape::line(&step.log));
        for note in &step.notes {
            match note {
                Note::Info(text) => drop(writeln!(out, "  {}", escape::line(text))),
                Note::Detail(text) if verbose => drop(writeln!(out, "  {}", escape::line(text))),
                Note::Detail(_) | Note::Warning(_) => {}
            }
        }
        if verbose {
            for count in &step.counts {
                out.push_str(&super::failure::places(&count.evidence, true, style));
            }
        }
    }
    out
}

/// The warnings of the steps, as the errors' stream shows them.
pub fn warnings(recipe: &Recipe, steps: &[Step], style: Style) -> String {
    let mut out = String::new();
    for step in steps {
        let op = &recipe.ops[step.op];
        for note in &step.notes {
            if let Note::Warning(text) = note {
                let word = style.paint(Color::Warning, "warning:");
                let _ =
                    writeln!(out, "{word} recipe line {}: {}: {}", op.line, op.spec.name, escape::line(text));
            }
        }
    }
    out
}

/// The changed files, a line each, in git's letters. Directories that are gone as a whole are folded into one line
/// unless `verbose`.
pub fn changes(workspace: &Workspace, set: &ChangeSet<'_>, verbose: bool, style: Style) -> String {
    let mut lines: Vec<(RepoPath, String)> = Vec::new();
    let mut folded: BTreeMap<RepoPath, Vec<&RepoPath>> = BTreeMap::new();
    let alive = if verbose { BTreeSet::new() } else { living_directories(workspace, set) };
    for change in &set.files {
        let Some(path) = change.path() else { continue };
        if change.kind == ChangeKind::Deleted
            && !verbose
            && let Some(directory) = path.ancestors().take_while(|d| !alive.contains(d)).last()
        {
            folded.entry(directory).or_default().push(path);
            continue;
        }
        let text = match (change.kind, change.old, change.new) {
            (ChangeKind::Renamed, Some((old, _)), Some((new, _))) => format!("R {old} -> {new}"),
            (kind, ..) => format!("{} {path}", kind.letter()),
        };
        lines.push((path.clone(), style.paint(color(change.kind), &text)));
    }
    for (directory, files) in folded {
        let text = match files[..] {
            [only] => format!("D {only}"),
            _ => format!("D {directory}/ ({} files)", files.len()),
        };
        lines.push((directory, style.paint(Color::Deleted, &text)));
    }
    lines.sort();
    lines.into_iter().map(|(_, line)| line + "\n").collect()
}

fn color(kind: ChangeKind) -> Color {
    match kind {
        ChangeKind::Added => Color::Added,
        ChangeKind::Modified => Color::Warning,
        ChangeKind::Deleted => Color::Deleted,
        ChangeKind::Renamed => Color::Moved,
    }
}

/// Directories that still hold a file, or held one that was moved elsewhere.
fn living_directories(workspace: &Workspace, set: &ChangeSet<'_>) -> BTreeSet<RepoPath> {
    let mut alive = BTreeSet::new();
    let moved = set.files.iter().filter(|c| c.kind == ChangeKind::Renamed).filter_map(|c| c.old);
    for (path, _) in workspace.iter().chain(moved) {
        for directory in path.ancestors() {
            if !alive.insert(directory) {
                break;
            }
        }
    }
    alive
}

/// `3 added, 1 modified, 12 deleted, 4 renamed`; `no changes` when nothing differs.
pub fn summary(set: &ChangeSet<'_>) -> String {
    let parts: Vec<String> = [
        (ChangeKind::Added, "added"),
        (ChangeKind::Modified, "modified"),
        (ChangeKind::Deleted, "deleted"),
        (ChangeKind::Renamed, "renamed"),
    ]
    .into_iter()
    .map(|(kind, word)| (set.count(kind), word))
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    if parts.is_empty() { "no changes".to_owned() } else { parts.join(", ") }
}
