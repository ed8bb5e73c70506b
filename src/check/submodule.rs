//! `submodule`: submodules that belong to the port have their files at hand.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "submodule",
    severity: Severity::Error,
    summary: "a submodule of the source is in the tree and not checked out",
    why: "a commit pins a submodule by its own commit, and the files come from another repository",
    breaks: "the port lacks its files here, and holds them where it is checked out",
    fix: "prune it, or check it out with `git submodule update --init`",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let absent = input.workspace.absent().iter();
    findings.extend(
        absent.map(|path| RULE.finding(Evidence::file(path), "is a submodule that is not checked out")),
    );
}

#[cfg(test)]
mod tests {
    use super::super::testing::show;
    use crate::check::{Input, run};
    use crate::workspace::{RepoPath, Workspace};

    #[test]
    fn a_submodule_without_files_is_found() {
        let tree = Workspace::default().without(&[RepoPath::new("third_party/x").unwrap()]);
        let findings = run(&Input::new(&tree, &[]), &[], false).findings;
        let shown: Vec<String> = findings.iter().map(show).collect();
        assert_eq!(shown, ["submodule! third_party/x is a submodule that is not checked out"]);
        assert_eq!(run(&Input::new(&Workspace::default(), &[]), &[], false).findings, []);
    }
}
