//! One pass over the directories of a work tree: what is at the paths of the commit, and what else is there. A directory is
//! opened once and its files are asked for by their names alone, so that no path is walked for every file.

use super::checkout::source;
use super::ignored::Rules;
use super::objects::Listing;
use super::stat::{self, Stat};
use crate::ops::Failure;
use crate::workspace::RepoPath;
use rustix::fs::{Dir, DirEntry, FileType};
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A directory still to be looked at.
struct Pending {
    /// Its path with a slash at the end; nothing for the top.
    path: Vec<u8>,
    /// Which files of the commit are below it.
    files: Range<usize>,
}

/// What a pass looks for and finds.
pub(super) struct Pass<'a> {
    top: &'a Path,
    handle: OwnedFd,
    listing: &'a Listing,
    rules: Rules<'a>,
    pending: Vec<Pending>,
    /// Files that the commit does not track and no rule names, and what they are. Pipes, sockets and devices are none, for
    /// git neither.
    pub untracked: Vec<(RepoPath, &'static str)>,
}

impl<'a> Pass<'a> {
    /// For the files of `listing` in the work tree at `top`.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub(super) fn new(top: &'a Path, listing: &'a Listing) -> Result<Self, Failure> {
        let handle = stat::open(top).map_err(|e| unusable(top, &e))?;
        let pending = vec![Pending { path: Vec::new(), files: 0..listing.files.len() }];
        Ok(Self { top, handle, listing, rules: Rules::new(top), pending, untracked: Vec::new() })
    }

    /// Looks at everything. `seen` is told what is at a file's path, by its index in the listing, if anything is and no link is
    /// above it: git never looks behind one.
    ///
    /// # Errors
    /// A directory or a `.gitignore` cannot be read.
    pub(super) fn look(&mut self, mut seen: impl FnMut(usize, Stat)) -> Result<(), Failure> {
        let mut entries = Vec::new();
        while let Some(directory) = self.pending.pop() {
            let mut open = self.open(&directory).map_err(|e| unusable(&self.full(&directory.path), &e))?;
            entries.clear();
            for entry in &mut open {
                entries.push(entry.map_err(|e| unusable(&self.full(&directory.path), &e.into()))?);
            }
            entries.sort_unstable_by(|a: &DirEntry, b| a.file_name().cmp(b.file_name()));
            let handle = open.fd().map_err(|e| unusable(&self.full(&directory.path), &e.into()))?;
            let mut next = directory.files.start;
            for entry in &entries {
                let name = entry.file_name().to_bytes();
                // What lies in a submodule or another repository is its own business.
                if matches!(name, b"." | b".." | b".git") {
                    continue;
                }
                let found = self.find(&directory, next, name);
                let mut kind = entry.file_type();
                if found.is_some() || kind == FileType::Unknown {
                    // Nothing, where it has just gone.
                    let Some(stat) = Stat::at(handle, entry.file_name()) else { continue };
                    kind = stat.kind;
                    if let Some(at) = found {
                        next = at + 1;
                        seen(at, stat);
                    }
                }
                match kind {
                    FileType::Directory => self.directory(&directory, name)?,
                    FileType::RegularFile if found.is_none() => self.other(&directory, name, "untracked")?,
                    FileType::Symlink if found.is_none() => {
                        self.other(&directory, name, "untracked symlink")?
                    }
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// What is at any path, unless a link is above it.
    pub(super) fn stat(&self, path: &RepoPath) -> Option<Stat> {
        Stat::below(&self.handle, path)
    }

    fn open(&self, directory: &Pending) -> io::Result<Dir> {
        let path = directory.path.strip_suffix(b"/").unwrap_or(b".");
        Ok(Dir::new(stat::open_below(self.handle.as_fd(), OsStr::from_bytes(path))?)?)
    }

    fn full(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path))
    }

    /// The commit's file of that name; names are asked for in order, and `next` is behind the last.
    fn find(&self, directory: &Pending, next: usize, name: &[u8]) -> Option<usize> {
        let Range { start, end } = directory.files;
        let files = &self.listing.files[start..end];
        let is = |(path, _): &(RepoPath, _)| path.as_bytes()[directory.path.len()..].cmp(name);
        match files.get(next - start) {
            Some(file) if is(file).is_eq() => Some(next),
            _ => files.binary_search_by(is).ok().map(|at| start + at),
        }
    }

    /// A directory is looked at unless it is a submodule, or ignored and holds nothing of the commit.
    fn directory(&mut self, around: &Pending, name: &[u8]) -> Result<(), Failure> {
        let mut path = [&around.path, name].concat();
        if self.listing.submodules.contains_key(path.as_slice()) {
            return Ok(());
        }
        path.push(b'/');
        let files = &self.listing.files[around.files.clone()];
        let first = files.partition_point(|(file, _)| file.as_bytes() < path.as_slice());
        let number = files[first..].partition_point(|(file, _)| file.as_bytes().starts_with(&path));
        let start = around.files.start + first;
        let full = self.full(&path[..path.len() - 1]);
        if number > 0 || !self.rules.is_ignored(&full, true)? {
            self.pending.push(Pending { path, files: start..start + number });
        }
        Ok(())
    }

    fn other(&mut self, directory: &Pending, name: &[u8], what: &'static str) -> Result<(), Failure> {
        let path = [&directory.path, name].concat();
        let is_submodule = self.listing.submodules.contains_key(path.as_slice());
        if let Ok(path) = RepoPath::new(&path)
            && !is_submodule
            && !self.rules.is_ignored(&self.full(path.as_bytes()), false)?
        {
            self.untracked.push((path, what));
        }
        Ok(())
    }
}

fn unusable(directory: &Path, error: &io::Error) -> Failure {
    source(format!("cannot look through {}: {error}", directory.display()))
}
