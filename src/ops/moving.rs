//! `move`: renames a file or a directory, remembered as a move.

use super::select::{FILES_NOUN, files_at};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args};
use crate::report::plural;
use crate::workspace::{Change, Directory, RepoPath, Workspace};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "move",
    group: Group::Tree,
    summary: "Renames a file or a directory",
    args: &[
        ArgSpec::required("from", ArgType::Path, "the file or directory; `.` is the whole tree"),
        ArgSpec::required("to", ArgType::Path, "its new path; nothing may be there"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are moved"),
    ],
    guarantees: &[
        "content and mode stay; change lists and diffs show one rename, through any number of moves",
    ],
    failures: &[
        "`from` is neither a file nor a directory",
        "a destination exists",
        "a file would have to be a directory",
    ],
    example: Some(Example {
        recipe: r#"move from="pkg" to="torch-ext/pkg" files=2"#,
        files: &[("pkg/__init__.py", ""), ("pkg/ops.py", "x = 1\n")],
    }),
    build,
};

struct Move {
    from: Directory,
    to: Directory,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (from, to) = (args.get("from"), args.get("to"));
    let (from, to): (Directory, Directory) = (from?, to?);
    if from == to {
        args.error("to", format!("from and to are the same, \"{to}\""), "give the new path");
    }
    Some(Box::new(Move { from, to }))
}

impl Op for Move {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let files = files_at(context.workspace, &self.from, "from")?;
        let pairs = destinations(context.workspace, &files, &self.from, &self.to)?;
        Ok(Plan {
            log: format!("moved {} to \"{}\"", plural(files.len(), FILES_NOUN), self.to),
            counts: vec![Count::files(files.iter().map(|p| Evidence::file(p)).collect())],
            changes: pairs.into_iter().map(|(from, to)| Change::Rename { from, to }).collect(),
            ..Plan::default()
        })
    }
}

/// Where each file goes when `from` becomes `to`.
///
/// # Errors
/// A single file cannot become the top of the tree, and a path below `to` may be none that a tree can hold.
pub(super) fn destinations(
    workspace: &Workspace,
    files: &[&RepoPath],
    from: &Directory,
    to: &Directory,
) -> Result<Vec<(RepoPath, RepoPath)>, Failure> {
    let single = matches!(from, Directory::Path(path) if workspace.is_file(path));
    let target = |file: &&RepoPath| match (single, to) {
        (true, Directory::Path(to)) => Ok((RepoPath::clone(file), to.clone())),
        (true, Directory::Root) => Err(Failure::new(
            FailureKind::Conflict,
            format!("`{file}` is a file and cannot become the top of the tree"),
        )
        .at("to")),
        (false, to) => {
            let below = file.below(from).unwrap_or(file.as_bytes());
            let path = to.join(below).map_err(|e| {
                Failure::new(FailureKind::Refused, format!("the destination of `{file}` {e}")).at("to")
            })?;
            Ok((RepoPath::clone(file), path))
        }
    };
    files.iter().map(target).collect()
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn a_directory_moves_as_a_whole() {
        let (log, tree) = Port::new(r#"move from="a" to="x/y/""#).file("a/b", "1").file("a/c/d", "2").ok();
        assert_eq!(log, ["moved 2 files to \"x/y\""]);
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["x/y/b", "x/y/c/d"]);
    }

    #[test]
    fn the_whole_tree_moves_below_a_directory_and_back() {
        let recipe = "move from=\".\" to=\"torch-ext/p\"\nmove from=\"torch-ext/p\" to=\".\"";
        let (_, tree) = Port::new(recipe).file("a", "").file("b/c", "").ok();
        assert_eq!(tree.into_keys().collect::<Vec<_>>(), ["a", "b/c"]);
    }

    #[test]
    fn a_directory_moves_into_its_own_subdirectory() {
        let (_, tree) = Port::new(r#"move from="a" to="a/b""#).file("a/x", "1").file("a/b/x", "2").ok();
        assert_eq!((tree["a/b/x"].as_str(), tree["a/b/b/x"].as_str()), ("1", "2"));
    }

    #[test]
    fn destinations_that_are_taken_are_refused() {
        let failure = Port::new(r#"move from="x.py" to="pkg""#).file("x.py", "1").file("pkg/a", "").fails();
        assert_eq!(failure.message, "`pkg` is a directory");
        let failure = Port::new(r#"move from="d" to="x.py""#).file("d/a", "1").file("x.py", "2").fails();
        assert_eq!(failure.message, "`x.py` is a file, but `x.py/a` needs a directory there");
        let failure = Port::new(r#"move from="a" to=".""#).file("a", "1").fails();
        assert_eq!(failure.message, "`a` is a file and cannot become the top of the tree");
    }

    #[test]
    fn a_path_that_is_gone_names_the_nearest() {
        let failure = Port::new(r#"move from="src/pkg" to="x""#).file("source/pkg/a.py", "").fails();
        assert_eq!(failure.message, "from=\"src/pkg\" is neither a file nor a directory of the tree");
        assert_eq!(failure.hints, ["nearest paths: source/pkg"]);
    }

    #[test]
    fn moving_onto_itself_is_a_mistake_of_the_recipe() {
        let errors = Port::new(r#"move from="a" to="a""#).build_errors();
        assert_eq!(errors, ["1:18: move: from and to are the same, \"a\""]);
    }
}
