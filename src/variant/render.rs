//! What was found, as text and as JSON. Nothing is printed here.

use super::folder::{Entry, Finding, Report, Severity};
use super::rename::{Plan, Refusal};
use super::resolve::{Choice, Verdict};
use super::{CxxAbi, Doubt, NameError, Notation, Platform, PythonAbi, System, SystemError, Variant, Version};
use crate::report::{escape, plural};
use serde::Serialize;
use std::fmt::Write;
use std::ops::Range;

/// The table of what names mean; names that cannot be read have `-` in every column.
pub fn table(entries: &[Entry]) -> String {
    let head = ["name", "notation", "framework", "backend", "python", "platform", "os"];
    let mut rows = vec![head.map(str::to_owned)];
    rows.extend(entries.iter().map(row));
    let widths: Vec<usize> = (0..head.len())
        .map(|column| rows.iter().map(|r| r[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut out = String::new();
    for row in &rows {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
    out
}

fn row(entry: &Entry) -> [String; 7] {
    let dash = || "-".to_owned();
    let name = escape::line(&entry.name);
    let Ok(reading) = &entry.reading else { return [name, dash(), dash(), dash(), dash(), dash(), dash()] };
    let notation = match reading.notation {
        Some(Notation::Dotted) => "dotted",
        Some(Notation::Legacy) => "legacy",
        None => "both",
    };
    match &reading.variant {
        Variant::Arch(arch) => {
            let tag = arch.framework.cxx().map(|tag| format!(" {}", tag.as_str())).unwrap_or_default();
            [
                name,
                notation.to_owned(),
                format!("{} {}{tag}", arch.framework.title(), arch.framework.version()),
                arch.backend.title(),
                arch.python_abi.as_str().to_owned(),
                arch.platform.to_string(),
                arch.os.to_string(),
            ]
        }
        Variant::Noarch(noarch) => {
            let backend = noarch.backend_name().unwrap_or("any backend").to_owned();
            [name, notation.to_owned(), "torch, Python only".to_owned(), backend, dash(), dash(), dash()]
        }
    }
}

/// An error in a name, with the offending part underlined.
pub fn name_error(name: &str, error: &NameError) -> String {
    pointed(name, &error.span, &error.to_string(), error.help().as_deref())
}

/// An error in a system's text, with the offending part underlined.
pub fn system_error(text: &str, error: &SystemError) -> String {
    pointed(text, &error.span, &escape::line(&error.message), error.help.as_deref())
}

fn pointed(text: &str, span: &Range<usize>, message: &str, help: Option<&str>) -> String {
    let part = |range: Range<usize>| escape::line(text.get(range).unwrap_or_default());
    let before = part(0..span.start).chars().count();
    let under = part(span.clone()).chars().count().max(1);
    let mut out = format!("error: {message}\n");
    if !text.is_empty() {
        let _ = writeln!(out, "  {}\n  {:before$}{}", escape::line(text), "", "^".repeat(under));
    }
    if let Some(help) = help {
        let _ = writeln!(out, "  help: {}", escape::line(help));
    }
    out
}

/// What is odd about one name.
pub fn doubt(name: &str, doubt: &Doubt) -> String {
    format!("warning: `{}`: {doubt}\n", escape::line(name))
}

/// What is odd about a folder.
pub fn findings(findings: &[Finding]) -> String {
    let mut out = String::new();
    for finding in findings {
        let word = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let _ = writeln!(out, "{word}: {}", finding.message);
    }
    out
}

/// Which name is chosen, and why not each of the others.
pub fn choice(choice: &Choice) -> String {
    let shown: Vec<(String, String)> = choice
        .decisions
        .iter()
        .map(|decision| {
            let place = if decision.directory.is_empty() {
                String::new()
            } else {
                format!("{}/", decision.directory)
            };
            (escape::line(&format!("{place}{}", decision.name)), decision.verdict.to_string())
        })
        .collect();
    let width = shown.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, verdict) in shown {
        let _ = writeln!(out, "{name:width$}  {verdict}");
    }
    out
}

/// What will be renamed, or was; `folder` is how the folder is called.
pub fn renames(folder: &str, plan: &Plan, done: bool) -> String {
    let mut out = String::new();
    for rename in &plan.renames {
        let _ = writeln!(out, "{} -> {}", rename.from, rename.to);
    }
    for name in &plan.ignored {
        let _ = writeln!(out, "{}: no variant name, left alone", escape::line(name));
    }
    let number = plural(plan.renames.len(), ("directory", "directories"));
    let _ = match (done, plan.renames.is_empty()) {
        (_, true) => writeln!(out, "nothing to rename in {folder}"),
        (true, false) => writeln!(out, "renamed {number} in {folder}"),
        (false, false) if !plan.refusals.is_empty() => {
            writeln!(out, "would rename {number} in {folder}, once nothing stands in the way")
        }
        (false, false) => writeln!(out, "would rename {number} in {folder}; `--write` renames"),
    };
    out
}

/// What stands in the way of renaming.
pub fn refusals(refusals: &[Refusal]) -> String {
    refusals.iter().map(|refusal| format!("error: {refusal}\n")).collect()
}

/// One name in JSON.
#[derive(Debug, Serialize)]
pub struct JsonName<'a> {
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a NameError>,
    #[serde(skip_serializing_if = "Option::is_none", flatten)]
    meaning: Option<Meaning<'a>>,
}

#[derive(Debug, Serialize)]
struct Meaning<'a> {
    notation: Option<Notation>,
    dotted: &'a Variant,
    legacy: Option<String>,
    framework: &'static str,
    framework_version: Option<Version>,
    cxx: Option<&'static str>,
    backend: Option<&'static str>,
    backend_version: Option<Version>,
    python_abi: Option<&'static str>,
    platform: Option<&'a str>,
    os: Option<&'a str>,
    doubts: Vec<Doubt>,
}

/// Names in JSON.
pub fn json_names(entries: &[Entry]) -> Vec<JsonName<'_>> {
    entries.iter().map(json_name).collect()
}

