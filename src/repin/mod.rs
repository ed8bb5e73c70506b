//! Re-pinning: the recipe at the old commit and at the new one, and what a maintainer must look at between the two.
//! Measures and compares; writes nothing.

mod compare;

pub use compare::{FileDelta, PinChange, added_and_gone, tree_delta};

use crate::git::Checkouts;
use crate::git::history::Between;
use crate::ops::FailureKind;
use crate::recipe::edit::RecipeEdit;
use crate::recipe::{CommitSha, Recipe};
use crate::run::{Mode, Run, run_sourced};
use crate::workspace::{RepoPath, Workspace};
use std::collections::BTreeSet;

/// Both sides of a bump.
pub struct Sides {
    /// The commit the recipe pins.
    pub old: CommitSha,
    /// The commit it is to pin.
    pub new: CommitSha,
    /// The recipe at the old commit.
    pub before: Run,
    /// The recipe at the new commit, measured.
    pub after: Run,
}

/// An overlay file that replaces a file of upstream which changed in between: drift that no pin sees.
#[derive(Debug)]
pub struct HiddenDrift {
    /// The file in the port.
    pub path: RepoPath,
    /// Upstream's file below it, by its path at the old commit.
    pub upstream: RepoPath,
}

/// What a maintainer must look at.
pub struct Review<'a> {
    /// Both sides.
    pub sides: &'a Sides,
    /// The commits between.
    pub between: Between,
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
    /// Runs the recipe on both trees.
    pub fn run(
        recipe: &Recipe,
        old: (CommitSha, Workspace),
        new: (CommitSha, Workspace),
        checkouts: &Checkouts,
    ) -> Self {
        Self {
            before: run_sourced(recipe, old.1, checkouts, Mode::Measure),
            after: run_sourced(recipe, new.1, checkouts, Mode::Measure),
            old: old.0,
            new: new.0,
        }
    }

    /// The upstream paths that are in the port on either side: what commits must touch to matter.
    pub fn ported(&self) -> BTreeSet<RepoPath> {
        let runs = [&self.before, &self.after];
        let entries = runs.iter().flat_map(|run| run.workspace.iter());
        entries.filter_map(|(_, entry)| entry.upstream_path.clone()).collect()
    }

    /// Puts together what must be looked at.
    pub fn review(&self, recipe: &Recipe, between: Between) -> Review<'_> {
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
        let hidden = compare::hidden_drift(&self.before, &self.after, &between);
        Review {
            sides: self,
            files: tree_delta(&self.before.workspace, &self.after.workspace),
            between,
            pins,
            blocking,
            hidden,
        }
    }
}

impl Review<'_> {
    /// The recipe with the new commit and the new numbers. `None` while something blocks.
    pub fn edited(&self, recipe: &Recipe) -> Option<String> {
        if !self.blocking.is_empty() {
            return None;
        }
        let mut edit = RecipeEdit::default();
        if let Some(source) = recipe.ops.iter().position(|op| op.spec.name == "source") {
            edit.commit(recipe, source, &self.sides.new);
        }
        for pin in &self.pins {
            edit.pin(recipe, pin.op, pin.name, pin.new);
        }
        Some(edit.apply(recipe.text.text()))
    }
}
