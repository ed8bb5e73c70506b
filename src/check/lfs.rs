//! `lfs`: a file is its content, not a pointer to it.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::{Content, Mode};

pub(super) const RULE: Rule = Rule {
    id: "lfs",
    severity: Severity::Error,
    summary: "a Git LFS pointer stands where the file should be",
    why: "git keeps three lines of text in place of a file that Git LFS holds, and a checkout may not have fetched it",
    breaks: "the port holds three lines of text instead of the file",
    fix: "leave the file out; a file of Git LFS is not part of the commit that is pinned",
    whole: false,
    check,
};

/// The first line of a pointer.
const START: &[u8] = b"version https://git-lfs.github.com/spec/";
/// A pointer is a few lines; git-lfs itself looks no further.
const LARGEST: u64 = 1024;

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (path, entry) in input.workspace.iter().filter(|(_, e)| e.mode != Mode::Symlink) {
        let small = match &entry.content {
            Content::Bytes(bytes) => bytes.len() as u64 <= LARGEST,
            Content::Stored(stored) => stored.size().is_none_or(|size| size <= LARGEST),
        };
        if small && entry.content.read().is_ok_and(|content| content.starts_with(START)) {
            findings.push(RULE.finding(Evidence::file(path), "is a Git LFS pointer, not the file"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, tree};
    use crate::check::{Input, run};
    use crate::ops::testing::Port;
    use crate::workspace::Mode;

    const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";

    #[test]
    fn pointers_are_told_from_texts_about_them() {
        let look = |text: &str| tree(&[("w.bin", text)]);
        let long = format!("{POINTER}{}", "x".repeat(2000));
        expect_each(
            "lfs! w.bin is a Git LFS pointer",
            look,
            &[
                POINTER,
                &POINTER.replace('\n', "\r\n"),
                "version https://git-lfs.github.com/spec/v1\next-0-a sha256:0\noid sha256:0\nsize 1\n",
            ],
            &[
                "see version https://git-lfs.github.com/spec/v1",
                "version https://git.example.com/spec/v1\n",
                "",
                &long,
            ],
        );
    }

    #[test]
    fn a_symlink_is_no_pointer() {
        let done = Port::new("expect in=\"l\" files=1").entry("l", POINTER, Mode::Symlink).run();
        assert_eq!(run(&Input::new(&done.workspace, &[]), &[], false).findings, []);
    }
}
