//! Files of a checkout that its commit does not track and its own `.gitignore` files do not name. The user's ignore files and
//! `.git/info/exclude` are not part of a commit and do not count.

use super::checkout::source;
use super::objects::Listing;
use crate::ops::Failure;
use crate::workspace::RepoPath;
use ignore::WalkBuilder;
use std::collections::HashSet;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Path of each such file that is not staged either, and what it is. Pipes, sockets and devices are none, for git neither.
pub(super) fn find(
    top: &Path,
    listing: &Listing,
    staged: impl Fn(&RepoPath) -> bool,
) -> Result<Vec<(RepoPath, &'static str)>, Failure> {
    let mut walk = WalkBuilder::new(top);
    walk.hidden(false).ignore(false).git_global(false).git_exclude(false).parents(false).require_git(false);
    walk.git_ignore(true).follow_links(false);
    // What lies in a submodule is that repository's business.
    let submodules: HashSet<PathBuf> = listing.submodules.keys().map(|p| top.join(p.as_os_path())).collect();
    walk.filter_entry(move |e| e.file_name() != ".git" && !submodules.contains(e.path()));
    let mut found = Vec::new();
    for item in walk.build() {
        let item = item.map_err(|e| source(format!("cannot look through {}: {e}", top.display())))?;
        let Some(kind) = item.file_type().filter(|t| t.is_file() || t.is_symlink()) else { continue };
        let Ok(below) = item.path().strip_prefix(top) else { continue };
        let Ok(path) = RepoPath::new(below.as_os_str().as_bytes()) else { continue };
        if !listing.files.contains_key(&path) && !staged(&path) {
            found.push((path, if kind.is_symlink() { "untracked symlink" } else { "untracked" }));
        }
    }
    Ok(found)
}
