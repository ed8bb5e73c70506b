//! The workspace itself: a sorted map of paths to entries.

use super::{Content, Directory, Mode, Origin, RepoPath};
use crate::python::{Module, Parsed, SyntaxError};
use std::collections::BTreeMap;
use std::io;
use std::ops::Bound;
use std::sync::Arc;

/// One file of the tree.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it holds.
    pub content: Content,
    /// Its mode.
    pub mode: Mode,
    /// Who brought the content.
    pub origin: Origin,
    /// The path under which upstream has this file, through all moves; `None` for a file the port added or copied.
    pub upstream_path: Option<RepoPath>,
    /// Whether the port wrote or changed the content.
    pub written: bool,
}

impl Entry {
    /// A file as upstream has it.
    pub fn upstream(path: RepoPath, content: Content, mode: Mode) -> (RepoPath, Self) {
        let entry = Self {
            content,
            mode,
            origin: Origin::Upstream,
            upstream_path: Some(path.clone()),
            written: false,
        };
        (path, entry)
    }
}

/// Ops read no larger file whole: it is no source text.
const MAX_READ: u64 = 1 << 30;
/// The tree in memory.
#[derive(Debug, Clone, Default)]
pub struct Workspace {
    /// Shared with `base` and other states until one of them changes.
    pub(super) entries: Arc<BTreeMap<RepoPath, Entry>>,
    base: Arc<BTreeMap<RepoPath, Entry>>,
    /// Submodules of upstream whose files are not at hand.
    pub(super) absent: Arc<[RepoPath]>,
    /// Whether the tree was typed to try something, and need not be whole.
    trial: bool,
    /// What its Python files say, as far as somebody asked; shared by all states of the tree.
    parsed: Arc<Parsed>,
}

impl Workspace {
    /// A workspace that starts as `entries`; change sets are relative to them.
    pub fn new(entries: impl IntoIterator<Item = (RepoPath, Entry)>) -> Self {
        let entries: Arc<BTreeMap<_, _>> = Arc::new(entries.into_iter().collect());
        Self { base: entries.clone(), entries, absent: Arc::from([]), trial: false, parsed: Arc::default() }
    }

    /// What a Python file's content says, parsed once however often it is asked for.
    ///
    /// # Errors
    /// As [`Module::parse`].
    pub fn parse(&self, content: &Arc<[u8]>) -> Result<Arc<Module>, SyntaxError> {
        self.parsed.module(content)
    }

    /// What its Python files say, for who knows how one of them changes.
    pub fn parsed(&self) -> &Parsed {
        &self.parsed
    }

    /// Remembers submodules whose files are not at hand.
    #[must_use]
    pub fn without(mut self, submodules: &[RepoPath]) -> Self {
        self.absent = submodules.into();
        self
    }

    /// Marks a tree that was typed to try something: what it does not hold is no mistake.
    #[must_use]
    pub fn as_trial(mut self) -> Self {
        self.trial = true;
        self
    }

    /// Whether the tree was typed to try something, and need not be whole.
    pub fn is_trial(&self) -> bool {
        self.trial
    }

    /// Submodules of upstream whose files are not at hand.
    pub fn absent(&self) -> &[RepoPath] {
        &self.absent
    }

    /// The file at `path`.
    pub fn get(&self, path: &RepoPath) -> Option<&Entry> {
        self.entries.get(path)
    }

    /// The file at `path` with the stored path.
    pub fn get_key_value(&self, path: &RepoPath) -> Option<(&RepoPath, &Entry)> {
        self.entries.get_key_value(path)
    }

    /// Whether a file is at `path`.
    pub fn is_file(&self, path: &RepoPath) -> bool {
        self.entries.contains_key(path)
    }

    /// Whether any file lies below `path`.
    pub fn is_dir(&self, path: &RepoPath) -> bool {
        self.below(&Directory::Path(path.clone())).next().is_some()
    }

    /// All files in path order.
    pub fn iter(&self) -> impl Iterator<Item = (&RepoPath, &Entry)> {
        self.entries.iter()
    }

    /// Number of files.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no file is left.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The files below `directory` at any depth, in path order.
    pub fn below(&self, directory: &Directory) -> impl Iterator<Item = (&RepoPath, &Entry)> {
        let (from, to) = match directory {
            Directory::Root => (Bound::Unbounded, Bound::Unbounded),
            Directory::Path(path) => {
                let edge = |last: u8| [path.as_bytes(), &[last]].concat();
                // Everything below `dir` sorts between `dir/` and `dir0`, as `0` follows `/`.
                (Bound::Included(edge(b'/')), Bound::Excluded(edge(b'/' + 1)))
            }
        };
        self.entries.range::<[u8], _>((as_slice(&from), as_slice(&to)))
    }

    /// The tree as it was before the first op.
    pub fn base(&self) -> &BTreeMap<RepoPath, Entry> {
        &self.base
    }

    /// The content of the file at `path`.
    ///
    /// # Errors
    /// No such file, or its content cannot be read.
    pub fn read(&self, path: &RepoPath) -> io::Result<Arc<[u8]>> {
        match self.entries.get(path) {
            Some(entry) => match entry.content.size_above(MAX_READ) {
                Some(size) => Err(io::Error::new(
                    io::ErrorKind::FileTooLarge,
                    format!("the file has {size} bytes; ops read at most {MAX_READ}"),
                )),
                None => entry.content.read(),
            },
            None => Err(io::Error::new(io::ErrorKind::NotFound, format!("`{path}` is not in the tree"))),
        }
    }

    /// Replaces contents by equal ones that are held elsewhere.
    pub(super) fn replace_contents(
        &mut self,
        base: BTreeMap<RepoPath, Entry>,
        entries: impl IntoIterator<Item = (RepoPath, Entry)>,
    ) {
        self.base = Arc::new(base);
        Arc::make_mut(&mut self.entries).extend(entries);
    }
}

fn as_slice(bound: &Bound<Vec<u8>>) -> Bound<&[u8]> {
    match bound {
        Bound::Included(bytes) => Bound::Included(bytes),
        Bound::Excluded(bytes) => Bound::Excluded(bytes),
        Bound::Unbounded => Bound::Unbounded,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_finds_exactly_the_directory() {
        let files = ["p-x", "p.y", "p/a", "p/b/c", "p0", "q"];
        let entry = |f: &str| Entry::upstream(RepoPath::new(f).unwrap(), Content::from(f), Mode::File);
        let w = Workspace::new(files.map(entry));
        let found: Vec<_> = w.below(&Directory::typed("p").unwrap()).map(|(p, _)| p.to_string()).collect();
        assert_eq!(found, ["p/a", "p/b/c"]);
    }
}
