//! `rename`: replaces a literal text in the names of files.

use super::select::{FILES_NOUN, matched};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText, Text};
use crate::report::plural;
use crate::workspace::{Change, RepoPath};
use memchr::memmem;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "rename",
    group: Group::Tree,
    summary: "Replaces a literal text in the names of files",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the files to rename; names without the text are left alone"),
        ArgSpec::required("find", ArgType::Text, "the exact text in the last path component"),
        ArgSpec::required("with", ArgType::Text, "what stands there instead; may be empty"),
        ArgSpec::required("files", ArgType::Pin, "how many files are renamed"),
    ],
    guarantees: &["contents and directories stay"],
    failures: &[
        "the glob matches nothing",
        "no name holds the text",
        "a name holds the text twice",
        "a destination exists",
    ],
    example: Some(Example {
        recipe: r#"rename in="csrc/**" find=".cu" with=".cuh" files=2"#,
        files: &[("csrc/a.cu", ""), ("csrc/sub/b.cu", ""), ("csrc/c.h", "")],
    }),
    build,
};

struct Rename {
    within: Glob,
    find: NonEmptyText,
    with: Text,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let within = args.get("in");
    let find = args.get::<NonEmptyText>("find");
    let with = args.get::<Text>("with");
    for name in ["find", "with"] {
        let text = if name == "find" { find.as_ref().map(|t| &t.0) } else { with.as_ref().map(|t| &t.0) };
        if text.is_some_and(|t| t.contains('/')) {
            args.error(
                name,
                format!("{name}= holds `/`, but rename changes names only"),
                "use move for directories",
            );
        }
    }
    if args.get::<u64>("files") == Some(0) {
        args.error(
            "files",
            "files=0 renames nothing",
            "to assert that a name is absent, use: expect files=0",
        );
    }
    let (within, find, with) = (within?, find?, with?);
    if find.0 == with.0 {
        args.error("with", "find and with are the same text", "an op that changes nothing is a mistake");
    }
    Some(Box::new(Rename { within, find, with }))
}

impl Op for Rename {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let find = self.find.0.as_bytes();
        let mut renamed = Vec::new();
        let mut changes = Vec::new();
        let mut twice = Vec::new();
        for path in matched(context.workspace, &self.within, "in")? {
            let Some(at) = memmem::find(path.name(), find) else { continue };
            if memmem::find(&path.name()[at + 1..], find).is_some() {
                twice.push(Evidence::file(path));
            }
            let directory = path.as_bytes().len() - path.name().len();
            let mut bytes = path.as_bytes()[..directory + at].to_vec();
            bytes.extend_from_slice(self.with.0.as_bytes());
            bytes.extend_from_slice(&path.name()[at + find.len()..]);
            let to = RepoPath::new(&bytes).map_err(|e| {
                Failure::new(FailureKind::Refused, format!("the new path of `{path}` {e}")).at("with")
            })?;
            renamed.push(Evidence::file(path));
            changes.push(Change::Rename { from: path.clone(), to });
        }
        if !twice.is_empty() {
            return Err(Failure::new(FailureKind::Refused, "a name holds find= more than once")
                .at("find")
                .evidence(twice)
                .hint("add text before or after it, so that it stands once in each name"));
        }
        let none = renamed.is_empty().then(|| {
            let message = format!("no file name holds \"{}\"", self.find.0);
            Failure::new(FailureKind::Missing, message).at("find")
        });
        Ok(Plan {
            log: format!("renamed {}", plural(renamed.len(), FILES_NOUN)),
            counts: vec![Count::files(renamed)],
            changes,
            none,
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn only_the_name_changes() {
        let port = Port::new(r#"rename in="**" find=".cu" with=".cuh" files=2"#);
        let (log, tree) = port.file("a.cu/x.cu", "1").file("y.cu", "2").file("z.h", "").ok();
        assert_eq!(log, ["renamed 2 files"]);
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["a.cu/x.cuh", "y.cuh", "z.h"]);
    }

    #[test]
    fn names_that_hold_it_twice_or_never_are_refused() {
        let failure = Port::new(r#"rename in="**" find="a" with="b" files=1"#).file("aa", "").fails();
        assert_eq!(failure.message, "a name holds find= more than once");
        let failure = Port::new(r#"rename in="**" find="q" with="b" files=1"#).file("a", "").fails();
        assert_eq!(failure.message, "expected exactly 1 file but found 0: no file name holds \"q\"");
    }

    #[test]
    fn destinations_that_exist_or_are_no_path_are_refused() {
        let failure =
            Port::new(r#"rename in="a" find="a" with="b" files=1"#).file("a", "").file("b", "").fails();
        assert_eq!(failure.message, "`b` exists already");
        let failure = Port::new(r#"rename in="*" find="a" with="" files=1"#).file("a", "").fails();
        assert_eq!(failure.message, "the new path of `a` is empty");
    }

    #[test]
    fn directories_and_no_ops_are_mistakes_of_the_recipe() {
        let errors = Port::new(r#"rename in="a" find="a/b" with="c" files=0"#).build_errors();
        assert_eq!(
            errors,
            [
                "1:20: rename: find= holds `/`, but rename changes names only",
                "1:41: rename: files=0 renames nothing"
            ]
        );
    }
}
