//! The packages under `torch-ext`, and the names by which upstream imported what became of them.

use super::stdlib;
use crate::manifest::Model;
use crate::python::is_python;
use crate::python::resolve::Package;
use crate::workspace::{Directory, Entry, RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// A package directory under `torch-ext`.
pub struct PackageDir {
    /// Where it is and how it is imported.
    pub package: Package,
    /// Its directory.
    pub directory: Directory,
    /// The top-level names under which upstream imported its files, where they differ.
    pub upstream_names: BTreeSet<String>,
}

impl PackageDir {
    /// Whether an absolute module is the package or a part of it, under either name.
    pub fn is_own(&self, module: &str) -> bool {
        let first = module.split('.').next().unwrap_or(module);
        first == self.package.name() || self.upstream_names.contains(first)
    }
}

/// The directories below `torch-ext` that hold Python files; with a manifest only its package.
pub fn packages(workspace: &Workspace, manifest: Option<&Model>) -> Vec<PackageDir> {
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
        let directory = Directory::Path(package.directory().clone());
        let upstream_names = upstream_names(workspace, &package, &directory);
        Some(PackageDir { package, directory, upstream_names })
    };
    names.into_iter().filter_map(package).collect()
}

/// The top-level names under which upstream imported the package's files.
fn upstream_names(workspace: &Workspace, package: &Package, directory: &Directory) -> BTreeSet<String> {
    let base = workspace.base();
    let mut known: BTreeMap<RepoPath, Option<String>> = BTreeMap::new();
    let mut names = BTreeSet::new();
    for (path, entry) in workspace.below(directory).filter(|(path, _)| is_python(path)) {
        let Some(upstream) = &entry.upstream_path else { continue };
        // From the package down to the file's own directory: the first that is an upstream directory, moved.
        let mut above: Vec<RepoPath> = path.ancestors().take_while(|d| d.parent().is_some()).collect();
        above.reverse();
        for now in above {
            let rest = path.below(&Directory::Path(now)).unwrap_or_default();
            let before = upstream.as_bytes().strip_suffix(rest).and_then(|b| b.strip_suffix(b"/"));
            let Some(before) = before.and_then(|before| RepoPath::new(before).ok()) else { continue };
            names.extend(known.entry(before.clone()).or_insert_with(|| top_name(base, &before)).clone());
            if !is_container(base, &before) {
                break;
            }
        }
    }
    names.retain(|name| name != package.name());
    names
}

/// The first component of the name under which upstream imports a directory: its own name, or that of the outermost
/// package around it. `None` for a name that must mean something else: one of Python's, torch or triton.
fn top_name(base: &BTreeMap<RepoPath, Entry>, directory: &RepoPath) -> Option<String> {
    let has_init = |d: &RepoPath| {
        ["__init__.py", "__init__.pyi"].iter().any(|name| d.join(name).is_ok_and(|p| base.contains_key(&p)))
    };
    let outermost = directory.ancestors().take_while(has_init).last();
    let name = outermost.as_ref().unwrap_or(directory).name();
    let name = std::str::from_utf8(name).ok().filter(|name| crate::recipe::ModulePath::new(name).is_ok())?;
    let others = matches!(name, "torch" | "triton") || stdlib::is_module(name);
    (!others).then(|| name.to_owned())
}

/// Whether a directory of upstream's holds no Python file itself: `src`, whose packages are imported by their own names.
fn is_container(base: &BTreeMap<RepoPath, Entry>, directory: &RepoPath) -> bool {
    let start = [directory.as_bytes(), b"/"].concat();
    let below =
        base.range::<[u8], _>((std::ops::Bound::Included(start.as_slice()), std::ops::Bound::Unbounded));
    let mut below = below.take_while(|(path, _)| path.as_bytes().starts_with(&start));
    !below.any(|(path, _)| is_python(path) && path.parent().as_ref() == Some(directory))
}
