//! `replace`: exact text for exact text, on bytes.

use super::nearest_text::explain_missing;
use super::select::{FILES_NOUN, MAX_MATCHES, matched, too_many};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText, Text};
use crate::report::plural;
use crate::workspace::{Change, Mode, RepoPath, TextEdit};
use memchr::memmem;
use std::borrow::Cow;

/// Replacements insert no more bytes than this together.
const MAX_INSERTED: usize = 256 << 20;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "replace",
    group: Group::Text,
    summary: "Replaces an exact text by another",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the files to look in"),
        ArgSpec::required("find", ArgType::Text, "the exact text; no patterns"),
        ArgSpec::required("with", ArgType::Text, "what stands there instead; may be empty"),
        ArgSpec::optional(
            "count",
            ArgType::Pin,
            "matches in all files together; without it each file holds one",
        ),
        ArgSpec::optional("files", ArgType::Pin, "how many files hold the text"),
    ],
    guarantees: &[
        "exact text, byte for byte: no patterns, no overlap",
        "all files are looked at before one is changed; inserted lines end as the file's own",
    ],
    failures: &[
        "the glob matches nothing",
        "the text is nowhere",
        "without `count`, a matched file holds the text not exactly once",
        "the text overlaps itself at a match",
    ],
    example: Some(Example {
        recipe: r#"replace in="src/*.cu" find="at::Half" with="half" count=2"#,
        files: &[("src/relu.cu", "at::Half a;\nat::Half b;\n")],
    }),
    build,
};

struct Replace {
    within: Glob,
    find: NonEmptyText,
    with: Text,
    counted: bool,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let within = args.get("in");
    let find = args.get::<NonEmptyText>("find");
    let with = args.get::<Text>("with");
    if args.get::<u64>("count") == Some(0) {
        args.error(
            "count",
            "count=0 replaces nothing",
            "to assert that a text is absent, use: expect count=0",
        );
    }
    let (within, find, with) = (within?, find?, with?);
    if find.0 == with.0 {
        args.error("with", "find and with are the same text", "an op that changes nothing is a mistake");
    }
    Some(Box::new(Replace { within, find, with, counted: args.has("count") }))
}

impl Op for Replace {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let paths = matched(context.workspace, &self.within, "in")?;
        let find = self.find.0.as_bytes();
        let finder = memmem::Finder::new(find);
        let mut plan = Plan::default();
        let (mut places, mut files, mut not_once) = (Vec::new(), Vec::new(), Vec::new());
        let mut inserted = 0usize;
        for path in &paths {
            if context.workspace.get(path).is_some_and(|e| e.mode == Mode::Symlink) {
                continue;
            }
            let content = context.workspace.read(path).map_err(|e| Failure::read(path, &e))?;
            let starts: Vec<usize> = finder.find_iter(&content).take(MAX_MATCHES + 1).collect();
            inserted = inserted.saturating_add(starts.len().saturating_mul(self.with.0.len()));
            if places.len() + starts.len() > MAX_MATCHES || inserted > MAX_INSERTED {
                return Err(too_many(path));
            }
            if let Some(at) = starts.iter().find(|at| overlaps_itself(&content, **at, &finder, find.len())) {
                return Err(Failure::new(FailureKind::Refused, "find= overlaps itself at a match")
                    .at("find")
                    .evidence(vec![Evidence::line(path, &content, *at)])
                    .hint("add text before or after it, so that each place matches once"));
            }
            if starts.len() != 1 {
                not_once.push((*path, starts.len()));
            }
            if starts.is_empty() {
                continue;
            }
            files.push(Evidence::file(path));
            places.extend(Evidence::lines(path, &content, &starts));
            let with = self.with_line_ends_of(&content);
            let edits = starts.iter().map(|at| TextEdit::new(*at..at + find.len(), with.as_bytes()));
            plan.changes.push(Change::Edit { path: RepoPath::clone(path), edits: edits.collect() });
        }
        if places.is_empty() {
            plan.none = Some(explain_missing(context.workspace, &paths, &self.find.0, Some(&self.with.0)));
        } else if !self.counted && !not_once.is_empty() {
            let listed = not_once.iter().map(|(path, n)| format!("{path}: {n}"));
            let message = "without count=, every matched file must hold the text exactly once";
            return Err(Failure::new(FailureKind::Pin, message)
                .at("find")
                .details(listed.collect())
                .evidence(places)
                .hint("pin the total with count=, or narrow in="));
        }
        plan.log = format!(
            "{} in {}",
            plural(places.len(), ("replacement", "replacements")),
            plural(files.len(), FILES_NOUN)
        );
        let found = places.len() as u64;
        plan.counts.push(Count { pin: "count", noun: ("match", "matches"), found, evidence: places });
        plan.counts.push(Count::files(files));
        Ok(plan)
    }
}

