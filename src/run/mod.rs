//! Runs a recipe over a workspace: plan, compare the pins, apply; one op after the other.

use crate::git::Checkouts;
use crate::ops::{Context, Count, Failure, FailureKind, Note, Record};
use crate::recipe::{BuiltOp, Recipe};
use crate::workspace::Workspace;

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

/// A recipe that ran, or ran until an op failed.
#[derive(Debug)]
pub struct Run {
    /// The steps that were applied.
    pub steps: Vec<Step>,
    /// The tree after them.
    pub workspace: Workspace,
    /// What the ops recorded.
    pub records: Vec<Record>,
    /// The op that does not apply, and why.
    pub failure: Option<(usize, Failure)>,
}

/// Runs all ops, up to the first that fails. A failed op has changed nothing.
pub fn run(recipe: &Recipe, workspace: Workspace, checkouts: &Checkouts) -> Run {
    let mut run = Run { steps: Vec::new(), workspace, records: Vec::new(), failure: None };
    for (index, built) in recipe.ops.iter().enumerate() {
        match step(built, &mut run, checkouts) {
            Ok(step) => run.steps.push(Step { op: index, ..step }),
            Err(failure) => {
                run.failure = Some((index, failure));
                break;
            }
        }
    }
    run
}

fn step(built: &BuiltOp, run: &mut Run, checkouts: &Checkouts) -> Result<Step, Failure> {
    let context = Context { workspace: &run.workspace, records: &run.records, checkouts };
    let plan = built.op.plan(&context)?;
    if let Some(failure) = pin_failure(built, &plan.counts, plan.none.as_ref()) {
        return Err(failure);
    }
    if let Some(tree) = plan.tree {
        run.workspace = tree;
    }
    run.workspace
        .apply(plan.changes)
        .map_err(|error| Failure::new(FailureKind::Conflict, error.to_string()).at("to"))?;
    run.records.extend(plan.records);
    Ok(Step { op: 0, log: plan.log, notes: plan.notes, counts: plan.counts })
}

/// The first pin that differs from what was found, or the op's own reason when it found nothing and no pin of 0
/// asked for that.
fn pin_failure(built: &BuiltOp, counts: &[Count], none: Option<&Failure>) -> Option<Failure> {
    for pin in &built.pins {
        let Some(count) = counts.iter().find(|count| count.pin == pin.name) else {
            continue;
        };
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