fn json_name(entry: &Entry) -> JsonName<'_> {
    let reading = match &entry.reading {
        Ok(reading) => reading,
        Err(error) => return JsonName { name: &entry.name, error: Some(error), meaning: None },
    };
    let variant = &reading.variant;
    let arch = match variant {
        Variant::Arch(arch) => Some(arch),
        Variant::Noarch(_) => None,
    };
    let meaning = Meaning {
        notation: reading.notation,
        dotted: variant,
        legacy: variant.legacy().ok(),
        framework: arch.map_or("torch", |a| a.framework.name()),
        framework_version: arch.map(|a| a.framework.version()),
        cxx: arch.and_then(|a| a.framework.cxx()).map(CxxAbi::as_str),
        backend: variant.backend_name(),
        backend_version: arch.and_then(|a| a.backend.version()),
        python_abi: arch.map(|a| a.python_abi).map(PythonAbi::as_str),
        platform: arch.map(|a| &a.platform).map(Platform::as_str),
        os: arch.map(|a| a.os.as_str()),
        doubts: entry.doubts(),
    };
    JsonName { name: &entry.name, error: None, meaning: Some(meaning) }
}

/// A folder in JSON.
#[derive(Debug, Serialize)]
pub struct JsonFolder<'a> {
    folder: String,
    variants: Vec<JsonName<'a>>,
    findings: &'a [Finding],
}

/// A folder in JSON.
pub fn json_folder(report: &Report) -> JsonFolder<'_> {
    JsonFolder {
        folder: report.build.display().to_string(),
        variants: json_names(&report.entries),
        findings: &report.findings,
    }
}

/// A choice in JSON.
#[derive(Debug, Serialize)]
pub struct JsonChoice<'a> {
    system: String,
    chosen: Option<&'a str>,
    decisions: Vec<JsonDecision<'a>>,
}

#[derive(Debug, Serialize)]
struct JsonDecision<'a> {
    directory: &'a str,
    name: &'a str,
    #[serde(flatten)]
    verdict: &'a Verdict,
}

/// A choice in JSON.
pub fn json_choice<'a>(system: &System, choice: &'a Choice) -> JsonChoice<'a> {
    let decisions = choice
        .decisions
        .iter()
        .map(|d| JsonDecision { directory: &d.directory, name: &d.name, verdict: &d.verdict })
        .collect();
    JsonChoice { system: system.to_string(), chosen: choice.chosen().map(|d| d.name.as_str()), decisions }
}
