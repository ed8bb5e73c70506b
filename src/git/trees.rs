//! The tree of any commit, read from the object database alone: paths and modes at once, contents when they are asked for.

use super::history::{History, HistoryError};
use super::layout::{format_of, object_id};
use super::objects::{Blob, ObjectError, Objects};
use crate::recipe::CommitSha;
use crate::workspace::{Content, Entry, RepoPath, Workspace};
use std::sync::Arc;

/// The files of a commit. Its submodules are known as absent: their files are in other repositories.
pub(super) fn of_commit(objects: &Arc<Objects>, commit: &CommitSha) -> Result<Workspace, ObjectError> {
    let id = object_id(commit.as_str(), objects.format()).ok_or_else(|| {
        ObjectError::Missing(format!("{commit} has not as many digits as the ids of this repository"))
    })?;
    let listing = objects.list(id)?;
    let entries = listing.files.into_iter().map(|(path, (id, mode))| {
        let blob = Blob { objects: objects.clone(), id };
        Entry::upstream(path, Content::Stored(Arc::new(blob)), mode)
    });
    let submodules: Vec<RepoPath> = listing.submodules.into_keys().collect();
    Ok(Workspace::new(entries).without(&submodules))
}

impl History {
    /// The files that a commit tracks.
    ///
    /// # Errors
    /// The commit is not here, or it tracks a path that no tree can hold.
    pub fn workspace(&self, commit: &CommitSha) -> Result<Workspace, HistoryError> {
        self.tree(commit)?;
        let directory = self.common().join("objects");
        let objects = Objects::open(&directory, format_of(commit.as_str()));
        let tree = objects.and_then(|objects| of_commit(&objects, commit));
        tree.map_err(|error| HistoryError {
            message: format!("commit {}: {error}", commit.short()),
            help: None,
        })
    }
}
