//! The longer story of each kind of error: what it means, why it stops the run, and what to type next. For `explain`
//! and the page docs/errors.md.

use super::wrap::hanging;
use super::{Color, Style};
use crate::ops::FailureKind;
use std::fmt::Write;

/// A kind of error.
#[derive(Debug, Clone, Copy)]
pub struct Story {
    /// What `explain` calls it.
    pub id: &'static str,
    /// The exit status it ends the program with.
    pub status: u8,
    /// One line: what was found.
    pub summary: &'static str,
    /// Why that stops the run.
    pub why: &'static str,
    /// What to do, in the order to try it.
    pub steps: &'static [&'static str],
}

/// All of them, by exit status.
pub static STORIES: &[Story] = &[
    Story {
        id: "drift",
        status: 1,
        summary: "a pin differs from what the op found",
        why: "the number is what somebody reviewed; with another one upstream holds something that nobody has looked at",
        steps: &[
            "read the matches that are listed below the error; all of them are, not only the new ones",
            "right as they are: write the new number; `kernel-port repin RECIPE --to REV --write` does that for a whole recipe and shows what is new",
            "not right: narrow the glob, or add an op for the new case",
        ],
    },
    Story {
        id: "missing",
        status: 1,
        summary: "a glob, a path or a text is not in the tree",
        why: "an op that has nothing to work on would be a port without it, and nobody would be told",
        steps: &[
            "look at the nearest names or text below the error",
            "`--until LINE` with the op's line shows the tree as it sees it: ops before it may have moved the file",
            "upstream moved or removed it: follow, or delete the op",
        ],
    },
    Story {
        id: "no-effect",
        status: 1,
        summary: "an op found its files, and nothing in them to change",
        why: "an op without effect is drift: the case it was written for is gone, or was never there",
        steps: &[
            "upstream does it that way by now: delete the op",
            "it is there as a guard: pin it with changes=0",
            "`kernel-port ops NAME` says what the op looks at; `replace` takes any text",
        ],
    },
    Story {
        id: "conflict",
        status: 1,
        summary: "something stands where an op would write",
        why: "no op overwrites what it was not told to; only an overlay replaces files, and names them",
        steps: &[
            "move or delete what is there in an op before",
            "build.toml is always generated: delete upstream's, and leave it out of the overlay",
        ],
    },
    Story {
        id: "refused",
        status: 1,
        summary: "a rewrite cannot be made without changing what the program means",
        why: "a guess would be right most of the time, and wrong in silence the other times",
        steps: &[
            "look at the places that are listed: each says what cannot be followed",
            "change that place by hand with `replace`, in an op before, so that the rest is plain",
            "or leave the file out of in=",
        ],
    },
    Story {
        id: "syntax",
        status: 1,
        summary: "a Python file does not parse",
        why: "nothing can be rewritten by structure in a file that has none",
        steps: &[
            "an op before it broke the file: `--until LINE --print` shows it",
            "it is a template or Python 2: narrow in= so that it is left out",
        ],
    },
    Story {
        id: "checks",
        status: 1,
        summary: "every op applied, and the final checks found what would fail later",
        why: "the builder or the Hub's users would find it, hours later and without a line number",
        steps: &[
            "`kernel-port explain RULE`, with the name between the brackets, says what breaks and what to do",
            "`--tree` and `--print` show the result all the same",
            "`allow rule=\"RULE\" in=\"GLOB\" reason=\"WHY\"` accepts a finding, for everybody to see",
        ],
    },
    Story {
        id: "recipe",
        status: 2,
        summary: "the recipe's text has mistakes",
        why: "nothing runs before the whole recipe is sound, so that a run never stops half way over a typing error",
        steps: &[
            "all mistakes are listed: correct them from the top",
            "`kernel-port ops NAME` shows an op's arguments with an example",
            "docs/language.md has values, globs and strings",
        ],
    },
    Story {
        id: "unpinned",
        status: 2,
        summary: "an op that could be pinned is not, and --require-pins was given",
        why: "without a number a new upstream file or match goes through unseen",
        steps: &["look at the matches with --verbose", "write the number that the help names"],
    },
    Story {
        id: "checkout",
        status: 3,
        summary: "a checkout is not what a source or vendor op pins: another commit or repository, or edited",
        why: "a port of anything else would carry the pin's name without its content",
        steps: &[
            "another commit: `git -C DIR checkout COMMIT`, or re-pin with `kernel-port repin`",
            "edited: commit, stash or remove what is listed; --allow-dirty ports it all the same and says so in the provenance",
            "no checkout at hand: leave --dir out, and the commit is fetched",
        ],
    },
    Story {
        id: "unreadable",
        status: 3,
        summary: "a file of the source cannot be read",
        why: "a port that left it out would look complete",
        steps: &["look at its permissions, or at the disk", "`git -C DIR fsck` looks for damaged objects"],
    },
    Story {
        id: "differs",
        status: 4,
        summary: "--check found that an output is not what its recipe makes",
        why: "somebody edited the output, or changed the recipe and did not run it",
        steps: &[
            "`--check --diff` shows how",
            "edited by hand: move the edit into the recipe or the overlay",
            "then run without --check, and commit recipe and output together",
        ],
    },
    Story {
        id: "output",
        status: 5,
        summary: "the output was not written; what was there is untouched",
        why: "a directory that is no port, or was edited since it was written, may be somebody's work",
        steps: &[
            "choose another --out, or move what is there away",
            "edits made by hand belong into the recipe or the overlay; --force gives them up",
            "a full disk or missing permission is named in the error",
        ],
    },
];

