//! Loads a plain directory: every file below it, unread. Never follows a symlink, never leaves the directory.

use super::{Content, Entry, Mode, RepoPath, Stored, Workspace};
use crate::ops::{Failure, FailureKind, Note};
use rustix::fs::OFlags;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
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
        let named = |e: io::Error| io::Error::new(e.kind(), format!("{}: {e}", self.path.display()));
        let bytes = read_regular(&self.path).map_err(named)?;
        if bytes.len() as u64 != self.size {
            return Err(named(io::Error::other("the file changed while it was being ported")));
        }
        Ok(bytes.into())
    }

    fn file(&self) -> Option<Cow<'_, Path>> {
        Some(Cow::Borrowed(&self.path))
    }

    fn size(&self) -> Option<u64> {
        Some(self.size)
    }
}

/// Reads a file that was a regular one when the directory was walked: a link or a pipe that took its place is refused.
fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC).bits();
    #[expect(clippy::cast_possible_wrap, reason = "the system's flags are small")]
    let mut file = OpenOptions::new().read(true).custom_flags(flags as i32).open(path)?;
    let meta = file.metadata()?;
    if !meta.is_file() {
        return Err(io::Error::other("is no regular file any more"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or(0));
    file.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// As many empty directories are named.
const SHOWN: usize = 5;

/// One regular file or symlink, unread, and its mode.
///
/// # Errors
/// The system's; that it is neither.
pub fn file(path: &Path) -> io::Result<(Content, Mode)> {
    let meta = fs::symlink_metadata(path)?;
    if meta.is_symlink() {
        let target = fs::read_link(path)?;
        return Ok((target.as_os_str().as_bytes().to_vec().into(), Mode::Symlink));
    }
    if !meta.is_file() {
        return Err(io::Error::other("is neither a file nor a symlink"));
    }
    // The owner's bit, as git has it.
    let mode = if meta.permissions().mode() & 0o100 == 0 { Mode::File } else { Mode::Executable };
    let stored = DiskFile { path: path.to_path_buf(), size: meta.len() };
    Ok((Content::Stored(Arc::new(stored)), mode))
}

/// Every file below `directory` except `.git`, with what a reader should know besides.
///
/// # Errors
/// The directory, or one below it, cannot be read.
pub fn directory(directory: &Path) -> Result<(Workspace, Vec<Note>), Failure> {
    let mut entries = Vec::new();
    let mut notes = Vec::new();
    let mut empty: BTreeSet<PathBuf> = BTreeSet::new();
    let root = fs::canonicalize(directory).map_err(|e| Failure::read_dir(directory, &e))?;
    let walk = WalkDir::new(&root).follow_links(false).follow_root_links(false).min_depth(1);
    for item in walk.sort_by_file_name().into_iter().filter_entry(|e| e.file_name() != ".git") {
        let item = item.map_err(|e| {
            let path = e.path().unwrap_or(directory).to_path_buf();
            Failure::read_dir(&path, &e.into())
        })?;
        let kind = item.file_type();
        let below = item.path().strip_prefix(&root).unwrap_or(item.path());
        if let Some(parent) = below.parent() {
            empty.remove(parent);
        }
        if kind.is_dir() {
            empty.insert(below.to_path_buf());
            continue;
        }
        let path = RepoPath::new(below.as_os_str().as_bytes())
            .map_err(|e| Failure::new(FailureKind::Refused, format!("{} {e}", item.path().display())))?;
        if !kind.is_file() && !kind.is_symlink() {
            notes.push(Note::Warning(format!("`{path}` is neither a file nor a symlink and is left out")));
            continue;
        }
        let (content, mode) = file(item.path()).map_err(|e| Failure::read_dir(item.path(), &e))?;
        entries.push(Entry::upstream(path, content, mode));
    }
    notes.extend(empty_directories(&empty));
    Ok((Workspace::new(entries), notes))
}

/// A tree holds files; a directory without any cannot be in it.
fn empty_directories(empty: &BTreeSet<PathBuf>) -> Option<Note> {
    let mut names: Vec<String> = empty
        .iter()
        .take(SHOWN)
        .map(|p| {
            RepoPath::new(p.as_os_str().as_bytes())
                .map_or_else(|_| p.display().to_string(), |p| p.to_string())
        })
        .collect();
    if names.is_empty() {
        return None;
    }
    if empty.len() > SHOWN {
        names.push("...".to_owned());
    }
    let number = crate::report::plural(empty.len(), ("empty directory is", "empty directories are"));
    Some(Note::Warning(format!("{number} left out: {}", names.join(", "))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(root: &Path) -> (Vec<String>, Vec<Note>) {
        let (tree, notes) = directory(root).unwrap();
        let show = |(path, entry): (&RepoPath, &Entry)| {
            let text = String::from_utf8_lossy(&entry.content.read().unwrap()).into_owned();
            format!("{} {path} {text}", entry.mode.as_git())
        };
        (tree.iter().map(show).collect(), notes)
    }

    #[test]
    fn links_modes_and_odd_names_are_kept_and_links_not_followed() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path();
        fs::create_dir_all(top.join("d/.git")).unwrap();
        fs::create_dir(top.join(".git")).unwrap();
        fs::write(top.join(".git/config"), "").unwrap();
        fs::write(top.join("d/.git/x"), "").unwrap();
        fs::write(top.join("d/.hidden"), "h").unwrap();
        fs::write(top.join("run"), "r").unwrap();
        fs::set_permissions(top.join("run"), fs::Permissions::from_mode(0o744)).unwrap();
        fs::write(top.join(std::ffi::OsStr::from_bytes(b"caf\xe9")), "c").unwrap();
        fs::write(top.join("a\\b"), "b").unwrap();
        for (target, link) in [("d", "to-dir"), ("/etc", "away"), (".", "loop"), ("gone", "broken")] {
            std::os::unix::fs::symlink(target, top.join(link)).unwrap();
        }
        let (files, notes) = list(top);
        assert_eq!(
            files,
            [
                "100644 a\\b b",
                "120000 away /etc",
                "120000 broken gone",
                "100644 caf\\xe9 c",
                "100644 d/.hidden h",
                "120000 loop .",
                "100755 run r",
                "120000 to-dir d"
            ]
        );
        assert_eq!(notes, []);
    }

    #[test]
    fn pipes_and_empty_directories_are_left_out_with_a_note() {
        let root = tempfile::tempdir().unwrap();
        let top = root.path();
        for name in ["e1", "e2/deep", "full"] {
            fs::create_dir_all(top.join(name)).unwrap();
        }
        fs::write(top.join("full/a"), "").unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(top.join("full/socket")).unwrap();
        let (files, notes) = list(top);
        assert_eq!(files, ["100644 full/a "]);
        assert_eq!(
            notes,
            [
                Note::Warning("`full/socket` is neither a file nor a symlink and is left out".into()),
                Note::Warning("2 empty directories are left out: e1, e2/deep".into()),
            ]
        );
    }

    #[test]
    fn a_file_that_changes_or_vanishes_after_the_walk_is_an_error() {
        let root = tempfile::tempdir().unwrap();
        for name in ["gone", "grown", "link"] {
            fs::write(root.path().join(name), "x").unwrap();
        }
        let (tree, _) = directory(root.path()).unwrap();
        fs::remove_file(root.path().join("gone")).unwrap();
        fs::write(root.path().join("grown"), "xy").unwrap();
        fs::remove_file(root.path().join("link")).unwrap();
        std::os::unix::fs::symlink("grown", root.path().join("link")).unwrap();
        let error = |name: &str| tree.read(&RepoPath::new(name).unwrap()).unwrap_err().to_string();
        assert!(error("gone").contains("gone: No such file"));
        assert!(error("grown").ends_with("grown: the file changed while it was being ported"));
        assert!(error("link").contains("link: "));
    }

    #[test]
    fn a_directory_that_is_a_link_is_resolved_once() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("real")).unwrap();
        fs::write(root.path().join("real/a"), "").unwrap();
        std::os::unix::fs::symlink("real", root.path().join("link")).unwrap();
        assert_eq!(list(&root.path().join("link")).0, ["100644 a "]);
        assert!(directory(&root.path().join("none")).unwrap_err().message.starts_with("cannot read "));
    }
}
