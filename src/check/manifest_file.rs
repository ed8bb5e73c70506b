//! `manifest`: a `build.toml` that exists is one that the builder accepts. One that an op writes always is.

use super::{Finding, Input, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "manifest",
    severity: Severity::Error,
    summary: "build.toml is not one that the builder accepts",
    why: "the builder rejects unknown keys and values; of a port by hand nobody has checked them before",
    breaks: "the builder stops before it looks at anything else",
    fix: "correct the value; a manifest op checks all of this when it writes the file",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    findings.extend(input.manifest_problems.iter().map(|(place, message, severity)| Finding {
        severity: *severity,
        ..RULE.finding(place.clone(), message.clone())
    }));
}
