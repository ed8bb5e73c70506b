//! `parse`: Python that the port wrote or changed must be Python.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "parse",
    severity: Severity::Error,
    summary: "a Python file that the port wrote or changed does not parse",
    breaks: "importing the kernel fails with a SyntaxError",
    fix: "look at the op that last changed the file; `--until LINE` shows the tree before an op",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (path, source) in input.python() {
        let written = input.all_written || input.workspace.get(path).is_some_and(|entry| entry.written);
        if let (true, Err(error)) = (written, &source.module) {
            let place = Evidence::line(path, &source.content, error.offset.min(source.content.len()));
            findings.push(Finding {
                rule: RULE.id,
                severity: RULE.severity,
                place,
                message: format!("does not parse: {}", error.message),
            });
        }
    }
}
