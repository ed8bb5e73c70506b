//! The changes of an op on the tree in memory: all of them, or none.

use super::{Change, Content, Entry, Origin, OverlapError, RepoPath, Workspace, splice};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Why changes cannot be applied. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyError {
    /// There is a file already.
    Exists(RepoPath),
    /// `path` is a file, and `wanted` would need it to be a directory.
    FileInTheWay {
        /// The file.
        path: RepoPath,
        /// The path below it that an op wants to write.
        wanted: RepoPath,
    },
    /// A directory stands where a file is to be.
    DirectoryInTheWay(RepoPath),
    /// Two changes of one op want the same destination.
    Twice(RepoPath),
    /// A change names a file that is not there.
    Missing(RepoPath),
    /// The edits of one file overlap.
    Overlap(RepoPath, OverlapError),
    /// A content could not be read.
    Read(RepoPath, String),
    /// The tree would have more files than any repository.
    TooMany,
    /// The file, or all that ops wrote together, would be larger than memory allows.
    TooLarge(RepoPath),
}

/// Ops write no more than this, all files together.
const MAX_WRITTEN: u64 = 1 << 30;
/// Ops add no files beyond this: twenty times what the largest kernel repositories have.
const MAX_FILES: usize = 250_000;

impl fmt::Display for ApplyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exists(path) => write!(f, "`{path}` exists already"),
            Self::FileInTheWay { path, wanted } => {
                write!(f, "`{path}` is a file, but `{wanted}` needs a directory there")
            }
            Self::DirectoryInTheWay(path) => write!(f, "`{path}` is a directory"),
            Self::Twice(path) => write!(f, "two files would become `{path}`"),
            Self::Missing(path) => write!(f, "`{path}` is not in the tree"),
            Self::Overlap(path, _) => write!(f, "edits of `{path}` overlap"),
            Self::Read(path, error) => write!(f, "cannot read `{path}`: {error}"),
            Self::TooMany => write!(f, "the tree would have more than {MAX_FILES} files"),
            Self::TooLarge(path) => {
                write!(f, "with `{path}`, what ops wrote would be more than {MAX_WRITTEN} bytes")
            }
        }
    }
}

/// How much ops wrote, in bytes; counted once somebody asks.
struct Written<'w> {
    tree: &'w Workspace,
    bytes: Option<u64>,
}

impl Written<'_> {
    /// Adds a content that is to be at `path`.
    fn add(&mut self, path: &RepoPath, length: usize) -> Result<(), ApplyError> {
        let before = || {
            let written = self.tree.entries.values().filter(|e| e.written);
            written.filter_map(|e| e.content.size()).sum()
        };
        let bytes = self.bytes.get_or_insert_with(before);
        *bytes += length as u64;
        if *bytes > MAX_WRITTEN { Err(ApplyError::TooLarge(path.clone())) } else { Ok(()) }
    }
}

impl Workspace {
    /// Applies all changes of one op, or none of them.
    ///
    /// # Errors
    /// The first [`ApplyError`]; the tree is as before.
    pub fn apply(&mut self, changes: Vec<Change>) -> Result<(), ApplyError> {
        let goes = |change: &&Change| matches!(change, Change::Delete { .. } | Change::Rename { .. });
        let mut gone: Vec<RepoPath> = Vec::with_capacity(changes.iter().filter(goes).count());
        let mut dropped: Vec<RepoPath> = Vec::new();
        let mut puts: BTreeMap<RepoPath, (Entry, bool)> = BTreeMap::new();
        let mut written = Written { tree: self, bytes: None };
        for change in changes {
            let (path, entry, may_replace) = match change {
                Change::Delete { path } => {
                    gone.push(path);
                    continue;
                }
                Change::DropSubmodule { path } => {
                    dropped.push(path);
                    continue;
                }
                Change::Put { path, content, mode, origin } => {
                    let replaced = self.entries.get(&path);
                    let may_replace = origin == Origin::Overlay || replaced.is_none();
                    let upstream_path = replaced.and_then(|old| old.upstream_path.clone());
                    (path, Entry { content, mode, origin, upstream_path, written: true }, may_replace)
                }
                Change::Edit { path, edits } => {
                    let old = self.entry(&path)?;
                    let bytes =
                        old.content.read().map_err(|e| ApplyError::Read(path.clone(), e.to_string()))?;
                    let added: usize = edits.iter().map(|e| e.with.len()).sum();
                    written.add(&path, bytes.len() + added)?;
                    let content =
                        splice(&bytes, &edits).map_err(|e| ApplyError::Overlap(path.clone(), e))?.into();
                    (path, Entry { content, written: true, ..old.clone() }, true)
                }
                Change::Edited { path, content } => {
                    written.add(&path, content.len())?;
                    let old = self.entry(&path)?.clone();
                    (path, Entry { content: Content::Bytes(content), written: true, ..old }, true)
                }
                Change::Rename { from, to } => {
                    let entry = self.entry(&from)?.clone();
                    gone.push(from);
                    (to, entry, false)
                }
                Change::Copy { from, to } => {
                    (to, Entry { upstream_path: None, ..self.entry(&from)?.clone() }, false)
                }
            };
            if puts.insert(path.clone(), (entry, may_replace)).is_some() {
                return Err(ApplyError::Twice(path));
            }
        }
        if (self.entries.len() + puts.len()).saturating_sub(gone.len()) > MAX_FILES {
            let added = puts.keys().filter(|path| !self.entries.contains_key(*path)).count();
            if added > gone.len() {
                return Err(ApplyError::TooMany);
            }
        }
        gone.sort_unstable();
        gone.dedup();
        if puts.is_empty() && gone.len() > self.entries.len() / 8 {
            self.keep_others(&gone)?;
        } else if !(puts.is_empty() && gone.is_empty()) {
            let mut removed = Vec::with_capacity(gone.len());
            let entries = Arc::make_mut(&mut self.entries);
            let missing = gone.into_iter().find_map(|path| match entries.remove_entry(&path) {
                Some(entry) => {
                    removed.push(entry);
                    None
                }
                None => Some(ApplyError::Missing(path)),
            });
            if let Some(error) = missing.or_else(|| self.check_destinations(&puts).err()) {
                Arc::make_mut(&mut self.entries).extend(removed);
                return Err(error);
            }
            Arc::make_mut(&mut self.entries).extend(puts.into_iter().map(|(path, (entry, _))| (path, entry)));
        }
        if !dropped.is_empty() {
            self.absent = self.absent.iter().filter(|path| !dropped.contains(path)).cloned().collect();
        }
        Ok(())
    }

