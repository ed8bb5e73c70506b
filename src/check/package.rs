//! `package`: the package is where the builder looks for it.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::RepoPath;

pub(super) const RULE: Rule = Rule {
    id: "package",
    severity: Severity::Error,
    summary: "torch-ext/<package>/__init__.py is missing, or a name stands where the builder generates one",
    why: "the builder takes the package from torch-ext/<package>, the manifest's name with `-` as `_`",
    breaks: "the builder finds no package, or overwrites a file of it",
    fix: "move the package to torch-ext/<package>; ensure_init adds a missing __init__.py",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let name = manifest.package();
    let Ok(directory) = RepoPath::new(format!("torch-ext/{name}")) else { return };
    if let Ok(init) = directory.join("__init__.py")
        && !input.workspace.is_file(&init)
    {
        let message = format!("is missing: the manifest's name makes the package {name}");
        findings.push(RULE.finding(Evidence::file(&init), message));
    }
    if let Ok(path) = directory.join(&name)
        && (input.workspace.is_file(&path) || input.workspace.is_dir(&path))
    {
        let message = "the builder generates this name inside the package";
        findings.push(RULE.finding(Evidence::file(&path), message));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{found, ported};

    #[test]
    fn the_package_must_be_there() {
        let missing =
            "package! torch-ext/pkg/__init__.py is missing: the manifest's name makes the package pkg";
        assert_eq!(ported(&[("torch-ext/other/__init__.py", "")]), [missing]);
        assert_eq!(ported(&[("pkg/__init__.py", "")]), [missing]);
        assert_eq!(ported(&[("torch-ext/pkg/__init__.pyi", "")]), [missing]);
        let dashed = r#"manifest name="a-b" version=1 edition=5 license="MIT" backends="cuda" noarch=#true"#;
        let found = found(dashed, &[("torch-ext/a-b/__init__.py", "")]);
        assert!(found[0].starts_with("package! torch-ext/a_b/__init__.py"), "{found:?}");
    }

    #[test]
    fn the_generated_name_must_be_free() {
        for inner in ["torch-ext/pkg/pkg/__init__.py", "torch-ext/pkg/pkg", "torch-ext/pkg/pkg/a/b.py"] {
            let found = ported(&[("torch-ext/pkg/__init__.py", ""), (inner, "")]);
            assert!(found[0].starts_with("package! torch-ext/pkg/pkg the builder generates"), "{found:?}");
        }
        for inner in ["torch-ext/pkg/pkg.py", "torch-ext/pkg/sub/pkg.py", "torch-ext/pkg/pkgs.py"] {
            let files =
                [("torch-ext/pkg/__init__.py", ""), ("torch-ext/pkg/sub/__init__.py", ""), (inner, "")];
            assert_eq!(ported(&files), [""; 0], "{inner}");
        }
    }
}
