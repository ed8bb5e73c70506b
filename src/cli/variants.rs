//! `kernel-port variants`: reads, converts, compares and checks build variant names.

use super::exit;
use crate::report::escape;
use crate::variant::folder::{self, Entry, Place, Report, Severity};
use crate::variant::resolve::{self, Directory};
use crate::variant::{Notation, System, convert, declared, rename, render};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::io::Write;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  kernel-port variants torch210-cxx11-cu128-x86_64-linux
  kernel-port variants torch210-cu128-x86_64-linux --to dotted
  kernel-port variants build --rename --to dotted
  kernel-port variants . --for 'torch=2.14,cuda=13.0,cpu=x86_64,os=linux'

A system is a list of KEY=VALUE: torch, tvm-ffi, cxx11 (true or false),
python (abi3 or abi3t), cpu, os, macos, and one backend: cann, cuda, rocm or
xpu with a version, or backend=cpu, metal, neuron or tpu. cpu and os must be
there.

Exit status:
  0  done
  1  a name or a folder is wrong, or no variant fits
  2  bad usage
  5  a directory could not be renamed";

/// The arguments of `variants`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct VariantsArgs {
    /// A variant name, a build/ folder, or a repository with one
    #[arg(value_name = "NAME|DIR", required = true)]
    pub names: Vec<String>,
    /// Print the names in this notation
    #[arg(long, value_name = "NOTATION")]
    pub to: Option<Notation>,
    /// Show how the directories of a folder would be renamed
    #[arg(long, requires = "to")]
    pub rename: bool,
    /// Rename them
    #[arg(long, requires = "rename")]
    pub write: bool,
    /// Show which variant is chosen for a system, and why each other is not
    #[arg(long = "for", value_name = "SYSTEM", conflicts_with_all = ["to", "rename", "write"])]
    pub system: Option<String>,
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub format: Format,
}

/// How to print.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// For programs.
    Json,
}

/// What the positional arguments are.
struct Inputs {
    names: Vec<String>,
    folders: Vec<PathBuf>,
}

/// Both streams.
struct Run<'a> {
    args: &'a VariantsArgs,
    out: &'a mut dyn Write,
    err: &'a mut dyn Write,
}

/// Runs the subcommand; the exit status.
pub fn run(args: &VariantsArgs, out: &mut dyn Write, err: &mut dyn Write) -> u8 {
    let inputs = classify(&args.names);
    let mut run = Run { args, out, err };
    match (&args.system, args.to) {
        (Some(system), _) => run.choose(system, &inputs),
        (None, Some(to)) if args.rename => run.rename(to, &inputs),
        (None, Some(to)) => run.convert(to, &inputs),
        (None, None) => run.describe(&inputs),
    }
}

/// A text that reads as a name is a name, unless it leads to a repository; the path of a variant's directory stands for
/// its name.
fn classify(args: &[String]) -> Inputs {
    let mut inputs = Inputs { names: Vec::new(), folders: Vec::new() };
    for arg in args {
        let path = Path::new(arg);
        let last = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let slashes = arg.contains(std::path::is_separator);
        let repository = || path.join("build").is_dir() || path.join("build.toml").is_file();
        match Entry::new(last).reading {
            Ok(_) if !slashes => inputs.names.push(arg.clone()),
            Ok(_) if !repository() => inputs.names.push(last.to_owned()),
            _ if slashes || path.is_dir() => inputs.folders.push(path.to_owned()),
            _ => inputs.names.push(arg.clone()),
        }
    }
    inputs
}

