//! One pass over the directories of a work tree: what is at the paths of the commit, and what else is there. A directory is
//! opened once and its files are asked for by their names alone, so that no path is walked for every file.

use super::checkout::source;
use super::ignored::Rules;
use super::objects::Listing;
use super::stat::{self, Stat};
use crate::ops::Failure;
use crate::parallel::{self, PATIENCE};
use crate::workspace::RepoPath;
use rustix::fs::{Dir, DirEntry, FileType};
use std::ffi::OsStr;
use std::io;
use std::ops::Range;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// A work tree and the files that it should have.
pub(super) struct WorkTreePass<'a> {
    top: &'a Path,
    handle: OwnedFd,
    listing: &'a Listing,
}

/// What a pass finds.
pub(super) struct Found<R> {
    /// What is made of each file that is there, by its index in the listing.
    pub files: Vec<(usize, R)>,
    /// Files that the commit does not track and no rule names, and what they are. Pipes, sockets and devices are none, for
    /// git neither.
    pub untracked: Vec<(RepoPath, &'static str)>,
}

/// A directory to be looked at.
struct Directory {
    /// Its path with a slash at the end; nothing for the top.
    path: Vec<u8>,
    /// Which files of the commit are below it.
    files: Range<usize>,
}

/// What is in one directory.
struct Inside<R> {
    files: Vec<(usize, R)>,
    directories: Vec<Directory>,
    /// What else is there, links told apart.
    others: Vec<(Vec<u8>, bool)>,
}

impl<'a> WorkTreePass<'a> {
    /// For the files of `listing` in the work tree at `top`.
    ///
    /// # Errors
    /// The directory cannot be opened.
    pub(super) fn new(top: &'a Path, listing: &'a Listing) -> Result<Self, Failure> {
        Ok(Self { top, handle: stat::open(top).map_err(|e| unusable(top, &e))?, listing })
    }

    /// What is at any path, unless a link is above it.
    pub(super) fn stat(&self, path: &RepoPath) -> Option<Stat> {
        Stat::below(&self.handle, path)
    }

    /// Looks at everything. `judge` says what is to be made of a file of the commit, given its index in the listing; it is not
    /// asked where nothing is, or a link is above: git never looks behind one.
    ///
    /// # Errors
    /// A directory or a `.gitignore` cannot be read.
    pub(super) fn look<R: Send>(&self, judge: impl Fn(usize, Stat) -> R + Sync) -> Result<Found<R>, Failure> {
        let mut found = Found { files: Vec::with_capacity(self.listing.files.len()), untracked: Vec::new() };
        let mut rules = Rules::new(self.top);
        let mut level = vec![Directory { path: Vec::new(), files: 0..self.listing.files.len() }];
        while !level.is_empty() {
            let looked = parallel::map(&level, PATIENCE, |directory| {
                self.inside(directory, &judge).map_err(|e| unusable(&self.full(&directory.path), &e))
            });
            level = Vec::new();
            for inside in looked {
                let inside = inside?;
                found.files.extend(inside.files);
                for directory in inside.directories {
                    // What holds something of the commit is looked at, ignored or not.
                    if !directory.files.is_empty() || !rules.is_ignored(&self.full(&directory.path), true)? {
                        level.push(directory);
                    }
                }
                for (path, is_link) in inside.others {
                    if let Ok(path) = RepoPath::new(&path)
                        && !rules.is_ignored(&self.full(path.as_bytes()), false)?
                    {
                        found.untracked.push((path, if is_link { "untracked symlink" } else { "untracked" }));
                    }
                }
            }
        }
        Ok(found)
    }

    fn inside<R>(&self, directory: &Directory, judge: &impl Fn(usize, Stat) -> R) -> io::Result<Inside<R>> {
        let path = directory.path.strip_suffix(b"/").unwrap_or(b".");
        let mut open = Dir::new(stat::open_below(self.handle.as_fd(), OsStr::from_bytes(path))?)?;
        let mut entries = (&mut open).collect::<Result<Vec<DirEntry>, _>>()?;
        entries.sort_unstable_by(|a, b| a.file_name().cmp(b.file_name()));
        let mut inside =
            Inside { files: Vec::with_capacity(entries.len()), directories: Vec::new(), others: Vec::new() };
        let mut next = directory.files.start;
        for entry in &entries {
            let name = entry.file_name().to_bytes();
            // What lies in another repository is its own business.
            if matches!(name, b"." | b".." | b".git") {
                continue;
            }
            let file = self.find(directory, next, name);
            let mut kind = entry.file_type();
            if file.is_some() || kind == FileType::Unknown {
                // Nothing, where it has just gone.
                let Some(stat) = Stat::at(open.fd()?, entry.file_name()) else { continue };
                kind = stat.kind;
                if let Some(at) = file {
                    next = at + 1;
                    inside.files.push((at, judge(at, stat)));
                }
            }
            let path = || [&directory.path, name].concat();
            match kind {
                FileType::Directory => inside.directories.extend(self.below(directory, path())),
                FileType::RegularFile | FileType::Symlink if file.is_none() => {
                    let path = path();
                    if !self.listing.submodules.contains_key(path.as_slice()) {
                        inside.others.push((path, kind == FileType::Symlink));
                    }
                }
                _ => {}
            }
        }
        Ok(inside)
    }

    fn full(&self, path: &[u8]) -> PathBuf {
        self.top.join(OsStr::from_bytes(path.strip_suffix(b"/").unwrap_or(path)))
    }

    /// The commit's file of that name; names are asked for in order, and `next` is behind the last.
    fn find(&self, directory: &Directory, next: usize, name: &[u8]) -> Option<usize> {
        let Range { start, end } = directory.files;
        let files = &self.listing.files[start..end];
        let is = |(path, _): &(RepoPath, _)| path.as_bytes()[directory.path.len()..].cmp(name);
        match files.get(next - start) {
            Some(file) if is(file).is_eq() => Some(next),
            _ => files.binary_search_by(is).ok().map(|at| start + at),
        }
    }

    /// A directory inside another, unless it is a submodule.
    fn below(&self, around: &Directory, mut path: Vec<u8>) -> Option<Directory> {
        if self.listing.submodules.contains_key(path.as_slice()) {
            return None;
        }
        path.push(b'/');
        let files = &self.listing.files[around.files.clone()];
        let first = files.partition_point(|(file, _)| file.as_bytes() < path.as_slice());
        let number = files[first..].partition_point(|(file, _)| file.as_bytes().starts_with(&path));
        let start = around.files.start + first;
        Some(Directory { path, files: start..start + number })
    }
}

fn unusable(directory: &Path, error: &io::Error) -> Failure {
    source(format!("cannot look through {}: {error}", directory.display()))
}
