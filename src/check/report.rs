//! All findings of a run together, less those that the recipe accepts.

use super::{Finding, Input, RULES, Severity};
use crate::ops::Record;

/// An `allow` of the recipe and what it excused.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// The rule's id.
    pub rule: String,
    /// The glob, as it is written.
    pub within: String,
    /// Why.
    pub reason: String,
    /// The findings that it excused.
    pub excused: Vec<Finding>,
}

/// What the rules found.
#[derive(Debug, Default)]
pub struct Report {
    /// Errors first, then by rule, then by place.
    pub findings: Vec<Finding>,
    /// The recipe's allowances, in order.
    pub allowances: Vec<Allowance>,
}

impl Report {
    /// How many findings are of that severity.
    pub fn count(&self, severity: Severity) -> usize {
        self.findings.iter().filter(|f| f.severity == severity).count()
    }

    /// Allowances that excuse nothing: the finding is gone, and the allowance would hide the next one.
    pub fn idle(&self) -> impl Iterator<Item = &Allowance> {
        self.allowances.iter().filter(|a| a.excused.is_empty())
    }

    /// Whether the run fails.
    pub fn fails(&self, strict: bool) -> bool {
        self.count(Severity::Error) > 0
            || (strict && !self.findings.is_empty())
            || self.idle().next().is_some()
    }
}

/// Runs every rule; for an inline recipe only those that need no whole port.
pub fn run(input: &Input<'_>, records: &[Record], inline: bool) -> Report {
    let mut findings = Vec::new();
    for rule in RULES.iter().filter(|rule| !(inline && rule.whole)) {
        (rule.check)(input, &mut findings);
    }
    findings.sort_by(|a, b| (a.severity, a.rule, &a.place).cmp(&(b.severity, b.rule, &b.place)));
    findings.dedup();
    let mut allowances = Vec::new();
    for record in records {
        let Record::Allow { rule, within, reason } = record else { continue };
        let excuses = |finding: &Finding| finding.rule == rule && within.is_match(&finding.place.path);
        let (excused, rest) = findings.into_iter().partition(excuses);
        findings = rest;
        allowances.push(Allowance {
            rule: rule.clone(),
            within: within.as_str().to_owned(),
            reason: reason.0.clone(),
            excused,
        });
    }
    Report { findings, allowances }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::testing::Port;

    fn report(recipe: &str) -> Report {
        let done = Port::new(recipe).file("torch-ext/pkg/__init__.py", "import pkg\nimport pkg").run();
        run(&Input::new(&done.workspace, &done.records), &done.records, false)
    }

    #[test]
    fn an_allow_excuses_its_findings_and_only_those() {
        let excused = report("allow rule=\"absolute-import\" in=\"torch-ext/**\" reason=\"r\"");
        assert!(!excused.fails(true) && excused.findings.is_empty());
        assert_eq!(excused.allowances[0].excused.len(), 2);
        assert_eq!(report("expect in=\"no\" files=0").findings.len(), 2);
    }

    #[test]
    fn an_allow_that_excuses_nothing_fails() {
        for idle in [
            "allow rule=\"parse\" in=\"**\" reason=\"r\"",
            "allow rule=\"absolute-import\" in=\"tests/**\" reason=\"r\"",
            "allow rule=\"absolute-import\" in=\"**\" reason=\"again\"",
        ] {
            let recipe = format!("allow rule=\"absolute-import\" in=\"torch-ext/**\" reason=\"r\"\n{idle}");
            let report = report(&recipe);
            assert!(report.fails(false) && report.idle().count() == 1, "{idle}");
        }
    }

    #[test]
    fn an_unknown_rule_gets_the_nearest() {
        let errors = Port::new("allow rule=\"absolut-import\" in=\"**\" reason=\"r\"").build_errors();
        assert_eq!(errors, ["1:12: allow: there is no rule absolut-import"]);
    }

    #[test]
    fn an_inline_recipe_is_not_judged_as_a_whole_port() {
        let recipe = r#"manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" noarch=#true"#;
        let done = Port::new(recipe).file("torch-ext/pkg/types.py", "import pkg").run();
        let rules = |inline| {
            let input = Input::new(&done.workspace, &done.records);
            let report = run(&input, &done.records, inline);
            report.findings.iter().map(|f| f.rule).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(rules(true), "absolute-import");
        assert_eq!(rules(false), "absolute-import package flake stdlib-name tests");
    }
}
