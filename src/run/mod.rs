//! Runs a recipe over a workspace: plan, compare the pins, apply; one op after the other. After the first drift the run
//! goes on measuring, so that one run shows all of it.

use crate::git::Checkouts;
use crate::ops::{Context, Count, Failure, FailureKind, Note, Plan, Record};
use crate::recipe::{BuiltOp, Recipe};
use crate::workspace::{ApplyError, Workspace};

/// What one op did.
#[derive(Debug)]
pub struct Step {
    /// Index of the op in the recipe.
    pub op: usize,
    /// The log line.
    pub log: String,
    /// What to say besides.
    pub notes: Vec<Note>,
    /// What it counted.
    pub counts: Vec<Count>,
}

/// An op that does not apply as the recipe says.
#[derive(Debug)]
pub struct Drift {
    /// Index of the op in the recipe.
    pub op: usize,
    /// Why.
    pub failure: Failure,
    /// Whether the op was applied with what it found, so that what follows is still measured right.
    pub applied: bool,
    /// The op that was skipped before, from which this may merely follow.
    pub after: Option<usize>,
}

/// A recipe that ran.
#[derive(Debug)]
pub struct Run {
    /// The steps that were applied.
    pub steps: Vec<Step>,
    /// The tree after them.
    pub workspace: Workspace,
    /// What the ops recorded.
    pub records: Vec<Record>,
    /// Every op that does not apply; empty when the recipe fits.
    pub drift: Vec<Drift>,
    /// The tree before the first op that does not apply.
    pub before_drift: Option<Workspace>,
}

/// How far to go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Stop at the first op that does not apply.
    FailFast,
    /// Go on: apply an op whose pin differs with what it found, skip one that finds nothing.
    Measure,
}

/// Runs the ops `recipe.ops[..until]`. An op that does not apply has changed nothing, unless it is measured on.
pub fn run(recipe: &Recipe, until: usize, workspace: Workspace, checkouts: &Checkouts, mode: Mode) -> Run {
    let ops: Vec<usize> = (0..recipe.ops.len().min(until)).collect();
    run_ops(recipe, &ops, workspace, checkouts, mode)
}

/// Runs a recipe on a tree that stands for what its `source` op would bring: another commit, perhaps.
pub fn run_sourced(recipe: &Recipe, workspace: Workspace, checkouts: &Checkouts, mode: Mode) -> Run {
    let ops = recipe.ops.iter().enumerate().filter(|(_, op)| op.spec.name != "source");
    let ops: Vec<usize> = ops.map(|(index, _)| index).collect();
    run_ops(recipe, &ops, workspace, checkouts, mode)
}

fn run_ops(recipe: &Recipe, ops: &[usize], workspace: Workspace, checkouts: &Checkouts, mode: Mode) -> Run {
    let mut run =
        Run { steps: Vec::new(), workspace, records: Vec::new(), drift: Vec::new(), before_drift: None };
    let mut skipped = None;
    let tell = |text: &str| checkouts.fetching.progress.iter().for_each(|progress| progress(text));
    for &index in ops {
        let built = &recipe.ops[index];
        tell(&format!("line {}: {}", built.line, built.spec.name));
        let (failure, applied) = match run.step(index, &recipe.ops[index], checkouts, mode) {
            Ok(None) => continue,
            Ok(Some(failure)) => (failure, true),
            Err(failure) => (failure, false),
        };
        // Without the right source nothing can be measured.
        let stop = mode == Mode::FailFast
            || matches!(failure.kind, FailureKind::Source | FailureKind::Read | FailureKind::Limit);
        run.drift.push(Drift { op: index, failure, applied, after: skipped });
        if stop {
            break;
        }
        if !applied {
            skipped = skipped.or(Some(index));
        }
    }
    tell("");
    run
}

