//! The tree in memory: files with modes and lazily read contents, the changes ops make to it, and where every
//! file came from. Nothing here touches the disk, except to read a content that an op asks for.

mod apply;
mod change;
mod changeset;
mod content;
pub mod load;
mod path;
mod tree;

pub use apply::ApplyError;
pub use change::{Change, Origin, OverlapError, TextEdit, splice};
pub use changeset::{ChangeKind, ChangeSet, FileChange};
pub use content::{Content, Last, Stored};
pub use path::{Directory, PathError, RepoPath};
pub use tree::{Entry, Workspace};

/// The three kinds of file that git and the workspace know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Mode {
    /// `100644`
    File,
    /// `100755`
    Executable,
    /// `120000`; the content is the target.
    Symlink,
}

impl Mode {
    /// Git's spelling, six octal digits.
    pub fn as_git(self) -> &'static str {
        match self {
            Self::File => "100644",
            Self::Executable => "100755",
            Self::Symlink => "120000",
        }
    }
}
