//! Files of a checkout that its commit does not track and its own `.gitignore` files do not name. The user's ignore files and
//! `.git/info/exclude` are not part of a commit and do not count.

use super::checkout::source;
use super::layout::read_small;
use super::objects::Listing;
use crate::ops::Failure;
use crate::workspace::RepoPath;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashSet;
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
    // What lies in a submodule is that repository's business.
    let submodules: HashSet<PathBuf> = listing.submodules.keys().map(|p| top.join(p.as_os_path())).collect();
    let mut rules: Vec<Gitignore> = vec![rules_of(top)?];
    let mut found = Vec::new();
    let mut walk = WalkDir::new(top).follow_links(false).min_depth(1).into_iter();
    while let Some(item) = walk.next() {
        let item = item.map_err(|e| source(format!("cannot look through {}: {e}", top.display())))?;
        let kind = item.file_type();
        rules.truncate(item.depth());
        let is_skipped = || {
            item.file_name() == ".git"
                || submodules.contains(item.path())
                || is_ignored(&rules, item.path(), kind.is_dir())
        };
        if kind.is_dir() {
            if is_skipped() {
                walk.skip_current_dir();
            } else {
                rules.push(rules_of(item.path())?);
            }
            continue;
        }
        if !(kind.is_file() || kind.is_symlink()) {
            continue;
        }
        let Ok(below) = item.path().strip_prefix(top) else { continue };
        let Ok(path) = RepoPath::new(below.as_os_str().as_bytes()) else { continue };
        // Most files are tracked, and then no rule matters.
        if !listing.files.contains_key(&path) && !staged(&path) && !is_skipped() {
            found.push((path, if kind.is_symlink() { "untracked symlink" } else { "untracked" }));
        }
    }
    Ok(found)
}

/// The innermost rule that says something decides.
fn is_ignored(rules: &[Gitignore], path: &Path, is_dir: bool) -> bool {
    let decision = rules.iter().rev().map(|rules| rules.matched(path, is_dir)).find(|m| !m.is_none());
    matches!(decision, Some(Match::Ignore(_)))
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
