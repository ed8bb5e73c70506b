//! `expect`: a guard that changes nothing.

use super::nearest_text::explain_missing;
use super::replace::overlaps_itself;
use super::select::{FILES_NOUN, MAX_MATCHES, matched, too_many};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Mode, RepoPath};
use memchr::memmem;
use sha2::{Digest, Sha256};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "expect",
    group: Group::Pins,
    summary: "Guards what upstream holds; changes nothing",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the files to look at"),
        ArgSpec::optional("find", ArgType::Text, "the exact text to count"),
        ArgSpec::optional(
            "count",
            ArgType::Pin,
            "how often the text stands there; 0 asserts that it does not",
        ),
        ArgSpec::optional("files", ArgType::Pin, "how many files match"),
        ArgSpec::optional(
            "sha256",
            ArgType::Text,
            "the content of the one file that matches, 64 hexadecimal digits",
        ),
    ],
    guarantees: &["nothing changes"],
    failures: &["a number or a content differs", "a text or sha256 guard's glob matches nothing"],
    example: Some(Example {
        recipe: r#"expect in="csrc/*.cu" find="TORCH_CHECK" count=1"#,
        files: &[("csrc/relu.cu", "TORCH_CHECK(x.is_cuda());\n")],
    }),
    build,
};

enum Guard {
    Text(NonEmptyText),
    Files,
    Content(String),
}

struct Expect {
    within: Glob,
    guard: Guard,
    /// Whether the text may not be there: `count=0`.
    absent: bool,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let within = args.get("in");
    let find = args.get::<NonEmptyText>("find");
    let hash = args.get::<NonEmptyText>("sha256").map(|h| h.0.to_ascii_lowercase());
    const FORMS: &str = "write one of: find= with count=; files=; sha256=";
    let guard = match (args.has("find"), args.has("count"), args.has("files"), args.has("sha256")) {
        (true, true, false, false) => Guard::Text(find?),
        (false, false, true, false) => Guard::Files,
        (false, false, false, true) => {
            let hash = hash?;
            if hash.len() != 64 || !hash.bytes().all(|b| b.is_ascii_hexdigit()) {
                args.error("sha256", "sha256= must be 64 hexadecimal digits", "`sha256sum FILE` prints them");
                return None;
            }
            Guard::Content(hash)
        }
        (true, false, false, false) => {
            args.error("find", "find= needs count=", "count=0 asserts that the text is absent");
            return None;
        }
        (false, true, ..) => {
            args.error("count", "count= needs find=", FORMS);
            return None;
        }
        (false, false, false, false) => {
            args.error("in", "nothing is expected", FORMS);
            return None;
        }
        _ => {
            args.error("in", "find=, files= and sha256= exclude each other", FORMS);
            return None;
        }
    };
    let absent = args.get::<u64>("count") == Some(0);
    Some(Box::new(Expect { within: within?, guard, absent }))
}

impl Op for Expect {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        match &self.guard {
            Guard::Files => {
                let paths = self.within.paths(context.workspace);
                Ok(Plan {
                    log: format!("{}, as expected", plural(paths.len(), FILES_NOUN)),
                    counts: vec![Count::files(paths.iter().map(|p| Evidence::file(p)).collect())],
                    ..Plan::default()
                })
            }
            Guard::Text(find) => self.count_text(context, &find.0),
            Guard::Content(hash) => self.compare_hash(context, hash),
        }
    }
}

impl Expect {
    fn count_text(&self, context: &Context<'_>, text: &str) -> Result<Plan, Failure> {
        let paths = matched(context.workspace, &self.within, "in")?;
        let finder = memmem::Finder::new(text);
        let mut places = Vec::new();
        for path in files(context, &paths) {
            let content = context.workspace.read(path).map_err(|e| Failure::read(path, &e))?;
            let mut starts = Vec::new();
            for at in finder.find_iter(&content) {
                if places.len() + starts.len() == MAX_MATCHES {
                    return Err(too_many(path));
                }
                if overlaps_itself(&content, at, &finder, text.len()) {
                    return Err(Failure::new(FailureKind::Refused, "find= overlaps itself at a match")
                        .at("find")
                        .evidence(vec![Evidence::line(path, &content, at)])
                        .hint("add text before or after it, so that each place matches once"));
                }
                starts.push(at);
            }
            places.extend(Evidence::lines(path, &content, &starts));
        }
        let mut plan = Plan {
            log: format!("{}, as expected", plural(places.len(), ("occurrence", "occurrences"))),
            ..Plan::default()
        };
        // Nothing is missing where nothing may be.
        if places.is_empty() && !self.absent {
            plan.none = Some(explain_missing(context.workspace, &paths, text, None));
        }
        let found = places.len() as u64;
        plan.counts.push(Count {
            pin: "count",
            noun: ("occurrence", "occurrences"),
            found,
            evidence: places,
        });
        Ok(plan)
    }

