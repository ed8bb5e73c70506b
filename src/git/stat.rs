//! What the system says about a file of a checkout, asked from an open directory.

use super::objects::file_mode;
use crate::workspace::{Mode, RepoPath};
use rustix::fs::{AtFlags, CWD, FileType, OFlags, openat, statat};
use rustix::path::Arg;
use std::ffi::OsStr;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// A file, a link not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    /// What kind of file it is.
    pub kind: FileType,
    /// As a tree would have it; `None` for what is neither a regular file nor a link.
    pub mode: Option<Mode>,
    /// In bytes.
    pub size: u64,
    /// Its number in the file system.
    pub inode: u64,
    /// When its content changed: seconds and nanoseconds.
    pub mtime: (i64, i64),
    /// When anything about it changed: seconds and nanoseconds.
    pub ctime: (i64, i64),
}

/// Opens a directory to ask about what is in it.
///
/// # Errors
/// The system's.
pub(super) fn open(directory: &Path) -> io::Result<OwnedFd> {
    open_with(CWD, directory, OFlags::empty())
}

/// As [`open`], from a directory around it and unless it is a link.
///
/// # Errors
/// The system's.
pub(super) fn open_below(around: impl AsFd, directory: impl Arg) -> io::Result<OwnedFd> {
    open_with(around, directory, OFlags::NOFOLLOW)
}

fn open_with(around: impl AsFd, directory: impl Arg, more: OFlags) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC | more;
    Ok(openat(around, directory, flags, rustix::fs::Mode::empty())?)
}

impl Stat {
    /// What is there; `None` when nothing is, or it cannot be looked at.
    pub(super) fn at(directory: impl AsFd, path: impl Arg) -> Option<Self> {
        let stat = statat(directory, path, AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // The types differ from system to system.
        #[allow(
            clippy::cast_possible_wrap,
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            clippy::useless_conversion
        )]
        Some(Self {
            kind: FileType::from_raw_mode(stat.st_mode),
            mode: file_mode(stat.st_mode.into()),
            size: stat.st_size as u64,
            inode: stat.st_ino.into(),
            mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }

    /// What is at a path below the top of a work tree, unless a link is above it.
    pub(super) fn below(top: impl AsFd, path: &RepoPath) -> Option<Self> {
        let at = |path: &RepoPath| Self::at(&top, OsStr::from_bytes(path.as_bytes()));
        let mut around = path.ancestors();
        around
            .all(|above| at(&above).is_some_and(|stat| stat.kind == FileType::Directory))
            .then(|| at(path))?
    }
}
