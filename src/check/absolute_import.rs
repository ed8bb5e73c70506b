//! `absolute-import`: the Hub loads a kernel under another name, so no file may import the package by name.

use super::{Finding, Input, PythonFile, Rule, Severity};
use crate::python::{Call, Import, ImportKind};

pub(super) const RULE: Rule = Rule {
    id: "absolute-import",
    severity: Severity::Error,
    summary: "an absolute import of the package, under its name or the one it had upstream",
    why: "the Hub loads each version of a kernel under a name of its own, which no import can know",
    breaks: "the import fails, or finds somebody else's package of that name",
    fix: "relativize_imports rewrites statements, after convert_import where one has no relative form; import_module(\"p.a\") becomes import_module(\".a\", __package__) with replace",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (package, file) in input.package_modules() {
        let imports =
            file.module.imports.iter().flat_map(|i| names(i).map(move |name| (name, i.range.clone())));
        let calls = file.module.calls.iter();
        let calls = calls
            .flat_map(|call| by_call(&file, call).into_iter().map(move |name| (name, call.span.range())));
        for (name, range) in imports.chain(calls).filter(|(name, _)| package.is_own(name)) {
            findings
                .push(RULE.finding(file.evidence(&range), format!("imports {name} by its absolute name")));
        }
    }
}

/// The absolute modules that a statement imports.
fn names(import: &Import) -> impl Iterator<Item = &str> {
    let from = (import.kind == ImportKind::From && import.level == 0).then_some(import.module.as_str());
    let aliases = if import.kind == ImportKind::Import { &import.aliases[..] } else { &[] };
    from.into_iter().chain(aliases.iter().map(|a| a.name.as_str()))
}

/// The literals by which a call imports.
fn by_call<'m>(file: &PythonFile<'m>, call: &Call) -> Vec<&'m str> {
    let value = |at: usize| &*file.module.strings[at].value;
    imported_by_call(file, call).into_iter().map(value).collect()
}

/// The literals of `importlib.import_module("...")`, `import_module(".a", package="...")` or `__import__("...")`, as indices in
/// `Module::strings`.
pub(super) fn imported_by_call(file: &PythonFile<'_>, call: &Call) -> Vec<usize> {
    let module = file.module;
    let Some(root) =
        call.root.get().filter(|_| module.arguments_of(call).iter().any(|a| a.string.get().is_some()))
    else {
        return Vec::new();
    };
    let own = &module.names[root];
    let last = module.attributes_of(own).last().map_or(own.id, |a| a.id);
    let imports = |text: &str| matches!(text.rsplit('.').next(), Some("import_module" | "__import__"));
    let plainly = imports(module.text(last));
    if !plainly && !module.meanings(file.content, root).iter().any(|meaning| imports(meaning)) {
        return Vec::new();
    }
    let keyword = |name: &str| module.table.find(name);
    let strings = [module.argument(call, 0, keyword("name")), module.argument(call, 1, keyword("package"))];
    strings.into_iter().flatten().filter_map(|a| a.string.get()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, found, tree};

    fn init(text: &str) -> Vec<String> {
        tree(&[("torch-ext/pkg/__init__.py", text), ("torch-ext/pkg/a.py", "")])
    }

    #[test]
    fn the_package_by_name_at_any_depth_and_nothing_else() {
        expect_each(
            "absolute-import! torch-ext/pkg/__init__.py:",
            init,
            &[
                "import pkg",
                "import os, pkg.a as a",
                "from pkg import a",
                "from pkg \\\n  .a import (b,\n  c)",
                "def f():\n    from pkg.a.b import c",
                "class A:\n    async def f(self):\n        with x:\n            import pkg",
                "if TYPE_CHECKING:\n    from pkg import a",
                "try:\n    import pkg\nexcept ImportError: pass",
                "x = 1; import pkg.a",
                "import importlib\nimportlib.import_module('pkg.a')",
                "import importlib as i\ndef f(): return i.import_module(name='pkg')",
                "__import__(\"pkg\")",
                "from importlib import import_module\nimport_module('pkg')",
                "from importlib import import_module as load\nload('pkg.a')",
                "import importlib\nimportlib.import_module('.a', package='pkg')",
            ],
            &[
                "# import pkg",
                "'''\nimport pkg\n'''",
                "from pkg_extra import a",
                "import other.pkg",
                "from other import pkg",
                "from .a import pkg",
                "x = 'import pkg'",
                "import importlib\nimportlib.import_module(name)",
                "import importlib\nimportlib.import_module('pkgs')",
                "import importlib\nimportlib.import_module('.a', __package__)",
                "f('pkg')",
                "load('pkg')",
                "pkg.a.b()",
            ],
        );
    }

    #[test]
    fn only_files_of_the_package_count() {
        assert_eq!(tree(&[("pkg/__init__.py", "import pkg"), ("tests/t.py", "import pkg")]), [""; 0]);
        assert_eq!(tree(&[("torch-ext/setup.py", "import pkg"), ("torch-ext/pkg/a.py", "")]), [""; 0]);
        assert_eq!(init("import pkg\nimport (").len(), 0, "a file that does not parse is another rule's");
    }

    #[test]
    fn all_offenders_are_listed() {
        let found = tree(&[
            ("torch-ext/pkg/__init__.py", "import pkg\nimport pkg.a"),
            ("torch-ext/pkg/s/a.py", "\nimport pkg"),
        ]);
        assert_eq!(
            found,
            [
                "absolute-import! torch-ext/pkg/__init__.py:1 imports pkg by its absolute name",
                "absolute-import! torch-ext/pkg/__init__.py:2 imports pkg.a by its absolute name",
                "absolute-import! torch-ext/pkg/s/a.py:2 imports pkg by its absolute name",
            ]
        );
    }

    #[test]
    fn the_name_that_the_package_had_upstream_counts() {
        for (recipe, files) in [
            (
                "move from=\"src/flash\" to=\"torch-ext/p\"",
                [("src/flash/a.py", "import flash.ops"), ("x", "")],
            ),
            ("move from=\"src\" to=\"torch-ext/p\"", [("src/flash/a.py", "import flash.ops"), ("x", "")]),
            (
                "move from=\"up/ops\" to=\"torch-ext/p\"",
                [("up/ops/a.py", "from up.utils import f"), ("up/__init__.py", "")],
            ),
            ("move from=\"up\" to=\"torch-ext/p/up\"", [("up/a.py", "import up.b"), ("up/b.py", "")]),
        ] {
            let found = found(recipe, &files);
            assert!(
                matches!(&found[..], [one] if one.starts_with("absolute-import! ")),
                "{recipe}: {found:?}"
            );
        }
    }

    #[test]
    fn directories_that_are_no_package_names_do_not_count() {
        for (recipe, files) in [
            ("move from=\"lib\" to=\"torch-ext/lib\"", [("lib/triton/k.py", "import triton"), ("x", "")]),
            ("move from=\"triton\" to=\"torch-ext/p\"", [("triton/k.py", "import triton"), ("x", "")]),
            ("move from=\"up/math\" to=\"torch-ext/p\"", [("up/math/k.py", "import math"), ("x", "")]),
            ("copy from=\"up\" to=\"torch-ext/p\"", [("up/a.py", "import other"), ("other/a.py", "")]),
        ] {
            assert_eq!(found(recipe, &files), [""; 0], "{recipe}");
        }
    }
}
