//! Modules and files: the module a file is, the module a relative import means, and whether a module is in the tree.

use super::load_order::Loaded;
use crate::report::nearest;
use crate::workspace::{Directory, RepoPath, Workspace};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// A top-level package of the tree: its directory and the name it is imported by.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Package {
    directory: RepoPath,
    name: String,
}

/// Where a file stands in its package. Module paths are components below the package; the package itself is empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The module the file is.
    pub module: Vec<String>,
    /// The package that its relative imports start from.
    pub package: Vec<String>,
}

/// What a module path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A `.py` or `.pyi` file.
    File(RepoPath),
    /// A directory with `__init__.py` or `__init__.pyi`, which is given.
    Package(RepoPath),
    /// A directory without one that holds Python files, directly or deeper.
    Namespace(RepoPath),
    /// A compiled or Cython module: `name.so`, `name.cpython-311-x86_64-linux-gnu.so`, `name.pyd`, `name.pyx`.
    Extension(RepoPath),
}

impl Package {
    /// The package in a directory, imported by the directory's name. `None` when that name is no UTF-8.
    pub fn new(directory: RepoPath) -> Option<Self> {
        let name = std::str::from_utf8(directory.name()).ok()?.to_owned();
        Some(Self { directory, name })
    }

    /// The packages of the tree that are imported by `name`: directories of that name that hold Python files and do
    /// not lie in a package themselves.
    pub fn named(workspace: &Workspace, name: &str) -> Vec<Self> {
        let mut found = BTreeSet::new();
        for (path, _) in workspace.iter().filter(|(path, _)| super::is_python(path)) {
            let outermost = path.ancestors().filter(|d| d.name() == name.as_bytes()).last();
            if let Some(directory) = outermost
                && directory.parent().is_none_or(|p| init_of(workspace, &p).is_none())
            {
                found.insert(directory);
            }
        }
        found.into_iter().filter_map(Self::new).collect()
    }

    /// Its directory.
    pub fn directory(&self) -> &RepoPath {
        &self.directory
    }

    /// The name it is imported by.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where a Python file stands in the package; `None` outside of it.
    pub fn place(&self, file: &RepoPath) -> Option<Place> {
        let below = file.below(&Directory::Path(self.directory.clone()))?;
        let below = String::from_utf8_lossy(below);
        let mut module: Vec<String> = below.split('/').map(str::to_owned).collect();
        let name = module.pop()?;
        let package = module.clone();
        match name.split('.').next() {
            Some("__init__") => {}
            Some(stem) => module.push(stem.to_owned()),
            None => return None,
        }
        Some(Place { module, package })
    }

    /// The components of an absolute module below the package: empty for the package itself, `None` for any other.
    pub fn below<'m>(&self, module: &'m str) -> Option<Vec<&'m str>> {
        let rest = module.strip_prefix(self.name.as_str())?;
        if rest.is_empty() {
            return Some(Vec::new());
        }
        Some(rest.strip_prefix('.')?.split('.').collect())
    }

    /// The dotted absolute name of a module below the package.
    pub fn absolute<S: AsRef<str>>(&self, below: &[S]) -> String {
        let parts = below.iter().map(AsRef::as_ref);
        std::iter::once(self.name.as_str()).chain(parts).collect::<Vec<_>>().join(".")
    }

    /// What is at a module path below the package.
    pub fn find<S: AsRef<str>>(&self, workspace: &Workspace, below: &[S]) -> Option<Found> {
        let mut directory = self.directory.clone();
        for part in below {
            directory = directory.join(part.as_ref()).ok()?;
        }
        find_at(workspace, &directory)
    }

    /// The dotted absolute names of all its modules and packages.
    pub fn modules(&self, workspace: &Workspace) -> BTreeSet<String> {
        let mut modules = BTreeSet::from([self.name.clone()]);
        let directory = Directory::Path(self.directory.clone());
        let below = workspace.below(&directory);
        for place in below.filter(|(path, _)| super::is_python(path)).filter_map(|(path, _)| self.place(path))
        {
            modules.insert(self.absolute(&place.module));
            let mut package = place.package.as_slice();
            while let Some((_, above)) = package.split_last() {
                modules.insert(self.absolute(package));
                package = above;
            }
        }
        modules
    }

    /// Whether a module that no file holds may be put into `sys.modules` by a package above it while that is loaded:
    /// its `__init__.py` touches `sys.modules` and has the rest of the module's path as a string.
    pub fn may_be_registered<S: AsRef<str>>(&self, workspace: &Workspace, below: &[S]) -> bool {
        (0..below.len()).any(|length| {
            let Some(Found::Package(init)) = self.find(workspace, &below[..length]) else {
                return false;
            };
            let rest: Vec<&str> = below[length..].iter().map(AsRef::as_ref).collect();
            let names = [rest.join("."), self.absolute(below)];
            let module = workspace.read(&init).ok().and_then(|content| workspace.parse(&content).ok());
            module.is_some_and(|module| {
                let touches = module.attributes.iter().any(|a| module.text(a.id) == "modules");
                touches && module.strings.iter().any(|s| names.iter().any(|name| **name == *s.value))
            })
        })
    }

    /// The module of the package that is nearest to one that is not there: the same last component elsewhere, else a
    /// similar one beside it.
    pub fn nearest(&self, workspace: &Workspace, missing: &str) -> Option<String> {
        let modules = self.modules(workspace);
        let (above, last) = missing.rsplit_once('.')?;
        let parts = || modules.iter().filter_map(|m| m.rsplit_once('.'));
        let elsewhere = parts().find(|(_, name)| *name == last);
        let beside = || {
            let names = parts().filter(|(package, _)| *package == above).map(|(_, name)| name);
            nearest::one(last, names).map(|name| (above, name))
        };
        elsewhere.or_else(beside).map(|(package, name)| format!("{package}.{name}"))
    }
}