impl Replace {
    /// Inserted lines end as the file's do, unless `find` names line ends itself: then the author means them.
    fn with_line_ends_of(&self, content: &[u8]) -> Cow<'_, str> {
        let with = self.with.0.as_str();
        if self.find.0.contains('\n') || !with.contains('\n') || with.contains('\r') {
            return Cow::Borrowed(with);
        }
        let mut ends = memchr::memchr_iter(b'\n', content).peekable();
        let crlf = ends.peek().is_some() && ends.all(|at| at > 0 && content[at - 1] == b'\r');
        if crlf { Cow::Owned(with.replace('\n', "\r\n")) } else { Cow::Borrowed(with) }
    }
}

/// Whether another match begins inside the match at `at`.
pub(super) fn overlaps_itself(content: &[u8], at: usize, finder: &memmem::Finder<'_>, length: usize) -> bool {
    let end = (at + 2 * length - 1).min(content.len());
    finder.find(&content[at + 1..end]).is_some()
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use crate::workspace::Mode;

    #[test]
    fn bytes_are_replaced_in_any_encoding() {
        let recipe = r#"replace in="*" find="hello" with="bye" count=2 files=2"#;
        let run = Port::new(recipe).file("a", "hello").file("b", b"\x89\xffhello\0").file("c", "").run();
        let bytes: Vec<_> = run.workspace.iter().map(|(_, e)| e.content.read().unwrap().to_vec()).collect();
        assert_eq!(bytes, [b"bye".to_vec(), b"\x89\xffbye\0".to_vec(), b"".to_vec()]);
        assert_eq!(run.steps[0].log, "2 replacements in 2 files");
    }

    #[test]
    fn a_match_that_moved_to_another_file_is_drift_when_files_is_pinned() {
        let port = Port::new(r#"replace in="*" find="x" with="y" count=2 files=2"#);
        let failure = port.file("a", "x x").file("b", "z").fails();
        assert_eq!(
            failure.message,
            "expected exactly 2 files but found 1: upstream drifted; review them and update files="
        );
    }

    #[test]
    fn without_a_count_each_file_holds_it_once() {
        let failure = Port::new(r#"replace in="*" find="x" with="y""#).file("a", "x").file("b", "xx").fails();
        assert_eq!(failure.message, "without count=, every matched file must hold the text exactly once");
        assert_eq!(failure.details, ["b: 2"]);
        Port::new(r#"replace in="*" find="x" with="y""#).file("a", "x").file("b", "x").ok();
    }

    #[test]
    fn a_text_that_overlaps_itself_is_refused() {
        let failure = Port::new(r#"replace in="a" find="aa" with="b" count=1"#).file("a", "aaa").fails();
        assert_eq!(failure.message, "find= overlaps itself at a match");
        let failure = Port::new(r#"expect in="a" find="abab" count=1"#).file("a", "ababab").fails();
        assert_eq!(failure.message, "find= overlaps itself at a match");
        Port::new(r#"replace in="a" find="aa" with="b" count=2"#).file("a", "aaaa").fails();
        Port::new(r#"replace in="a" find="aa" with="b" count=2"#).file("a", "aa aa").ok();
    }

    #[test]
    fn inserted_lines_end_as_the_file_does() {
        let replace = |find: &str, with: &str, file: &str| {
            let recipe = format!("replace in=\"a\" find={find:?} with={with:?} count=1");
            Port::new(&recipe).file("a", file).ok().1["a"].clone()
        };
        assert_eq!(replace("b", "x\ny", "a\r\nb\r\n"), "a\r\nx\r\ny\r\n");
        assert_eq!(replace("b", "x\ny", "a\nb\r\n"), "a\nx\ny\r\n");
        assert_eq!(replace("\r\n", "\n", "a\r\n"), "a\n");
    }

    #[test]
    fn symlinks_are_skipped() {
        let run = Port::new(r#"replace in="*" find="x" with="y" count=1"#)
            .file("a", "x")
            .entry("l", "x", Mode::Symlink)
            .run();
        assert!(run.drift.is_empty());
    }

    #[test]
    fn replacements_that_replace_nothing_are_mistakes_of_the_recipe() {
        let errors = Port::new(r#"replace in="a" find="x" with="x" count=0"#).build_errors();
        assert_eq!(
            errors,
            ["1:30: replace: find and with are the same text", "1:40: replace: count=0 replaces nothing"]
        );
        let errors = Port::new(r#"replace in="a" find="" with="x""#).build_errors();
        assert_eq!(errors, ["1:21: replace: find= is empty"]);
    }
}