    fn compare_hash(&self, context: &Context<'_>, expected: &str) -> Result<Plan, Failure> {
        let paths = matched(context.workspace, &self.within, "in")?;
        let [path] = paths[..] else {
            return Err(Failure::new(
                FailureKind::Pin,
                format!("sha256= is the content of one file, but in= matches {}", paths.len()),
            )
            .at("in")
            .evidence(paths.iter().map(|p| Evidence::file(p)).collect()));
        };
        let content = context.workspace.read(path).map_err(|e| Failure::read(path, &e))?;
        let found = crate::report::hex(&Sha256::digest(&content));
        if found != expected {
            return Err(Failure::new(
                FailureKind::Pin,
                format!("`{path}` has another content than expected"),
            )
            .at("sha256")
            .details(vec![format!("expected sha256 {expected}"), format!("found    sha256 {found}")])
            .hint("upstream drifted: review the file and update sha256="));
        }
        Ok(Plan { log: format!("content of {path}, as expected"), ..Plan::default() })
    }
}

fn files<'p>(context: &Context<'_>, paths: &[&'p RepoPath]) -> Vec<&'p RepoPath> {
    let is_link = |p: &RepoPath| context.workspace.get(p).is_some_and(|e| e.mode == Mode::Symlink);
    paths.iter().copied().filter(|p| !is_link(p)).collect()
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn the_three_guards_hold() {
        let hash = "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881";
        let recipe = format!(
            "expect in=\"*\" find=\"x\" count=2\nexpect in=\"*\" find=\"q\" count=0\nexpect in=\"*\" files=2\n\
             expect in=\"nope\" files=0\nexpect in=\"a\" sha256=\"{hash}\""
        );
        let (log, _) = Port::new(&recipe).file("a", "x").file("b", "x").ok();
        assert_eq!(
            log,
            [
                "2 occurrences, as expected",
                "0 occurrences, as expected",
                "2 files, as expected",
                "0 files, as expected",
                "content of a, as expected"
            ]
        );
    }

    #[test]
    fn a_text_guard_over_no_file_fails() {
        let failure = Port::new(r#"expect in="pkg" find="x" count=0"#).file("pkg/a", "").fails();
        assert_eq!(failure.message, "in=\"pkg\" matches no file");
    }

    #[test]
    fn every_occurrence_is_evidence() {
        let failure =
            Port::new(r#"expect in="**" find="x" count=1"#).file("a", "x\nx").file("b", "x").fails();
        let places: Vec<_> =
            failure.evidence.iter().map(|e| format!("{}:{}", e.path, e.position.unwrap())).collect();
        assert_eq!(places, ["a:1:1", "a:2:1", "b:1:1"]);
        assert_eq!(
            failure.message,
            "expected exactly 1 occurrence but found 3: upstream drifted; review them and update count="
        );
    }

    #[test]
    fn another_content_or_two_files_fail_a_hash() {
        let recipe = format!("expect in=\"*\" sha256=\"{}\"", "0".repeat(64));
        let failure = Port::new(&recipe).file("a", "x").fails();
        assert_eq!(failure.message, "`a` has another content than expected");
        assert!(failure.details[1].starts_with("found    sha256 2d711642"));
        let failure = Port::new(&recipe).file("a", "x").file("b", "").fails();
        assert_eq!(failure.message, "sha256= is the content of one file, but in= matches 2");
    }

    #[test]
    fn guards_that_say_nothing_or_too_much_are_mistakes_of_the_recipe() {
        for (args, message) in [
            ("", "1:11: expect: nothing is expected"),
            ("find=\"x\"", "1:20: expect: find= needs count="),
            ("count=1", "1:21: expect: count= needs find="),
            ("files=1 sha256=\"x\"", "1:11: expect: find=, files= and sha256= exclude each other"),
            ("sha256=\"x\"", "1:22: expect: sha256= must be 64 hexadecimal digits"),
        ] {
            assert_eq!(Port::new(&format!("expect in=\"a\" {args}")).build_errors(), [message]);
        }
    }
}