impl Place {
    /// What a relative import means: components below the package; `None` when it climbs above it.
    pub fn resolve(&self, level: usize, module: &str) -> Option<Vec<String>> {
        let kept = (self.package.len() + 1).checked_sub(level.max(1))?;
        let mut found = self.package[..kept].to_vec();
        found.extend(module.split('.').filter(|part| !part.is_empty()).map(str::to_owned));
        Some(found)
    }

    /// The fewest dots that reach a module below the package, and what of it follows them.
    pub fn relative<'m>(&self, target: &'m [&'m str]) -> (usize, &'m [&'m str]) {
        let common = self.package.iter().zip(target).take_while(|(a, b)| a == *b).count();
        (self.package.len() - common + 1, &target[common..])
    }
}

/// Finds modules by their absolute name, wherever their package lies in the tree.
pub struct Tree<'w> {
    workspace: &'w Workspace,
    packages: RefCell<BTreeMap<String, Rc<Vec<Package>>>>,
    loaded: RefCell<BTreeMap<String, Rc<Vec<Loaded>>>>,
}

impl<'w> Tree<'w> {
    /// A tree to look in.
    pub fn new(workspace: &'w Workspace) -> Self {
        Self { workspace, packages: RefCell::default(), loaded: RefCell::default() }
    }

    /// The packages that are imported by `name`.
    pub fn packages(&self, name: &str) -> Rc<Vec<Package>> {
        let known = self.packages.borrow().get(name).cloned();
        known.unwrap_or_else(|| {
            let found = Rc::new(Package::named(self.workspace, name));
            self.packages.borrow_mut().insert(name.to_owned(), found.clone());
            found
        })
    }

    /// Whether an absolute name is a module of the tree.
    pub fn has(&self, module: &str) -> bool {
        let name = module.split('.').next().unwrap_or(module);
        let found =
            |package: &Package| package.below(module).and_then(|below| package.find(self.workspace, &below));
        self.packages(name).iter().any(|package| found(package).is_some())
    }

    /// Whether `from` can import an absolute name: a module of the tree, or a name of a top-level package that is
    /// there before `file` is loaded.
    pub fn can_import(&self, file: &RepoPath, name: &str) -> bool {
        let Some((package, last)) = name.split_once('.') else {
            return self.has(name);
        };
        if self.has(name) {
            return true;
        }
        let loaded = self.loaded.borrow().get(package).cloned();
        let loaded = loaded.unwrap_or_else(|| {
            let found = self.packages(package);
            let found: Rc<Vec<Loaded>> =
                Rc::new(found.iter().map(|p| Loaded::of(self.workspace, p)).collect());
            self.loaded.borrow_mut().insert(package.to_owned(), found.clone());
            found
        });
        loaded.iter().any(|package| package.may_import(file, last))
    }

    /// The package by that name which a file lies in.
    pub fn package_of(&self, file: &RepoPath, name: &str) -> Option<Package> {
        self.packages(name).iter().find(|package| package.place(file).is_some()).cloned()
    }
}

fn init_of(workspace: &Workspace, directory: &RepoPath) -> Option<RepoPath> {
    let inits = ["__init__.py", "__init__.pyi"].into_iter().filter_map(|name| directory.join(name).ok());
    inits.into_iter().find(|init| workspace.is_file(init))
}

