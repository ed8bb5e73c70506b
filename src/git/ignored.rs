//! Which files a checkout's own `.gitignore` files name. The user's ignore files and `.git/info/exclude` are not part of a commit
//! and do not count.

use super::checkout::source;
use super::layout::read_small;
use crate::ops::Failure;
use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};

/// The ignore rules of a checkout, read where somebody asks.
pub(super) struct Rules<'a> {
    top: &'a Path,
    of: HashMap<PathBuf, Gitignore>,
    /// What is decided about directories.
    ignored: HashMap<PathBuf, bool>,
}

impl<'a> Rules<'a> {
    /// Those of the checkout there; nothing is read yet.
    pub(super) fn new(top: &'a Path) -> Self {
        Self { top, of: HashMap::new(), ignored: HashMap::new() }
    }

    /// Whether a rule names a path or a directory around it: git looks at nothing in such a directory.
    ///
    /// # Errors
    /// A `.gitignore` that cannot be read.
    pub(super) fn is_ignored(&mut self, path: &Path, is_dir: bool) -> Result<bool, Failure> {
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
