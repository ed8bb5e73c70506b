//! The review of a re-pinning: what a maintainer reads before a new commit is taken.

use super::style::Color;
use super::{Style, escape, failure, plural};
use crate::ops::Evidence;
use crate::recipe::{CommitSha, Recipe};
use crate::repin::{Bump, FileDelta, Review};
use crate::workspace::RepoPath;
use std::fmt::Write;

/// Commits that are listed.
const MAX_COMMITS: usize = 20;
/// Renamed files that are named for one argument.
const MAX_RENAMES: usize = 3;
/// Files of the port that are listed.
const MAX_FILES: usize = 60;

/// The whole review. `upstream_diff` shows how a file of upstream changed.
pub fn text(
    recipe: &Recipe,
    review: &Review<'_>,
    upstream_diff: impl Fn(&crate::repin::HiddenDrift) -> String,
    style: Style,
) -> String {
    let mut out = String::new();
    let several = review.bumps.len() > 1;
    for one in review.bumps.iter().filter(|bump| bump.changes() || !several) {
        bump(&mut out, one, style);
    }
    pins(&mut out, recipe, review, style);
    blocking(&mut out, recipe, review, style);
    if !review.hidden.is_empty() {
        heading(&mut out, style, "overlay files that hide a change of upstream's");
        for hidden in &review.hidden {
            let _ = writeln!(out, "{} replaces upstream's {}, which changed:", hidden.path, hidden.upstream);
            out.push_str(&upstream_diff(hidden));
        }
    }
    files(&mut out, &review.files, style);
    out
}

/// The commits between, with those that touch what is ported.
fn bump(out: &mut String, bump: &Bump, style: Style) {
    let name = |(sha, tag): &(CommitSha, Option<String>)| match tag {
        Some(tag) => format!("{} ({})", sha.short(), escape::line(tag)),
        None => sha.short().to_owned(),
    };
    let of = bump.vendor.as_deref().map_or_else(|| "upstream".to_owned(), escape::line);
    heading(out, style, &format!("{of} {} -> {}", name(&bump.old), name(&bump.new)));
    let touching = &bump.between.touching;
    let _ = writeln!(
        out,
        "{} between, {} ported files",
        plural(bump.between.commits, ("commit", "commits")),
        plural(touching.len(), ("touches", "touch"))
    );
    if bump.between.lost > 0 {
        let lost = plural(bump.between.lost, ("commit", "commits"));
        let _ = writeln!(
            out,
            "the old one has {lost} that the new one has not: this goes back, or to another branch"
        );
    }
    for (id, subject) in touching.iter().take(MAX_COMMITS) {
        let _ = writeln!(out, "  {id} {}", escape::line(subject));
    }
    more(out, touching.len(), MAX_COMMITS);
}

fn heading(out: &mut String, style: Style, text: &str) {
    if !out.is_empty() {
        out.push('\n');
    }
    let _ = writeln!(out, "{}", style.paint(Color::Bold, text));
}

fn more(out: &mut String, all: usize, shown: usize) {
    if all > shown {
        let _ = writeln!(out, "  ... and {} more", all - shown);
    }
}

fn pins(out: &mut String, recipe: &Recipe, review: &Review<'_>, style: Style) {
    if review.pins.is_empty() {
        let bare =
            recipe.ops.iter().filter(|op| op.spec.pins().next().is_some() && op.pins.is_empty()).count();
        let note = match bare {
            0 => String::new(),
            n => format!(" ({} no pin and cannot show drift)", plural(n, ("op has", "ops have"))),
        };
        heading(out, style, &format!("no pin changes{note}"));
        return;
    }
    heading(out, style, &format!("{} to review", plural(review.pins.len(), ("pin", "pins"))));
    for pin in &review.pins {
        let op = &recipe.ops[pin.op];
        let change = match pin.old == pin.new {
            true => format!("stays {}, but not the same ones", pin.old),
            false => format!("{} -> {}", pin.old, pin.new),
        };
        let _ = writeln!(out, "line {}: {} {}= {change}", op.line, op.spec.name, pin.name);
        signed(out, '-', &pin.gone, Color::Deleted, style);
        signed(out, '+', &pin.added, Color::Added, style);
    }
}

