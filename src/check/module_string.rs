//! `module-string`: strings that name a module of the package by its absolute name. Whether one is ever imported cannot
//! be seen, so these are warnings; `absolute-import` has those that certainly are.

use super::absolute_import::imported_by_call;
use super::{Finding, Input, PackageDir, PythonFile, Rule, Severity};
use crate::python::{ByteRange, Call};
use crate::recipe::ModulePath;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "module-string",
    severity: Severity::Warning,
    summary: "a string that names a module of the package by its absolute name",
    why: "what looks such a name up (import by name, sys.modules, mock.patch, a setting of a library) finds nothing under the name that the Hub gives",
    breaks: "the lookup fails when it is reached, or finds somebody else's package",
    fix: "remap_strings rewrites what Python imports and patches by; build other names from __package__ or __name__ with replace; allow what is only shown",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (package, file) in input.package_modules() {
        let module = file.module;
        let names = |text: &str| names_module(input, package, text);
        let literals = module.strings.iter().enumerate().filter(|(_, s)| !s.docstring && names(&s.value));
        let literals: Vec<(usize, &ByteRange)> = literals.map(|(index, s)| (index, &s.range)).collect();
        let front = |front: &str| front.rsplit_once('.').is_some_and(|(path, _)| names(path));
        let formatted = module.formatted.iter().filter(|f| front(&f.front)).map(|f| &f.range);
        let mut report = |range: &ByteRange| {
            let message = "is a module of the package by its absolute name";
            findings.push(RULE.finding(file.evidence(range), message));
        };
        formatted.for_each(&mut report);
        if !literals.is_empty() {
            let known = known(&file);
            literals.iter().filter(|(index, _)| !known.contains(index)).for_each(|(_, range)| report(range));
        }
    }
}

/// Strings that are another rule's, or that are names of loggers and name nothing else.
fn known(file: &PythonFile<'_>) -> BTreeSet<usize> {
    let logger = |call: &&Call| {
        let Some(root) = call.root.get() else { return false };
        let name = &file.module.names[root];
        let last = file.module.attributes_of(name).last().map_or(name.id, |a| a.id);
        matches!(file.module.text(last), "getLogger" | "get_logger")
    };
    let calls = || file.module.calls.iter();
    let imported = calls().flat_map(|call| imported_by_call(file, call));
    let logged = calls()
        .filter(logger)
        .flat_map(|call| file.module.arguments_of(call).iter().filter_map(|a| a.string.get()));
    imported.chain(logged).collect()
}

/// Whether a text is a dotted name that begins with a module below the package, under either name of the package.
fn names_module(input: &Input<'_>, package: &PackageDir, text: &str) -> bool {
    // An entry point names an object behind a colon.
    let path = text.split_once(':').map_or(text, |(path, _)| path);
    let Some((_, below)) = path.split_once('.') else { return false };
    let first = below.split('.').next().unwrap_or(below);
    package.is_own(path)
        && ModulePath::new(path).is_ok()
        && package.package.find(input.workspace, &[first]).is_some()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, found, tree};

    fn init(text: &str) -> Vec<String> {
        tree(&[("torch-ext/pkg/__init__.py", text), ("torch-ext/pkg/a.py", "")])
    }

    #[test]
    fn strings_and_f_strings_that_name_a_module() {
        expect_each(
            "module-string? torch-ext/pkg/__init__.py:",
            init,
            &[
                "x = 'pkg.a'",
                "import sys\nsys.modules.get('pkg.a')",
                "import sys\nsys.modules['pkg.a']",
                "os.environ['TRITON_CACHE_MANAGER'] = 'pkg.a:Manager'",
                "mock.patch('pkg.a.f')",
                "load(f'pkg.a.{name}')",
                "load('pkg.a.' f'{name}')",
                "load(f'pkg.a.sub_{name}.x')",
            ],
            &[
                "'''pkg.a'''",
                "# 'pkg.a'",
                "x = 'pkg'",
                "x = 'pkg.other'",
                "x = 'see pkg.a'",
                "x = 'other.pkg.a'",
                "x = 'pkg.a()'",
                "x = b'pkg.a'",
                "logging.getLogger('pkg.a')",
                "logger = get_logger('pkg.a')",
                "f'{pkg}.a.x'",
                "f'pkg.{name}'",
                "f'pkg a.{name}'",
            ],
        );
    }

    #[test]
    fn what_is_certainly_imported_is_an_error_and_named_once() {
        let found = init("import importlib\nimportlib.import_module('pkg.a')");
        assert_eq!(
            found,
            ["absolute-import! torch-ext/pkg/__init__.py:2 imports pkg.a by its absolute name"]
        );
    }

    #[test]
    fn the_name_that_the_package_had_upstream_counts() {
        let found =
            found("move from=\"up\" to=\"torch-ext/p\"", &[("up/a.py", "x = 'up.b'"), ("up/b.py", "")]);
        assert_eq!(
            found,
            ["module-string? torch-ext/p/a.py:1 is a module of the package by its absolute name"]
        );
    }
}
