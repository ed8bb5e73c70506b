//! The sources that the manifest lists, each C++ file read once, and how their includes are found.

use super::cpp::Source;
use super::{Finding, Rule};
use crate::manifest::{KernelSection, Model};
use crate::ops::Evidence;
use crate::workspace::{Directory, Mode, RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Extensions of what a C++ compiler (or one of its relatives) reads.
const CODE: &[&[u8]] = &[
    b"c", b"cc", b"cpp", b"cu", b"cuh", b"cxx", b"def", b"h", b"hh", b"hip", b"hpp", b"hxx", b"inc", b"inl",
    b"ipp", b"m", b"metal", b"mm", b"sycl", b"tpp",
];

/// Extensions of what is only included.
const HEADERS: &[&[u8]] = &[b"cuh", b"def", b"h", b"hh", b"hpp", b"hxx", b"inc", b"inl", b"ipp", b"tpp"];

/// Macros that are defined only when one of these backends is compiled; none of them for what no backend defines.
const DEFINED_BY: &[(&str, &[&str])] = &[
    ("USE_ROCM", &["rocm"]),
    ("__HIP_PLATFORM_AMD__", &["rocm"]),
    ("__HIP_PLATFORM_HCC__", &["rocm"]),
    ("__HIPCC__", &["rocm"]),
    ("__HIP__", &["rocm"]),
    ("__CUDACC__", &["cuda", "rocm"]),
    ("__CUDA_ARCH__", &["cuda", "rocm"]),
    ("USE_XPU", &["xpu"]),
    ("SYCL_LANGUAGE_VERSION", &["xpu"]),
    ("__METAL_VERSION__", &["metal"]),
    ("__APPLE__", &["cpu", "metal"]),
    ("_WIN32", &[]),
    ("_WIN64", &[]),
    ("_MSC_VER", &[]),
];

/// A listed C++ source.
pub struct Listed {
    /// Where it is.
    pub path: RepoPath,
    /// What it holds.
    pub content: Arc<[u8]>,
    /// What that says.
    pub source: Source,
    /// The include directories of its sections.
    pub include: Vec<Directory>,
    /// Whether `[torch]` lists it.
    pub torch: bool,
}

/// All that the manifest lists.
#[derive(Default)]
pub struct Sources {
    /// The C++ sources by path; symlinks are left out.
    pub code: Vec<Listed>,
    files: BTreeSet<RepoPath>,
    directories: Vec<Directory>,
}

/// Where one path is listed.
#[derive(Default)]
struct Places<'m> {
    include: Vec<Directory>,
    backends: BTreeSet<&'static str>,
    flags: Vec<&'m [String]>,
    torch: bool,
}

impl Sources {
    /// Reads the listed sources.
    pub fn read(workspace: &Workspace, manifest: &Model) -> Self {
        let mut sources = Self::default();
        let mut listed: BTreeMap<RepoPath, Places<'_>> = BTreeMap::new();
        for section in &manifest.sections {
            for path in section.src.iter().flat_map(|text| sources.list(workspace, text)) {
                listed.entry(path).or_default().section(section);
            }
        }
        for path in manifest.framework_src().iter().flat_map(|text| sources.list(workspace, text)) {
            listed.entry(path).or_default().framework(manifest);
        }
        sources.code = listed.iter().filter_map(|(path, places)| places.read(workspace, path)).collect();
        sources.files = listed.into_keys().collect();
        sources
    }

    /// Whether the build gets this file.
    pub fn lists(&self, path: &RepoPath) -> bool {
        self.files.contains(path) || self.directories.iter().any(|directory| directory.holds(path))
    }

    /// The files that an entry of a `src` stands for.
    fn list(&mut self, workspace: &Workspace, text: &str) -> Vec<RepoPath> {
        let Ok(path) = RepoPath::typed(text) else { return Vec::new() };
        if workspace.is_file(&path) {
            return vec![path];
        }
        let directory = Directory::Path(path);
        let files: Vec<RepoPath> = workspace.below(&directory).map(|(path, _)| path.clone()).collect();
        if !files.is_empty() {
            self.directories.push(directory);
        }
        files
    }
}

