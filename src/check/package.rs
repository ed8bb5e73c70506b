//! `package`: the package is where the builder looks for it.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::RepoPath;

pub(super) const RULE: Rule = Rule {
    id: "package",
    severity: Severity::Error,
    summary: "torch-ext/<package>/__init__.py is missing, or a name stands where the builder generates one",
    breaks: "the builder finds no package, or overwrites a file of it",
    fix: "move the package to torch-ext/<package>, where <package> is the manifest's name with `-` as `_`",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let name = manifest.package();
    let Ok(directory) = RepoPath::new(format!("torch-ext/{name}")) else { return };
    let mut found = |path: RepoPath, message: String| {
        findings.push(Finding {
            rule: RULE.id,
            severity: RULE.severity,
            place: Evidence::file(&path),
            message,
        });
    };
    if let Ok(init) = directory.join("__init__.py")
        && !input.workspace.is_file(&init)
    {
        found(init, format!("is missing: the manifest's name makes the package {name}"));
    }
    if let Ok(path) = directory.join(&name)
        && (input.workspace.is_file(&path) || input.workspace.is_dir(&path))
    {
        found(path, "the builder generates this name inside the package".to_owned());
    }
}
