//! `relative-import`: every relative import stays in the package and names something that is there. Wrong dot counts
//! shipped in published kernels because the import was lazy.

use super::packages::PackageDir;
use super::{Finding, Input, PythonFile, Rule, Severity};
use crate::python::exports::Exports;
use crate::python::resolve::{Found, Place};
use crate::python::{Import, Module};
use crate::workspace::RepoPath;
use std::collections::{BTreeMap, HashSet};

pub(super) const RULE: Rule = Rule {
    id: "relative-import",
    severity: Severity::Error,
    summary: "a relative import that climbs above the package or names a module that is not there",
    why: "moving a file changes what its dots mean, and an import inside a function fails only when it is called",
    breaks: "the import fails, perhaps only when a function is first called",
    fix: "bring the module into the package, or correct the number of dots; `_ops` is generated and always there",
    whole: false,
    check,
};

/// The module that the builder generates.
const GENERATED: &str = "_ops";

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in &input.packages {
        let mut judge = Judge { input, package, exports: BTreeMap::new(), held: None };
        for file in input.modules(&package.directory) {
            let Some(place) = package.package.place(file.path) else { continue };
            for import in file.module.imports.iter().filter(|i| i.level > 0) {
                findings.extend(judge.finding(&file, &place, import));
            }
        }
    }
}

struct Judge<'s, 'a> {
    input: &'s Input<'a>,
    package: &'s PackageDir,
    /// What the `__init__.py` files hold, read when it is asked for.
    exports: BTreeMap<RepoPath, Exports>,
    /// The names of all files and directories that upstream or the port holds, up to the first dot.
    held: Option<HashSet<&'a [u8]>>,
}

impl<'a> Judge<'_, 'a> {
    fn finding(&mut self, file: &PythonFile<'_>, place: &Place, import: &Import) -> Option<Finding> {
        let (severity, message) = self.wrong(place, import)?;
        let lenient = import.guarded || import.type_checking;
        let severity = if lenient { Severity::Warning } else { severity };
        Some(Finding { severity, ..RULE.finding(file.evidence(&import.range), message) })
    }

    /// What is wrong with a relative import, and how bad it is; `None` when it reaches what it names.
    fn wrong(&mut self, place: &Place, import: &Import) -> Option<(Severity, String)> {
        let workspace = self.input.workspace;
        let Some(target) = place.resolve(import.level, &import.module) else {
            let most = place.package.len() + 1;
            let message = format!(
                "climbs above the package: {} dots, and at most {most} are possible here",
                import.level
            );
            return Some((Severity::Error, message));
        };
        match self.package.package.find(workspace, &target) {
            // A directory without `__init__.py` holds nothing but modules.
            Some(Found::Namespace(_)) => {
                let module = self.missing_name(&target, import, &Exports::default())?;
                self.missed(&module).then(|| (Severity::Error, self.not_there(&module, "module or name")))
            }
            // A name that never was a module may be one that upstream's own package lacks.
            Some(Found::Package(init)) => {
                let exports = self.exports(init);
                let module = self.missing_name(&target, import, &exports)?;
                let severity = if self.is_held(&module) { Severity::Error } else { Severity::Warning };
                self.missed(&module).then(|| (severity, self.not_there(&module, "module or name")))
            }
            Some(Found::File(_) | Found::Extension(_)) => None,
            None if is_generated(&target) || self.package.package.may_be_registered(workspace, &target) => {
                None
            }
            None if !self.missed(&target) => None,
            None => Some((Severity::Error, self.not_there(&target, "module"))),
        }
    }

    /// The first imported name that is neither a module below `target` nor a name that it may hold.
    fn missing_name(&self, target: &[String], import: &Import, exports: &Exports) -> Option<Vec<String>> {
        let workspace = self.input.workspace;
        import.aliases.iter().filter(|alias| !exports.may_hold(&alias.name)).find_map(|alias| {
            let module = [target, std::slice::from_ref(&alias.name)].concat();
            let package = &self.package.package;
            let there = package.find(workspace, &module).is_some()
                || is_generated(&module)
                || package.may_be_registered(workspace, &module);
            (!there).then_some(module)
        })
    }

    fn exports(&mut self, init: RepoPath) -> Exports {
        let read = |init: &RepoPath| {
            let source = self.input.python().get(init);
            let module: Option<&Module> = source.and_then(|source| source.module.as_deref().ok());
            module.map_or_else(Exports::unknown, Exports::of)
        };
        if !self.exports.contains_key(&init) {
            let exports = read(&init);
            self.exports.insert(init.clone(), exports);
        }
        self.exports.get(&init).cloned().unwrap_or_else(Exports::unknown)
    }

    /// A typed tree need not be whole: what it never held is not missed, what an op took away is.
    fn missed(&mut self, module: &[String]) -> bool {
        !self.input.workspace.is_trial() || self.is_held(module)
    }

    /// Whether upstream or the port has a file or directory of the module's last name, wherever it is.
    fn is_held(&mut self, module: &[String]) -> bool {
        let workspace = self.input.workspace;
        let held = self.held.get_or_insert_with(|| {
            let paths = workspace.base().keys().chain(workspace.iter().map(|(path, _)| path));
            let stem = |name: &'a [u8]| name.split(|b| *b == b'.').next().unwrap_or(name);
            let (mut held, mut seen) = (HashSet::default(), None);
            for path in paths {
                // Most files lie in the directory of the one before.
                let directory = path.directory();
                if directory != seen {
                    held.extend(path.components().map(stem));
                    seen = directory;
                } else {
                    held.insert(stem(path.name()));
                }
            }
            held
        });
        module.last().is_none_or(|last| held.contains(last.as_bytes()))
    }

    fn not_there(&self, module: &[String], what: &str) -> String {
        let package = &self.package.package;
        let name = package.absolute(module);
        match package.nearest(self.input.workspace, &name) {
            Some(near) => format!("there is no {what} {name}; the nearest is {near}"),
            None => format!("there is no {what} {name}"),
        }
    }
}