impl<'m> Places<'m> {
    fn section(&mut self, section: &'m KernelSection) {
        self.include(&section.include);
        self.backends.insert(section.backend.name);
        self.flags.extend([
            &*section.cxx_flags,
            &*section.cuda_flags,
            &*section.hip_flags,
            &*section.sycl_flags,
        ]);
    }

    fn framework(&mut self, manifest: &'m Model) {
        self.include(manifest.framework_include());
        self.backends.extend(manifest.general.backends.iter().map(|b| b.name));
        self.flags.push(manifest.framework_cxx_flags());
        self.torch = true;
    }

    /// Reads the file at `path` when it is C++.
    fn read(&self, workspace: &Workspace, path: &RepoPath) -> Option<Listed> {
        let extension = path.extension()?.to_ascii_lowercase();
        let entry = workspace.get(path).filter(|e| e.mode != Mode::Symlink)?;
        if !CODE.contains(&extension.as_slice()) {
            return None;
        }
        let content = entry.content.read().ok()?;
        let source = Source::read(&content, &|name| self.certainly_undefined(name));
        let (path, include, torch) = (path.clone(), self.include.clone(), self.torch);
        Some(Listed { path, content, source, include, torch })
    }

    fn include(&mut self, directories: &[String]) {
        for directory in directories.iter().filter_map(|text| Directory::typed(text).ok()) {
            if !self.include.contains(&directory) {
                self.include.push(directory);
            }
        }
    }

    fn certainly_undefined(&self, name: &[u8]) -> bool {
        let Some((name, by)) = DEFINED_BY.iter().find(|(known, _)| known.as_bytes() == name) else {
            return false;
        };
        let by_flag = self.flags.iter().any(|flags| flags.iter().any(|flag| flag.contains(name)));
        !by_flag && !by.iter().any(|backend| self.backends.contains(backend))
    }
}

impl Listed {
    /// A finding in the line that holds a byte of this source.
    pub fn finding(&self, rule: &Rule, offset: usize, message: String) -> Finding {
        rule.finding(Evidence::line(&self.path, &self.content, offset), message)
    }

    /// Whether it is only ever included.
    pub fn is_header(&self) -> bool {
        self.path.extension().is_some_and(|e| HEADERS.contains(&e.to_ascii_lowercase().as_slice()))
    }

    /// The files of the tree that an include of this source may mean, nearest first: next to the source when it is
    /// quoted, then in the include directories.
    pub fn candidates(&self, workspace: &Workspace, path: &[u8], quoted: bool) -> Vec<RepoPath> {
        let own = self.path.parent().map_or(Directory::Root, Directory::Path);
        let own = Some(&own).filter(|_| quoted);
        let paths = own.into_iter().chain(&self.include).filter_map(|directory| joined(directory, path));
        paths.filter(|path| workspace.is_file(path)).collect()
    }
}

/// A path relative to a directory, `..` resolved; `None` when it is absolute or leaves the tree.
fn joined(directory: &Directory, relative: &[u8]) -> Option<RepoPath> {
    if relative.starts_with(b"/") {
        return None;
    }
    let mut parts: Vec<&[u8]> = match directory {
        Directory::Root => Vec::new(),
        Directory::Path(path) => path.components().collect(),
    };
    for part in relative.split(|b| *b == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()?),
            part => parts.push(part),
        }
    }
    RepoPath::new(parts.join(&b'/')).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn includes_are_joined_inside_the_tree() {
        for (directory, relative, expected) in [
            ("a/b", "c.h", Some("a/b/c.h")),
            ("a/b", "../c.h", Some("a/c.h")),
            ("a/b", "./../../c//d.h", Some("c/d.h")),
            (".", "a.h", Some("a.h")),
            (".", "../a.h", None),
            ("a", "../../b.h", None),
            ("a", "/b.h", None),
            ("a", "..", None),
        ] {
            let found = joined(&Directory::typed(directory).unwrap(), relative.as_bytes());
            assert_eq!(found.map(|p| p.to_string()).as_deref(), expected, "{directory} {relative}");
        }
    }
}
