//! The tree of any commit, read from the object database alone: paths and modes at once, contents when they are asked for.

use super::history::{History, HistoryError};
use super::layout::{format_of, object_id};
use super::objects::{Blob, ObjectError, Objects};
use crate::recipe::CommitSha;
use crate::workspace::{Content, Directory, Entry, RepoPath, Workspace};
use git2::Oid;
use std::path::Path;
use std::sync::Arc;

/// Submodules in submodules: more than anybody has.
const MAX_NESTED: usize = 16;

/// The files of a commit. Its submodules are known as absent: their files are in other repositories.
pub(super) fn of_commit(objects: &Arc<Objects>, commit: &CommitSha) -> Result<Workspace, ObjectError> {
    with_submodules(objects, commit, None)
}

/// The files of a commit, and those of the submodules that `modules`, a repository's directory of that name, has.
fn with_submodules(
    objects: &Arc<Objects>,
    commit: &CommitSha,
    modules: Option<&Path>,
) -> Result<Workspace, ObjectError> {
    let id = object_id(commit.as_str(), objects.format()).ok_or_else(|| {
        ObjectError::Missing(format!("{commit} has not as many digits as the ids of this repository"))
    })?;
    let mut tree = Gathered::default();
    tree.add(objects, id, &Directory::Root, modules, 0)?;
    Ok(Workspace::new(tree.entries).without(&tree.absent))
}

#[derive(Default)]
struct Gathered {
    entries: Vec<(RepoPath, Entry)>,
    absent: Vec<RepoPath>,
}

impl Gathered {
    fn add(
        &mut self,
        objects: &Arc<Objects>,
        commit: Oid,
        at: &Directory,
        modules: Option<&Path>,
        depth: usize,
    ) -> Result<(), ObjectError> {
        let place = |path: &RepoPath| {
            let unusable =
                |e| ObjectError::Unusable(format!("the submodule {at} tracks `{path}`, which {e}"));
            at.join(path.as_bytes()).map_err(unusable)
        };
        let listing = objects.list(commit)?;
        for (path, (id, mode)) in listing.files {
            let blob = Blob { objects: objects.clone(), id };
            self.entries.push(Entry::upstream(place(&path)?, Content::Stored(Arc::new(blob)), mode));
        }
        for (path, id) in listing.submodules {
            // Which repository an object comes from makes no difference: its id is the hash of its bytes.
            let git = modules.map(|modules| modules.join(path.as_os_path())).filter(|_| depth < MAX_NESTED);
            let own = git.as_ref().and_then(|git| Objects::open(&git.join("objects"), objects.format()).ok());
            let whole = place(&path)?;
            match own.zip(git).filter(|(own, _)| own.has(id)) {
                Some((own, git)) => {
                    let below = Directory::Path(whole);
                    self.add(&own, id, &below, Some(&git.join("modules")), depth + 1)?;
                }
                None => self.absent.push(whole),
            }
        }
        Ok(())
    }
}

impl History {
    /// The files that a commit tracks, and those of its submodules that this repository has at the recorded commits.
    ///
    /// # Errors
    /// The commit is not here, or it tracks a path that no tree can hold.
    pub fn workspace(&self, commit: &CommitSha) -> Result<Workspace, HistoryError> {
        self.tree(commit)?;
        let directory = self.common().join("objects");
        let objects = Objects::open(&directory, format_of(commit.as_str()));
        let tree = objects
            .and_then(|objects| with_submodules(&objects, commit, Some(&self.common().join("modules"))));
        tree.map_err(|error| HistoryError {
            message: format!("commit {}: {error}", commit.short()),
            help: None,
        })
    }
}
