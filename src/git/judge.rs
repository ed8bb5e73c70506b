//! Whether one file of a work tree is the commit's: by the index where its times prove that nobody touched the file, else by
//! the content.

use super::convert::stands_for;
use super::index::{Index, IndexEntry};
use super::objects::{Listing, Objects};
use super::stat::Stat;
use super::status::{State, WorkTree};
use crate::workspace::Mode;
use std::fs;
use std::os::unix::ffi::OsStrExt;

/// What is at the path of a file of the commit.
#[derive(Debug, Clone, Copy)]
pub(super) enum Look {
    /// Nothing.
    Nothing,
    /// A directory, a pipe.
    NoFile,
    /// The same file.
    Same,
    /// A file, and how it differs.
    Other(&'static str),
}

/// What is compared.
pub(super) struct Judge<'a> {
    work_tree: &'a WorkTree,
    /// What the commit tracks.
    pub listing: &'a Listing,
    /// What is staged, and which files git last wrote.
    pub index: &'a Index,
    /// Where each file of the listing stands in the index.
    pub places: Vec<Option<u32>>,
    /// Whether some attribute makes git store other bytes than it checks out, in a way that is not known here.
    converts: bool,
}

impl<'a> Judge<'a> {
    /// Of the files of `listing`, which the work tree and the index should have.
    pub(super) fn new(work_tree: &'a WorkTree, listing: &'a Listing, index: &'a Index) -> Self {
        let places = index.places(listing.files.iter().map(|(path, _)| path));
        Self { work_tree, listing, index, places, converts: converts(listing, &work_tree.objects) }
    }

    fn entry(&self, file: usize) -> Option<&IndexEntry> {
        Some(&self.index.entries[self.places[file]? as usize])
    }

    /// What is at the path of a file of the commit.
    pub(super) fn look(&self, file: usize, stat: Stat) -> Look {
        let (path, (id, mode)) = &self.listing.files[file];
        let Some(kind) = stat.mode else { return Look::NoFile };
        if kind != *mode {
            let link = kind == Mode::Symlink || *mode == Mode::Symlink;
            return Look::Other(if link { "other kind of file" } else { "other mode" });
        }
        let untouched = |entry: &IndexEntry| {
            entry.proves_untouched(&stat, self.index.written) || self.converts && entry.looks_untouched(&stat)
        };
        if self.entry(file).is_some_and(|entry| entry.id == *id && untouched(entry)) {
            return Look::Same;
        }
        let (full, objects) = (self.work_tree.full(path), &self.work_tree.objects);
        let same = match kind {
            Mode::Symlink => {
                fs::read_link(full).map(|target| objects.is_blob(target.as_os_str().as_bytes(), *id))
            }
            _ => fs::read(full).map(|bytes| stands_for(&bytes, *id, objects)),
        };
        match same {
            Ok(true) => Look::Same,
            Ok(false) => Look::Other("modified"),
            Err(_) => Look::Other("cannot be read"),
        }
    }

    /// How a file of the commit stands, and what is to be said of it.
    pub(super) fn state(&self, file: usize, look: Look) -> (State, Option<&'static str>) {
        let (path, (id, mode)) = &self.listing.files[file];
        let left_out = || match self.entry(file) {
            Some(entry) => entry.skip_worktree,
            None => self.index.is_left_out(path.as_bytes()),
        };
        match look {
            Look::Same => (State::Clean(*id, *mode), None),
            Look::Nothing if left_out() => (State::Clean(*id, *mode), None),
            Look::Nothing => (State::Gone, Some("missing")),
            Look::NoFile => (State::Gone, Some("no longer a file")),
            Look::Other(what) => (State::Changed, Some(what)),
        }
    }
}

/// Whether the tree's attributes name a filter or an encoding. What those do to a file cannot be undone here without running
/// them, so the index must be believed about it.
fn converts(listing: &Listing, objects: &Objects) -> bool {
    let attributes = listing.files.iter().filter(|(path, _)| path.name() == b".gitattributes");
    let names = |text: &[u8]| {
        [&b"filter="[..], b"working-tree-encoding="].iter().any(|n| memchr::memmem::find(text, n).is_some())
    };
    attributes.into_iter().any(|(_, (id, _))| objects.blob(*id).is_ok_and(|text| names(&text)))
}