/// What a module is whose path without extension is `stem`. A package wins over a file, as in Python.
pub fn find_at(workspace: &Workspace, stem: &RepoPath) -> Option<Found> {
    if let Some(init) = init_of(workspace, stem) {
        return Some(Found::Package(init));
    }
    let with = |ending: &str| RepoPath::new([stem.as_bytes(), ending.as_bytes()].concat()).ok();
    let is_file = |path: &RepoPath| workspace.is_file(path);
    if let Some(file) = [".py", ".pyi"].into_iter().filter_map(with).find(is_file) {
        return Some(Found::File(file));
    }
    if let Some(file) = [".so", ".pyd", ".pyx"].into_iter().filter_map(with).find(is_file) {
        return Some(Found::Extension(file));
    }
    let siblings = stem.parent().map_or(Directory::Root, Directory::Path);
    let tagged = |name: &[u8]| {
        let tag = name.strip_prefix(stem.name()).and_then(|rest| rest.strip_prefix(b"."));
        tag.is_some_and(|t| t.ends_with(b".so") || t.ends_with(b".pyd"))
    };
    let starts =
        |path: &RepoPath| path.as_bytes().starts_with(stem.as_bytes()) && path.parent() == stem.parent();
    let extension = workspace.below(&siblings).find(|(path, _)| starts(path) && tagged(path.name()));
    if let Some((path, _)) = extension {
        return Some(Found::Extension(path.clone()));
    }
    let inside = Directory::Path(stem.clone());
    let holds_python = workspace.below(&inside).any(|(path, _)| super::is_python(path));
    holds_python.then(|| Found::Namespace(stem.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Content, Entry, Mode};

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn tree(files: &[&str]) -> Workspace {
        Workspace::new(files.iter().map(|f| Entry::upstream(path(f), Content::from(""), Mode::File)))
    }

    #[test]
    fn a_relative_import_resolves_from_the_files_package() {
        let package = Package::new(path("torch-ext/pkg")).unwrap();
        for (file, level, module, expected) in [
            ("torch-ext/pkg/a.py", 1, "b", Some("b")),
            ("torch-ext/pkg/__init__.py", 1, "b", Some("b")),
            ("torch-ext/pkg/s/__init__.py", 1, "b", Some("s.b")),
            ("torch-ext/pkg/s/a.py", 2, "", Some("")),
            ("torch-ext/pkg/s/a.pyi", 2, "b.c", Some("b.c")),
            ("torch-ext/pkg/s/a.py", 3, "b", None),
            ("torch-ext/pkg/a.py", 2, "", None),
        ] {
            let found = package.place(&path(file)).unwrap().resolve(level, module);
            assert_eq!(found.map(|f| f.join(".")).as_deref(), expected, "{file} {level} {module}");
        }
        assert_eq!(package.place(&path("tests/a.py")), None);
    }

    #[test]
    fn the_fewest_dots() {
        let package = Package::new(path("pkg")).unwrap();
        let place = package.place(&path("pkg/a/b/m.py")).unwrap();
        for (target, level, rest) in [
            (&["a", "b", "x"][..], 1, &["x"][..]),
            (&["a", "b"], 1, &[]),
            (&["a"], 2, &[]),
            (&["a", "x", "y"], 2, &["x", "y"]),
            (&["x"], 3, &["x"]),
            (&[], 3, &[]),
        ] {
            assert_eq!(place.relative(target), (level, rest), "{target:?}");
            let back = place.resolve(level, &rest.join(".")).unwrap();
            assert_eq!(back, target);
        }
    }

    #[test]
    fn what_counts_as_a_module() {
        let w = tree(&[
            "p/__init__.py",
            "p/a.py",
            "p/b.pyi",
            "p/c.cpython-311-x86_64-linux-gnu.so",
            "p/ns/deep/m.py",
            "p/data/x.json",
            "p/q/__init__.py",
            "p/q.py",
            "p/cc.py",
        ]);
        let package = Package::new(path("p")).unwrap();
        let kind = |below: &[&str]| match package.find(&w, below) {
            None => "none",
            Some(Found::File(_)) => "file",
            Some(Found::Package(_)) => "package",
            Some(Found::Namespace(_)) => "namespace",
            Some(Found::Extension(_)) => "extension",
        };
        assert_eq!(kind(&[]), "package");
        assert_eq!([kind(&["a"]), kind(&["b"]), kind(&["c"])], ["file", "file", "extension"]);
        assert_eq!(
            [kind(&["ns"]), kind(&["ns", "deep"]), kind(&["q"])],
            ["namespace", "namespace", "package"]
        );
        assert_eq!([kind(&["data"]), kind(&["x"]), kind(&["a", "b"])], ["none", "none", "none"]);
        assert_eq!(package.nearest(&w, "p.ns.deep.mm").as_deref(), Some("p.ns.deep.m"));
        assert_eq!(package.nearest(&w, "p.other.m").as_deref(), Some("p.ns.deep.m"));
    }

    #[test]
    fn packages_of_a_name_are_top_level_ones() {
        let w = tree(&[
            "src/pkg/__init__.py",
            "src/pkg/sub/pkg/__init__.py",
            "other/__init__.py",
            "other/pkg/a.py",
        ]);
        let found: Vec<_> = Package::named(&w, "pkg").iter().map(|p| p.directory().to_string()).collect();
        assert_eq!(found, ["src/pkg"]);
    }
}
