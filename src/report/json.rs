//! `--format json`: one document a run, described by `docs/schema.json`. Paths that are no UTF-8 are shown as in the
//! text output.

use crate::ops::{Evidence, Failure, FailureKind};
use crate::recipe::{Recipe, RecipeErrors};
use crate::repin::{Bump, Review};
use crate::report::escape;
use serde::{Serialize, Serializer};
use serde_json::{Value, json};
use std::fmt::Write;

/// The version of the documents.
pub const FORMAT: u32 = 1;

/// A document as it is printed. What would reorder or drive a terminal is escaped, as JSON allows in every string.
pub fn document(value: &impl Serialize) -> String {
    // What is shown has no keys that are no text, and cannot fail.
    let mut text = serde_json::to_string_pretty(value).unwrap_or_default();
    text.push('\n');
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

/// A re-pinning: what changed between two commits, and what no number can fix.
pub fn review(recipe: &Recipe, review: &Review<'_>, status: u8) -> Value {
    let pins = review.pins.iter().map(|pin| {
        json!({
            "line": recipe.ops[pin.op].line,
            "op": recipe.ops[pin.op].spec.name,
            "pin": pin.name,
            "old": pin.old,
            "new": pin.new,
            "added": Places(&pin.added),
            "gone": Places(&pin.gone),
        })
    });
    let blocking = review.blocking.iter().map(|at| {
        let drift = &review.sides.after.drift[*at];
        let failed = Failed::new(&drift.failure, drift.after.map(|op| recipe.ops[op].line));
        let mut value = json!(failed);
        value["line"] = json!(recipe.ops[drift.op].line);
        value["op"] = json!(recipe.ops[drift.op].spec.name);
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

/// Places in files.
pub struct Places<'a>(pub &'a [Evidence]);

impl Serialize for Places<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Place<'a> {
            path: String,
            line: Option<usize>,
            column: Option<usize>,
            text: &'a str,
        }
        serializer.collect_seq(self.0.iter().map(|e| Place {
            path: e.path.to_string(),
            line: e.position.map(|p| p.line),
            column: e.position.map(|p| p.column),
            text: &e.text,
        }))
    }
}

/// Why an op failed.
#[derive(Serialize)]
pub struct Failed<'a> {
    kind: &'static str,
    message: &'a str,
    argument: Option<&'a str>,
    evidence: Places<'a>,
    details: &'a [String],
    hints: &'a [String],
    /// The line of the op that was left out before, when it says so.
    after_line: Option<usize>,
}

impl<'a> Failed<'a> {
    /// A failure after an op at that line was left out.
    pub fn new(failure: &'a Failure, after_line: Option<usize>) -> Self {
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
        let Failure { message, argument, evidence, details, hints, .. } = failure;
        Self { kind, message, argument: *argument, evidence: Places(evidence), details, hints, after_line }
    }
}
