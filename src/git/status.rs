//! Whether a checkout is clean, judged by content: no setting of the repository, the user or the environment and no
//! index flag can hide a change. The index saves reading only where its times prove that a file is untouched.

use super::checkout::{Checkout, source};
use crate::ops::{Evidence, Failure};
use crate::workspace::{Mode, RepoPath};
use git2::{Index, ObjectType, Oid, Repository};
use ignore::WalkBuilder;
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};

/// A file that the commit tracks.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    pub id: Oid,
    pub mode: Mode,
}

/// What the commit tracks, and where the work tree differs from it.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// By path.
    pub files: BTreeMap<RepoPath, Tracked>,
    /// Submodules and the commits they are recorded at.
    pub submodules: BTreeMap<RepoPath, Oid>,
    /// Every difference: path, and what it is.
    pub dirty: Vec<Evidence>,
}

const SKIP_WORKTREE: u16 = 1 << 14;

impl Checkout {
    /// Compares the work tree with HEAD's commit.
    pub(super) fn status(&self) -> Result<Status, Failure> {
        let repository = self.lock()?;
        let failed = |e: git2::Error| source(format!("{}: git: {}", self.top.display(), e.message()));
        let mut status = Status::default();
        let tree = repository.head().and_then(|h| h.peel_to_tree()).map_err(failed)?;
        self.list(&repository, &tree, &mut status)?;
        let index = repository.index().map_err(failed)?;
        self.compare_index(&index, &mut status);
        self.compare_files(&index, &mut status);
        self.find_untracked(&mut status)?;
        status.dirty.sort();
        status.dirty.dedup();
        Ok(status)
    }

    fn list(
        &self,
        repository: &Repository,
        tree: &git2::Tree<'_>,
        status: &mut Status,
    ) -> Result<(), Failure> {
        let mut pending = vec![(Vec::new(), tree.clone())];
        while let Some((directory, tree)) = pending.pop() {
            for entry in &tree {
                let name = [directory.as_slice(), entry.name_bytes()].concat();
                if entry.kind() == Some(ObjectType::Tree) {
                    let below = repository.find_tree(entry.id()).map_err(|e| {
                        source(format!("{}: an object is missing: {}", self.top.display(), e.message()))
                            .hint("a partial clone needs `git fetch --refetch`, a damaged one `git fsck`")
                    })?;
                    pending.push(([name.as_slice(), b"/"].concat(), below));
                    continue;
                }
                let path = RepoPath::new(&name)
                    .map_err(|e| source(format!("the commit tracks `{}`, which {e}", name.escape_ascii())))?;
                if entry.kind() == Some(ObjectType::Commit) {
                    status.submodules.insert(path, entry.id());
                    continue;
                }
                let mode = match entry.filemode() {
                    0o100_755 => Mode::Executable,
                    0o120_000 => Mode::Symlink,
                    _ => Mode::File,
                };
                status.files.insert(path, Tracked { id: entry.id(), mode });
            }
        }
        Ok(())
    }

    /// What is staged is a change too.
    fn compare_index(&self, index: &Index, status: &mut Status) {
        let mut seen = 0;
        let mut staged = Vec::new();
        for entry in index.iter() {
            let Ok(path) = RepoPath::new(&entry.path) else { continue };
            match status.files.get(&path) {
                Some(tracked) => {
                    seen += 1;
                    if tracked.id != entry.id {
                        staged.push(difference(&path, "staged change"));
                    }
                }
                None if status.submodules.contains_key(&path) => {}
                None => staged.push(difference(&path, "staged, not in the commit")),
            }
        }
        // A sparse index does not list what it leaves out.
        if seen < status.files.len() && index.iter().all(|e| e.mode != 0o040_000) {
            for path in status.files.keys() {
                if index.get_path(path.as_os_path(), 0).is_none() {
                    staged.push(difference(path, "staged deletion"));
                }
            }
        }
        status.dirty.append(&mut staged);
    }

    fn compare_files(&self, index: &Index, status: &mut Status) {
        let index_time =
            fs::metadata(index.path().unwrap_or(&self.top)).map(|m| (m.mtime(), m.mtime_nsec())).ok();
        let by_path: BTreeMap<Vec<u8>, git2::IndexEntry> =
            index.iter().map(|e| (e.path.clone(), e)).collect();
        let mut dirty = Vec::new();
        for (path, tracked) in &status.files {
            let full = self.top.join(path.as_os_path());
            let entry = by_path.get(path.as_bytes());
            let meta = match fs::symlink_metadata(&full) {
                Ok(meta) => meta,
                Err(_) if entry.is_some_and(|e| e.flags_extended & SKIP_WORKTREE != 0) => continue,
                Err(_) => {
                    dirty.push(difference(path, "missing"));
                    continue;
                }
            };
            let untouched =
                entry.is_some_and(|e| e.id == tracked.id && proven_untouched(e, &meta, index_time));
            if let Some(what) = compare(&full, &meta, tracked, untouched) {
                dirty.push(difference(path, what));
            }
        }
        status.dirty.append(&mut dirty);
    }

