//! `replace`: exact text for exact text, on bytes.

use super::nearest_text::explain_missing;
use super::select::{FILES_NOUN, matched};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText, Text};
use crate::report::plural;
use crate::workspace::{Change, Mode, TextEdit};
use memchr::memmem;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "replace",
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
        for path in &paths {
            if context.workspace.get(path).is_some_and(|e| e.mode == Mode::Symlink) {
                continue;
            }
            let content = context.workspace.read(path).map_err(|e| Failure::read(path, &e))?;
            let starts: Vec<usize> = finder.find_iter(&content).collect();
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
            places.extend(starts.iter().map(|at| Evidence::line(path, &content, *at)));
            let edits = starts.iter().map(|at| TextEdit::new(*at..at + find.len(), self.with.0.as_bytes()));
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

use crate::workspace::RepoPath;

/// Whether another match begins inside the match at `at`.
pub(super) fn overlaps_itself(content: &[u8], at: usize, finder: &memmem::Finder<'_>, length: usize) -> bool {
    let end = (at + 2 * length - 1).min(content.len());
    finder.find(&content[at + 1..end]).is_some()
}
