//! `kernel-port verify`: the final checks on a tree that exists, for ports without a recipe.

use super::{Streams, exit};
use crate::check::{self, Input, Severity};
use crate::manifest;
use crate::ops::{Evidence, Note, Record};
use crate::report::{findings, findings_json};
use crate::workspace::{RepoPath, load};
use clap::{Args, ValueEnum};
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

/// How `verify` prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum, Default)]
pub enum VerifyFormat {
    /// For people.
    #[default]
    Text,
    /// One JSON document.
    Json,
    /// SARIF 2.1.0, for code review tools.
    Sarif,
}

/// The arguments of `verify`.
#[derive(Debug, Clone, Args)]
pub struct VerifyArgs {
    /// The tree of a port: the directory that holds build.toml
    #[arg(value_name = "DIR")]
    pub dir: PathBuf,
    /// Warnings fail as well
    #[arg(long)]
    pub strict: bool,
    /// How to print the findings
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub format: VerifyFormat,
}

/// Runs the checks.
pub fn main(args: &VerifyArgs, streams: &mut Streams<'_>) -> u8 {
    let (tree, notes) = match load::directory(&args.dir) {
        Ok(loaded) => loaded,
        Err(failure) => {
            streams.error(&failure.message, None);
            return exit::USAGE;
        }
    };
    for note in notes {
        if let Note::Warning(text) = note {
            streams.warn(&text);
        }
    }
    let mut problems = Vec::new();
    let mut places = BTreeMap::new();
    let mut records = Vec::new();
    let build_toml = RepoPath::new(manifest::FILE_NAME).ok().and_then(|path| {
        let content = tree.read(&path).ok()?;
        Some((path, String::from_utf8_lossy(&content).into_owned()))
    });
    match build_toml {
        Some((path, text)) => {
            let reading = manifest::read(&text);
            problems.extend(reading.problems.iter().map(|problem| {
                let offset = problem.span.start;
                let help = problem.help.as_ref().map(|h| format!(" ({h})")).unwrap_or_default();
                let severity = if problem.warning { Severity::Warning } else { Severity::Error };
                (
                    Evidence::line(&path, text.as_bytes(), offset.min(text.len())),
                    format!("{}{help}", problem.message),
                    severity,
                )
            }));
            let line =
                |span: &Range<usize>| Evidence::line(&path, text.as_bytes(), span.start.min(text.len()));
            places.extend(reading.places.iter().map(|(key, span)| (key.clone(), line(span))));
            records.extend(reading.model.map(|model| Record::Manifest(Box::new(model))));
        }
        None if !tree.iter().any(|(path, _)| path.as_bytes().starts_with(b"torch-ext/")) => {
            let message =
                format!("{} has neither build.toml nor torch-ext: it is no port", args.dir.display());
            streams.error(&message, Some("name the directory that holds build.toml"));
            return exit::USAGE;
        }
        None => streams
            .warn(&format!("{} has no build.toml: the rules that need one are skipped", args.dir.display())),
    }
    let mut input = Input::new(&tree, &records);
    input.manifest_problems = problems;
    input.manifest_places = places;
    input.all_written = true;
    let report = check::run(&input, &records, false);
    let text = match args.format {
        VerifyFormat::Text if report.findings.is_empty() => format!("{}: no findings\n", args.dir.display()),
        VerifyFormat::Text => {
            findings::text(&report, args.strict, None, streams.out_style).replace("; nothing was written", "")
        }
        VerifyFormat::Json => crate::report::json::document(&findings_json::json(&report)),
        VerifyFormat::Sarif => crate::report::json::document(&findings_json::sarif(&report)),
    };
    streams.say(text);
    if report.fails(args.strict) { exit::DOES_NOT_APPLY } else { exit::DONE }
}
