//! What the port did to upstream's tree, in git's terms: added, modified, deleted, renamed.

use super::{Content, Entry, RepoPath, Workspace};
use std::collections::BTreeSet;
use std::io;

/// Git's letter for a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChangeKind {
    /// `A`: not in upstream's tree.
    Added,
    /// `M`: same path, other content or mode.
    Modified,
    /// `D`: upstream's file is gone.
    Deleted,
    /// `R`: upstream's file under another path, perhaps edited as well.
    Renamed,
}

impl ChangeKind {
    /// The letter.
    pub fn letter(self) -> char {
        match self {
            Self::Added => 'A',
            Self::Modified => 'M',
            Self::Deleted => 'D',
            Self::Renamed => 'R',
        }
    }
}

/// One changed file.
#[derive(Debug, Clone)]
pub struct FileChange<'a> {
    /// What happened.
    pub kind: ChangeKind,
    /// Upstream's path and file; `None` for an added one.
    pub old: Option<(&'a RepoPath, &'a Entry)>,
    /// The port's path and file; `None` for a deleted one.
    pub new: Option<(&'a RepoPath, &'a Entry)>,
}

impl FileChange<'_> {
    /// Whether content or mode differ, which a pure rename does not.
    pub fn edited(&self) -> bool {
        match (self.old, self.new) {
            (Some((_, old)), Some((_, new))) => differs(old, new),
            _ => true,
        }
    }

    /// The path to sort and show by: the new one where there is one.
    pub fn path(&self) -> Option<&RepoPath> {
        self.new.or(self.old).map(|(path, _)| path)
    }
}

/// All changed files, by the path they have in the port (deleted ones by upstream's).
#[derive(Debug, Clone, Default)]
pub struct ChangeSet<'a> {
    /// In path order.
    pub files: Vec<FileChange<'a>>,
}

impl ChangeSet<'_> {
    /// How many changes are of `kind`.
    pub fn count(&self, kind: ChangeKind) -> usize {
        self.files.iter().filter(|f| f.kind == kind).count()
    }
}

impl Workspace {
    /// Compares the tree with what it was before the first op. A file that was moved several times is one rename
    /// from its first path.
    pub fn changes(&self) -> ChangeSet<'_> {
        let base = self.base();
        // A path that is still upstream's own file is never the source of a rename.
        let claimed: BTreeSet<&RepoPath> =
            self.iter().filter_map(|(_, e)| e.upstream_path.as_ref()).collect();
        let mut files = Vec::new();
        for (path, entry) in self.iter() {
            let new = Some((path, entry));
            let old = match &entry.upstream_path {
                Some(origin) => base.get_key_value(origin),
                // A file that upstream had too, deleted and written anew: that is a modification, unless a move
                // took upstream's file elsewhere.
                None if !claimed.contains(path) => base.get_key_value(path),
                None => None,
            };
            let kind = match old {
                None => ChangeKind::Added,
                Some((origin, _)) if origin != path => ChangeKind::Renamed,
                Some((_, before)) if differs(before, entry) => ChangeKind::Modified,
                Some(_) => continue,
            };
            files.push(FileChange { kind, old, new });
        }
        for (path, entry) in base {
            if !claimed.contains(path) && !self.is_file(path) {
                files.push(FileChange { kind: ChangeKind::Deleted, old: Some((path, entry)), new: None });
            }
        }
        files.sort_by(|a, b| a.path().cmp(&b.path()));
        ChangeSet { files }
    }
}

impl Workspace {
    /// Reads everything that changed, so that the change set can still be shown when the files on disk have been
    /// replaced. Deleted files are read only when `deleted` asks for it: a list of changes needs no content of them.
    ///
    /// # Errors
    /// A content that cannot be read.
    pub fn settle(&mut self, deleted: bool) -> io::Result<()> {
        let set = self.changes();
        let pair = |c: &FileChange<'_>| (c.old.map(|(p, _)| p.clone()), c.new.map(|(p, _)| p.clone()));
        let pairs: Vec<_> = set.files.iter().map(pair).filter(|(_, new)| deleted || new.is_some()).collect();
        let in_memory = |content: &Content| content.read().map(Content::Bytes);
        let mut base = self.base().clone();
        let mut settled = Vec::new();
        for (old, new) in pairs {
            let mut before = None;
            if let Some(entry) = old.and_then(|path| base.get_mut(&path)) {
                let content = in_memory(&entry.content)?;
                before = Some((std::mem::replace(&mut entry.content, content.clone()), content));
            }
            if let Some((path, entry)) = new.and_then(|path| self.get_key_value(&path)) {
                let content = match before {
                    Some((stored, content)) if stored.is(&entry.content) => content,
                    _ => in_memory(&entry.content)?,
                };
                settled.push((path.clone(), Entry { content, ..entry.clone() }));
            }
        }
        self.replace_contents(base, settled);
        Ok(())
    }
}