impl Run {
    /// One op. `Ok(Some(_))` is a pin that differs on an op that was applied all the same.
    fn step(
        &mut self,
        index: usize,
        built: &BuiltOp,
        checkouts: &Checkouts,
        mode: Mode,
    ) -> Result<Option<Failure>, Failure> {
        let context = Context { workspace: &self.workspace, records: &self.records, checkouts };
        let plan = built.op.plan(&context).inspect_err(|_| self.keep_before_drift())?;
        let failure = pin_failure(built, &plan.counts, plan.none.as_ref());
        if let Some(failure) = &failure {
            self.keep_before_drift();
            if mode == Mode::FailFast || plan.none.is_some() {
                return Err(failure.clone());
            }
        }
        let Plan { changes, counts, log, notes, records, tree, .. } = plan;
        let before = tree.map(|tree| std::mem::replace(&mut self.workspace, tree));
        if let Err(error) = self.workspace.apply(changes) {
            if let Some(before) = before {
                self.workspace = before;
            }
            self.keep_before_drift();
            let kind = match error {
                ApplyError::TooMany | ApplyError::TooLarge(_) => FailureKind::Limit,
                _ => FailureKind::Conflict,
            };
            return Err(Failure::new(kind, error.to_string()).at("to"));
        }
        self.records.extend(records);
        self.steps.push(Step { op: index, log, notes, counts });
        Ok(failure)
    }

    fn keep_before_drift(&mut self) {
        if self.before_drift.is_none() {
            self.before_drift = Some(self.workspace.clone());
        }
    }
}

/// The first pin that differs from what was found, or the op's own reason when it found nothing and no pin of 0
/// asked for that.
fn pin_failure(built: &BuiltOp, counts: &[Count], none: Option<&Failure>) -> Option<Failure> {
    for pin in &built.pins {
        let Some(count) = counts.iter().find(|count| count.pin == pin.name) else { continue };
        if count.found == pin.expected {
            continue;
        }
        let noun = if pin.expected == 1 { count.noun.0 } else { count.noun.1 };
        let message = format!(
            "expected exactly {} {noun} but found {}: upstream drifted; review them and update {}=",
            pin.expected, count.found, pin.name
        );
        let mut failure =
            Failure::new(FailureKind::Pin, message).at(pin.name).evidence(count.evidence.clone());
        if let Some(none) = none.filter(|_| count.found == 0) {
            failure.message =
                format!("expected exactly {} {noun} but found 0: {}", pin.expected, none.message);
            failure.evidence.clone_from(&none.evidence);
            failure.details.clone_from(&none.details);
            failure.hints.clone_from(&none.hints);
        }
        return Some(failure);
    }
    let zero_is_pinned = built.pins.iter().any(|pin| pin.expected == 0);
    none.filter(|_| !zero_is_pinned).cloned()
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    fn drifted(recipe: &str) -> Vec<(usize, bool, Option<usize>)> {
        let port = Port::new(recipe).file("a", "xx").file("b", "x");
        port.run().drift.iter().map(|d| (d.op, d.applied, d.after)).collect()
    }

    #[test]
    fn all_drift_is_found_in_one_run() {
        let recipe = "replace in=\"a\" find=\"x\" with=\"y\" count=1\nexpect in=\"b\" find=\"x\" count=1\ndelete in=\"*\" files=3";
        assert_eq!(drifted(recipe), [(0, true, None), (2, true, None)]);
    }

    #[test]
    fn what_fails_after_a_skipped_op_says_so() {
        let recipe = "move from=\"c\" to=\"d\"\ndelete in=\"d\"\ndelete in=\"b\"";
        assert_eq!(drifted(recipe), [(0, false, None), (1, false, Some(0))]);
    }

    #[test]
    fn the_tree_before_the_first_drift_is_kept() {
        let run = Port::new("delete in=\"a\"\nexpect in=\"b\" files=2\ndelete in=\"b\"")
            .file("a", "")
            .file("b", "")
            .run();
        assert_eq!(run.before_drift.unwrap().len(), 1);
        assert!(run.workspace.is_empty());
    }
}
