//! Which files a package loads while it is imported itself, and which of its names are there once it is: what
//! decides whether `pkg.Name`, looked up late, may become `from pkg import Name`, looked up at once.

use super::resolve::{Found, Package};
use super::{Binding, ImportKind, Module, Role, ScopeId, ScopeKind};
use crate::workspace::{RepoPath, Workspace};
use std::collections::BTreeSet;

/// A package whose names may be imported by the files that it does not load itself.
pub struct Loaded {
    /// The files that are loaded while the package is.
    files: BTreeSet<RepoPath>,
    /// The names that its `__init__.py` binds once and for all.
    names: BTreeSet<String>,
}

impl Loaded {
    /// Follows the imports of a package from its `__init__.py`.
    pub fn of(workspace: &Workspace, package: &Package) -> Self {
        let mut loaded = Self { files: BTreeSet::new(), names: BTreeSet::new() };
        let mut open: Vec<Vec<String>> = vec![Vec::new()];
        while let Some(below) = open.pop() {
            let file = match package.find(workspace, &below) {
                Some(Found::File(file) | Found::Package(file)) => file,
                _ => continue,
            };
            if !loaded.files.insert(file.clone()) {
                continue;
            }
            let module = workspace.read(&file).ok().and_then(|content| workspace.parse(&content).ok());
            let (Some(module), Some(place)) = (module, package.place(&file)) else {
                continue;
            };
            if below.is_empty() {
                loaded.names = fixed_names(&module);
            }
            let at_once = |scope: ScopeId| {
                let scopes = std::iter::successors(Some(scope), |s| module.scope(*s).parent);
                scopes.into_iter().all(|s| module.scope(s).kind != ScopeKind::Function)
            };
            for import in module.imports.iter().filter(|i| at_once(i.scope) && !i.type_checking) {
                let base = if import.kind == ImportKind::Import {
                    None
                } else if import.level == 0 {
                    package.below(&import.module).map(|below| below.into_iter().map(str::to_owned).collect())
                } else {
                    place.resolve(import.level, &import.module)
                };
                for alias in &import.aliases {
                    let target = match &base {
                        Some(base) => Some([base.as_slice(), std::slice::from_ref(&alias.name)].concat()),
                        None => {
                            package.below(&alias.name).map(|b| b.into_iter().map(str::to_owned).collect())
                        }
                    };
                    open.extend(target.into_iter().flat_map(|t: Vec<String>| with_parents(&t)));
                }
                open.extend(base.into_iter().flat_map(|base: Vec<String>| with_parents(&base)));
            }
        }
        loaded
    }

    /// Whether a file is loaded while the package is.
    pub fn holds(&self, file: &RepoPath) -> bool {
        self.files.contains(file)
    }

    /// Whether a file may import a name of the package at once, instead of looking it up when it is used.
    pub fn may_import(&self, file: &RepoPath, name: &str) -> bool {
        self.names.contains(name) && !self.files.contains(file)
    }
}

/// Importing `a.b.c` loads `a` and `a.b` first.
fn with_parents(below: &[String]) -> Vec<Vec<String>> {
    (1..=below.len()).map(|length| below[..length].to_vec()).collect()
}

/// Names that one `def`, `class` or import of the module binds, and nothing rebinds.
fn fixed_names(module: &Module) -> BTreeSet<String> {
    let mut bound = BTreeSet::new();
    let mut again = BTreeSet::new();
    for (index, name) in module.names.iter().enumerate() {
        if name.role == Role::Use || module.resolve(index) != ScopeId::MODULE {
            continue;
        }
        let fixed = matches!(name.role, Role::Bind(Binding::Definition(_) | Binding::Import(_, _)));
        if !bound.insert(name.id) || !fixed {
            again.insert(name.id);
        }
    }
    bound.difference(&again).map(|id| module.text(*id).to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Content, Entry, Mode};

    fn loaded(files: &[(&str, &str)]) -> Loaded {
        let entry = |(path, text): &(&str, &str)| {
            Entry::upstream(RepoPath::new(path).unwrap(), Content::from(*text), Mode::File)
        };
        let workspace = Workspace::new(files.iter().map(entry));
        Loaded::of(&workspace, &Package::new(RepoPath::new("pkg").unwrap()).unwrap())
    }

    #[test]
    fn names_may_be_imported_by_files_that_the_package_does_not_load() {
        let l = loaded(&[
            (
                "pkg/__init__.py",
                "from .a import f, g\nfrom pkg.s.b import h\nx = 1\ng = None\nclass C: pass\n",
            ),
            ("pkg/a.py", "def late():\n    from . import late\nfrom . import d\n"),
            ("pkg/d.py", ""),
            ("pkg/late.py", ""),
            ("pkg/s/__init__.py", "import pkg.s.e as e"),
            ("pkg/s/b.py", ""),
            ("pkg/s/e.py", ""),
            ("pkg/tests/t.py", ""),
        ]);
        let files: Vec<_> = l.files.iter().map(ToString::to_string).collect();
        assert_eq!(
            files,
            ["pkg/__init__.py", "pkg/a.py", "pkg/d.py", "pkg/s/__init__.py", "pkg/s/b.py", "pkg/s/e.py"]
        );
        let is_loaded = |file: &str| l.holds(&RepoPath::new(file).unwrap());
        assert!(is_loaded("pkg/d.py") && !is_loaded("pkg/late.py"));
        let names: Vec<&str> = l.names.iter().map(String::as_str).collect();
        assert_eq!(names, ["C", "f", "h"]);
        let path = |p: &str| RepoPath::new(p).unwrap();
        assert!(l.may_import(&path("pkg/tests/t.py"), "f") && !l.may_import(&path("pkg/d.py"), "f"));
        assert!(!l.may_import(&path("pkg/tests/t.py"), "g") && !l.may_import(&path("pkg/tests/t.py"), "x"));
    }
}