fn differs(old: &Entry, new: &Entry) -> bool {
    if old.mode != new.mode {
        return true;
    }
    if old.content.is(&new.content) {
        return false;
    }
    match (old.content.read(), new.content.read()) {
        (Ok(a), Ok(b)) => a != b,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Change, Content, Mode, Origin, Stored};
    use super::*;

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn list(workspace: &Workspace) -> Vec<String> {
        let show = |c: &FileChange<'_>| match (c.old, c.new) {
            (Some((old, _)), Some((new, _))) if old != new => format!("{} {old} -> {new}", c.kind.letter()),
            _ => format!("{} {}", c.kind.letter(), c.path().unwrap()),
        };
        workspace.changes().files.iter().map(show).collect()
    }

    fn tree(files: &[&str]) -> Workspace {
        Workspace::new(files.iter().map(|f| Entry::upstream(path(f), Content::from(*f), Mode::File)))
    }

    fn rename(from: &str, to: &str) -> Vec<Change> {
        vec![Change::Rename { from: path(from), to: path(to) }]
    }

    fn put(at: &str, origin: Origin) -> Vec<Change> {
        vec![Change::Put { path: path(at), content: Content::from("new"), mode: Mode::File, origin }]
    }

    #[test]
    fn a_file_moved_twice_is_one_rename_from_its_first_path() {
        let mut w = tree(&["a"]);
        w.apply(rename("a", "b")).unwrap();
        w.apply(rename("b", "c")).unwrap();
        assert_eq!(list(&w), ["R a -> c"]);
    }

    #[test]
    fn a_file_moved_there_and_back_is_no_change() {
        let mut w = tree(&["a"]);
        w.apply(rename("a", "b")).unwrap();
        w.apply(rename("b", "a")).unwrap();
        assert_eq!(list(&w), Vec::<String>::new());
    }

    #[test]
    fn a_file_written_where_a_moved_one_was_is_added() {
        let mut w = tree(&["a"]);
        w.apply(rename("a", "b")).unwrap();
        w.apply(put("a", Origin::Generated)).unwrap();
        assert_eq!(list(&w), ["A a", "R a -> b"]);
    }

    #[test]
    fn a_file_deleted_and_written_anew_is_modified() {
        let mut w = tree(&["a", "b"]);
        w.apply(vec![Change::Delete { path: path("a") }, Change::Delete { path: path("b") }]).unwrap();
        w.apply(put("a", Origin::Generated)).unwrap();
        assert_eq!(list(&w), ["M a", "D b"]);
    }

    #[test]
    fn an_overlay_over_a_moved_file_keeps_the_rename() {
        let mut w = tree(&["a"]);
        w.apply(rename("a", "b")).unwrap();
        w.apply(put("b", Origin::Overlay)).unwrap();
        assert_eq!(list(&w), ["R a -> b"]);
    }

    #[test]
    fn a_copy_is_added_and_the_original_unchanged() {
        let mut w = tree(&["a"]);
        w.apply(vec![Change::Copy { from: path("a"), to: path("b") }]).unwrap();
        assert_eq!(list(&w), ["A b"]);
    }

    /// A file that the port itself replaces on disk.
    struct OnDisk(std::path::PathBuf);

    impl Stored for OnDisk {
        fn read(&self) -> io::Result<std::sync::Arc<[u8]>> {
            Ok(std::fs::read(&self.0)?.into())
        }
    }

    #[test]
    fn a_settled_change_set_outlives_the_files_it_was_read_from() {
        let dir = tempfile::tempdir().unwrap();
        let entry = |name: &str| {
            let full = dir.path().join(name);
            std::fs::write(&full, name).unwrap();
            Entry::upstream(path(name), Content::Stored(std::sync::Arc::new(OnDisk(full))), Mode::File)
        };
        let mut w = Workspace::new(["edited", "gone", "moved", "same"].map(entry));
        let edits = vec![super::super::TextEdit::new(0..1, "E")];
        w.apply(vec![Change::Edit { path: path("edited"), edits }]).unwrap();
        w.apply(vec![Change::Delete { path: path("gone") }]).unwrap();
        w.apply(rename("moved", "there")).unwrap();
        let before = list(&w);
        assert_eq!(before, ["M edited", "D gone", "R moved -> there"]);
        w.settle(true).unwrap();
        std::fs::write(dir.path().join("edited"), "Edited").unwrap();
        std::fs::remove_file(dir.path().join("gone")).unwrap();
        std::fs::remove_file(dir.path().join("moved")).unwrap();
        assert_eq!(list(&w), before);
        let set = w.changes();
        let old: Vec<_> = set.files.iter().map(|f| f.old.unwrap().1.content.read().unwrap()).collect();
        assert_eq!(old.iter().map(|o| &o[..]).collect::<Vec<_>>(), [&b"edited"[..], b"gone", b"moved"]);
        assert!(!set.files[2].edited());
    }
}
