//! Submodules that belong to the port and whose files are not at hand: it would come out without them, and with them on
//! another machine.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "submodule",
    severity: Severity::Error,
    summary: "a submodule of the source is in the tree and not checked out",
    breaks: "the port lacks its files here, and holds them where it is checked out",
    fix: "prune it, or check it out with `git submodule update --init`",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    findings.extend(input.workspace.absent().iter().map(|path| Finding {
        rule: RULE.id,
        severity: RULE.severity,
        place: Evidence::file(path),
        message: "is a submodule that is not checked out".to_owned(),
    }));
}
