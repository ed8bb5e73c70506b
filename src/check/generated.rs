//! `generated`: what the builder generates must not be there.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "generated",
    severity: Severity::Error,
    summary: "a file that the builder generates and refuses to overwrite",
    why: "the builder writes the project files and the package's _ops.py itself, from build.toml",
    breaks: "the builder stops before it compiles anything",
    fix: "leave it out: prune or delete it",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let ops = format!("torch-ext/{}/_ops.py", manifest.package());
    for (path, _) in input.workspace.iter() {
        let bytes = path.as_bytes();
        let metadata =
            path.parent().is_none() && bytes.starts_with(b"metadata-") && bytes.ends_with(b".json");
        let named = matches!(
            bytes,
            b"torch-ext/registration.h" | b"setup.py" | b"pyproject.toml" | b"CMakeLists.txt" | b"cmake"
        );
        if named || metadata || bytes.starts_with(b"cmake/") || bytes == ops.as_bytes() {
            let message = "the builder generates this file and does not overwrite it";
            findings.push(RULE.finding(Evidence::file(path), message));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, ported, tree};

    #[test]
    fn generated_names_are_found_where_they_are_generated() {
        let look = |path: &str| ported(&[("torch-ext/pkg/__init__.py", ""), (path, "")]);
        expect_each(
            "generated! ",
            look,
            &[
                "setup.py",
                "pyproject.toml",
                "CMakeLists.txt",
                "cmake/x.cmake",
                "metadata-cuda.json",
                "torch-ext/registration.h",
                "torch-ext/pkg/_ops.py",
            ],
            &[
                "sub/setup.py",
                "csrc/CMakeLists.txt",
                "tests/_ops.py",
                "metadata.json",
                "docs/metadata-cuda.json",
                "include/registration.h",
                "setup.cfg",
                "cmakefiles/x",
            ],
        );
        assert_eq!(tree(&[("setup.py", "")]), [""; 0]);
    }
}
