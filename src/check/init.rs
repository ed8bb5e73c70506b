//! `init`: every directory of the package that holds Python files is a package.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::python::is_python;
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "init",
    severity: Severity::Warning,
    summary: "a directory of the package holds Python files and no __init__.py",
    why: "Python imports such a directory as a namespace, which tools that look for packages do not see",
    breaks: "a tool that packs or checks the kernel misses its files",
    fix: "ensure_init adds it",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in input.packages.iter().filter(|_| input.manifest.is_some()) {
        let mut seen = BTreeSet::new();
        for (path, _) in input.workspace.below(&package.directory).filter(|(path, _)| is_python(path)) {
            for above in path.ancestors().take_while(|above| package.directory.holds(above)) {
                let has = |name: &str| above.join(name).is_ok_and(|init| input.workspace.is_file(&init));
                if !has("__init__.py") && !has("__init__.pyi") && seen.insert(above.clone()) {
                    let message = "holds Python files and has no __init__.py";
                    findings.push(RULE.finding(Evidence::file(&above), message));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::ported;

    #[test]
    fn directories_with_python_need_one() {
        let with = |more: &[(&'static str, &'static str)]| {
            let mut files = vec![("torch-ext/pkg/__init__.py", "")];
            files.extend_from_slice(more);
            ported(&files)
        };
        assert_eq!(
            with(&[("torch-ext/pkg/s/a.py", "")]),
            ["init? torch-ext/pkg/s holds Python files and has no __init__.py"]
        );
        assert_eq!(with(&[("torch-ext/pkg/s/t/a.py", "")]).len(), 2);
        assert_eq!(with(&[("torch-ext/pkg/s/a.pyi", ""), ("torch-ext/pkg/s/b.py", "")]).len(), 1);
        for fine in [
            &[("torch-ext/pkg/s/__init__.py", ""), ("torch-ext/pkg/s/a.py", "")][..],
            &[("torch-ext/pkg/s/__init__.pyi", "")],
            &[("scripts/a.py", "")],
            &[("tests/sub/a.py", "")],
        ] {
            assert_eq!(with(fine), [""; 0], "{fine:?}");
        }
    }
}
