//! Whether the modules that rewritten imports name are in the tree.

use super::python_files::PythonFile;
use super::{Count, Evidence, Failure, FailureKind, Note};
use crate::python::Import;
use crate::python::edit::one_line;
use crate::python::exports::Exports;
use crate::python::resolve::{Found, Package, Tree};
use crate::report::plural;
use crate::workspace::{RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;

/// The module that the builder generates in every compiled package.
const GENERATED: &str = "_ops";

/// Collects the imports whose module is not there.
pub struct Targets<'w> {
    workspace: &'w Workspace,
    package: &'w Package,
    tree: Tree<'w>,
    exports: BTreeMap<RepoPath, Exports>,
    missing: Vec<(Evidence, String)>,
    notes: Vec<Note>,
}

impl<'w> Targets<'w> {
    /// Looks in a tree.
    pub fn new(workspace: &'w Workspace, package: &'w Package) -> Self {
        Self {
            workspace,
            package,
            tree: Tree::new(workspace),
            exports: BTreeMap::new(),
            missing: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Whether a path below the package is a module of the tree.
    pub fn is_module(&self, below: &[&str]) -> bool {
        self.package.find(self.workspace, below).is_some()
    }

    /// Whether `from` can import an absolute name in a file: a module, or a name of the package that is there before
    /// the file is loaded.
    pub fn can_import(&self, file: &RepoPath, name: &str) -> bool {
        self.tree.can_import(file, name)
    }

    /// Looks at `from <below> import names`: the module must be there, and a name of a package must not be a module
    /// that the port removed. One that upstream does not have either is a warning.
    pub fn see_from(&mut self, file: &PythonFile<'_>, import: &Import, below: &[&str]) {
        match self.package.find(self.workspace, below) {
            Some(Found::Namespace(_)) => self.see_names(file, import, below, None),
            Some(Found::Package(init)) => self.see_names(file, import, below, Some(&init)),
            Some(Found::File(_) | Found::Extension(_)) => {}
            None => self.see_module(file, import, below),
        }
    }

    fn see_names(&mut self, file: &PythonFile<'_>, import: &Import, below: &[&str], init: Option<&RepoPath>) {
        let mut unknown = Vec::new();
        for alias in &import.aliases {
            let path = [below, &[alias.name.as_str()]].concat();
            match init {
                _ if self.is_module(&path) => {}
                Some(init) if self.exports(init).may_hold(&alias.name) => {}
                Some(init) if !self.was_module(init, &alias.name) => {
                    unknown.push(format!("`{}`", alias.name))
                }
                _ => self.see_module(file, import, &path),
            }
        }
        if let (Some(init), false) = (init, unknown.is_empty() || self.workspace.is_trial()) {
            let note = format!("{}:{}: no {} in {init}", file.path, import.position, unknown.join(", "));
            self.notes.push(Note::Warning(format!("{note}, upstream as here")));
        }
    }

    /// Whether upstream had a module of that name beside an `__init__.py`, which the port removed.
    fn was_module(&self, init: &RepoPath, name: &str) -> bool {
        let upstream = self.workspace.get(init).and_then(|entry| entry.upstream_path.clone());
        let stem = upstream.and_then(|init| init.parent()).and_then(|directory| directory.join(name).ok());
        stem.is_some_and(|stem| {
            let inside = [stem.as_bytes(), b"/"].concat();
            let first = self
                .workspace
                .base()
                .range::<[u8], _>((Bound::Included(&inside[..]), Bound::Unbounded))
                .next();
            first.is_some_and(|(path, _)| path.as_bytes().starts_with(&inside))
                || [&b".py"[..], b".pyi"]
                    .iter()
                    .any(|end| self.workspace.base().contains_key::<[u8]>(&[stem.as_bytes(), end].concat()))
        })
    }

    fn exports(&mut self, init: &RepoPath) -> &Exports {
        let workspace = self.workspace;
        self.exports.entry(init.clone()).or_insert_with(|| {
            let module = workspace.read(init).ok().and_then(|content| workspace.parse(&content).ok());
            module.as_deref().map_or_else(Exports::unknown, Exports::of)
        })
    }

    /// Looks at a module that is imported as such.
    pub fn see_module(&mut self, file: &PythonFile<'_>, import: &Import, below: &[&str]) {
        let generated = below == [GENERATED];
        if generated || self.is_module(below) {
            return;
        }
        let module = self.package.absolute(below);
        let place =
            format!("{}:{}: {}", file.path, import.position, one_line(&file.content, import.range.clone()));
        let why = if import.guarded {
            Some("a `try` catches that")
        } else if import.type_checking {
            Some("only type checkers see it")
        } else if self.package.may_be_registered(self.workspace, below) {
            Some("a package above it seems to put it into sys.modules")
        } else {
            None
        };
        if let Some(why) = why {
            self.notes.push(Note::Warning(format!("{place}: `{module}` is not in the tree; {why}")));
        } else {
            self.missing.push((file.evidence(&import.range), module));
        }
    }

    /// The imports whose module is not there, and the notes.
    ///
    /// # Errors
    /// Lists those imports with the nearest module, unless the recipe pins their number.
    pub fn check(mut self, pinned: bool) -> Result<(Count, Vec<Note>), Failure> {
        if self.workspace.is_trial() && !pinned {
            let place = |evidence: &Evidence| {
                let at = evidence.position.map_or_else(String::new, |p| format!(":{p}"));
                format!("{}{at}: {}", evidence.path, evidence.text)
            };
            self.notes.extend(self.missing.drain(..).map(|(evidence, module)| {
                Note::Detail(format!("{}: `{module}` is not among the files", place(&evidence)))
            }));
        }
        if pinned || self.missing.is_empty() {
            let evidence: Vec<Evidence> = self.missing.into_iter().map(|(evidence, _)| evidence).collect();
            let found = evidence.len() as u64;
            let noun = ("missing module", "missing modules");
            return Ok((Count { pin: "missing", noun, found, evidence }, self.notes));
        }
        let modules: BTreeSet<&str> = self.missing.iter().map(|(_, module)| module.as_str()).collect();
        let absent = |module: &str| {
            let above = module.rsplit_once('.').and_then(|(above, _)| self.package.below(above));
            match above.and_then(|above| self.package.find(self.workspace, &above)) {
                Some(Found::Package(init)) => {
                    format!("`{module}` is no module of the tree and no name in {init}")
                }
                _ => format!("`{module}` is not in the tree"),
            }
        };
        let say = |module: &&str| match self.package.nearest(self.workspace, module) {
            Some(near) => format!("{}; the nearest module is `{near}`", absent(module)),
            None => absent(module),
        };
        let details = modules.iter().map(say).collect();
        let number = self.missing.len();
        let message = format!(
            "{} {} a module that is not in the tree",
            plural(number, ("import", "imports")),
            if number == 1 { "names" } else { "name" }
        );
        Err(Failure::new(FailureKind::Missing, message)
            .at("in")
            .details(details)
            .evidence(self.missing.into_iter().map(|(evidence, _)| evidence).collect())
            .hint(
                "bring the module into the tree before this op, or change the import: what a compiled extension held \
                 is in the generated `_ops`, what the build wrote (a version) needs `write` or `overlay`",
            )
            .hint(format!("imports that fail upstream as well can be pinned: missing={number}")))
    }
}
