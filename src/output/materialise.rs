//! Writes a tree into a new, empty directory: contents by the kernel or in pieces, modes whatever the umask, links as
//! links. The tree hash is taken from the very bytes that are written.

use super::error::OutputError;
use super::hash::TreeHasher;
use super::reader::{CHUNK, Reader};
use super::reuse::Old;
use super::syscalls::open_regular;
use crate::workspace::{Content, Entry, Mode, RepoPath};
use std::borrow::Cow;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

/// Smaller files are not worth the question whether blocks can be shared.
const CLONE_FROM: u64 = 64 * 1024;

/// Writes one file after the other below a directory.
pub(super) struct Materialiser {
    root: PathBuf,
    made: HashSet<RepoPath>,
    hasher: TreeHasher,
    buffer: Vec<u8>,
    /// Memory for contents that are read as a whole.
    spare: Vec<u8>,
    can_clone: bool,
    old: Option<Old>,
}

impl Materialiser {
    /// Writes below `root`, which exists and is empty.
    pub(super) fn new(root: &Path) -> Self {
        Self {
            root: root.to_path_buf(),
            made: HashSet::new(),
            hasher: TreeHasher::default(),
            buffer: vec![0; CHUNK],
            spare: Vec::with_capacity(2 * CHUNK),
            can_clone: true,
            old: None,
        }
    }

    /// Takes files that did not change from the output at `old`.
    pub(super) fn reusing(mut self, old: Option<&Path>) -> Self {
        self.old = old.map(Old::new);
        self
    }

    /// Writes the files of a tree, which come in path order, and returns the tree hash.
    ///
    /// # Errors
    /// The system's, with the path in the tree.
    pub(super) fn tree<'a>(
        mut self,
        files: impl IntoIterator<Item = (&'a RepoPath, &'a Entry)>,
    ) -> Result<String, OutputError> {
        for (path, entry) in files {
            let full = self.root.join(path.as_os_path());
            self.parents(path)?;
            self.file(path, entry, &full)?;
        }
        Ok(self.hasher.finish())
    }

    fn parents(&mut self, path: &RepoPath) -> Result<(), OutputError> {
        let mut new: Vec<RepoPath> =
            path.ancestors().take_while(|above| !self.made.contains(above)).collect();
        while let Some(directory) = new.pop() {
            let full = self.root.join(directory.as_os_path());
            make_directory(&full).map_err(|e| OutputError::io("create", &full, &e))?;
            self.made.insert(directory);
        }
        Ok(())
    }

    /// Writes one file at `full`, counting it under `path`.
    pub(super) fn file(&mut self, path: &RepoPath, entry: &Entry, full: &Path) -> Result<(), OutputError> {
        let unreadable =
            |e: io::Error| OutputError::io("read the content of", &origin(&entry.content, path), &e);
        let unwritable = |e: io::Error| OutputError::io("write", full, &e);
        if entry.mode == Mode::Symlink {
            let target = entry.content.read().map_err(unreadable)?;
            self.hasher.begin(path.as_bytes(), target.len() as u64);
            self.hasher.update(&target);
            return symlink(OsStr::from_bytes(&target), full).map_err(unwritable);
        }
        let mut reader = Reader::open_with(&entry.content, &mut self.spare).map_err(unreadable)?;
        self.hasher.begin(path.as_bytes(), reader.length());
        if self.old.is_some() {
            let before = self.hasher.clone();
            let taken = self.take_old(path, entry.mode, &mut reader, full).map_err(unreadable)?;
            self.keep_spare(reader);
            if taken {
                return Ok(());
            }
            self.hasher = before;
            reader = Reader::open_with(&entry.content, &mut self.spare).map_err(unreadable)?;
        }
        let file = create(full, entry.mode).map_err(unwritable)?;
        let mut sink = Some(&file);
        if self.can_clone && reader.length() >= CLONE_FROM && reader.is_file() {
            self.can_clone = reader.clone_to(&file);
            if self.can_clone {
                let (copy, length) = open_regular(full).map_err(unwritable)?;
                reader = reader.continue_with(copy, length).map_err(unreadable)?;
                sink = None;
            }
        }
        loop {
            let piece = reader.next(&mut self.buffer).map_err(unreadable)?;
            if piece.is_empty() {
                self.keep_spare(reader);
                return Ok(());
            }
            self.hasher.update(piece);
            if let Some(file) = &mut sink {
                file.write_all(piece).map_err(unwritable)?;
            }
        }
    }

    /// Keeps the memory that a content was read into.
    fn keep_spare(&mut self, reader: Reader) {
        if let Some(spare) = reader.into_spare() {
            self.spare = spare;
        }
    }

    /// Gives the old output's file a second name at `full` when it holds the same bytes, which are counted.
    fn take_old(
        &mut self,
        path: &RepoPath,
        mode: Mode,
        reader: &mut Reader,
        full: &Path,
    ) -> io::Result<bool> {
        let Some(old) = &mut self.old else { return Ok(false) };
        let Some(mut twin) = old.twin(path, reader.length(), bits(mode)) else {
            return Ok(false);
        };
        let mut there = Vec::new();
        loop {
            let piece = reader.next(&mut self.buffer)?;
            if piece.is_empty() {
                return Ok(old.link(&twin, full));
            }
            there.resize(piece.len(), 0);
            if !twin.reader.next_exactly(&mut there).unwrap_or(false) || there != piece {
                return Ok(false);
            }
            self.hasher.update(piece);
        }
    }
}

/// Where a content comes from, for a message.
fn origin(content: &Content, path: &RepoPath) -> PathBuf {
    let on_disk = match content {
        Content::Stored(stored) => stored.file(),
        Content::Bytes(_) => None,
    };
    on_disk.map_or_else(|| path.as_os_path().to_path_buf(), Cow::into_owned)
}

/// Creates a directory that everybody may read.
pub(super) fn make_directory(full: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o755).create(full)?;
    fs::set_permissions(full, Permissions::from_mode(0o755))
}

fn create(full: &Path, mode: Mode) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).mode(bits(mode)).open(full)?;
    file.set_permissions(Permissions::from_mode(bits(mode)))?;
    Ok(file)
}

fn bits(mode: Mode) -> u32 {
    if mode == Mode::Executable { 0o755 } else { 0o644 }
}

/// Writes a small file of this program's own.
pub(super) fn write_new(full: &Path, text: &[u8]) -> Result<(), OutputError> {
    create(full, Mode::File)
        .and_then(|mut file| file.write_all(text))
        .map_err(|e| OutputError::io("write", full, &e))
}
