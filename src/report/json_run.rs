//! The document of a run. It is written from what it shows, place by place: a recipe that touches a hundred thousand files has
//! as many places to show.

use super::json::{FORMAT, Failed, Places};
use crate::ops::Note;
use crate::recipe::Recipe;
use crate::run::{Drift, Run, Step};
use crate::workspace::{ChangeKind, ChangeSet, FileChange};
use serde::{Serialize, Serializer};
use serde_json::Value;

/// A run: its ops, and the changed files when all of them applied.
#[derive(Serialize)]
pub struct RunDocument<'a> {
    format: u32,
    command: &'static str,
    recipe: &'a str,
    status: u8,
    ops: Vec<Ran<'a>>,
    changes: Option<Changes<'a>>,
    checks: Value,
    output: Value,
}

impl<'a> RunDocument<'a> {
    /// With the findings and what became of the output.
    pub fn new(recipe: &'a Recipe, run: &'a Run, status: u8, checks: Value, output: Value) -> Self {
        Self {
            format: FORMAT,
            command: "run",
            recipe: recipe.text.name(),
            status,
            ops: (0..recipe.ops.len()).map(|op| Ran::new(recipe, run, op)).collect(),
            changes: run.drift.is_empty().then(|| Changes(run.workspace.changes())),
            checks,
            output,
        }
    }
}

#[derive(Serialize)]
struct Ran<'a> {
    line: usize,
    op: &'static str,
    applied: bool,
    log: Option<&'a str>,
    notes: Vec<Noted<'a>>,
    counts: Vec<Counted<'a>>,
    failure: Option<Failed<'a>>,
}

impl<'a> Ran<'a> {
    fn new(recipe: &'a Recipe, run: &'a Run, op: usize) -> Self {
        let built = &recipe.ops[op];
        let step: Option<&Step> = run.steps.iter().find(|s| s.op == op);
        let drift: Option<&Drift> = run.drift.iter().find(|d| d.op == op);
        let notes = step.map_or(&[][..], |step| &step.notes).iter();
        let counts = step.map_or(&[][..], |step| &step.counts).iter().map(|count| Counted {
            pin: count.pin,
            expected: built.pins.iter().find(|pin| pin.name == count.pin).map(|pin| pin.expected),
            found: count.found,
            evidence: Places(&count.evidence),
        });
        Self {
            line: built.line,
            op: built.spec.name,
            applied: step.is_some(),
            log: step.map(|step| step.log.as_str()),
            notes: notes.map(Noted::new).collect(),
            counts: counts.collect(),
            failure: drift.map(|d| Failed::new(&d.failure, d.after.map(|op| recipe.ops[op].line))),
        }
    }
}

#[derive(Serialize)]
struct Counted<'a> {
    pin: &'a str,
    expected: Option<u64>,
    found: u64,
    evidence: Places<'a>,
}

#[derive(Serialize)]
struct Noted<'a> {
    kind: &'static str,
    text: &'a str,
}

impl<'a> Noted<'a> {
    fn new(note: &'a Note) -> Self {
        let (kind, text) = match note {
            Note::Warning(text) => ("warning", text),
            Note::Info(text) => ("info", text),
            Note::Detail(text) => ("detail", text),
        };
        Self { kind, text }
    }
}

/// The changed files.
struct Changes<'a>(ChangeSet<'a>);

impl Serialize for Changes<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Changed {
            kind: char,
            path: Option<String>,
            from: Option<String>,
        }
        serializer.collect_seq(self.0.files.iter().map(|change: &FileChange<'_>| {
            let from = change.old.filter(|_| change.kind == ChangeKind::Renamed);
            Changed {
                kind: change.kind.letter(),
                path: change.path().map(ToString::to_string),
                from: from.map(|(path, _)| path.to_string()),
            }
        }))
    }
}
