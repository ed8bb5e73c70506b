//! `strip_suffix`: removes a literal text from the end of files.

use super::select::{FILES_NOUN, matched};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Change, Mode, TextEdit};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "strip_suffix",
    group: Group::Text,
    summary: "Removes a literal text from the end of every matched file",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the files, all of which end in the text"),
        ArgSpec::required("suffix", ArgType::Text, "the exact text at the end"),
        ArgSpec::required("files", ArgType::Pin, "how many files match"),
    ],
    guarantees: &["all files are looked at before one is changed"],
    failures: &["the glob matches nothing", "a matched file does not end in the text"],
    example: Some(Example {
        recipe: r#"strip_suffix in="csrc/*.cu" suffix="// eof\n" files=1"#,
        files: &[("csrc/a.cu", "int a;\n// eof\n")],
    }),
    build,
};

struct StripSuffix {
    within: Glob,
    suffix: NonEmptyText,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, suffix) = (args.get("in"), args.get("suffix"));
    Some(Box::new(StripSuffix { within: within?, suffix: suffix? }))
}

impl Op for StripSuffix {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let suffix = self.suffix.0.as_bytes();
        let mut plan = Plan::default();
        let (mut files, mut without) = (Vec::new(), Vec::new());
        for path in matched(context.workspace, &self.within, "in")? {
            if context.workspace.get(path).is_some_and(|e| e.mode == Mode::Symlink) {
                continue;
            }
            let content = context.workspace.read(path).map_err(|e| Failure::read(path, &e))?;
            let Some(kept) = content.strip_suffix(suffix) else {
                let last = content.strip_suffix(b"\n").unwrap_or(&content).len();
                without.push(Evidence::line(path, &content, last));
                continue;
            };
            files.push(Evidence::file(path));
            let edit = TextEdit::new(kept.len()..content.len(), "");
            plan.changes.push(Change::Edit { path: path.clone(), edits: vec![edit] });
        }
        if !without.is_empty() {
            let message = format!("{} not end in suffix=", plural(without.len(), ("file does", "files do")));
            return Err(Failure::new(FailureKind::Missing, message)
                .at("suffix")
                .evidence(without)
                .hint("these are the last lines of those files; narrow in= or update suffix="));
        }
        plan.log = format!("stripped suffix from {}", plural(files.len(), FILES_NOUN));
        plan.counts.push(Count::files(files));
        Ok(plan)
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn only_the_end_goes_and_only_once() {
        let port = Port::new(r#"strip_suffix in="*" suffix="x\n" files=2"#);
        let (log, tree) = port.file("a", "x\nx\n").file("b", "yx\n").ok();
        assert_eq!(log, ["stripped suffix from 2 files"]);
        assert_eq!((tree["a"].as_str(), tree["b"].as_str()), ("x\n", "y"));
    }

    #[test]
    fn all_files_are_checked_before_any_is_changed() {
        let port = Port::new(r#"strip_suffix in="*" suffix="z" files=2"#);
        let run = port.file("a", "xz").file("b", "first\nlast\n").run();
        let failure = &run.drift[0].failure;
        assert_eq!(failure.message, "1 file does not end in suffix=");
        assert_eq!(failure.evidence[0].text, "last");
        assert_eq!(&*run.workspace.iter().next().unwrap().1.content.read().unwrap(), b"xz");
    }

    #[test]
    fn an_empty_suffix_is_a_mistake_of_the_recipe() {
        let errors = Port::new(r#"strip_suffix in="*" suffix="" files=2"#).build_errors();
        assert_eq!(errors, ["1:28: strip_suffix: suffix= is empty"]);
    }
}
