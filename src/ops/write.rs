//! `write`: a small file inline.

use super::{Context, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, Text};
use crate::workspace::{Change, Content, Mode, Origin, RepoPath};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "write",
    group: Group::Text,
    summary: "Creates a small file whose text stands in the recipe",
    args: &[
        ArgSpec::required("to", ArgType::Path, "the new file; nothing may be there"),
        ArgSpec::required("text", ArgType::Text, "the whole content, the last line end included"),
    ],
    guarantees: &["the text as it stands; no file is overwritten"],
    failures: &["the file exists", "a file would have to be a directory"],
    example: Some(Example {
        recipe: r#"write to="torch-ext/relu/py.typed" text="partial\n""#,
        files: &[("torch-ext/relu/__init__.py", "")],
    }),
    build,
};

struct Write {
    to: RepoPath,
    text: Text,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (to, text) = (args.get("to"), args.get("text"));
    Some(Box::new(Write { to: to?, text: text? }))
}

impl Op for Write {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        if context.workspace.is_file(&self.to) {
            return Err(Failure::new(FailureKind::Conflict, format!("`{}` exists already", self.to))
                .at("to")
                .hint("change a part of it with replace, or delete it first"));
        }
        Ok(Plan {
            log: format!("wrote {}", self.to),
            changes: vec![Change::Put {
                path: self.to.clone(),
                content: Content::from(self.text.0.as_str()),
                mode: Mode::File,
                origin: Origin::Generated,
            }],
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn the_text_is_the_whole_file() {
        let (log, tree) = Port::new("write to=\"a/b\" text=\"x\\n\"").ok();
        assert_eq!(log, ["wrote a/b"]);
        assert_eq!(tree["a/b"], "x\n");
    }

    #[test]
    fn an_existing_file_or_a_directory_is_refused() {
        let failure = Port::new("write to=\"a\" text=\"\"").file("a", "").fails();
        assert_eq!(failure.message, "`a` exists already");
        let failure = Port::new("write to=\"a\" text=\"\"").file("a/b", "").fails();
        assert_eq!(failure.message, "`a` is a directory");
    }

    #[test]
    fn a_path_that_leaves_the_tree_is_a_mistake_of_the_recipe() {
        let errors = Port::new("write to=\"../a\" text=\"\"").build_errors();
        assert_eq!(errors, ["1:10: write: to= \"../a\" holds `..`; a path may not leave the tree"]);
    }
}
