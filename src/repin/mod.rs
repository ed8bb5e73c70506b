//! Re-pinning: the recipe at the old commit and at the new one, and what a maintainer must look at between the two.
//! Measures and compares; writes nothing.

mod compare;

pub use compare::{FileDelta, PinChange, added_and_gone, tree_delta};

use crate::git::Checkouts;
use crate::git::history::Between;
use crate::ops::FailureKind;
use crate::recipe::edit::RecipeEdit;
use crate::recipe::{BuiltOp, CommitSha, Recipe};
use crate::run::{Mode, Run, run_sourced};
use crate::workspace::{RepoPath, Workspace};
use std::collections::BTreeSet;

/// A repository of the recipe whose commit changes.
#[derive(Debug)]
pub struct Bump {
    /// What its `vendor` ops call it; `None` is the source.
    pub vendor: Option<String>,
    /// The commit the recipe pins, and a tag on it.
    pub old: (CommitSha, Option<String>),
    /// The commit it is to pin, and a tag on it; the source's may be the same.
    pub new: (CommitSha, Option<String>),
    /// The commits between.
    pub between: Between,
}

/// The recipe before and after a bump.
pub struct Sides {
    /// At the old commits.
    pub before: Run,
    /// At the new commits, measured.
    pub after: Run,
}

/// An overlay file that replaces a file of upstream which changed in between: drift that no pin sees.
#[derive(Debug)]
pub struct HiddenDrift {
    /// The file in the port.
    pub path: RepoPath,
    /// The file below it, by its path in its repository at the old commit.
    pub upstream: RepoPath,
    /// Which bump's repository: index in [`Review::bumps`].
    pub bump: usize,
}

/// What a maintainer must look at.
pub struct Review<'a> {
    /// Both sides.
    pub sides: &'a Sides,
    /// The source first, then what is vendored.
    pub bumps: Vec<Bump>,
    /// Pins whose number changes, in recipe order.
    pub pins: Vec<PinChange>,
    /// Indices into `after.drift` of what no number can fix.
    pub blocking: Vec<usize>,
    /// Overlay files that hide a change of upstream's.
    pub hidden: Vec<HiddenDrift>,
    /// Files of the port that appear, vanish or change.
    pub files: Vec<FileDelta>,
}

/// The upstream paths that a recipe ports from a tree.
pub fn ported_paths(recipe: &Recipe, tree: Workspace) -> BTreeSet<RepoPath> {
    let run = run_sourced(recipe, tree, &Checkouts::default(), Mode::Measure);
    run.workspace.iter().filter_map(|(_, entry)| entry.upstream_path.clone()).collect()
}

impl Sides {
    /// Runs the recipe on the old and the new tree of its source, each with the trees of what it vendors.
    pub fn run(recipe: &Recipe, sources: [Workspace; 2], checkouts: [&Checkouts; 2]) -> Self {
        let [old, new] = sources;
        Self {
            before: run_sourced(recipe, old, checkouts[0], Mode::Measure),
            after: run_sourced(recipe, new, checkouts[1], Mode::Measure),
        }
    }

    /// The upstream paths that are in the port on either side: what commits must touch to matter.
    pub fn ported(&self) -> BTreeSet<RepoPath> {
        let runs = [&self.before, &self.after];
        let entries = runs.iter().flat_map(|run| run.workspace.iter());
        entries.filter_map(|(_, entry)| entry.upstream_path.clone()).collect()
    }

    /// Puts together what must be looked at.
    pub fn review(&self, recipe: &Recipe, bumps: Vec<Bump>) -> Review<'_> {
        let pins = compare::pins(recipe, &self.before, &self.after);
        let is_blocking = |kind: FailureKind, applied: bool| !applied || kind != FailureKind::Pin;
        let drift = self.after.drift.iter().enumerate();
        let mut blocking: Vec<usize> =
            drift.filter(|(_, d)| is_blocking(d.failure.kind, d.applied)).map(|(at, _)| at).collect();
        // A pin of 0 would make an op that does nothing look pinned.
        for (at, drift) in self.after.drift.iter().enumerate() {
            let to_zero = pins.iter().any(|p| p.op == drift.op && p.new == 0 && p.old > 0);
            if to_zero && !blocking.contains(&at) {
                blocking.push(at);
            }
        }
        blocking.sort_unstable();
        let hidden = compare::hidden_drift(recipe, self, &bumps);
        Review {
            sides: self,
            files: tree_delta(&self.before.workspace, &self.after.workspace),
            bumps,
            pins,
            blocking,
            hidden,
        }
    }
}

impl Bump {
    /// Whether the commit is another one.
    pub fn changes(&self) -> bool {
        self.old.0 != self.new.0
    }

    /// The ops that bring the repository's files.
    pub fn ops<'r>(&self, recipe: &'r Recipe) -> impl Iterator<Item = (usize, &'r BuiltOp)> {
        let ops = recipe.ops.iter().enumerate();
        ops.filter(|(_, op)| match &self.vendor {
            None => op.spec.name == "source",
            Some(name) => op.spec.name == "vendor" && op.text("name") == Some(name),
        })
    }
}

impl Review<'_> {
    /// The recipe with the new commit and the new numbers. `None` while something blocks.
    pub fn edited(&self, recipe: &Recipe) -> Option<String> {
        if !self.blocking.is_empty() {
            return None;
        }
        let mut edit = RecipeEdit::default();
        for bump in &self.bumps {
            for (index, _) in bump.ops(recipe) {
                edit.commit(recipe, index, &bump.new.0);
            }
        }
        for pin in &self.pins {
            edit.pin(recipe, pin.op, pin.name, pin.new);
        }
        Some(edit.apply(recipe.text.text()))
    }
}
