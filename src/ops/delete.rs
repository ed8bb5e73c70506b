//! `delete`: removes the files a glob matches.

use super::{Context, Count, Evidence, Example, Failure, Group, Op, OpSpec, Plan};
use crate::ops::select::{FILES_NOUN, matched};
use crate::recipe::{ArgSpec, ArgType, Args, Glob};
use crate::report::plural;
use crate::workspace::Change;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "delete",
    group: Group::Tree,
    summary: "Deletes the files a glob matches",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the files to delete"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are deleted"),
    ],
    guarantees: &["nothing else goes"],
    failures: &["the glob matches nothing"],
    example: Some(Example {
        recipe: r#"delete in="docs/**" files=1"#,
        files: &[("docs/index.md", "# Docs\n"), ("pkg/__init__.py", "")],
    }),
    build,
};

struct Delete {
    within: Glob,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    Some(Box::new(Delete { within: args.get("in")? }))
}

impl Op for Delete {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let paths = matched(context.workspace, &self.within, "in")?;
        Ok(Plan {
            log: format!("removed {}", plural(paths.len(), FILES_NOUN)),
            counts: vec![Count::files(paths.iter().map(|p| Evidence::file(p)).collect())],
            changes: paths.into_iter().map(|path| Change::Delete { path: path.clone() }).collect(),
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn what_matches_goes() {
        let (log, tree) =
            Port::new(r#"delete in="a/**" files=2"#).file("a/b", "").file("a/c/d", "").file("e", "").ok();
        assert_eq!(log, ["removed 2 files"]);
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["e"]);
    }

    #[test]
    fn a_glob_that_matches_nothing_says_what_is_near() {
        for (glob, hint) in [
            ("pkg", "pkg is a directory; \"pkg/**\" matches every file below it"),
            ("pgk/**", "nearest paths: pkg"),
            ("pkg/*.cu", "pkg holds a.py"),
            ("tests/**", "the top of the tree holds pkg/"),
            ("PKG/*", "globs are case-sensitive; the tree has pkg/a.py"),
            ("a,b", "in= takes one glob; to match either, write \"{a,b}\""),
            ("lib/a.py", "nearest paths: pkg/a.py"),
        ] {
            let failure = Port::new(&format!("delete in=\"{glob}\"")).file("pkg/a.py", "").fails();
            assert_eq!(failure.message, format!("in=\"{glob}\" matches no file"));
            assert_eq!(failure.hints, [hint]);
        }
    }
}
