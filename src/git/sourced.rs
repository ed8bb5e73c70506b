//! The tree of a pin: what its commit tracks, in the bytes the commit has. The work tree saves a trip to the object database
//! only for a file whose bytes hash to the recorded id.

use super::checkout::{Checkout, source};
use super::objects::Objects;
use super::status::{State, Status, Tracked, WorkTree};
use crate::ops::{Evidence, Failure};
use crate::workspace::{Content, Entry, Last, Mode, RepoPath, Stored, Workspace, load};
use git2::Oid;
use std::borrow::Cow;
use std::cell::Cell;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// A pinned tree and what was wrong with the checkout.
#[derive(Debug, Clone)]
pub struct Sourced {
    /// The files; knows the submodules whose files are not there.
    pub tree: Workspace,
    /// Where the checkout differs from its commit; empty when it is clean.
    pub dirty: Vec<Evidence>,
}

/// A tracked file: the blob, or the work tree's file where that is proven to be the same.
struct TrackedFile {
    work_tree: Arc<WorkTree>,
    path: RepoPath,
    id: Oid,
    link: bool,
    same: OnceLock<bool>,
}

/// From this size on the kernel copies the file, after it was hashed; below it the bytes that were hashed are the
/// ones that are used.
const LARGE: u64 = 64 << 20;

thread_local! {
    /// What a file is read into before it is shared, so that no two places are needed for every file.
    static SPARE: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// A larger one is not kept.
const MAX_SPARE: usize = 1 << 20;

impl TrackedFile {
    fn objects(&self) -> &Objects {
        &self.work_tree.objects
    }

    fn full(&self) -> PathBuf {
        self.work_tree.full(&self.path)
    }

    /// The bytes of the work tree if they are the blob's, else the blob.
    fn proven(&self, spare: &mut Vec<u8>) -> io::Result<Last> {
        let full = self.full();
        spare.clear();
        let on_disk = match self.link {
            true => fs::read_link(&full).map(|target| spare.extend_from_slice(target.as_os_str().as_bytes())),
            false => File::open(&full).and_then(|mut file| file.read_to_end(spare).map(drop)),
        };
        if on_disk.is_ok() && self.objects().is_blob(spare, self.id) {
            return Ok(Last::Own(std::mem::take(spare)));
        }
        let blob = self.objects().blob(self.id);
        blob.map(Last::Shared).map_err(|error| io::Error::other(format!("{}: {error}", full.display())))
    }
}

impl Stored for TrackedFile {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        self.objects().kept(self.id, || {
            let mut spare = SPARE.take();
            let content = match self.proven(&mut spare)? {
                Last::Own(bytes) => {
                    spare = bytes;
                    spare.as_slice().into()
                }
                Last::Shared(bytes) => bytes,
            };
            if spare.capacity() <= MAX_SPARE {
                SPARE.set(spare);
            }
            Ok(content)
        })
    }

    fn read_last(&self, spare: &mut Vec<u8>) -> io::Result<Last> {
        self.objects().known(self.id).map_or_else(|| self.proven(spare), |bytes| Ok(Last::Shared(bytes)))
    }

    fn file(&self) -> Option<Cow<'_, Path>> {
        let full = self.full();
        let large = || fs::symlink_metadata(&full).is_ok_and(|m| m.is_file() && m.len() >= LARGE);
        let same = self.same.get_or_init(|| large() && self.objects().is_blob_file(&full, self.id));
        (!self.link && *same).then_some(full.into())
    }

    fn size(&self) -> Option<u64> {
        self.objects().size(self.id)
    }

    fn size_above(&self, limit: u64) -> Option<u64> {
        // A blob that is not in the work tree is measured when it is read.
        let on_disk = || fs::symlink_metadata(self.full()).is_ok_and(|m| m.len() > limit);
        if self.objects().known(self.id).is_some() || !on_disk() {
            return None;
        }
        self.size().filter(|size| *size > limit)
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
        let untracked = paths
            .filter(|path| status.files.binary_search_by(|(tracked, _)| tracked.cmp(path)).is_err())
            .map(|path| Evidence { path: path.clone(), position: None, text: "untracked".to_owned() });
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
        let Status { files, absent, dirty } = self.status()?;
        if !dirty.is_empty() && !allow_dirty {
            return Err(self.not_clean(dirty));
        }
        let mut entries = Vec::with_capacity(files.len());
        for (path, tracked) in files {
            let (content, mode) = match tracked.state {
                State::Gone => continue,
                State::Clean(id, mode) => (clean(tracked, id, mode), mode),
                State::Changed => {
                    let full = tracked.work_tree.full(&tracked.path);
                    load::file(&full).map_err(|e| Failure::read_dir(&full, &e))?
                }
            };
            entries.push(Entry::upstream(path, content, mode));
        }
        Ok(Sourced { tree: Workspace::new(entries).without(&absent), dirty })
    }

    fn not_clean(&self, dirty: Vec<Evidence>) -> Failure {
        let shown = self.layout.top.display();
        let number = crate::report::plural(dirty.len(), ("file differs", "files differ"));
        source(format!("the checkout {shown} is not clean: {number} from its commit"))
            .evidence(dirty)
            .hint(format!("{} stash --include-untracked puts the changes aside", self.git()))
            .hint("--allow-dirty ports tracked files as they are, and provenance says so")
    }
}

fn clean(tracked: Tracked, id: Oid, mode: Mode) -> Content {
    let Tracked { work_tree, path, .. } = tracked;
    let file = TrackedFile { work_tree, path, id, link: mode == Mode::Symlink, same: OnceLock::new() };
    Content::Stored(Arc::new(file))
}
