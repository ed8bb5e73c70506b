//! `--format json`: one document a run, described by `docs/schema.json`. Paths that are no UTF-8 are shown as in the
//! text output.

use crate::ops::{Evidence, Failure, FailureKind, Note};
use crate::recipe::{Recipe, RecipeErrors};
use crate::run::Run;
use crate::workspace::ChangeSet;
use serde_json::{Value, json};

/// The version of the documents.
pub const FORMAT: u32 = 1;

/// A recipe with mistakes.
pub fn mistakes(errors: &RecipeErrors) -> Value {
    let mistakes = errors.errors.iter().map(|error| {
        let position = errors.text.position(error.span.start);
        json!({
            "line": position.line,
            "column": position.column,
            "message": error.message,
            "help": error.help,
        })
    });
    json!({
        "format": FORMAT,
        "command": "run",
        "recipe": errors.text.name(),
        "status": 2,
        "mistakes": mistakes.collect::<Vec<_>>(),
    })
}

/// A run: its ops, and the changed files when all of them applied.
pub fn run(recipe: &Recipe, run: &Run, status: u8) -> Value {
    let ops = recipe.ops.iter().enumerate().map(|(index, built)| {
        let step = run.steps.iter().find(|s| s.op == index);
        let drift = run.drift.iter().find(|d| d.op == index);
        let counts = step.map(|step| {
            let counts = step.counts.iter().map(|count| {
                let pin = built.pins.iter().find(|pin| pin.name == count.pin);
                json!({
                    "pin": count.pin,
                    "expected": pin.map(|p| p.expected),
                    "found": count.found,
                    "evidence": evidence(&count.evidence),
                })
            });
            counts.collect::<Vec<_>>()
        });
        json!({
            "line": built.line,
            "op": built.spec.name,
            "applied": step.is_some(),
            "log": step.map(|s| s.log.as_str()),
            "notes": step.map(|s| s.notes.iter().map(note).collect::<Vec<_>>()).unwrap_or_default(),
            "counts": counts.unwrap_or_default(),
            "failure": drift.map(|d| {
                let mut value = failure(&d.failure);
                value["after_line"] = json!(d.after.map(|op| recipe.ops[op].line));
                value
            }),
        })
    });
    json!({
        "format": FORMAT,
        "command": "run",
        "recipe": recipe.text.name(),
        "status": status,
        "ops": ops.collect::<Vec<_>>(),
        "changes": if run.drift.is_empty() { changes(&run.workspace.changes()) } else { Value::Null },
    })
}

/// The changed files.
pub fn changes(set: &ChangeSet<'_>) -> Value {
    let one = |change: &crate::workspace::FileChange<'_>| {
        let from = change.old.filter(|_| change.kind == crate::workspace::ChangeKind::Renamed);
        json!({
            "kind": change.kind.letter().to_string(),
            "path": change.path().map(ToString::to_string),
            "from": from.map(|(path, _)| path.to_string()),
        })
    };
    Value::Array(set.files.iter().map(one).collect())
}

fn note(note: &Note) -> Value {
    let (kind, text) = match note {
        Note::Warning(text) => ("warning", text),
        Note::Info(text) => ("info", text),
        Note::Detail(text) => ("detail", text),
    };
    json!({ "kind": kind, "text": text })
}

/// Places in files.
pub fn evidence(evidence: &[Evidence]) -> Value {
    let one = |e: &Evidence| {
        json!({
            "path": e.path.to_string(),
            "line": e.position.map(|p| p.line),
            "column": e.position.map(|p| p.column),
            "text": e.text,
        })
    };
    Value::Array(evidence.iter().map(one).collect())
}

fn failure(failure: &Failure) -> Value {
    let kind = match failure.kind {
        FailureKind::Pin => "pin",
        FailureKind::Missing => "missing",
        FailureKind::NoEffect => "no-effect",
        FailureKind::Conflict => "conflict",
        FailureKind::Refused => "refused",
        FailureKind::Syntax => "syntax",
        FailureKind::Source => "source",
        FailureKind::Read => "read",
    };
    json!({
        "kind": kind,
        "message": failure.message,
        "argument": failure.argument,
        "evidence": evidence(&failure.evidence),
        "details": failure.details,
        "hints": failure.hints,
    })
}
