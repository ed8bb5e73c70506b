//! Errors as text: one complete line to search for, the caret, every place concerned, and what to do next.

use super::style::Color;
use super::{Style, caret, escape};
use crate::ops::{Evidence, Failure, FailureKind};
use crate::recipe::{Recipe, RecipeError, RecipeErrors, RecipeText};
use crate::run::Drift;
use std::fmt::Write;

/// Places that are shown for a list of whole files; matches with a line are shown all.
const MAX_FILES: usize = 100;

/// All mistakes of a recipe's text.
pub fn recipe_errors(errors: &RecipeErrors, style: Style) -> String {
    let mut out = String::new();
    for error in errors.shown() {
        out.push_str(&mistake("error", Color::Error, &errors.text, error, style));
    }
    let number = super::plural(errors.errors.len(), ("mistake", "mistakes"));
    let shown = match errors.shown().len() {
        shown if shown < errors.errors.len() => format!(", the first {shown} are shown"),
        _ => String::new(),
    };
    let name = escape::line(errors.text.name());
    let _ = writeln!(out, "{number} in {name}{shown}; nothing was run");
    out
}

/// Every op without a pin, and the sum.
pub fn unpinned(errors: &RecipeErrors, style: Style) -> String {
    let mistakes = errors.errors.iter().map(|e| mistake("error", Color::Error, &errors.text, e, style));
    let number = super::plural(errors.errors.len(), ("op is not pinned", "ops are not pinned"));
    format!("{}{number}; nothing was written\n", mistakes.collect::<String>())
}

/// What is odd in a recipe, but allowed.
pub fn recipe_warning(text: &RecipeText, warning: &RecipeError, style: Style) -> String {
    mistake("warning", Color::Warning, text, warning, style)
}

fn mistake(word: &str, color: Color, text: &RecipeText, error: &RecipeError, style: Style) -> String {
    let position = text.position(error.span.start);
    let (word, message) = (style.paint(color, &format!("{word}:")), escape::line(&error.message));
    let mut out = format!("{word} {}:{position}: {message}\n", escape::line(text.name()));
    out.push_str(&caret::draw(text, &error.span, "", style));
    if let Some(help) = &error.help {
        out.push_str(&style.help(&escape::line(help)));
    }
    out
}

/// Every op that does not apply, and the sum.
pub fn drift(recipe: &Recipe, drift: &[Drift], verbose: bool, style: Style) -> String {
    let mut out = String::new();
    for one in drift.iter().filter(|d| follows(d).is_none()) {
        out.push_str(&op_failure(recipe, one.op, &one.failure, verbose, style));
    }
    for one in drift {
        let Some(skipped) = follows(one) else { continue };
        let (op, cause) = (&recipe.ops[one.op], &recipe.ops[skipped]);
        let message = escape::line(&one.failure.message);
        let _ = writeln!(
            out,
            "  line {}: {}: {message} (may follow from line {}, which was skipped)",
            op.line, op.spec.name, cause.line
        );
    }
    if drift.len() > 1 {
        let total = recipe.ops.len();
        let _ = writeln!(out, "{} of {total} ops do not apply; nothing was written", drift.len());
    }
    out
}

/// The skipped op from which a failure may merely follow. A number that was measured is shown whole; what found nothing
/// may lack what the skipped op would have done.
pub fn follows(drift: &Drift) -> Option<usize> {
    drift.after.filter(|_| drift.failure.kind != FailureKind::Pin)
}

/// An op that does not apply.
pub fn op_failure(recipe: &Recipe, op: usize, failure: &Failure, verbose: bool, style: Style) -> String {
    let built = &recipe.ops[op];
    let mut out = format!(
        "{} recipe line {}: {}: {}\n",
        style.paint(Color::Error, "error:"),
        built.line,
        built.spec.name,
        escape::line(&failure.message)
    );
    out.push_str(&caret::draw(&recipe.text, &built.span(failure.argument), "", style));
    out.push_str(&places(&failure.evidence, verbose, style));
    for line in &failure.details {
        let line = escape::line(line);
        let color = match line.as_bytes().first() {
            Some(b'-') => Color::Deleted,
            Some(b'+') => Color::Added,
            _ => Color::Bold,
        };
        let _ = writeln!(out, "  {}", if color == Color::Bold { line } else { style.paint(color, &line) });
    }
    for hint in &failure.hints {
        out.push_str(&style.help(&escape::line(hint)));
    }
    let about_the_tree =
        matches!(failure.kind, FailureKind::Missing | FailureKind::NoEffect | FailureKind::Conflict);
    if failure.hints.is_empty() && about_the_tree {
        out.push_str(&style.help(&format!("--until {} shows the tree before this op", built.line)));
    }
    out
}

/// Every place, one a line: `path:line:column  text`.
pub fn places(evidence: &[Evidence], verbose: bool, style: Style) -> String {
    let mut out = String::new();
    let only_files = evidence.iter().all(|e| e.position.is_none());
    let most = if only_files && !verbose { MAX_FILES } else { usize::MAX };
    for place in evidence.iter().take(most) {
        let at = match place.position {
            Some(position) => format!("{}:{position}", place.path),
            None => place.path.to_string(),
        };
        let _ = match place.text.as_str() {
            "" => writeln!(out, "  {at}"),
            text => writeln!(out, "  {}  {}", style.paint(Color::Bold, &at), escape::line(text.trim_start())),
        };
    }
    if evidence.len() > most {
        let _ = writeln!(out, "  ... and {} more (--verbose lists all)", evidence.len() - most);
    }
    out
}

/// The exit status that a failure ends the program with.
pub fn exit_status(kind: FailureKind) -> u8 {
    match kind {
        FailureKind::Source | FailureKind::Read => 3,
        FailureKind::Pin
        | FailureKind::Missing
        | FailureKind::NoEffect
        | FailureKind::Conflict
        | FailureKind::Refused
        | FailureKind::Limit
        | FailureKind::Syntax => 1,
    }
}