impl Run<'_> {
    fn say(&mut self, text: &str) {
        let _ = self.out.write_all(text.as_bytes());
    }

    fn complain(&mut self, text: &str) {
        let _ = self.err.write_all(text.as_bytes());
    }

    fn json(&mut self, value: &impl Serialize) {
        match serde_json::to_string_pretty(value) {
            Ok(text) => self.say(&format!("{text}\n")),
            Err(error) => self.complain(&format!("error: cannot write JSON: {error}\n")),
        }
    }

    fn is_json(&self) -> bool {
        self.args.format == Format::Json
    }

    fn usage(&mut self, message: &str) -> u8 {
        self.complain(&format!("error: {message}\n"));
        exit::USAGE
    }

    fn describe(&mut self, inputs: &Inputs) -> u8 {
        let entries: Vec<Entry> = inputs.names.iter().map(Entry::new).collect();
        let mut reports = Vec::new();
        for dir in &inputs.folders {
            match inspect(dir) {
                Ok(report) => reports.push(report),
                Err(message) => return self.usage(&message),
            }
        }
        if self.is_json() {
            let folders: Vec<_> = reports.iter().map(render::json_folder).collect();
            self.json(&serde_json::json!({ "variants": render::json_names(&entries), "folders": folders }));
        } else {
            self.describe_as_text(&entries, &reports);
        }
        let errors = |report: &Report| report.findings.iter().any(|f| f.severity == Severity::Error);
        let wrong = entries.iter().any(|entry| entry.reading.is_err()) || reports.iter().any(errors);
        if wrong { exit::DOES_NOT_APPLY } else { exit::DONE }
    }

    fn describe_as_text(&mut self, entries: &[Entry], reports: &[Report]) {
        if entries.iter().any(|entry| entry.reading.is_ok()) {
            self.say(&render::table(entries));
        }
        for entry in entries {
            if let Err(error) = &entry.reading {
                self.complain(&render::name_error(&entry.name, error));
            }
            for doubt in entry.doubts() {
                self.complain(&render::doubt(&entry.name, &doubt));
            }
        }
        for report in reports {
            let folder = shown(&report.build);
            match report.entries.is_empty() {
                true => self.say(&format!("{folder}: no variants\n")),
                false => self.say(&format!("{folder}:\n{}", render::table(&report.entries))),
            }
            self.complain(&render::findings(&report.findings));
        }
    }

    fn convert(&mut self, to: Notation, inputs: &Inputs) -> u8 {
        let mut names = inputs.names.clone();
        for dir in &inputs.folders {
            match folder_names(dir) {
                Ok((_, found)) => names.extend(found),
                Err(message) => return self.usage(&message),
            }
        }
        let mut status = exit::DONE;
        let mut converted = Vec::new();
        for entry in names.into_iter().map(Entry::new) {
            let result = match &entry.reading {
                Ok(reading) => convert(&entry.name, reading, to)
                    .map_err(|error| (format!("error: `{}`: {error}\n", entry.name), error.to_string())),
                Err(error) => Err((render::name_error(&entry.name, error), error.to_string())),
            };
            for doubt in entry.doubts().iter().filter(|doubt| doubt.is_about_meaning()) {
                self.complain(&render::doubt(&entry.name, doubt));
            }
            match result {
                Ok(name) if self.is_json() => {
                    converted.push(serde_json::json!({ "from": entry.name, "to": name }))
                }
                Ok(name) => self.say(&format!("{name}\n")),
                Err((text, message)) => {
                    status = exit::DOES_NOT_APPLY;
                    self.complain(&text);
                    converted.push(serde_json::json!({ "from": entry.name, "error": message }));
                }
            }
        }
        if self.is_json() {
            self.json(&converted);
        }
        status
    }

    fn rename(&mut self, to: Notation, inputs: &Inputs) -> u8 {
        if let Some(name) = inputs.names.first() {
            return self.usage(&format!("`--rename` is for folders, and `{}` is none", escape::line(name)));
        }
        let mut plans = Vec::new();
        for dir in &inputs.folders {
            let planned = folder_names(dir).and_then(|(build, names)| {
                let existing = rename::existing(&build).map_err(|error| cannot_read(&build, &error))?;
                Ok((rename::plan(&names, &existing, to), build))
            });
            match planned {
                Ok(plan) => plans.push(plan),
                Err(message) => return self.usage(&message),
            }
        }
        let refused = plans.iter().any(|(plan, _)| !plan.refusals.is_empty());
        let write = self.args.write && !refused;
        for (plan, build) in &plans {
            if write && let Err(message) = rename::apply(build, plan) {
                self.complain(&format!("error: {message}\n"));
                return exit::OUTPUT;
            }
            if !self.is_json() {
                self.say(&render::renames(&shown(build), plan, write));
            }
            self.complain(&render::refusals(&plan.refusals));
        }
        if self.is_json() {
            let folders: Vec<_> = plans
                .iter()
                .map(|(plan, build)| serde_json::json!({ "folder": shown(build), "written": write, "plan": plan }))
                .collect();
            self.json(&folders);
        }
        if refused && self.args.write {
            self.complain("error: nothing was renamed\n");
        }
        if refused { exit::DOES_NOT_APPLY } else { exit::DONE }
    }

    fn choose(&mut self, text: &str, inputs: &Inputs) -> u8 {
        let system: System = match text.parse() {
            Ok(system) => system,
            Err(error) => {
                self.complain(&render::system_error(text, &error));
                return exit::USAGE;
            }
        };
        let mut directories = Vec::new();
        if !inputs.names.is_empty() {
            directories.push(Directory { label: String::new(), names: inputs.names.clone() });
        }
        for dir in &inputs.folders {
            match folder_names(dir) {
                Ok((build, names)) => directories.push(Directory { label: shown(&build), names }),
                Err(message) => return self.usage(&message),
            }
        }
        let choice = resolve::choose(&system, &directories);
        if self.is_json() {
            self.json(&render::json_choice(&system, &choice));
        } else {
            self.say(&render::choice(&choice));
        }
        match choice.chosen() {
            Some(_) => exit::DONE,
            None => {
                self.complain(&format!("error: no variant fits {system}\n"));
                exit::DOES_NOT_APPLY
            }
        }
    }
}

fn inspect(dir: &Path) -> Result<Report, String> {
    let place = Place::of(dir);
    let manifest = match std::fs::read_to_string(&place.build_toml) {
        Ok(text) => Some(declared(&text).map_err(|error| format!("{}: {error}", shown(&place.build_toml)))?),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(error) => return Err(cannot_read(&place.build_toml, &error)),
    };
    folder::inspect(&place.build, manifest.as_ref()).map_err(|error| cannot_read(&place.build, &error))
}

fn folder_names(dir: &Path) -> Result<(PathBuf, Vec<String>), String> {
    let build = Place::of(dir).build;
    match folder::names(&build) {
        Ok(names) => Ok((build, names)),
        Err(error) => Err(cannot_read(&build, &error)),
    }
}

fn cannot_read(path: &Path, error: &std::io::Error) -> String {
    format!("cannot read {}: {error}", shown(path))
}

fn shown(path: &Path) -> String {
    escape::line(&path.to_string_lossy())
}

#[cfg(test)]
mod tests;
