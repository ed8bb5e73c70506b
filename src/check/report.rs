//! All findings of a run together, less those that the recipe accepts.

use super::{Finding, Input, RULES, Severity};
use crate::ops::Record;
use crate::workspace::RepoPath;

/// An `allow` of the recipe and what it excused.
#[derive(Debug, Clone)]
pub struct Allowance {
    /// The rule's id.
    pub rule: String,
    /// The glob, as it is written.
    pub within: String,
    /// Why.
    pub reason: String,
    /// How many findings it excused.
    pub excused: usize,
}

/// What the rules found.
#[derive(Debug, Default)]
pub struct Report {
    /// By rule, then by place.
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
        self.allowances.iter().filter(|a| a.excused == 0)
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
    let mut report = Report { findings, allowances: Vec::new() };
    for record in records {
        let Record::Allow { rule, within, reason } = record else { continue };
        let before = report.findings.len();
        let excuses = |path: &RepoPath| within.is_match(path);
        report.findings.retain(|finding| !(finding.rule == rule && excuses(&finding.place.path)));
        report.allowances.push(Allowance {
            rule: rule.clone(),
            within: within.as_str().to_owned(),
            reason: reason.0.clone(),
            excused: before - report.findings.len(),
        });
    }
    report
}
