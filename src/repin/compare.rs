//! The comparisons behind a review: pins with their new and vanished matches, overlay files that hide a change, and the
//! files of the port.

use super::{Bump, HiddenDrift, Sides};
use crate::ops::Evidence;
use crate::recipe::{BuiltOp, Recipe};
use crate::run::Run;
use crate::workspace::{Directory, Origin, RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// A pin whose number changes.
#[derive(Debug)]
pub struct PinChange {
    /// Index of the op in the recipe.
    pub op: usize,
    /// The pin.
    pub name: &'static str,
    /// The number in the recipe.
    pub old: u64,
    /// The number found at the new commit.
    pub new: u64,
    /// Matches that are new.
    pub added: Vec<Evidence>,
    /// Matches that are gone.
    pub gone: Vec<Evidence>,
}

/// A file of the port that differs between both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileDelta {
    /// Its path in the port.
    pub path: RepoPath,
    /// Lines that come and go; `None` for a binary file.
    pub lines: Option<(usize, usize)>,
    /// Whether it was there before.
    pub was: bool,
    /// Whether it is there now.
    pub is: bool,
}

/// The pins that differ, in recipe order.
pub fn pins(recipe: &Recipe, before: &Run, after: &Run) -> Vec<PinChange> {
    let count = |run: &Run, op: usize, name: &str| {
        let step = run.steps.iter().find(|s| s.op == op)?;
        step.counts.iter().find(|c| c.pin == name).cloned()
    };
    let mut changes = Vec::new();
    for (op, built) in recipe.ops.iter().enumerate() {
        for pin in &built.pins {
            let Some(new) = count(after, op, pin.name) else { continue };
            let old = count(before, op, pin.name).map(|c| c.evidence).unwrap_or_default();
            if new.found == pin.expected && same_places(&old, &new.evidence) {
                continue;
            }
            let (added, gone) = added_and_gone(&old, &new.evidence);
            // The same number of other matches is drift as well, and no number shows it.
            changes.push(PinChange { op, name: pin.name, old: pin.expected, new: new.found, added, gone });
        }
    }
    changes
}

fn same_places(old: &[Evidence], new: &[Evidence]) -> bool {
    let (added, gone) = added_and_gone(old, new);
    added.is_empty() && gone.is_empty()
}

/// The evidence only the new side has, and only the old side has. Line numbers do not count: text above moves them.
pub fn added_and_gone(old: &[Evidence], new: &[Evidence]) -> (Vec<Evidence>, Vec<Evidence>) {
    let key = |e: &Evidence| (e.path.clone(), e.text.trim().to_owned());
    let mut left: BTreeMap<_, usize> = BTreeMap::new();
    for evidence in old {
        *left.entry(key(evidence)).or_default() += 1;
    }
    let mut added = Vec::new();
    for evidence in new {
        match left.get_mut(&key(evidence)) {
            Some(count) if *count > 0 => *count -= 1,
            _ => added.push(evidence.clone()),
        }
    }
    let mut gone = Vec::new();
    for evidence in old.iter().rev() {
        if let Some(count) = left.get_mut(&key(evidence)).filter(|c| **c > 0) {
            *count -= 1;
            gone.push(evidence.clone());
        }
    }
    gone.reverse();
    (added, gone)
}

/// Overlay files on either side that replace a file which differs between a repository's commits. A file of a vendored
/// repository is looked for where its op puts it.
pub fn hidden_drift(recipe: &Recipe, sides: &Sides, bumps: &[Bump]) -> Vec<HiddenDrift> {
    let mut found = BTreeMap::new();
    for run in [&sides.before, &sides.after] {
        for (path, entry) in run.workspace.iter().filter(|(_, e)| e.origin == Origin::Overlay) {
            for (index, bump) in bumps.iter().enumerate() {
                let below = match bump.vendor {
                    None => entry.upstream_path.clone(),
                    Some(_) => bump.ops(recipe).find_map(|(_, op)| vendored_path(op, path)),
                };
                if let Some(upstream) = below.filter(|below| bump.between.changed.contains(below)) {
                    found.entry(path.clone()).or_insert((upstream, index));
                }
            }
        }
    }
    found.into_iter().map(|(path, (upstream, bump))| HiddenDrift { path, upstream, bump }).collect()
}

/// The path in its repository of the file that a `vendor` op puts at `path`.
fn vendored_path(op: &BuiltOp, path: &RepoPath) -> Option<RepoPath> {
    let directory = |name| Directory::typed(op.text(name)?).ok();
    let below = path.below(&directory("to")?)?;
    directory("path")?.join(below).ok()
}

/// The files that differ between two trees, in path order.
pub fn tree_delta(before: &Workspace, after: &Workspace) -> Vec<FileDelta> {
    let paths: BTreeSet<&RepoPath> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    let mut deltas = Vec::new();
    for path in paths {
        let read = |tree: &Workspace| tree.get(path).and_then(|e| e.content.read().ok());
        let (old, new) = (read(before), read(after));
        let same_mode = before.get(path).map(|e| e.mode) == after.get(path).map(|e| e.mode);
        if old == new && same_mode {
            continue;
        }
        let lines = line_counts(old.as_deref().unwrap_or_default(), new.as_deref().unwrap_or_default());
        deltas.push(FileDelta { path: path.clone(), lines, was: old.is_some(), is: new.is_some() });
    }
    deltas
}

fn line_counts(old: &[u8], new: &[u8]) -> Option<(usize, usize)> {
    use crate::report::print::is_binary;
    if is_binary(old) || is_binary(new) {
        return None;
    }
    let lines = |text| <[u8]>::split_inclusive(text, |b: &u8| *b == b'\n').collect::<Vec<_>>();
    let diff = similar::TextDiff::configure()
        .timeout(std::time::Duration::from_secs(2))
        .diff_slices(&lines(old), &lines(new));
    let changed = diff.ops().iter().filter(|op| op.tag() != similar::DiffTag::Equal);
    let (mut plus, mut minus) = (0, 0);
    for op in changed {
        plus += op.new_range().len();
        minus += op.old_range().len();
    }
    Some((plus, minus))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn evidence(path: &str, line: usize, text: &str) -> Evidence {
        let position = Some(crate::recipe::Position { line, column: 1 });
        Evidence { path: RepoPath::new(path).unwrap(), position, text: text.into() }
    }

    #[test]
    fn matches_that_only_moved_are_neither_new_nor_gone() {
        let old = [evidence("a", 1, "import x"), evidence("a", 2, "import x"), evidence("b", 1, "import y")];
        let new = [evidence("a", 9, "import x"), evidence("b", 5, "import z")];
        let (added, gone) = added_and_gone(&old, &new);
        assert_eq!(added, [evidence("b", 5, "import z")]);
        assert_eq!(gone, [evidence("a", 2, "import x"), evidence("b", 1, "import y")]);
    }

    #[test]
    fn the_lines_of_a_delta_are_counted() {
        assert_eq!(line_counts(b"a\nb\nc\n", b"a\nx\ny\nc\n"), Some((2, 1)));
        assert_eq!(line_counts(b"", b"\0"), None);
    }
}
