//! What the rules look at: the tree, the manifest, the packages under `torch-ext`, and every Python file parsed once.

use crate::manifest::Model;
use crate::ops::{Evidence, Record};
use crate::python::resolve::Package;
use crate::python::{ByteRange, Module, SyntaxError, edit, is_python};
use crate::workspace::{Directory, Entry, Mode, RepoPath, Workspace};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A package directory under `torch-ext`.
pub struct PackageDir {
    /// Where it is and how it is imported.
    pub package: Package,
    /// The names that its files' package had upstream, where they differ.
    pub upstream_names: BTreeSet<String>,
}

/// A Python file, parsed.
pub struct PythonSource {
    /// What it holds.
    pub content: Arc<[u8]>,
    /// What that says.
    pub module: Result<Module, SyntaxError>,
}

/// What the rules look at.
pub struct Input<'a> {
    /// The final tree.
    pub workspace: &'a Workspace,
    /// The manifest, when there is one.
    pub manifest: Option<&'a Model>,
    /// The packages under `torch-ext`.
    pub packages: Vec<PackageDir>,
    /// What is wrong with a build.toml that was read, as evidence and message.
    pub manifest_problems: Vec<(Evidence, String, super::Severity)>,
    /// Whether every Python file counts as the port's own: a port by hand has no record of what it wrote.
    pub all_written: bool,
    sources: OnceCell<BTreeMap<&'a RepoPath, PythonSource>>,
}

impl<'a> Input<'a> {
    /// Looks at a tree and at what its ops recorded.
    pub fn new(workspace: &'a Workspace, records: &'a [Record]) -> Self {
        let manifest = records.iter().find_map(|record| match record {
            Record::Manifest(model) => Some(&**model),
            _ => None,
        });
        Self {
            workspace,
            manifest,
            packages: packages(workspace, manifest),
            manifest_problems: Vec::new(),
            all_written: false,
            sources: OnceCell::new(),
        }
    }

    /// Every Python file that a rule looks at, parsed once: those under `torch-ext` and `tests`, and those the port
    /// wrote.
    pub fn python(&self) -> &BTreeMap<&'a RepoPath, PythonSource> {
        self.sources.get_or_init(|| {
            let watched = |path: &RepoPath| {
                matches!(path.components().next(), Some(b"torch-ext" | b"tests")) && path.parent().is_some()
            };
            let wanted = |path: &RepoPath, entry: &Entry| {
                is_python(path) && entry.mode != Mode::Symlink && (entry.written || watched(path))
            };
            let files = self.workspace.iter().filter(|(path, entry)| wanted(path, entry));
            let parsed = files.filter_map(|(path, entry)| {
                let content = entry.content.read().ok()?;
                let module = Module::parse(&content);
                Some((path, PythonSource { content, module }))
            });
            parsed.collect()
        })
    }

    /// The Python files of a package that parse.
    pub fn modules<'s>(
        &'s self,
        package: &'s PackageDir,
    ) -> impl Iterator<Item = (&'a RepoPath, &'s PythonSource, &'s Module)> {
        let directory = Directory::Path(package.package.directory().clone());
        self.python().iter().filter(move |(path, _)| directory.holds(path)).filter_map(|(path, source)| {
            let module = source.module.as_ref().ok()?;
            Some((*path, source, module))
        })
    }
}

impl PythonSource {
    /// A statement or expression as evidence.
    pub fn evidence(&self, path: &RepoPath, module: &Module, range: &ByteRange) -> Evidence {
        Evidence {
            path: path.clone(),
            position: Some(module.position(&self.content, range.start)),
            text: edit::one_line(&self.content, range.clone()),
        }
    }
}

/// The directories below `torch-ext` that hold Python files; with a manifest only its package.
fn packages(workspace: &Workspace, manifest: Option<&Model>) -> Vec<PackageDir> {
    let Ok(top) = RepoPath::new("torch-ext") else { return Vec::new() };
    let top = Directory::Path(top);
    let mut names: BTreeSet<Vec<u8>> = BTreeSet::new();
    for (path, _) in workspace.below(&top).filter(|(path, _)| is_python(path)) {
        let below = path.below(&top).unwrap_or_default();
        if let Some(slash) = below.iter().position(|b| *b == b'/') {
            names.insert(below[..slash].to_vec());
        }
    }
    if let Some(manifest) = manifest {
        names.retain(|name| *name == manifest.package().into_bytes());
    }
    let package = |name: Vec<u8>| {
        let package = Package::new(top.join(name).ok()?)?;
        let upstream_names = upstream_names(workspace, &package);
        Some(PackageDir { package, upstream_names })
    };
    names.into_iter().filter_map(package).collect()
}

/// The names of the directories that the package's files came from: where the path below the package is upstream's path
/// below that directory.
fn upstream_names(workspace: &Workspace, package: &Package) -> BTreeSet<String> {
    let directory = Directory::Path(package.directory().clone());
    let mut names = BTreeSet::new();
    for (path, entry) in workspace.below(&directory).filter(|(path, _)| is_python(path)) {
        let (Some(upstream), Some(below)) = (&entry.upstream_path, path.below(&directory)) else { continue };
        let above = upstream.as_bytes().strip_suffix(below).and_then(|above| above.strip_suffix(b"/"));
        let name = above.and_then(|above| above.rsplit(|b| *b == b'/').next());
        if let Some(Ok(name)) = name.map(std::str::from_utf8)
            && name != package.name()
            && crate::recipe::ModulePath::new(name).is_ok()
        {
            names.insert(name.to_owned());
        }
    }
    names
}
