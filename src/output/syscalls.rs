//! The few calls that std does not have, each with what to do where the system lacks it.

use rustix::fs::{self, CWD, FlockOperation, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::fs::File;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Swaps two paths of one file system in one step.
///
/// # Errors
/// The system's; see [`lacks_exchange`] for those that mean it cannot do this at all.
pub(super) fn exchange(a: &Path, b: &Path) -> io::Result<()> {
    Ok(fs::renameat_with(CWD, a, CWD, b, RenameFlags::EXCHANGE)?)
}

/// Whether the error of [`exchange`] says that kernel or file system do not know it.
pub(super) fn lacks_exchange(error: &io::Error) -> bool {
    matches!(Errno::from_io_error(error), Some(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP))
}

/// Renames to a path where nothing stands.
///
/// # Errors
/// The system's; `AlreadyExists` when something stands there.
pub(super) fn rename_new(from: &Path, to: &Path) -> io::Result<()> {
    match fs::renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            if std::fs::symlink_metadata(to).is_ok() {
                return Err(io::ErrorKind::AlreadyExists.into());
            }
            std::fs::rename(from, to)
        }
        done => Ok(done?),
    }
}

/// Whether a directory must keep its place, so that only what it holds can be replaced: it is where a file system is
/// mounted, it lies on another one than its parent, or its parent may not be changed.
pub(super) fn is_fixed(error: &io::Error) -> bool {
    use io::ErrorKind::{CrossesDevices, PermissionDenied, ReadOnlyFilesystem, ResourceBusy};
    matches!(error.kind(), CrossesDevices | PermissionDenied | ReadOnlyFilesystem | ResourceBusy)
}

/// Opens a regular file for reading without following a link at its end, and without waiting for a pipe's writer.
///
/// # Errors
/// The system's, or that it is not a regular file.
pub(super) fn open_regular(path: &Path) -> io::Result<(File, u64)> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(fs::open(path, flags, Mode::empty())?);
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("is no regular file any more"));
    }
    Ok((file, meta.len()))
}

/// Takes an exclusive lock that ends with the process. `false` when somebody else holds it. A file system that
/// knows no locks grants them all.
///
/// # Errors
/// The system's, where locks are known.
pub(super) fn try_lock(file: &File) -> io::Result<bool> {
    match fs::flock(file, FlockOperation::NonBlockingLockExclusive) {
        Err(Errno::WOULDBLOCK) => Ok(false),
        Ok(()) | Err(Errno::NOSYS | Errno::NOLCK | Errno::NOTSUP | Errno::INVAL | Errno::BADF) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Shares the blocks of `source` with the empty file `copy`; `false` where the file system cannot.
pub(super) fn clone(source: &File, copy: &File) -> bool {
    #[cfg(target_os = "linux")]
    return fs::ioctl_ficlone(copy, source).is_ok();
    #[cfg(not(target_os = "linux"))]
    return false;
}

/// Which directory stands at a path, whatever its name: device and number.
pub(super) type Identity = Option<(u64, u64)>;

/// The directory at a path, links followed; `None` when there is none.
pub(super) fn identity(path: &Path) -> Identity {
    std::fs::metadata(path).ok().filter(std::fs::Metadata::is_dir).map(|m| (m.dev(), m.ino()))
}

/// Brings everything written to the file system of `directory` to the disk. One call for a whole tree: 0.15 s where
/// `fsync` of each of 7,000 files takes 3 s.
///
/// # Errors
/// The disk's: a write that failed late shows here.
pub(super) fn sync_tree(directory: &Path) -> io::Result<()> {
    let open = File::open(directory)?;
    #[cfg(target_os = "linux")]
    fs::syncfs(&open)?;
    #[cfg(not(target_os = "linux"))]
    fs::sync();
    open.sync_all()
}

/// Brings the entries of one directory to the disk. Some file systems cannot; the rename is done all the same.
pub(super) fn sync_directory(directory: &Path) {
    if let Ok(open) = File::open(directory) {
        let _ = open.sync_all();
    }
}
