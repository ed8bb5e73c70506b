//! Rules about the C++ and CUDA sources that the manifest lists: headers, pybind11, registration.

use super::cpp::Code;
use super::{Finding, Input, Rule, Severity};
use crate::manifest::Model;
use crate::ops::Evidence;
use crate::workspace::{Mode, RepoPath, Workspace};
use std::collections::BTreeMap;
use std::sync::Arc;

pub(super) const UNLISTED_HEADER: Rule = Rule {
    id: "unlisted-header",
    severity: Severity::Error,
    summary: "a listed source includes a file of the tree that no `src` lists",
    breaks: "only listed files reach the build, and the compiler does not find the header",
    fix: "add the header to the `src` of the section that includes it",
    whole: true,
    check: unlisted_header,
};

pub(super) const PYBIND: Rule = Rule {
    id: "pybind",
    severity: Severity::Error,
    summary: "a listed source uses pybind11 or torch's Python headers",
    breaks: "the build has no Python, and operators are registered through torch.library",
    fix: "bind with TORCH_LIBRARY_EXPAND in the overlay; include <torch/all.h> or <torch/library.h> instead",
    whole: true,
    check: pybind,
};

pub(super) const REGISTRATION: Rule = Rule {
    id: "registration",
    severity: Severity::Error,
    summary: "operators are not registered under the generated namespace",
    breaks: "the extension does not load, or two kernels register the same names",
    fix: "the binding holds TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) and REGISTER_EXTENSION(TORCH_EXTENSION_NAME)",
    whole: true,
    check: registration,
};

/// A listed source.
struct Source {
    path: RepoPath,
    content: Arc<[u8]>,
    code: Code,
    /// The include directories of its sections.
    include: Vec<String>,
    /// Listed in `[torch]`.
    binding: bool,
}

impl Source {
    fn finding(&self, rule: &Rule, offset: usize, message: String) -> Finding {
        let place = Evidence::line(&self.path, &self.content, offset);
        Finding { rule: rule.id, severity: rule.severity, place, message }
    }
}

fn sources(workspace: &Workspace, manifest: &Model) -> Vec<Source> {
    let mut listed: BTreeMap<&str, (Vec<String>, bool)> = BTreeMap::new();
    for section in &manifest.sections {
        for path in &section.src {
            listed.entry(path).or_default().0.extend(section.include.iter().cloned());
        }
    }
    for path in manifest.framework_src() {
        let entry = listed.entry(path).or_default();
        entry.0.extend(manifest.framework_include().iter().cloned());
        entry.1 = true;
    }
    let read = |(path, (include, binding)): (&str, (Vec<String>, bool))| {
        let path = RepoPath::new(path).ok()?;
        let entry = workspace.get(&path).filter(|e| e.mode != Mode::Symlink)?;
        let content = entry.content.read().ok()?;
        let code = Code::new(&content);
        Some(Source { path, content, code, include, binding })
    };
    listed.into_iter().filter_map(read).collect()
}

fn unlisted_header(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let sources = sources(input.workspace, manifest);
    let listed = |path: &RepoPath| sources.iter().any(|s| s.path == *path);
    for source in &sources {
        for include in source.code.includes.iter().filter(|i| i.quoted) {
            let own = source.path.parent();
            let own = own.as_ref().map(ToString::to_string).unwrap_or_default();
            let directories = std::iter::once(own).chain(source.include.iter().cloned());
            let found = directories
                .filter_map(|directory| joined(&directory, &include.path))
                .find(|path| input.workspace.is_file(path));
            if let Some(header) = found.filter(|header| !listed(header)) {
                let message = format!("{header} is in the tree, but no `src` lists it");
                findings.push(source.finding(&UNLISTED_HEADER, include.range.start, message));
            }
        }
    }
}

/// A path relative to a directory, `..` resolved; `None` when it leaves the tree.
fn joined(directory: &str, relative: &str) -> Option<RepoPath> {
    let mut parts: Vec<&str> = directory.split('/').filter(|p| !p.is_empty() && *p != ".").collect();
    for part in relative.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    RepoPath::new(parts.join("/")).ok()
}

fn pybind(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    for source in sources(input.workspace, manifest) {
        for include in &source.code.includes {
            let path = include.path.as_str();
            if matches!(path, "torch/extension.h" | "torch/python.h") || path.starts_with("pybind11/") {
                findings.push(source.finding(&PYBIND, include.range.start, format!("includes {path}")));
            }
        }
        for at in source.code.words("PYBIND11_MODULE") {
            findings.push(source.finding(&PYBIND, at, "defines a pybind11 module".to_owned()));
        }
    }
}

/// The macros that take a library's name.
const LIBRARIES: [&str; 3] = ["TORCH_LIBRARY", "TORCH_LIBRARY_FRAGMENT", "TORCH_LIBRARY_IMPL"];

fn registration(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest.filter(|m| !m.is_noarch()) else { return };
    let sources = sources(input.workspace, manifest);
    for source in &sources {
        for word in LIBRARIES {
            for at in source.code.words(word) {
                let name = source.code.first_argument(at + word.len());
                if let Some(name) = name.filter(|n| *n != "TORCH_EXTENSION_NAME" && !n.is_empty()) {
                    let message = format!("registers under the fixed name {name}");
                    findings.push(source.finding(&REGISTRATION, at, message));
                }
            }
        }
    }
    let bindings: Vec<&Source> = sources.iter().filter(|s| s.binding && !is_header(&s.path)).collect();
    let Some(first) = bindings.first() else { return };
    let expands = |s: &&&Source| {
        let stable = memchr::memmem::find(&s.code.text, b"STABLE_TORCH_LIBRARY").is_some();
        stable || s.code.words("TORCH_LIBRARY_EXPAND").next().is_some()
    };
    if bindings.iter().find(expands).is_none() {
        let message = "no [torch] source holds TORCH_LIBRARY_EXPAND".to_owned();
        findings.push(first.finding(&REGISTRATION, 0, message));
    }
    if !bindings.iter().any(|s| s.code.words("REGISTER_EXTENSION").next().is_some()) {
        let message = "no [torch] source holds REGISTER_EXTENSION".to_owned();
        findings.push(first.finding(&REGISTRATION, 0, message));
    }
}

fn is_header(path: &RepoPath) -> bool {
    matches!(path.extension(), Some(b"h" | b"hpp" | b"hh" | b"cuh" | b"hxx"))
}
