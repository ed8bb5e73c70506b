//! `license`: upstream's licence travels with the code.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::RepoPath;

pub(super) const RULE: Rule = Rule {
    id: "license",
    severity: Severity::Warning,
    summary: "upstream has a licence file that the port does not carry",
    why: "most licences demand that their text travels with the code",
    breaks: "the port is published against upstream's terms",
    fix: "keep it: add it to prune's keep",
    whole: true,
    check,
};

/// What the file is called, before an extension or another word.
const NAMES: &[&[u8]] = &[b"LICENSE", b"LICENCE", b"COPYING", b"UNLICENSE", b"NOTICE"];

/// Extensions of texts.
const TEXTS: &[&[u8]] = &[b".TXT", b".MD", b".RST"];

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if input.manifest.is_none() {
        return;
    }
    for (path, entry) in input.workspace.base().iter().filter(|(path, _)| path.parent().is_none()) {
        let Some(stem) = stem(path) else { continue };
        let same_name = |now: &RepoPath| self::stem(now).is_some_and(|s| s == stem);
        let carried = input.workspace.iter().any(|(now, kept)| {
            let moved = kept.upstream_path.as_ref() == Some(path);
            moved || same_name(now) || kept.content.is(&entry.content)
        });
        if !carried {
            findings.push(RULE.finding(Evidence::file(path), "upstream's, and not in the port"));
        }
    }
}

/// The upper-case name of a licence file without the extension of a text; `None` for any other file.
fn stem(path: &RepoPath) -> Option<Vec<u8>> {
    let name = path.name().to_ascii_uppercase();
    let stem = TEXTS.iter().find_map(|ending| name.strip_suffix(*ending)).unwrap_or(&name);
    let after = NAMES.iter().find_map(|start| stem.strip_prefix(*start))?;
    // `LICENSE-MIT` and `LICENSE.Apache` are licences, `license_check.py` and `LICENSES` are not.
    let named = after.is_empty() || matches!(after[0], b'-' | b'.' | b'_') && !after.ends_with(b".PY");
    named.then(|| stem.to_vec())
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOARCH, expect_each, found};

    const PACKAGE: (&str, &str) = ("torch-ext/pkg/__init__.py", "");

    #[test]
    fn a_licence_at_the_top_is_carried() {
        let deleted = |name: &str| {
            found(&format!("delete in=\"{name}\"{NOARCH}"), &[PACKAGE, (name, "MIT"), ("x", "")])
        };
        expect_each(
            "license? ",
            deleted,
            &["LICENSE", "LICENSE.txt", "COPYING", "licence.md", "LICENSE-MIT", "LICENSE.Apache", "NOTICE"],
            &["LICENSES_of_others", "license_check.py", "docs/LICENSE", "LICENSES/MIT.txt", "README.md"],
        );
    }

    #[test]
    fn however_it_is_carried() {
        for recipe in [
            "expect in=\"LICENSE\" files=1",
            "move from=\"LICENSE\" to=\"docs/licence-of-upstream\"",
            "copy from=\"LICENSE\" to=\"torch-ext/pkg/MIT\"\ndelete in=\"LICENSE\"\nmove from=\"torch-ext/pkg/MIT\" to=\"MIT\"",
            "delete in=\"LICENSE\"\nwrite to=\"LICENSE.txt\" text=\"MIT\"",
        ] {
            assert_eq!(
                found(&format!("{recipe}{NOARCH}"), &[PACKAGE, ("LICENSE", "MIT")]),
                [""; 0],
                "{recipe}"
            );
        }
        let other = format!("delete in=\"LICENSE\"\nwrite to=\"LICENSE-APACHE\" text=\"x\"{NOARCH}");
        assert_eq!(
            found(&other, &[PACKAGE, ("LICENSE", "MIT")]),
            ["license? LICENSE upstream's, and not in the port"]
        );
    }
}