fn signed(out: &mut String, sign: char, evidence: &[Evidence], color: Color, style: Style) {
    for place in evidence {
        let at = match place.position {
            Some(position) => format!("{}:{}", place.path, position.line),
            None => place.path.to_string(),
        };
        let line = format!("  {sign} {at}  {}", escape::line(place.text.trim()));
        let _ = writeln!(out, "{}", style.paint(color, line.trim_end()));
    }
}

fn blocking(out: &mut String, recipe: &Recipe, review: &Review<'_>, style: Style) {
    if review.blocking.is_empty() {
        return;
    }
    let number = plural(review.blocking.len(), ("op needs", "ops need"));
    heading(out, style, &format!("{number} a change that no number makes"));
    for &at in &review.blocking {
        let drift = &review.sides.after.drift[at];
        match failure::follows(drift) {
            None => out.push_str(&failure::op_failure(recipe, drift.op, &drift.failure, false, style)),
            Some(skipped) => {
                let (op, cause) = (&recipe.ops[drift.op], &recipe.ops[skipped]);
                let message = escape::line(&drift.failure.message);
                let _ = writeln!(
                    out,
                    "line {}: {}: {message} (may follow from line {})",
                    op.line, op.spec.name, cause.line
                );
            }
        }
        renames(out, recipe, review, drift.op);
    }
}

/// Where git sees files of an op renamed: by the paths of upstream, or by those of the port.
fn renames(out: &mut String, recipe: &Recipe, review: &Review<'_>, op: usize) {
    let renamed = |path: &RepoPath| review.bumps.iter().find_map(|bump| bump.between.renamed.get(path));
    let (before, after) = (&review.sides.before.workspace, &review.sides.after.workspace);
    let op = &recipe.ops[op];
    for argument in ["from", "in", "keep", "src"] {
        let Some(text) = op.text(argument) else { continue };
        let start = text.split(['*', '?', '[', '{']).next().unwrap_or(text);
        let is_meant = |path: &RepoPath| !start.is_empty() && path.to_string().starts_with(start);
        let upstream = review.bumps.iter().flat_map(|bump| bump.between.renamed.keys());
        for old in upstream.filter(|path| is_meant(path)).take(MAX_RENAMES) {
            let Some(new) = renamed(old) else { continue };
            let _ = writeln!(out, "  line {}: git sees {old} renamed to {new}", op.line);
        }
        let ported = before.iter().filter(|(path, _)| is_meant(path)).filter_map(|(path, entry)| {
            let new = renamed(entry.upstream_path.as_ref()?)?;
            let (now, _) = after.iter().find(|(_, entry)| entry.upstream_path.as_ref() == Some(new))?;
            (now != path).then_some((path, now, new))
        });
        for (old, now, new) in ported.take(MAX_RENAMES) {
            let _ = writeln!(out, "  line {}: {old} is {now} now: git sees it renamed to {new}", op.line);
        }
    }
}

fn files(out: &mut String, files: &[FileDelta], style: Style) {
    if files.is_empty() {
        heading(out, style, "the port comes out the same");
        return;
    }
    let (plus, minus) = files.iter().filter_map(|f| f.lines).fold((0, 0), |(a, b), (p, m)| (a + p, b + m));
    let number = plural(files.len(), ("file of the port differs", "files of the port differ"));
    heading(out, style, &format!("{number}, +{plus} -{minus} lines"));
    for file in files.iter().take(MAX_FILES) {
        let (letter, color) = match (file.was, file.is) {
            (false, _) => ('A', Color::Added),
            (_, false) => ('D', Color::Deleted),
            _ => ('M', Color::Warning),
        };
        let lines = match file.lines {
            Some((plus, minus)) => format!("+{plus} -{minus}"),
            None => "binary".to_owned(),
        };
        let _ = writeln!(out, "{}  {lines}", style.paint(color, &format!("{letter} {}", file.path)));
    }
    more(out, files.len(), MAX_FILES);
}
