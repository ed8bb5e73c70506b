//! The final checks on the ported tree, one file a rule. They look at the tree in memory, before anything is written, and
//! say where it would not build or load. Nothing here changes anything.

mod absolute_import;
mod cpp;
mod dropped_file;
mod flake;
mod generated;
mod init;
mod input;
mod jit;
mod lfs;
mod license;
mod listed;
mod manifest_file;
mod missing_source;
mod module_string;
mod package;
mod packages;
mod parse;
mod portable_name;
mod pybind;
mod registration;
mod relative_import;
mod repo_id;
mod report;
mod stdlib;
mod stdlib_name;
mod submodule;
mod test_marker;
#[cfg(test)]
mod testing;
mod third_party;
mod torch_ops;
mod unlisted_header;
mod variants;

pub use input::{Input, PythonFile};
pub use packages::PackageDir;
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
    /// The fact about builds or loading that it follows from.
    pub why: &'static str,
    /// What breaks when it is ignored.
    pub breaks: &'static str,
    /// What to do about a finding.
    pub fix: &'static str,
    /// Whether it judges a whole port; such a rule is skipped for an inline recipe, which tries something.
    pub whole: bool,
    /// Looks at the tree.
    pub check: fn(&Input<'_>, &mut Vec<Finding>),
}

impl Rule {
    /// A file to copy that cures a finding, or to start from: its name and its text.
    pub fn template(&self) -> Option<(&'static str, &'static str)> {
        match self.id {
            id if id == flake::RULE.id => Some(("flake.nix", flake::TEMPLATE)),
            id if id == registration::RULE.id => Some(("torch_binding.cpp", registration::TEMPLATE)),
            _ => None,
        }
    }

    /// A finding of this rule, as bad as its findings usually are.
    pub fn finding(&self, place: Evidence, message: impl Into<String>) -> Finding {
        Finding { rule: self.id, severity: self.severity, place, message: message.into() }
    }
}

/// All rules, by id.
pub static RULES: &[Rule] = &[
    absolute_import::RULE,
    dropped_file::RULE,
    flake::RULE,
    generated::RULE,
    init::RULE,
    jit::RULE,
    lfs::RULE,
    license::RULE,
    manifest_file::RULE,
    missing_source::RULE,
    module_string::RULE,
    package::RULE,
    parse::RULE,
    portable_name::RULE,
    pybind::RULE,
    registration::RULE,
    relative_import::RULE,
    repo_id::RULE,
    stdlib_name::RULE,
    submodule::RULE,
    test_marker::RULE,
    third_party::RULE,
    torch_ops::RULE,
    unlisted_header::RULE,
    variants::RULE,
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
            let texts = [rule.summary, rule.why, rule.breaks, rule.fix];
            assert!(texts.iter().all(|t| !t.is_empty() && !t.ends_with('.')), "{}", rule.id);
        }
    }
}
