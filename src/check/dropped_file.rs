//! `dropped-file`: what stands beside the Python sources ships only with a listed extension.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "dropped-file",
    severity: Severity::Warning,
    summary: "a file beside the Python sources whose extension does not ship",
    why: "of torch-ext/<package> and tests the builder takes the files whose extension `pyext` lists, py and pyi by default",
    breaks: "code that reads the file finds nothing",
    fix: "list the extension in torch_pyext or noarch_pyext, or leave the file out",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let default = ["py".to_owned(), "pyi".to_owned()];
    let ships = manifest.pyext().unwrap_or(&default);
    let package = format!("torch-ext/{}/", manifest.package());
    for (path, _) in input.workspace.iter() {
        let bytes = path.as_bytes();
        let beside = bytes.starts_with(package.as_bytes()) || bytes.starts_with(b"tests/");
        let extension = path.extension().unwrap_or_default();
        let listed = ships.iter().any(|e| e.trim_start_matches('.').as_bytes() == extension);
        if beside && !listed && !input.sources().lists(path) {
            findings.push(RULE.finding(Evidence::file(path), "its extension is not among those that ship"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BINDING, COMPILED, NOARCH, expect_each, found, ported};

    #[test]
    fn what_does_not_ship() {
        let look = |path: &str| ported(&[("torch-ext/pkg/__init__.py", ""), (path, "")]);
        expect_each(
            "dropped-file? ",
            look,
            &[
                "torch-ext/pkg/data.json",
                "torch-ext/pkg/py.typed",
                "tests/data.bin",
                "torch-ext/pkg/Makefile",
            ],
            &["torch-ext/pkg/a.pyi", "data.json", "torch-ext/data.json", "csrc/k.cu", "test/data.json"],
        );
    }

    #[test]
    fn what_is_listed_ships() {
        let package = ("torch-ext/pkg/__init__.py", "");
        let json = NOARCH.replace("noarch=", "noarch_pyext=\"py,json\" noarch=");
        assert_eq!(found(&json, &[package, ("torch-ext/pkg/data.json", "")]), [""; 0]);
        let inside =
            COMPILED.replace("csrc/*.cu", "torch-ext/pkg/*.metal").replace("include=\"csrc,inc\"", "");
        let files = [package, ("torch-ext/binding.cpp", BINDING), ("torch-ext/pkg/k.metal", "")];
        assert_eq!(found(&inside, &files), [""; 0]);
    }
}
