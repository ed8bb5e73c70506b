//! Loads a plain directory: every file below it, unread. Never follows a symlink, never leaves the directory.

use super::{Content, Entry, Mode, RepoPath, Stored, Workspace};
use crate::ops::{Failure, FailureKind, Note};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use walkdir::WalkDir;

/// A regular file on disk.
struct DiskFile {
    path: PathBuf,
    size: u64,
}

impl Stored for DiskFile {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        let bytes = fs::read(&self.path);
        bytes.map(Arc::from).map_err(|e| io::Error::new(e.kind(), format!("{}: {e}", self.path.display())))
    }

    fn file(&self) -> Option<&Path> {
        Some(&self.path)
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }
}

/// Every file below `directory` except `.git`, with what a reader should know besides.
///
/// # Errors
/// The directory, or one below it, cannot be read.
pub fn directory(directory: &Path) -> Result<(Workspace, Vec<Note>), Failure> {
    let mut entries = Vec::new();
    let mut notes = Vec::new();
    let root = fs::canonicalize(directory).map_err(|e| Failure::read_dir(directory, &e))?;
    let walk = WalkDir::new(&root).follow_links(false).follow_root_links(false).min_depth(1);
    for item in walk.into_iter().filter_entry(|e| e.file_name() != ".git") {
        let item = item.map_err(|e| {
            let path = e.path().unwrap_or(directory).to_path_buf();
            Failure::read_dir(&path, &e.into())
        })?;
        let kind = item.file_type();
        if kind.is_dir() {
            let empty = fs::read_dir(item.path()).is_ok_and(|mut entries| entries.next().is_none());
            if empty {
                let path = item.path().strip_prefix(&root).unwrap_or(item.path());
                notes
                    .push(Note::Warning(format!("{} is an empty directory and is left out", path.display())));
            }
            continue;
        }
        let below = item.path().strip_prefix(&root).unwrap_or(item.path());
        let path = RepoPath::new(below.as_os_str().as_bytes())
            .map_err(|e| Failure::new(FailureKind::Refused, format!("{} {e}", item.path().display())))?;
        if kind.is_symlink() {
            let target = fs::read_link(item.path()).map_err(|e| Failure::read_dir(item.path(), &e))?;
            let content = Content::from(target.as_os_str().as_bytes().to_vec());
            entries.push(Entry::upstream(path, content, Mode::Symlink));
        } else if kind.is_file() {
            let meta = item.metadata().map_err(|e| Failure::read_dir(item.path(), &e.into()))?;
            let mode = if meta.permissions().mode() & 0o111 == 0 { Mode::File } else { Mode::Executable };
            let stored = DiskFile { path: item.path().to_path_buf(), size: meta.len() };
            entries.push(Entry::upstream(path, Content::Stored(Arc::new(stored)), mode));
        } else {
            notes.push(Note::Warning(format!("`{path}` is neither a file nor a symlink and is left out")));
        }
    }
    Ok((Workspace::new(entries), notes))
}