/// The story of an op's failure.
pub fn of(kind: FailureKind) -> &'static str {
    match kind {
        FailureKind::Pin => "drift",
        FailureKind::Missing => "missing",
        FailureKind::NoEffect => "no-effect",
        FailureKind::Conflict => "conflict",
        FailureKind::Refused | FailureKind::Limit => "refused",
        FailureKind::Syntax => "syntax",
        FailureKind::Source => "checkout",
        FailureKind::Read => "unreadable",
    }
}

/// The story of that name.
pub fn find(id: &str) -> Option<&'static Story> {
    STORIES.iter().find(|story| story.id == id)
}

/// All stories, a line each.
pub fn table(style: Style) -> String {
    let width = STORIES.iter().map(|story| story.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for story in STORIES {
        let start = format!("{:<width$}  {}  ", story.id, story.status);
        let text = hanging(&start, story.summary, style.width);
        out.push_str(&text.replacen(story.id, &style.paint(Color::Bold, story.id), 1));
    }
    out
}

/// One story in full.
pub fn text(story: &Story, style: Style) -> String {
    let mut out = format!("{} (exit status {})\n\n", style.paint(Color::Bold, story.id), story.status);
    out.push_str(&hanging("Means    ", story.summary, style.width));
    out.push_str(&hanging("Why      ", story.why, style.width));
    for (at, step) in story.steps.iter().enumerate() {
        let start = if at == 0 { "Do       - " } else { "         - " };
        out.push_str(&hanging(start, step, style.width));
    }
    out
}

/// The page docs/errors.md.
pub fn page() -> String {
    let mut out = String::from(
        "# Errors\n\n\
         The first line of an error says what was expected and what was found, the caret where, the lines below it the evidence,\n\
         `help:` what to do next. This is the longer story of each kind; `kernel-port explain NAME` prints it.\n\n\
         | error | exit status | |\n| --- | --- | --- |\n",
    );
    for story in STORIES {
        let _ = writeln!(out, "| [{0}](#{0}) | {1} | {2} |", story.id, story.status, story.summary);
    }
    for story in STORIES {
        let _ = write!(
            out,
            "\n## {}\n\n{}. Why that is an error: {}.\n\n",
            story.id,
            capital(story.summary),
            story.why
        );
        for step in story.steps {
            let _ = writeln!(out, "- {step}");
        }
    }
    out
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_errors_says_what_the_stories_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/errors.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        let kept = std::fs::read_to_string(path).unwrap_or_default();
        assert!(kept == page(), "{path}: run the tests with UPDATE_DOCS=1");
    }

    #[test]
    fn every_failure_has_a_story_with_its_exit_status() {
        use FailureKind::{Conflict, Missing, NoEffect, Pin, Read, Refused, Source, Syntax};
        for kind in [Pin, Missing, NoEffect, Conflict, Refused, Syntax, Source, Read] {
            let story = find(of(kind)).unwrap();
            assert_eq!(story.status, crate::report::failure::exit_status(kind), "{}", story.id);
        }
        assert!(STORIES.is_sorted_by_key(|story| story.status));
    }

    #[test]
    fn no_story_has_the_name_of_an_op_or_a_rule() {
        for story in STORIES {
            let taken = crate::ops::find(story.id).is_some() || crate::check::find(story.id).is_some();
            assert!(!taken, "{}", story.id);
        }
    }
}
