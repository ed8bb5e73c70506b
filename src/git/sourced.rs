//! The tree of a pinned checkout: what its commit tracks, in the bytes the commit has. The work tree saves a trip to the
//! object database only for a file whose bytes hash to the recorded id.

use super::checkout::{Checkout, source};
use super::status::{Status, Tracked, is_blob};
use crate::ops::{Evidence, Failure};
use crate::workspace::{Content, Entry, Mode, RepoPath, Stored, Workspace};
use git2::{Oid, Repository};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

/// A pinned tree and what was wrong with the checkout.
#[derive(Debug, Clone)]
pub struct Sourced {
    /// The files.
    pub tree: Workspace,
    /// Where the checkout differs from its commit; empty when it is clean.
    pub dirty: Vec<Evidence>,
    /// Submodules whose files are not there.
    pub absent: Vec<RepoPath>,
}

struct TrackedFile {
    repository: Arc<Mutex<Repository>>,
    id: Oid,
    path: PathBuf,
    link: bool,
}

impl Stored for TrackedFile {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        let on_disk = match self.link {
            true => fs::read_link(&self.path).map(|t| t.as_os_str().as_bytes().to_vec()),
            false => fs::read(&self.path),
        };
        if let Ok(bytes) = on_disk
            && is_blob(&bytes, self.id)
        {
            return Ok(bytes.into());
        }
        let repository = self.repository.lock().map_err(|_| io::Error::other("another thread failed"))?;
        let blob = repository.find_blob(self.id).map_err(|e| {
            io::Error::other(format!(
                "{} is not in the object database: {}",
                self.path.display(),
                e.message()
            ))
        })?;
        Ok(blob.content().into())
    }
}

/// A tracked file as it is on disk, changes included.
struct DirtyFile {
    path: PathBuf,
}

impl Stored for DirtyFile {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        fs::read(&self.path).map(Arc::from)
    }
}

impl Checkout {
    /// What git could not give back: where the work tree differs from HEAD's commit, and which of `paths` the commit
    /// does not track, ignored files among them.
    ///
    /// # Errors
    /// The checkout cannot be read.
    pub fn irrecoverable<'p>(
        &self,
        paths: impl Iterator<Item = &'p RepoPath>,
    ) -> Result<Vec<Evidence>, Failure> {
        let status = self.status()?;
        let untracked = paths.filter(|path| !status.files.contains_key(*path)).map(|path| Evidence {
            path: path.clone(),
            position: None,
            text: "untracked".to_owned(),
        });
        let mut all = status.dirty.clone();
        all.extend(untracked);
        all.sort();
        all.dedup();
        Ok(all)
    }

    /// The tree of HEAD. With `allow_dirty` tracked files come as the work tree has them.
    ///
    /// # Errors
    /// The checkout cannot be read, or is not clean and that is not allowed.
    pub fn sourced(&self, allow_dirty: bool) -> Result<Sourced, Failure> {
        let mut status = self.status()?;
        let mut entries = Vec::new();
        let mut absent = Vec::new();
        let submodules = std::mem::take(&mut status.submodules);
        for (path, id) in submodules {
            let full = self.top.join(path.as_os_path());
            if !full.join(".git").exists() {
                absent.push(path);
                continue;
            }
            let inner = Self::open(&full)?;
            let head = inner.lock()?.head().and_then(|h| h.peel_to_commit()).map(|c| c.id());
            if head.ok() != Some(id) {
                status.dirty.push(Evidence {
                    path: path.clone(),
                    position: None,
                    text: format!("submodule at another commit than {id}"),
                });
            }
            let below = inner.sourced(allow_dirty)?;
            absent.extend(below.absent.iter().filter_map(|p| path.join(p.as_bytes()).ok()));
            for (inner_path, entry) in below.tree.iter() {
                if let Ok(joined) = path.join(inner_path.as_bytes()) {
                    entries.push(Entry::upstream(joined, entry.content.clone(), entry.mode));
                }
            }
        }
        if !status.dirty.is_empty() && !allow_dirty {
            return Err(self.not_clean(status.dirty));
        }
        for (path, tracked) in &status.files {
            if let Some((content, mode)) = self.content(&status, path, tracked) {
                entries.push(Entry::upstream(path.clone(), content, mode));
            }
        }
        Ok(Sourced { tree: Workspace::new(entries), dirty: status.dirty, absent })
    }

    fn content(&self, status: &Status, path: &RepoPath, tracked: &Tracked) -> Option<(Content, Mode)> {
        let full = self.top.join(path.as_os_path());
        let changed =
            status.dirty.binary_search_by(|e| e.path.cmp(path)).ok().map(|at| status.dirty[at].text.as_str());
        if let Some(change) = changed.filter(|c| !c.starts_with("staged")) {
            if change == "missing" || change == "no longer a file" {
                return None;
            }
            let meta = fs::symlink_metadata(&full).ok()?;
            if meta.is_symlink() {
                let target = fs::read_link(&full).ok()?;
                return Some((target.as_os_str().as_bytes().to_vec().into(), Mode::Symlink));
            }
            let executable = std::os::unix::fs::PermissionsExt::mode(&meta.permissions()) & 0o100 != 0;
            let mode = if executable { Mode::Executable } else { Mode::File };
            return Some((Content::Stored(Arc::new(DirtyFile { path: full })), mode));
        }
        let stored = TrackedFile {
            repository: self.repository.clone(),
            id: tracked.id,
            path: full,
            link: tracked.mode == Mode::Symlink,
        };
        Some((Content::Stored(Arc::new(stored)), tracked.mode))
    }

    fn not_clean(&self, dirty: Vec<Evidence>) -> Failure {
        let number = crate::report::plural(dirty.len(), ("file differs", "files differ"));
        source(format!("the checkout {} is not clean: {number} from its commit", self.top.display()))
            .evidence(dirty)
            .hint(format!("git -C {} stash --include-untracked puts the changes aside", self.top.display()))
            .hint("--allow-dirty ports tracked files as they are, and provenance says so")
    }
}
