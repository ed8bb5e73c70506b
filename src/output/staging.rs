//! The directory beside an output in which the next one is built, and what killed runs left of theirs.
//!
//! `.kernel-port-<process>-<number>` holds `owner` (locked while its run lives), `tree` (the new output, after the swap the old
//! one) and, where the swap takes two steps, `old`.

use super::JOURNAL;
use super::error::{OutputError, shown};
use super::lock::Lock;
use super::materialise::make_directory;
use super::remove::remove_tree;
use super::syscalls::{rename_new, try_lock};
use std::ffi::{OsStr, OsString};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

const PREFIX: &str = ".kernel-port-";
const OWNER: &str = "owner";
/// First line of the owner file; the name of the output follows.
const MAGIC: &[u8] = b"kernel-port builds an output here; it is safe to remove when no kernel-port runs\n";
/// Longest owner file that is read.
const MAX_OWNER: u64 = 8 * 1024;

/// A staging directory of this run; removed when dropped.
pub(super) struct Staging {
    path: PathBuf,
    owner: File,
    removed: bool,
}

impl Staging {
    /// Makes a staging directory in `parent` for the output called `name`, and clears what killed runs left there.
    /// The notes say what was cleared.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn create(
        parent: &Path,
        name: &OsStr,
        notes: &mut Vec<String>,
    ) -> Result<io::Result<Self>, OutputError> {
        let _lock = Lock::wait(parent)?;
        Ok(Self::build(parent, name).inspect(|staging| clear_leftovers(parent, staging, notes)))
    }

    fn build(parent: &Path, name: &OsStr) -> io::Result<Self> {
        let path = make_unique(parent)?;
        let owner = own(&path, name).inspect_err(|_| {
            let _ = remove_tree(&path);
        })?;
        Ok(Self { path, owner, removed: false })
    }

    /// The new output, until it is swapped in; then what it replaced.
    pub(super) fn tree(&self) -> PathBuf {
        self.path.join("tree")
    }

    /// Where the old output waits when the swap takes two steps.
    pub(super) fn old(&self) -> PathBuf {
        self.path.join("old")
    }

    /// Removes all of it.
    ///
    /// # Errors
    /// The path that stays, and the system's error.
    pub(super) fn remove(mut self) -> Result<(), (PathBuf, io::Error)> {
        self.removed = true;
        remove_tree(&self.path).map_err(|e| (self.path.clone(), e))
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        // The old output must not go with it, should it still be there.
        if !self.removed && !exists(&self.old()) {
            let _ = remove_tree(&self.path);
        }
    }
}

/// Makes `.kernel-port-<process>-<number>`. The name is not trusted to be unique: a container has process numbers
/// of its own.
fn make_unique(parent: &Path) -> io::Result<PathBuf> {
    for number in 0.. {
        let path = parent.join(format!("{PREFIX}{}-{number}", std::process::id()));
        match DirBuilder::new().mode(0o700).create(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
    Err(io::ErrorKind::AlreadyExists.into())
}

/// Writes and locks the owner file, and makes the tree.
fn own(path: &Path, name: &OsStr) -> io::Result<File> {
    let mut options = OpenOptions::new();
    let mut owner = options.write(true).create_new(true).mode(0o600).open(path.join(OWNER))?;
    try_lock(&owner)?;
    owner.write_all(&[MAGIC, name.as_bytes(), b"\n"].concat())?;
    make_directory(&path.join("tree"))?;
    Ok(owner)
}

/// Removes the staging directories of runs that are no more, and puts back an output that one of them had moved
/// away. The lock on `parent` is held.
fn clear_leftovers(parent: &Path, own: &Staging, notes: &mut Vec<String>) {
    let Ok(entries) = fs::read_dir(parent) else { return };
    let Ok(uid) = own.owner.metadata().map(|m| m.uid()) else { return };
    for entry in entries.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        let ours = name.as_bytes().starts_with(PREFIX.as_bytes()) && name != JOURNAL && path != own.path;
        if !ours || !fs::symlink_metadata(&path).is_ok_and(|m| m.is_dir() && m.uid() == uid) {
            continue;
        }
        let Some(output) = abandoned(&path, uid) else { continue };
        let output = output.filter(|n| Path::new(n).file_name() == Some(n)).map(|name| parent.join(name));
        if let Some(output) = output
            && exists(&path.join("old"))
            && !exists(&output)
        {
            match rename_new(&path.join("old"), &output) {
                Ok(()) => notes
                    .push(format!("put back {}, which an interrupted run had moved away", shown(&output))),
                Err(error) => {
                    notes.push(format!("cannot put back {} from {}: {error}", shown(&output), shown(&path)));
                    continue;
                }
            }
        }
        match remove_tree(&path) {
            Ok(()) => notes.push(format!("removed {}, left by an interrupted run", shown(&path))),
            Err(error) => notes.push(format!("cannot remove {}: {error}", shown(&path))),
        }
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

/// Whether a directory is a staging directory whose run has ended: `Some` with the name of its output, where that
/// is known.
fn abandoned(path: &Path, uid: u32) -> Option<Option<OsString>> {
    let owner = match super::syscalls::open_regular(&path.join(OWNER)) {
        Ok((owner, _)) => owner,
        // Killed between the first two steps, as the lock on the parent is held during both.
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return is_empty(path).then_some(None);
        }
        Err(_) => return None,
    };
    if !owner.metadata().is_ok_and(|m| m.uid() == uid) || !try_lock(&owner).unwrap_or(false) {
        return None;
    }
    let mut text = Vec::new();
    owner.take(MAX_OWNER).read_to_end(&mut text).ok()?;
    if text.len() < MAGIC.len() {
        return MAGIC.starts_with(&text).then_some(None);
    }
    let name = text.strip_prefix(MAGIC)?.strip_suffix(b"\n")?;
    Some(Some(OsString::from_vec(name.to_vec())))
}

fn is_empty(path: &Path) -> bool {
    fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_none())
}
