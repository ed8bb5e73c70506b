//! The final checks on the ported tree, one file a rule. They look at the tree in memory, before anything is written, and
//! say where it would not build or load. Nothing here changes anything.

mod absolute_import;
mod cpp;
mod files;
mod input;
mod native;
mod package;
mod parse;
mod relative_import;
mod report;
#[cfg(test)]
#[path = "tests.rs"]
mod rule_tests;
mod submodule;
mod test_files;
mod torch_code;

pub use input::{Input, PackageDir, PythonSource};
pub use report::{Allowance, Report, run};

use crate::ops::Evidence;

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The run fails.
    Error,
    /// Printed and counted; fails the run with `--strict`.
    Warning,
}

impl Severity {
    /// The word in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// One thing that is wrong with the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule's id.
    pub rule: &'static str,
    /// How bad it is here.
    pub severity: Severity,
    /// Where, and the statement or line.
    pub place: Evidence,
    /// What is wrong.
    pub message: String,
}

/// A rule and everything a reader may ask about it.
pub struct Rule {
    /// What `allow rule=` and `explain` call it.
    pub id: &'static str,
    /// How bad its findings usually are.
    pub severity: Severity,
    /// What it finds, one line.
    pub summary: &'static str,
    /// What breaks when it is ignored.
    pub breaks: &'static str,
    /// What to do about a finding.
    pub fix: &'static str,
    /// Whether it judges a whole port; such a rule is skipped for an inline recipe, which tries something.
    pub whole: bool,
    /// Looks at the tree.
    pub check: fn(&Input<'_>, &mut Vec<Finding>),
}

/// All rules, by id.
pub static RULES: &[Rule] = &[
    absolute_import::RULE,
    files::DROPPED,
    files::FLAKE,
    files::GENERATED,
    files::INIT,
    torch_code::JIT,
    files::LFS,
    files::LICENSE,
    files::MANIFEST,
    files::MISSING_SOURCE,
    package::RULE,
    parse::RULE,
    native::PYBIND,
    native::REGISTRATION,
    relative_import::RULE,
    test_files::REPO_ID,
    files::STDLIB_NAME,
    submodule::RULE,
    test_files::TESTS,
    torch_code::THIRD_PARTY,
    torch_code::TORCH_OPS,
    native::UNLISTED_HEADER,
    files::VARIANTS,
];

/// The rule of that id.
pub fn find(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id)
}

#[cfg(test)]
mod tests {
    use super::RULES;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(RULES.is_sorted_by_key(|rule| rule.id));
        for rule in RULES {
            let texts = [rule.summary, rule.breaks, rule.fix];
            assert!(texts.iter().all(|t| !t.is_empty() && !t.ends_with('.')), "{}", rule.id);
        }
    }
}
