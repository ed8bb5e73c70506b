//! What the system says about a file of a checkout, asked from the top of it: a path is as long as the commit has it, and the
//! directories above the checkout are not walked for every file.

use super::objects::file_mode;
use crate::workspace::{Mode, RepoPath};
use rustix::fs::{AtFlags, OFlags, statat};
use std::ffi::OsStr;
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// The top of a work tree.
#[derive(Debug)]
pub(super) struct Top(OwnedFd);

/// A file, a link not followed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stat {
    mode: u32,
    /// In bytes.
    pub size: u64,
    /// Its number in the file system.
    pub inode: u64,
    /// When its content changed: seconds and nanoseconds.
    pub mtime: (i64, i64),
    /// When anything about it changed: seconds and nanoseconds.
    pub ctime: (i64, i64),
}

impl Top {
    /// Opens the directory.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn open(directory: &Path) -> io::Result<Self> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Ok(Self(rustix::fs::open(directory, flags, rustix::fs::Mode::empty())?))
    }

    /// What is at a path; `None` when nothing is, or it cannot be looked at.
    pub(super) fn stat(&self, path: &RepoPath) -> Option<Stat> {
        let stat = statat(&self.0, OsStr::from_bytes(path.as_bytes()), AtFlags::SYMLINK_NOFOLLOW).ok()?;
        // The types differ from system to system.
        #[allow(
            clippy::cast_possible_wrap,
            clippy::cast_sign_loss,
            clippy::unnecessary_cast,
            clippy::useless_conversion
        )]
        Some(Stat {
            mode: stat.st_mode.into(),
            size: stat.st_size as u64,
            inode: stat.st_ino.into(),
            mtime: (stat.st_mtime as i64, stat.st_mtime_nsec as i64),
            ctime: (stat.st_ctime as i64, stat.st_ctime_nsec as i64),
        })
    }
}

impl Stat {
    /// As a tree would have it; `None` for what is neither a regular file nor a link.
    pub(super) fn mode(&self) -> Option<Mode> {
        file_mode(self.mode)
    }

    /// Whether it is a directory.
    pub(super) fn is_dir(&self) -> bool {
        self.mode & 0o170_000 == 0o040_000
    }
}
