//! `move`: renames a file or a directory, remembered as a move.

use super::select::{FILES_NOUN, files_at};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Op, OpSpec, Plan};
use crate::recipe::{ArgSpec, ArgType, Args};
use crate::report::plural;
use crate::workspace::{Change, Directory, RepoPath, Workspace};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "move",
    summary: "Renames a file or a directory",
    args: &[
        ArgSpec::required("from", ArgType::Path, "the file or directory; `.` is the whole tree"),
        ArgSpec::required("to", ArgType::Path, "its new path; nothing may be there"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are moved"),
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