    fn find_untracked(&self, status: &mut Status) -> Result<(), Failure> {
        let mut walk = WalkBuilder::new(&self.top);
        // The rules of the tree itself; the user's own and `.git/info/exclude` are not part of the commit.
        walk.hidden(false)
            .ignore(false)
            .git_global(false)
            .git_exclude(false)
            .parents(false)
            .require_git(false);
        walk.git_ignore(true).follow_links(false);
        let submodules: Vec<_> = status.submodules.keys().map(|p| self.top.join(p.as_os_path())).collect();
        walk.filter_entry(move |e| e.file_name() != ".git" && !submodules.iter().any(|s| s == e.path()));
        for item in walk.build() {
            let item =
                item.map_err(|e| source(format!("cannot look through {}: {e}", self.top.display())))?;
            if item.file_type().is_none_or(|t| t.is_dir()) {
                continue;
            }
            let Ok(below) = item.path().strip_prefix(&self.top) else { continue };
            let Ok(path) = RepoPath::new(below.as_os_str().as_bytes()) else { continue };
            let special = item.file_type().is_some_and(|t| !t.is_file() && !t.is_symlink());
            if !special && !status.files.contains_key(&path) {
                status.dirty.push(difference(&path, "untracked"));
            }
        }
        Ok(())
    }
}

fn difference(path: &RepoPath, what: &str) -> Evidence {
    Evidence { path: path.clone(), position: None, text: what.to_owned() }
}

/// Size and every time and number that the index recorded are the file's own, and the file is older than the index: then
/// nobody has written to it since git did.
fn proven_untouched(entry: &git2::IndexEntry, meta: &Metadata, index_time: Option<(i64, i64)>) -> bool {
    let mtime = (i64::from(entry.mtime.seconds()), i64::from(entry.mtime.nanoseconds()));
    let ctime = (i64::from(entry.ctime.seconds()), i64::from(entry.ctime.nanoseconds()));
    #[expect(clippy::cast_possible_truncation, reason = "the index keeps the low 32 bits")]
    let numbers = entry.file_size == meta.size() as u32 && entry.ino == meta.ino() as u32;
    numbers
        && mtime == (meta.mtime(), meta.mtime_nsec())
        && ctime == (meta.ctime(), meta.ctime_nsec())
        && index_time.is_some_and(|written| mtime < written)
}

/// What differs between a file and what the commit has; `None` when nothing does.
fn compare(
    full: &std::path::Path,
    meta: &Metadata,
    tracked: &Tracked,
    untouched: bool,
) -> Option<&'static str> {
    let kind = match meta.file_type() {
        t if t.is_symlink() => Mode::Symlink,
        t if t.is_file() && meta.permissions().mode() & 0o100 != 0 => Mode::Executable,
        t if t.is_file() => Mode::File,
        _ => return Some("no longer a file"),
    };
    if kind != tracked.mode {
        let link = kind == Mode::Symlink || tracked.mode == Mode::Symlink;
        return Some(if link { "other kind of file" } else { "other mode" });
    }
    if untouched {
        return None;
    }
    let bytes = match kind {
        Mode::Symlink => fs::read_link(full).map(|t| t.as_os_str().as_bytes().to_vec()),
        _ => fs::read(full),
    };
    match bytes {
        Ok(bytes)
            if is_blob(&bytes, tracked.id) || smudged(&bytes).iter().any(|b| is_blob(b, tracked.id)) =>
        {
            None
        }
        Ok(_) => Some("modified"),
        Err(_) => Some("cannot be read"),
    }
}

/// Whether the bytes are exactly that blob.
pub(super) fn is_blob(bytes: &[u8], id: Oid) -> bool {
    Oid::hash_object(ObjectType::Blob, bytes).is_ok_and(|found| found == id)
}

/// What git's own conversions may have made a work tree file from: lines that ended in LF, keywords that were collapsed.
fn smudged(bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut found = Vec::new();
    if memchr::memmem::find(bytes, b"\r\n").is_some() {
        found.push(without_cr(bytes));
    }
    if memchr::memmem::find(bytes, b"$Id: ").is_some() {
        let collapsed = collapse_ident(bytes);
        found.push(without_cr(&collapsed));
        found.push(collapsed);
    }
    found
}

fn without_cr(bytes: &[u8]) -> Vec<u8> {
    let kept = bytes.iter().enumerate().filter(|(at, b)| **b != b'\r' || bytes.get(at + 1) != Some(&b'\n'));
    kept.map(|(_, b)| *b).collect()
}

fn collapse_ident(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let Some(at) = memchr::memmem::find(rest, b"$Id: ") {
        let after = &rest[at + 5..];
        match memchr::memchr2(b'$', b'\n', after) {
            Some(end) if after[end] == b'$' => {
                out.extend_from_slice(&rest[..at]);
                out.extend_from_slice(b"$Id$");
                rest = &after[end + 1..];
            }
            _ => {
                out.extend_from_slice(&rest[..at + 5]);
                rest = after;
            }
        }
    }
    out.extend_from_slice(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conversions_are_undone() {
        assert_eq!(smudged(b"a\r\nb\r\n"), [b"a\nb\n".to_vec()]);
        assert_eq!(collapse_ident(b"/* $Id: 0123abcd $ */ $Id: open\n"), b"/* $Id$ */ $Id: open\n");
        assert_eq!(smudged(b"plain\n"), Vec::<Vec<u8>>::new());
    }
}
