//! What the rules look at: the tree, the manifest, the packages under `torch-ext`, every Python file parsed once, and
//! every listed source read once.

use super::listed::Sources;
use super::packages::{PackageDir, packages};
use crate::manifest::Model;
use crate::ops::{Evidence, Record};
use crate::parallel::{self, PATIENCE};
use crate::python::{ByteRange, Module, SyntaxError, edit, is_python};
use crate::workspace::{Directory, Entry, Mode, RepoPath, Workspace};
use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A Python file, parsed.
pub struct PythonSource {
    /// What it holds.
    pub content: Arc<[u8]>,
    /// What that says.
    pub module: Result<Arc<Module>, SyntaxError>,
}

/// A Python file that parses.
#[derive(Clone, Copy)]
pub struct PythonFile<'s> {
    /// Where it is.
    pub path: &'s RepoPath,
    /// What it holds.
    pub content: &'s [u8],
    /// What that says.
    pub module: &'s Module,
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
    /// Where the values of a build.toml that was read stand, by dotted key: `torch.src[0]`.
    pub manifest_places: BTreeMap<String, Evidence>,
    /// Whether every Python file counts as the port's own: a port by hand has no record of what it wrote.
    pub all_written: bool,
    python: OnceCell<BTreeMap<&'a RepoPath, PythonSource>>,
    sources: OnceCell<Sources>,
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
            manifest_places: BTreeMap::new(),
            all_written: false,
            python: OnceCell::new(),
            sources: OnceCell::new(),
        }
    }

    /// Every Python file that a rule looks at, parsed once: those under `torch-ext` and `tests`, and those the port
    /// wrote.
    pub fn python(&self) -> &BTreeMap<&'a RepoPath, PythonSource> {
        self.python.get_or_init(|| {
            let watched = |path: &RepoPath| {
                matches!(path.components().next(), Some(b"torch-ext" | b"tests")) && path.parent().is_some()
            };
            let wanted = |path: &RepoPath, entry: &Entry| {
                is_python(path) && entry.mode != Mode::Symlink && (entry.written || watched(path))
            };
            let files = self.workspace.iter().filter(|(path, entry)| wanted(path, entry));
            let files: Vec<(&RepoPath, &Entry)> = files.collect();
            let parsed = parallel::map(&files, PATIENCE, |(_, entry)| {
                let content = entry.content.read().ok()?;
                let module = self.workspace.parse(&content);
                Some(PythonSource { content, module })
            });
            let parsed = files.into_iter().zip(parsed);
            let parsed = parsed.filter_map(|((path, _), source)| Some((path, source?)));
            parsed.collect()
        })
    }

    /// The Python files below a directory that parse.
    pub fn modules(&self, directory: &Directory) -> impl Iterator<Item = PythonFile<'_>> {
        let inside = self.python().iter().filter(move |(path, _)| directory.holds(path));
        inside.filter_map(|(path, source)| {
            let module = source.module.as_ref().ok()?;
            Some(PythonFile { path, content: &source.content, module })
        })
    }

    /// The Python files of all packages that parse, with their package.
    pub fn package_modules(&self) -> impl Iterator<Item = (&PackageDir, PythonFile<'_>)> {
        let packages = self.packages.iter();
        packages.flat_map(|package| self.modules(&package.directory).map(move |file| (package, file)))
    }

    /// What the manifest lists, read once; nothing without a manifest.
    pub fn sources(&self) -> &Sources {
        let read = |manifest| Sources::read(self.workspace, manifest);
        self.sources.get_or_init(|| self.manifest.map(read).unwrap_or_default())
    }

    /// Where a value of the manifest stands, when it was read from a file; `otherwise` when an op wrote it.
    pub fn manifest_place(&self, key: &str, otherwise: &RepoPath) -> Evidence {
        self.manifest_places.get(key).cloned().unwrap_or_else(|| Evidence::file(otherwise))
    }
}

impl PythonFile<'_> {
    /// A statement or expression as evidence.
    pub fn evidence(&self, range: &ByteRange) -> Evidence {
        Evidence {
            path: self.path.clone(),
            position: Some(self.module.position(self.content, range.start)),
            text: edit::one_line(self.content, range.clone()),
        }
    }

    /// Whether a name is one of the file's, or is in a path or among the names that it imports from `package`: what no
    /// import and no expression spells means nothing in that package.
    pub fn spells(&self, name: &str, package: &str) -> bool {
        let has = |path: &str| path.split('.').any(|part| part == name);
        self.module.table.find(name).is_some()
            || self.module.imports.iter().any(|import| {
                let from = import.module.starts_with(package) && has(&import.module);
                from || import.aliases.iter().any(|alias| {
                    (import.module.starts_with(package) || alias.name.starts_with(package))
                        && has(&alias.name)
                })
            })
    }

    /// Whether a text may stand in the file as a name. Identifiers with letters beyond ASCII are compared in another
    /// form than they are written in, so that nothing can be said about such a file.
    pub fn may_name(&self, text: &str) -> bool {
        memchr::memmem::find(self.content, text.as_bytes()).is_some() || !self.content.is_ascii()
    }
}
