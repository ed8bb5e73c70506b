//! The tree of a commit, read from the object database: paths and modes at once, contents when they are asked for.

use super::history::{History, HistoryError, git_error};
use crate::recipe::CommitSha;
use crate::workspace::{Content, Entry, Mode, RepoPath, Stored, Workspace};
use git2::{ObjectType, Oid, Repository};
use std::io;
use std::sync::{Arc, Mutex};

/// A blob of a repository.
struct Blob {
    repository: Arc<Mutex<Repository>>,
    id: Oid,
}

impl Stored for Blob {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        let repository = self.repository.lock().map_err(|_| io::Error::other("another thread failed"))?;
        let blob =
            repository.find_blob(self.id).map_err(|e| io::Error::other(format!("git: {}", e.message())))?;
        Ok(blob.content().into())
    }
}

impl History {
    /// The files that a commit tracks.
    ///
    /// # Errors
    /// The commit is not here, or it tracks a path that no tree can hold.
    pub fn workspace(&self, commit: &CommitSha) -> Result<Workspace, HistoryError> {
        let again = Repository::open(self.path()).map_err(git_error)?;
        let repository = Arc::new(Mutex::new(again));
        let mut entries = Vec::new();
        let mut pending = vec![(Vec::new(), self.tree(commit)?)];
        while let Some((directory, tree)) = pending.pop() {
            for entry in &tree {
                let name = [directory.as_slice(), entry.name_bytes()].concat();
                match entry.kind() {
                    Some(ObjectType::Tree) => {
                        let below = self.repository().find_tree(entry.id()).map_err(git_error)?;
                        pending.push(([name.as_slice(), b"/"].concat(), below));
                    }
                    Some(ObjectType::Blob) => {
                        let path = RepoPath::new(&name).map_err(|error| HistoryError {
                            message: format!("commit {}: `{}` {error}", commit.short(), name.escape_ascii()),
                            help: None,
                        })?;
                        let stored = Blob { repository: repository.clone(), id: entry.id() };
                        entries.push(Entry::upstream(
                            path,
                            Content::Stored(Arc::new(stored)),
                            mode(entry.filemode()),
                        ));
                    }
                    // A submodule: its files are another repository's.
                    _ => {}
                }
            }
        }
        Ok(Workspace::new(entries))
    }
}

fn mode(git: i32) -> Mode {
    match git {
        0o100_755 => Mode::Executable,
        0o120_000 => Mode::Symlink,
        _ => Mode::File,
    }
}
