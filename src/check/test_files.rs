//! Rules about `tests/`: that there is a test for CI, and that tests load this kernel.

use super::{Finding, Input, PythonSource, Rule, Severity};
use crate::ops::Evidence;
use crate::python::Module;
use crate::workspace::RepoPath;

pub(super) const TESTS: Rule = Rule {
    id: "tests",
    severity: Severity::Warning,
    summary: "no test carries @pytest.mark.kernels_ci",
    breaks: "CI runs nothing of the kernel",
    fix: "mark_tests in=\"tests/**\" marker=\"kernels_ci\"",
    whole: true,
    check: tests,
};

pub(super) const REPO_ID: Rule = Rule {
    id: "repo-id",
    severity: Severity::Warning,
    summary: "tests load another repository or version than the manifest names",
    breaks: "the tests pass or fail for somebody else's kernel",
    fix: "give kernelize_imports the manifest's repo_id and version",
    whole: true,
    check: repo_id,
};

fn files<'s>(input: &'s Input<'_>) -> impl Iterator<Item = (&'s RepoPath, &'s PythonSource, &'s Module)> {
    let tests = input.python().iter().filter(|(path, _)| path.as_bytes().starts_with(b"tests/"));
    tests.filter_map(|(path, source)| Some((*path, source, source.module.as_ref().ok()?)))
}

fn tests(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if input.manifest.is_none() {
        return;
    }
    let marks = |module: &Module| {
        module.names.iter().any(|name| {
            let chain = &module.attributes[name.attributes.clone()];
            let last = chain.len().checked_sub(2).and_then(|at| chain.get(at..));
            last.is_some_and(|l| module.text(l[0].id) == "mark" && module.text(l[1].id) == "kernels_ci")
        })
    };
    if !files(input).any(|(_, _, module)| marks(module))
        && let Ok(path) = RepoPath::new("tests")
    {
        findings.push(Finding {
            rule: TESTS.id,
            severity: TESTS.severity,
            place: Evidence::file(&path),
            message: "holds no test with the marker kernels_ci".to_owned(),
        });
    }
}

fn repo_id(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    for (path, source, module) in files(input) {
        for call in &module.calls {
            let callee = call.root.and_then(|root| module.dotted(root)).unwrap_or_default();
            if !matches!(callee.as_str(), "kernels.get_kernel" | "get_kernel") {
                continue;
            }
            let mut found = |message: String| {
                let place = source.evidence(path, module, &call.range);
                findings.push(Finding { rule: REPO_ID.id, severity: REPO_ID.severity, place, message });
            };
            let repo = call.argument(0, module.table.find("repo_id")).and_then(|a| a.string);
            let repo = repo.map(|at| &*module.strings[at].value);
            if let (Some(repo), Some(wanted)) = (repo, manifest.general.repo_id.as_deref())
                && repo != wanted
            {
                found(format!("loads {repo}, and the manifest's repository is {wanted}"));
                continue;
            }
            let version = module.table.find("version").and_then(|name| call.argument(usize::MAX, Some(name)));
            let version =
                version.map(|a| String::from_utf8_lossy(&source.content[a.range.clone()]).into_owned());
            if let (Some(version), Some(wanted)) = (version, manifest.general.version)
                && version.bytes().all(|b| b.is_ascii_digit())
                && version != wanted.to_string()
            {
                found(format!("loads version {version}, and the manifest's is {wanted}"));
            }
        }
    }
}
