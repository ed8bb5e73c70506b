//! `repo-id`: tests load this kernel.

use super::{Finding, Input, PythonFile, Rule, Severity};
use crate::manifest::{KernelDepend, Model};
use crate::python::{Argument, Call};
use crate::workspace::{Directory, RepoPath};

pub(super) const RULE: Rule = Rule {
    id: "repo-id",
    severity: Severity::Warning,
    summary: "tests load another repository or version than the manifest names",
    why: "a test that loads a published kernel by name says nothing about the one that was just built",
    breaks: "the tests pass or fail for somebody else's kernel",
    fix: "give kernelize_imports the manifest's repo_id and version",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let (Some(manifest), Ok(tests)) = (input.manifest, RepoPath::new("tests")) else { return };
    for file in input.modules(&Directory::Path(tests)).filter(|file| file.may_name("get_kernel")) {
        for call in &file.module.calls {
            let Some(root) = call.root.get() else { continue };
            let callee = file.module.meanings(file.content, root);
            if callee.iter().any(|c| c == "kernels.get_kernel" || c == "get_kernel")
                && let Some(message) = differs(manifest, &file, call)
            {
                findings.push(RULE.finding(file.evidence(&call.span.range()), message));
            }
        }
    }
}

/// What a call of `get_kernel` loads instead of the manifest's kernel, as far as its literals tell.
fn differs(manifest: &Model, file: &PythonFile<'_>, call: &Call) -> Option<String> {
    let table = &file.module.table;
    let repo =
        file.module.argument(call, 0, table.find("repo_id")).and_then(|argument| literal(file, argument));
    if let (Some(repo), Some(own)) = (repo, &manifest.general.repo_id)
        && repo != own
    {
        // A kernel that this one builds on may well be loaded beside it.
        let declared = depends(manifest).any(|depend| depend.repo_id == repo);
        return (!declared).then(|| format!("loads {repo}, and the manifest's repository is {own}"));
    }
    let version =
        table.find("version").and_then(|name| file.module.argument(call, usize::MAX, Some(name)))?;
    let version = std::str::from_utf8(file.content.get(version.span.range())?).ok()?;
    let own = manifest.general.version?;
    let loaded: u64 = version.replace('_', "").parse().ok()?;
    (loaded != own).then(|| format!("loads version {loaded}, and the manifest's is {own}"))
}

fn literal<'m>(file: &PythonFile<'m>, argument: &Argument) -> Option<&'m str> {
    Some(&file.module.strings[argument.string.get()?].value)
}

fn depends(manifest: &Model) -> impl Iterator<Item = &KernelDepend> {
    let tables = manifest.backend_tables().into_iter().flat_map(|(_, table)| &table.kernel_depends);
    manifest.general.kernel_depends.iter().chain(tables)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOARCH, expect_each, found};

    #[test]
    fn tests_load_this_kernel() {
        let recipe = NOARCH.replace("noarch=", "kernel_depends=\"o/base@1\" noarch=");
        let with = |text: &str| {
            let text = format!("import kernels, kernels as k\nfrom kernels import get_kernel\n{text}");
            found(&recipe, &[("torch-ext/pkg/__init__.py", ""), ("tests/t.py", &text)])
        };
        expect_each(
            "repo-id? tests/t.py:3 loads ",
            with,
            &[
                "x = kernels.get_kernel('x/pkg')",
                "get_kernel('o/pkg', version=2)",
                "k.get_kernel(repo_id='o/other', version=1)",
                "load = kernels.get_kernel; load('x/pkg')",
                "def f(): return get_kernel(\"o/pkg\", version=0)",
                "class T: k = get_kernel('O/PKG')",
            ],
            &[
                "kernels.get_kernel('o/pkg', version=1)",
                "get_kernel('o/pkg', revision='main')",
                "get_kernel('o/base', version=7)",
                "get_kernel(REPO, version=VERSION)",
                "kernels.get_kernels('x/y')",
                "# get_kernel('x/y')\nf('x/y')",
                "s = \"get_kernel('x/y')\"",
                "obj.get_kernel('x/y')",
            ],
        );
    }

    #[test]
    fn without_a_repository_in_the_manifest_the_version_counts() {
        let recipe = NOARCH.replace("repo_id=\"o/pkg\"", "");
        let with = |text: &str| {
            let text = format!("from kernels import get_kernel\n{text}");
            found(&recipe, &[("torch-ext/pkg/__init__.py", ""), ("tests/t.py", &text)])
        };
        assert_eq!(with("get_kernel('x/y', version=1)"), [""; 0]);
        assert_eq!(with("get_kernel('x/y', version=3)").len(), 1);
    }
}
