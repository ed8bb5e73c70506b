//! `portable-name`: files that some system cannot check out. Users of a kernel load it on Linux, but the port is kept in a
//! repository that people clone on Windows and macOS.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::RepoPath;
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization;

pub(super) const RULE: Rule = Rule {
    id: "portable-name",
    severity: Severity::Warning,
    summary: "a file name that Windows or macOS cannot hold, or that differs from another in case only",
    why: "a clone on such a system lacks the file, or has one of the two in place of both",
    breaks: "the repository of the port cannot be checked out there, and a file of the wrong content may be used",
    fix: "rename or move the file",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let mut folded: BTreeMap<String, &RepoPath> = BTreeMap::new();
    // The directory of the file before, when nothing is wrong with it.
    let mut clear: Option<&[u8]> = None;
    for (path, _) in input.workspace.iter() {
        for component in path.components() {
            if let Some(why) = windows_refuses(component) {
                findings.push(RULE.finding(Evidence::file(path), format!("Windows cannot hold it: {why}")));
                break;
            }
        }
        // Directories collide as files do: each is looked at with the first file below it.
        let above = (path.directory() != clear).then(|| path.ancestors());
        clear = path.directory();
        for place in above.into_iter().flatten().chain([path.clone()]) {
            let name = match place.as_bytes() {
                ascii if ascii.is_ascii() => String::from_utf8_lossy(ascii).to_ascii_lowercase(),
                bytes => String::from_utf8_lossy(bytes).nfc().collect::<String>().to_lowercase(),
            };
            let other = *folded.entry(name).or_insert(path);
            let spelled = other.as_bytes().get(..place.as_bytes().len());
            if spelled.is_some_and(|spelled| spelled == place.as_bytes()) || other == path {
                continue;
            }
            let same_letters = spelled.is_some_and(|s| s.eq_ignore_ascii_case(place.as_bytes()));
            let message = match same_letters {
                true => format!("differs from {other} in case only, which Windows and macOS ignore"),
                false => format!("is the same name as {other} on macOS and Windows"),
            };
            findings.push(RULE.finding(Evidence::file(path), message));
            clear = None;
            break;
        }
    }
}

/// Why Windows has no file of a name.
fn windows_refuses(name: &[u8]) -> Option<&'static str> {
    if name.iter().any(|b| *b < 32 || b"<>:\"|?*\\".contains(b)) {
        return Some("a character of it is not allowed there");
    }
    if name.ends_with(b".") || name.ends_with(b" ") {
        return Some("it ends in a dot or a blank");
    }
    let stem = name.split(|b| *b == b'.').next().unwrap_or(name).to_ascii_lowercase();
    let device = match stem.as_slice() {
        b"aux" | b"con" | b"nul" | b"prn" => true,
        [b'c', b'o', b'm', digit] | [b'l', b'p', b't', digit] => (b'1'..=b'9').contains(digit),
        _ => false,
    };
    device.then_some("it is a device there")
}

#[cfg(test)]
mod tests {
    use super::super::testing::tree;

    fn named(files: &[&str]) -> Vec<String> {
        let files: Vec<(&str, &str)> = files.iter().map(|file| (*file, "")).collect();
        tree(&files)
    }

    #[test]
    fn names_that_windows_cannot_hold() {
        for name in ["aux.py", "d/NUL", "com1.txt", "a:b", "c*", "d.", "e ", "x\\y", "LPT9/z", "q\u{7}"] {
            let found = named(&[name]);
            assert!(found.len() == 1 && found[0].contains("Windows cannot hold it"), "{name}: {found:?}");
        }
        for name in ["auxiliary.py", "com0", "com10", "nul_.c", "a.b.c", ".hidden", "lpt", "con-fig"] {
            assert_eq!(named(&[name]), [""; 0], "{name}");
        }
    }

    #[test]
    fn names_that_fall_together() {
        assert_eq!(
            named(&["A", "a"]),
            ["portable-name? a differs from A in case only, which Windows and macOS ignore"]
        );
        assert_eq!(
            named(&["Dir/x", "dir/y"]),
            ["portable-name? dir/y differs from Dir/x in case only, which Windows and macOS ignore"]
        );
        assert_eq!(
            named(&["e\u{301}", "\u{e9}"]),
            ["portable-name? \u{e9} is the same name as e\u{301} on macOS and Windows"]
        );
        assert_eq!(named(&["Dir/x", "dir/y", "dir/z"]).len(), 2);
        assert_eq!(named(&["d/A", "d/B", "d/a"]).len(), 1);
        assert_eq!(named(&["a/x", "a/y", "b/a", "b/x"]), [""; 0]);
    }
}
