//! Whether the modules that rewritten imports name are in the tree.

use super::python_files::PythonFile;
use super::{Count, Evidence, Failure, FailureKind, Note};
use crate::python::Import;
use crate::python::edit::one_line;
use crate::python::resolve::{Found, Package, Tree};
use crate::report::plural;
use crate::workspace::{RepoPath, Workspace};
use std::collections::BTreeSet;

/// The module that the builder generates in every compiled package.
const GENERATED: &str = "_ops";

/// Collects the imports whose module is not there.
pub struct Targets<'w> {
    workspace: &'w Workspace,
    package: &'w Package,
    tree: Tree<'w>,
    missing: Vec<(Evidence, String)>,
    notes: Vec<Note>,
}

impl<'w> Targets<'w> {
    /// Looks in a tree.
    pub fn new(workspace: &'w Workspace, package: &'w Package) -> Self {
        Self { workspace, package, tree: Tree::new(workspace), missing: Vec::new(), notes: Vec::new() }
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

    /// Looks at `from <below> import names`: the module must be there, and a package without `__init__.py` holds
    /// nothing but modules.
    pub fn see_from(&mut self, file: &PythonFile<'_>, import: &Import, below: &[&str]) {
        match self.package.find(self.workspace, below) {
            Some(Found::Namespace(_)) => {
                for alias in &import.aliases {
                    self.see_module(file, import, &[below, &[alias.name.as_str()]].concat());
                }
            }
            Some(_) => {}
            None => self.see_module(file, import, below),
        }
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
        if self.workspace.is_trial() {
            self.notes.push(Note::Detail(format!("{place}: `{module}` is not among the files")));
            return;
        }
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
    pub fn check(self, pinned: bool) -> Result<(Count, Vec<Note>), Failure> {
        if pinned || self.missing.is_empty() {
            let evidence: Vec<Evidence> = self.missing.into_iter().map(|(evidence, _)| evidence).collect();
            let found = evidence.len() as u64;
            let noun = ("missing module", "missing modules");
            return Ok((Count { pin: "missing", noun, found, evidence }, self.notes));
        }
        let modules: BTreeSet<&str> = self.missing.iter().map(|(_, module)| module.as_str()).collect();
        let say = |module: &&str| match self.package.nearest(self.workspace, module) {
            Some(near) => format!("`{module}` is not in the tree; the nearest module is `{near}`"),
            None => format!("`{module}` is not in the tree"),
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