fn is_generated(module: &[String]) -> bool {
    module == [GENERATED]
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, tree};
    use crate::check::{Input, run};
    use crate::ops::testing::Port;

    /// A package with modules, a namespace, an extension; `statement` is in `pkg.s.a`.
    fn nested(statement: &str) -> Vec<String> {
        tree(&[
            ("torch-ext/pkg/__init__.py", "x = 1"),
            ("torch-ext/pkg/utils.pyi", ""),
            ("torch-ext/pkg/ns/m.py", ""),
            ("torch-ext/pkg/ext.cpython-311-x86_64-linux-gnu.so", ""),
            ("torch-ext/pkg/lazy/__init__.py", "def __getattr__(name): ..."),
            ("torch-ext/pkg/star/__init__.py", "from .m import *"),
            ("torch-ext/pkg/star/m.py", ""),
            ("torch-ext/pkg/s/__init__.py", "if y:\n    from ..utils import z"),
            ("torch-ext/pkg/s/a.py", statement),
        ])
    }

    #[test]
    fn what_an_import_must_reach() {
        expect_each(
            "relative-import! torch-ext/pkg/s/a.py:",
            nested,
            &[
                "from ... import y",
                "from ...x import y",
                "def f():\n    from .utils import y",
                "from ..utls import y",
                "from ..ns import nothing",
                "from ..ns.gone import y",
                "from . import utils",
                "from .. import s, ns, star, a",
                "from ._ops import ops",
                "try:\n    from .utils import y\nexcept ValueError:\n    pass",
                "try:\n    def f():\n        from .utils import y\nexcept ImportError:\n    pass",
            ],
            &[
                "from .. import x",
                "from ..utils import y",
                "from ..ns import m",
                "from ..ns.m import y",
                "from .._ops import ops",
                "from .. import _ops",
                "from . import a, z, __path__",
                "from ..ext import f",
                "from ..s.a import y",
                "from ..lazy import anything",
                "from ..star import anything",
                "from ..s import *",
                "# from .utils import y\n'''from .utils import y'''",
            ],
        );
    }

    #[test]
    fn a_guarded_import_or_an_unknown_name_is_a_warning() {
        expect_each(
            "relative-import? torch-ext/pkg/s/a.py:",
            nested,
            &[
                "try:\n    from ..gone import y\nexcept ImportError:\n    y = None",
                "try:\n    from ..gone import y\nexcept (OSError, ModuleNotFoundError):\n    y = None",
                "try:\n    from ..gone import y\nexcept:\n    y = None",
                "import contextlib\nwith contextlib.suppress(ImportError):\n    from ..gone import y",
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from ..gone import y",
                "from .. import s, ns, never_a_module",
                "from ..s import x",
            ],
            &[],
        );
    }

    #[test]
    fn the_message_says_what_is_nearest() {
        for (statement, message) in [
            ("from ... import y", "climbs above the package: 3 dots, and at most 2 are possible here"),
            ("from ..utls import y", "there is no module pkg.utls; the nearest is pkg.utils"),
            ("from .utils import y", "there is no module pkg.s.utils; the nearest is pkg.utils"),
            ("from . import utils", "there is no module or name pkg.s.utils; the nearest is pkg.utils"),
            ("from ..ns import nothing", "there is no module or name pkg.ns.nothing"),
        ] {
            assert_eq!(nested(statement), [format!("relative-import! torch-ext/pkg/s/a.py:1 {message}")]);
        }
    }

    #[test]
    fn a_typed_tree_misses_only_what_an_op_took_away() {
        let trial = |recipe: &str| {
            let mut port =
                Port::new(recipe).file("torch-ext/pkg/a.py", "from .b import c\nfrom .never import d");
            port = port.file("torch-ext/pkg/b.py", "");
            let mut done = port.run();
            done.workspace = done.workspace.as_trial();
            run(&Input::new(&done.workspace, &[]), &[], true).findings.len()
        };
        assert_eq!(trial("expect in=\"**\" files=2"), 0);
        assert_eq!(trial("delete in=\"torch-ext/pkg/b.py\""), 1);
    }
}
