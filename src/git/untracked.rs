//! Files of a checkout that its commit does not track and its own `.gitignore` files do not name. The user's ignore files and
//! `.git/info/exclude` are not part of a commit and do not count.

use super::checkout::source;
use super::layout::read_small;
use super::objects::Listing;
use crate::ops::Failure;
use crate::workspace::RepoPath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::{HashMap, HashSet};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Path of each such file that is not staged either, and what it is. Pipes, sockets and devices are none, for git neither.
pub(super) fn find(
    top: &Path,
    listing: &Listing,
    staged: impl Fn(&RepoPath) -> bool,
) -> Result<Vec<(RepoPath, &'static str)>, Failure> {
    let files: Known<'_> = listing.files.keys().map(RepoPath::as_bytes).collect();
    let directories = directories_of(listing);
    let mut rules = Rules { top, of: HashMap::new(), ignored: HashMap::new() };
    let mut found = Vec::new();
    let mut walk = WalkDir::new(top).follow_links(false).min_depth(1).into_iter();
    while let Some(item) = walk.next() {
        let item = item.map_err(|e| source(format!("cannot look through {}: {e}", top.display())))?;
        let kind = item.file_type();
        let Some(below) = below(top, item.path()) else { continue };
        // What lies in a submodule is that repository's business.
        let is_other = || item.file_name() == ".git" || listing.submodules.contains_key(below);
        if kind.is_dir() {
            if is_other() || !directories.contains(below) && rules.is_ignored(item.path(), true)? {
                walk.skip_current_dir();
            }
            continue;
        }
        // Most files are tracked, and then no rule matters.
        if files.contains(below) || !(kind.is_file() || kind.is_symlink()) {
            continue;
        }
        let Ok(path) = RepoPath::new(below) else { continue };
        if !staged(&path) && !is_other() && !rules.is_ignored(item.path(), false)? {
            found.push((path, if kind.is_symlink() { "untracked symlink" } else { "untracked" }));
        }
    }
    Ok(found)
}

/// Paths, to be asked for every file of a checkout.
type Known<'a> = HashSet<&'a [u8], foldhash::fast::RandomState>;

/// The directories that hold tracked files at any depth.
fn directories_of(listing: &Listing) -> Known<'_> {
    let mut found = Known::default();
    for path in listing.files.keys() {
        let mut directory = path.directory();
        while let Some(new) = directory.filter(|directory| found.insert(directory)) {
            directory = memchr::memrchr(b'/', new).map(|end| &new[..end]);
        }
    }
    found
}

fn below<'p>(top: &Path, path: &'p Path) -> Option<&'p [u8]> {
    let below = path.as_os_str().as_bytes().strip_prefix(top.as_os_str().as_bytes())?;
    Some(below.strip_prefix(b"/").unwrap_or(below))
}

/// The ignore rules of a checkout, read where somebody asks.
struct Rules<'a> {
    top: &'a Path,
    of: HashMap<PathBuf, Gitignore>,
    /// What is decided about directories.
    ignored: HashMap<PathBuf, bool>,
}

impl Rules<'_> {
    /// Whether a rule names a path or a directory around it: git looks at nothing in such a directory.
    fn is_ignored(&mut self, path: &Path, is_dir: bool) -> Result<bool, Failure> {
        if let Some(known) = self.ignored.get(path) {
            return Ok(*known);
        }
        let around = path.parent().filter(|parent| *parent != self.top);
        let is =
            around.map_or(Ok(false), |parent| self.is_ignored(parent, true))? || self.names(path, is_dir)?;
        if is_dir {
            self.ignored.insert(path.to_path_buf(), is);
        }
        Ok(is)
    }

    /// The innermost rule that says something decides.
    fn names(&mut self, path: &Path, is_dir: bool) -> Result<bool, Failure> {
        for directory in path.ancestors().skip(1) {
            if !self.of.contains_key(directory) {
                self.of.insert(directory.to_path_buf(), rules_of(directory)?);
            }
            match self.of[directory].matched(path, is_dir) {
                Match::None => {}
                decided => return Ok(decided.is_ignore()),
            }
            if directory == self.top {
                break;
            }
        }
        Ok(false)
    }
}

/// The rules of a directory's own `.gitignore`; a link is not followed, as git does not follow it.
fn rules_of(directory: &Path) -> Result<Gitignore, Failure> {
    let file = directory.join(".gitignore");
    if !file.symlink_metadata().is_ok_and(|meta| meta.is_file()) {
        return Ok(Gitignore::empty());
    }
    let unusable = |why: String| source(format!("{}: {why}", file.display()));
    let text = match read_small(&file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Gitignore::empty()),
        text => text.map_err(|error| unusable(error.to_string()))?,
    };
    let mut builder = GitignoreBuilder::new(directory);
    let text = String::from_utf8_lossy(&text);
    for line in text.strip_prefix('\u{feff}').unwrap_or(&text).lines() {
        // What is no pattern matches nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(|error| unusable(error.to_string()))
}
