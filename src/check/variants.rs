//! `variants`: upstream's build output stays behind.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::variant::Variant;
use crate::workspace::{Directory, RepoPath};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "variants",
    severity: Severity::Warning,
    summary: "upstream's build/ survives into the port",
    why: "a built kernel holds a directory a variant under build/, and the Hub serves what it finds there",
    breaks: "stale build variants are taken for the kernel's own",
    fix: "leave build/ out: prune or delete it",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Ok(path) = RepoPath::new("build") else { return };
    if input.manifest.is_none() || !input.workspace.is_dir(&path) {
        return;
    }
    let directory = Directory::Path(path.clone());
    let below = input.workspace.below(&directory).filter_map(|(file, _)| file.below(&directory));
    let names: BTreeSet<String> = below
        .filter_map(|b| std::str::from_utf8(b.split(|c| *c == b'/').next()?).ok())
        .filter(|name| name.parse::<Variant>().is_ok())
        .map(str::to_owned)
        .collect();
    let which = match names.len() {
        0 => String::new(),
        _ => format!(": {}", names.into_iter().collect::<Vec<_>>().join(", ")),
    };
    findings
        .push(RULE.finding(Evidence::file(&path), format!("upstream's build output is in the port{which}")));
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, ported, tree};

    #[test]
    fn build_output_at_the_top() {
        let look = |path: &str| ported(&[("torch-ext/pkg/__init__.py", ""), (path, "")]);
        expect_each(
            "variants? build upstream's build output is in the port",
            look,
            &["build/torch210-cxx11-cu128-x86_64-linux/x.so", "build/x", "build/lib/pkg/a.py"],
            &["builds/x", "csrc/build/x", "build", "build.sh"],
        );
        let named = look("build/torch210-cxx11-cu128-x86_64-linux/x.so");
        assert!(named[0].ends_with(": torch210-cxx11-cu128-x86_64-linux"), "{named:?}");
        assert_eq!(tree(&[("build/x", "")]), [""; 0]);
    }
}
