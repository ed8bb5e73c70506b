//! `copy`: like `move`, but the original stays.

use super::moving::destinations;
use super::select::{FILES_NOUN, files_at};
use super::{Context, Count, Evidence, Example, Failure, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args};
use crate::report::plural;
use crate::workspace::{Change, Directory};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "copy",
    group: Group::Tree,
    summary: "Copies a file or a directory to a second place",
    args: &[
        ArgSpec::required("from", ArgType::Path, "the file or directory; `.` is the whole tree"),
        ArgSpec::required("to", ArgType::Path, "the path of the copy; nothing may be there"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are copied"),
    ],
    guarantees: &["the original stays; the copy has its content and mode"],
    failures: &[
        "`from` is neither a file nor a directory",
        "a destination exists",
        "a file would have to be a directory",
    ],
    example: Some(Example {
        recipe: r#"copy from="csrc/vec.h" to="rocm/vec.h" files=1"#,
        files: &[("csrc/vec.h", "#pragma once\n")],
    }),
    build,
};

struct Copy {
    from: Directory,
    to: Directory,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (from, to) = (args.get("from"), args.get("to"));
    let (from, to): (Directory, Directory) = (from?, to?);
    if from == to {
        args.error("to", format!("from and to are the same, \"{to}\""), "give the path of the copy");
    }
    Some(Box::new(Copy { from, to }))
}

impl Op for Copy {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let files = files_at(context.workspace, &self.from, "from")?;
        let pairs = destinations(context.workspace, &files, &self.from, &self.to)?;
        Ok(Plan {
            log: format!("copied {} to \"{}\"", plural(files.len(), FILES_NOUN), self.to),
            counts: vec![Count::files(files.iter().map(|p| Evidence::file(p)).collect())],
            changes: pairs.into_iter().map(|(from, to)| Change::Copy { from, to }).collect(),
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use crate::workspace::Mode;

    #[test]
    fn the_original_stays_and_the_mode_travels() {
        let run = Port::new(r#"copy from="a" to="b/c" files=1"#).entry("a", "x", Mode::Executable).run();
        let found: Vec<_> = run.workspace.iter().map(|(p, e)| (p.to_string(), e.mode)).collect();
        assert_eq!(found, [("a".to_owned(), Mode::Executable), ("b/c".to_owned(), Mode::Executable)]);
        assert_eq!(run.steps[0].log, "copied 1 file to \"b/c\"");
    }

    #[test]
    fn a_directory_can_be_copied_into_itself() {
        let (_, tree) = Port::new(r#"copy from="a" to="a/b""#).file("a/x", "1").ok();
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["a/b/x", "a/x"]);
    }

    #[test]
    fn a_taken_destination_is_refused() {
        let failure = Port::new(r#"copy from="a" to="b""#).file("a", "").file("b", "").fails();
        assert_eq!(failure.message, "`b` exists already");
        let failure = Port::new(r#"copy from="a" to="b/c""#).file("a", "").file("b", "").fails();
        assert_eq!(failure.message, "`b` is a file, but `b/c` needs a directory there");
        let failure = Port::new(r#"copy from="aa" to="b""#).file("a", "").fails();
        assert_eq!(failure.message, "from=\"aa\" is neither a file nor a directory of the tree");
        assert_eq!(failure.hints, ["nearest paths: a"]);
    }

    #[test]
    fn copying_onto_itself_is_a_mistake_of_the_recipe() {
        let errors = Port::new(r#"copy from="a" to="a/""#).build_errors();
        assert_eq!(errors, ["1:18: copy: from and to are the same, \"a\""]);
    }
}