    fn entry(&self, path: &RepoPath) -> Result<&Entry, ApplyError> {
        self.entries.get(path).ok_or_else(|| ApplyError::Missing(path.clone()))
    }

    /// No destination may be taken, and none may be a file and a directory at once.
    fn check_destinations(&self, puts: &BTreeMap<RepoPath, (Entry, bool)>) -> Result<(), ApplyError> {
        let mut known_dir: Option<RepoPath> = None;
        for (path, (_, may_replace)) in puts {
            if self.is_file(path) {
                if !may_replace {
                    return Err(ApplyError::Exists(path.clone()));
                }
                continue;
            }
            if self.is_dir(path) {
                return Err(ApplyError::DirectoryInTheWay(path.clone()));
            }
            let parent = path.parent();
            if parent == known_dir {
                continue;
            }
            for above in path.ancestors() {
                if self.is_file(&above) || puts.contains_key(&above) {
                    return Err(ApplyError::FileInTheWay { path: above, wanted: path.clone() });
                }
            }
            known_dir = parent;
        }
        Ok(())
    }

    /// Removes nearly everything, as a prune does, in one pass; `gone` is sorted. Only a path that is not there can be
    /// refused.
    fn keep_others(&mut self, gone: &[RepoPath]) -> Result<(), ApplyError> {
        let mut next = gone.iter().peekable();
        let stays = |(path, _): &(&RepoPath, &Entry)| next.next_if_eq(path).is_none();
        let rest = self.entries.iter().filter(stays).map(|(path, entry)| (path.clone(), entry.clone()));
        let rest: BTreeMap<_, _> = rest.collect();
        match next.next() {
            Some(missing) => Err(ApplyError::Missing(missing.clone())),
            None => {
                self.entries = Arc::new(rest);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Content, Mode};
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn tree(files: &[&str]) -> Workspace {
        Workspace::new(files.iter().map(|f| Entry::upstream(path(f), Content::from(*f), Mode::File)))
    }

    fn names(workspace: &Workspace) -> Vec<String> {
        workspace.iter().map(|(p, _)| p.to_string()).collect()
    }

    fn rename(from: &str, to: &str) -> Change {
        Change::Rename { from: path(from), to: path(to) }
    }

    #[test]
    fn renames_are_one_batch() {
        let mut w = tree(&["a/x", "a/b/x"]);
        w.apply(vec![rename("a/x", "a/b/x"), rename("a/b/x", "a/b/b/x")]).unwrap();
        assert_eq!(names(&w), ["a/b/b/x", "a/b/x"]);
    }

    #[test]
    fn a_refused_batch_changes_nothing() {
        let mut w = tree(&["a", "b/c"]);
        assert_eq!(w.apply(vec![rename("a", "b")]), Err(ApplyError::DirectoryInTheWay(path("b"))));
        assert_eq!(
            w.apply(vec![rename("b/c", "a/d")]),
            Err(ApplyError::FileInTheWay { path: path("a"), wanted: path("a/d") })
        );
        assert_eq!(names(&w), ["a", "b/c"]);
        let delete = |text: &str| Change::Delete { path: path(text) };
        for missing in ["0", "b", "z"] {
            let changes = vec![delete("a"), delete(missing)];
            assert_eq!(w.apply(changes.clone()), Err(ApplyError::Missing(path(missing))));
            let changes = [changes, vec![rename("b/c", "d")]].concat();
            assert_eq!(w.apply(changes), Err(ApplyError::Missing(path(missing))));
        }
        assert_eq!(names(&w), ["a", "b/c"]);
        w.apply(vec![delete("a"), delete("b/c")]).unwrap();
        assert!(w.is_empty());
    }

    #[test]
    fn two_files_cannot_become_one() {
        let mut w = tree(&["a", "b"]);
        assert_eq!(w.apply(vec![rename("a", "c"), rename("b", "c")]), Err(ApplyError::Twice(path("c"))));
    }
}
