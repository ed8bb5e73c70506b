//! `prune`: keeps what the globs match and deletes the rest.

use super::select::{FILES_NOUN, no_match, refuse_absent};
use super::{Context, Count, Evidence, Example, Failure, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args, GlobList};
use crate::report::plural;
use crate::workspace::Change;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "prune",
    group: Group::Tree,
    summary: "Keeps the files that globs match and deletes all others",
    args: &[
        ArgSpec::required("keep", ArgType::GlobList, "the files to keep; each glob must match"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are kept"),
    ],
    guarantees: &[
        "what is kept stays as it is",
        "what upstream adds outside of the globs never enters the port",
    ],
    failures: &["a glob matches nothing"],
    example: Some(Example {
        recipe: r#"prune keep="pkg/**,LICENSE" files=2"#,
        files: &[("pkg/__init__.py", ""), ("LICENSE", "MIT\n"), ("docs/a.md", ""), ("docs/b.md", "")],
    }),
    build,
};

struct Prune {
    keep: GlobList,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    Some(Box::new(Prune { keep: args.get("keep")? }))
}

impl Op for Prune {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        for glob in &self.keep.0 {
            refuse_absent(context.workspace, "keep", |submodule| glob.reaches_below(submodule))?;
        }
        let mut matched = vec![false; self.keep.0.len()];
        let mut kept = Vec::new();
        let mut changes = Vec::with_capacity(context.workspace.len());
        for (path, _) in context.workspace.iter() {
            let matches = self.keep.matches(path);
            for glob in &matches {
                matched[*glob] = true;
            }
            if matches.is_empty() {
                changes.push(Change::Delete { path: path.clone() });
            } else {
                kept.push(Evidence::file(path));
            }
        }
        if let Some(unmatched) = matched.iter().position(|m| !m) {
            return Err(no_match(context.workspace, &self.keep.0[unmatched], "keep"));
        }
        let log = format!("removed {}, kept {}", plural(changes.len(), FILES_NOUN), kept.len());
        let absent = context.workspace.absent().iter();
        changes.extend(absent.map(|path| Change::DropSubmodule { path: path.clone() }));
        Ok(Plan { log, counts: vec![Count::files(kept)], changes, ..Plan::default() })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn everything_else_goes() {
        let port = Port::new(r#"prune keep="pkg/**, LICENSE" files=2"#);
        let (log, tree) = port.file("pkg/a", "").file("LICENSE", "").file("docs/x", "").file("y", "").ok();
        assert_eq!(log, ["removed 2 files, kept 2"]);
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["LICENSE", "pkg/a"]);
    }

    #[test]
    fn each_glob_must_match() {
        let failure = Port::new(r#"prune keep="pkg/**,pkgs""#).file("pkg/a", "").fails();
        assert_eq!(failure.message, r#"keep="pkgs" matches no file"#);
        let failure = Port::new(r#"prune keep="pkg""#).file("pkg/a", "").fails();
        assert_eq!(failure.hints, [r#"pkg is a directory; "pkg/**" matches every file below it"#]);
    }

    #[test]
    fn a_new_upstream_file_is_drift_when_the_files_are_pinned() {
        let failure =
            Port::new(r#"prune keep="pkg/**" files=1"#).file("pkg/a", "").file("pkg/new", "").fails();
        assert_eq!(
            failure.message,
            "expected exactly 1 file but found 2: upstream drifted; review them and update files="
        );
        assert_eq!(failure.evidence.len(), 2);
    }
}
