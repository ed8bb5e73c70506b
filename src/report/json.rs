//! `--format json`: one document a run, described by `docs/schema.json`. Paths that are no UTF-8 are shown as in the
//! text output.

use crate::ops::{Evidence, Failure, FailureKind, Note};
use crate::recipe::{Recipe, RecipeErrors};
use crate::repin::{Bump, Review};
use crate::report::escape;
use crate::run::Run;
use crate::workspace::ChangeSet;
use serde_json::{Value, json};
use std::fmt::Write;

/// The version of the documents.
pub const FORMAT: u32 = 1;

/// A document as it is printed. What would reorder or drive a terminal is escaped, as JSON allows in every string.
pub fn document(value: &Value) -> String {
    let text = format!("{value:#}\n");
    if text.chars().all(|c| c == '\n' || !escape::is_unsafe(c)) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\n' || !escape::is_unsafe(c) {
            out.push(c);
        } else {
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        }
    }
    out
}

/// A recipe with mistakes.
pub fn mistakes(errors: &RecipeErrors) -> Value {
    let mistakes = errors.shown().iter().map(|error| {
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

/// A re-pinning: what changed between two commits, and what no number can fix.
pub fn review(recipe: &Recipe, review: &Review<'_>, status: u8) -> Value {
    let pins = review.pins.iter().map(|pin| {
        json!({
            "line": recipe.ops[pin.op].line,
            "op": recipe.ops[pin.op].spec.name,
            "pin": pin.name,
            "old": pin.old,
            "new": pin.new,
            "added": evidence(&pin.added),
            "gone": evidence(&pin.gone),
        })
    });
    let blocking = review.blocking.iter().map(|at| {
        let drift = &review.sides.after.drift[*at];
        let mut value = failure(&drift.failure);
        value["line"] = json!(recipe.ops[drift.op].line);
        value["op"] = json!(recipe.ops[drift.op].spec.name);
        value["after_line"] = json!(drift.after.map(|op| recipe.ops[op].line));
        value
    });
    let touching = |bump: &Bump| {
        let commits = bump.between.touching.iter();
        commits.map(|(id, subject)| json!({ "commit": id, "subject": subject })).collect::<Vec<_>>()
    };
    let source = review.bumps.iter().find(|bump| bump.vendor.is_none());
    let vendors = review.bumps.iter().filter(|bump| bump.vendor.is_some()).map(|bump| {
        json!({
            "name": bump.vendor,
            "old": bump.old.0.as_str(),
            "new": bump.new.0.as_str(),
            "commits": bump.between.commits,
            "lost": bump.between.lost,
            "touching": touching(bump),
        })
    });
    let hidden = review
        .hidden
        .iter()
        .map(|h| json!({ "path": h.path.to_string(), "upstream": h.upstream.to_string(), "vendor": review.bumps[h.bump].vendor }));
    let files = review.files.iter().map(|f| {
        json!({
            "path": f.path.to_string(),
            "kind": match (f.was, f.is) { (false, _) => "A", (_, false) => "D", _ => "M" },
            "added": f.lines.map(|(plus, _)| plus),
            "removed": f.lines.map(|(_, minus)| minus),
        })
    });
    json!({
        "format": FORMAT,
        "command": "repin",
        "recipe": recipe.text.name(),
        "status": status,
        "old": source.map(|bump| bump.old.0.as_str()),
        "new": source.map(|bump| bump.new.0.as_str()),
        "commits": source.map(|bump| bump.between.commits),
        "lost": source.map(|bump| bump.between.lost),
        "touching": source.map(touching),
        "vendors": vendors.collect::<Vec<_>>(),
        "pins": pins.collect::<Vec<_>>(),
        "blocking": blocking.collect::<Vec<_>>(),
        "hidden": hidden.collect::<Vec<_>>(),
        "files": files.collect::<Vec<_>>(),
    })
}

/// The op table.
pub fn ops() -> Value {
    let ops = crate::ops::TABLE.iter().map(|spec| {
        let args = spec
            .args
            .iter()
            .map(|a| json!({ "name": a.name, "type": a.ty.name(), "required": a.required, "help": a.help }));
        json!({
            "name": spec.name,
            "group": spec.group.title(),
            "summary": spec.summary,
            "arguments": args.collect::<Vec<_>>(),
            "guarantees": spec.guarantees,
            "failures": spec.failures,
        })
    });
    json!({ "format": FORMAT, "command": "ops", "status": 0, "table": ops.collect::<Vec<_>>() })
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
        FailureKind::Limit => "limit",
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
