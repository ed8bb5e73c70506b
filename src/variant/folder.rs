//! A whole `build/` folder: what the names in it mean together, and against the `build.toml` beside it.

use super::{Declared, Doubt, NameError, Notation, Reading, Variant, doubts, parse};
use crate::report::escape;
use serde::Serialize;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A folder and what is odd about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// The folder.
    pub build: PathBuf,
    /// The directories in it, sorted by name.
    pub entries: Vec<Entry>,
    /// In order of the checks, then by name.
    pub findings: Vec<Finding>,
}

/// One name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// As it was found.
    pub name: String,
    /// What it means.
    pub reading: Result<Reading, NameError>,
}

/// One oddity of a folder.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// How bad it is.
    pub severity: Severity,
    /// A short word for what it is.
    pub kind: &'static str,
    /// The names it is about; none when something is missing.
    pub names: Vec<String>,
    /// What is odd.
    pub message: String,
}

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// May be meant.
    Warning,
    /// Cannot be meant.
    Error,
}

/// Where the variants of a repository are, and its `build.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The folder that holds the variants.
    pub build: PathBuf,
    /// Where `build.toml` is, or would be.
    pub build_toml: PathBuf,
}

impl Place {
    /// `dir` may be the repository or its `build/` folder.
    pub fn of(dir: &Path) -> Self {
        let own = dir.join("build.toml");
        let below = dir.join("build");
        if own.is_file() || below.is_dir() {
            return Self { build: below, build_toml: own };
        }
        // `.` and `..` have no name that could be replaced.
        let beside = match dir.file_name() {
            Some(_) => dir.with_file_name("build.toml"),
            None => dir.join("../build.toml"),
        };
        Self { build: dir.to_owned(), build_toml: beside }
    }
}

impl Entry {
    /// Reads a name.
    pub fn new(name: impl Into<String>) -> Self {
        let name = name.into();
        Self { reading: parse(&name), name }
    }

    /// What is odd about the name alone.
    pub fn doubts(&self) -> Vec<Doubt> {
        self.reading.as_ref().map(|reading| doubts(&self.name, reading)).unwrap_or_default()
    }
}

/// Checks the directories in `dir`. `build_toml` is what the `build.toml` beside it says, when there is one.
///
/// # Errors
/// When the directory cannot be read.
pub fn inspect(dir: &Path, build_toml: Option<&Declared>) -> io::Result<Report> {
    let entries: Vec<Entry> = names(dir)?.into_iter().map(Entry::new).collect();
    let findings = check(&entries, build_toml);
    Ok(Report { build: dir.to_owned(), entries, findings })
}

/// The names of the directories in `dir`, sorted; hidden ones and Python's own (`__pycache__`) left out.
///
/// # Errors
/// When the directory cannot be read.
pub fn names(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(dir)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        // Clients follow a link to a directory, so its name counts.
        if !name.starts_with('.') && !name.starts_with("__") && entry.path().is_dir() {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

/// The same checks on names that are not on the disk, such as those of a ported tree.
pub fn check(entries: &[Entry], build_toml: Option<&Declared>) -> Vec<Finding> {
    let mut findings = Vec::new();
    unreadable(entries, &mut findings);
    duplicates(entries, &mut findings);
    if let Some(backends) = build_toml.and_then(|declared| declared.backends.as_ref()) {
        against_manifest(entries, backends, &mut findings);
    }
    doubtful(entries, &mut findings);
    findings
}

fn readable(entries: &[Entry]) -> impl Iterator<Item = (&str, &Reading)> {
    entries.iter().filter_map(|entry| Some((entry.name.as_str(), entry.reading.as_ref().ok()?)))
}

fn unreadable(entries: &[Entry], findings: &mut Vec<Finding>) {
    for entry in entries {
        if let Err(error) = &entry.reading {
            let help = error.help().map(|help| format!("; {help}")).unwrap_or_default();
            findings.push(Finding {
                severity: Severity::Error,
                kind: "no-variant",
                names: vec![entry.name.clone()],
                message: format!("`{}` is no variant name: {error}{help}", escape::line(&entry.name)),
            });
        }
    }
}

fn duplicates(entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut by_meaning: BTreeMap<&Variant, Vec<(&str, Option<Notation>)>> = BTreeMap::new();
    for (name, reading) in readable(entries) {
        by_meaning.entry(&reading.variant).or_default().push((name, reading.notation));
    }
    for same in by_meaning.into_values().filter(|same| same.len() > 1) {
        let quoted: Vec<_> = same.iter().map(|(name, _)| format!("`{name}`")).collect();
        let both = same.iter().any(|(_, notation)| *notation != same[0].1);
        let how = if both { "in two notations" } else { "spelled in two ways" };
        findings.push(Finding {
            severity: Severity::Error,
            kind: "same-variant",
            names: same.iter().map(|(name, _)| (*name).to_owned()).collect(),
            message: format!("{} are the same variant {how}", quoted.join(" and ")),
        });
    }
}

fn against_manifest(entries: &[Entry], backends: &[String], findings: &mut Vec<Finding>) {
    let universal = readable(entries).any(|(_, reading)| reading.variant.backend_name().is_none());
    for backend in backends {
        let built = readable(entries).any(|(_, reading)| reading.variant.backend_name() == Some(backend));
        if !built && !universal {
            findings.push(Finding {
                severity: Severity::Warning,
                kind: "backend-without-variant",
                names: Vec::new(),
                message: format!("build.toml declares `{}`, and no variant is for it", escape::line(backend)),
            });
        }
    }
    for (name, reading) in readable(entries) {
        if let Some(backend) =
            reading.variant.backend_name().filter(|b| !backends.iter().any(|known| known == b))
        {
            findings.push(Finding {
                severity: Severity::Error,
                kind: "undeclared-backend",
                names: vec![name.to_owned()],
                message: format!("`{name}` is for `{backend}`, which build.toml does not declare"),
            });
        }
    }
}

/// One finding a doubt; what is the same for many names is said once.
fn doubtful(entries: &[Entry], findings: &mut Vec<Finding>) {
    let mut older: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for entry in entries {
        for doubt in entry.doubts() {
            match doubt {
                Doubt::OlderClient(client) => {
                    older.entry(client.to_string()).or_default().push(entry.name.clone())
                }
                doubt => findings.push(Finding {
                    severity: Severity::Warning,
                    kind: doubt.kind(),
                    names: vec![entry.name.clone()],
                    message: format!("`{}` {doubt}", entry.name),
                }),
            }
        }
    }
    for (message, names) in older {
        let subject = match names.as_slice() {
            [one] => format!("`{one}`"),
            [first, rest @ ..] => format!("`{first}` and {} more", rest.len()),
            [] => continue,
        };
        findings.push(Finding {
            severity: Severity::Warning,
            kind: "older-client",
            names,
            message: format!("{subject}: {message}"),
        });
    }
}
