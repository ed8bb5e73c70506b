//! `stdlib-name`: no top-level module of the package is called like one of Python's.

use super::{Finding, Input, Rule, Severity, stdlib};
use crate::ops::Evidence;
use crate::python::is_python;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "stdlib-name",
    severity: Severity::Warning,
    summary: "a top-level module of the package is named like one of the standard library",
    why: "the package is installed flat, and its directory comes before Python's own on the path",
    breaks: "its module shadows Python's, for itself and for everybody else in the process",
    fix: "rename it with move, and its imports with remap_module",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in input.packages.iter().filter(|_| input.manifest.is_some()) {
        let mut seen = BTreeSet::new();
        for (path, _) in input.workspace.below(&package.directory).filter(|(path, _)| is_python(path)) {
            let below = path.below(&package.directory).unwrap_or_default();
            let first = below.split(|b| *b == b'/').next().unwrap_or_default();
            let stem = first.strip_suffix(b".py").unwrap_or(first);
            if let (Ok(name), Ok(shown)) =
                (std::str::from_utf8(stem), package.package.directory().join(first))
                && stdlib::is_shadowed_by(name)
                && seen.insert(name.to_owned())
            {
                let message = format!("shadows Python's own module {name}");
                findings.push(RULE.finding(Evidence::file(&shown), message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, ported};

    #[test]
    fn top_level_modules_that_shadow() {
        let look = |path: &str| {
            ported(&[("torch-ext/pkg/__init__.py", ""), ("torch-ext/pkg/s/__init__.py", ""), (path, "")])
        };
        expect_each(
            "stdlib-name? torch-ext/pkg/",
            look,
            &["torch-ext/pkg/types.py", "torch-ext/pkg/operator/__init__.py", "torch-ext/pkg/cProfile.py"],
            &[
                "torch-ext/pkg/s/types.py",
                "torch-ext/pkg/types_.py",
                "torch-ext/pkg/Types.py",
                "torch-ext/pkg/parser.py",
                "torch-ext/pkg/types.pyi",
                "tests/types.py",
            ],
        );
    }
}
