//! Checkouts and object trees: what a pinned commit tracks, read exactly and without running anything.

mod checkout;
mod clones;
mod config;
mod convert;
pub mod history;
mod index;
mod layout;
mod lfs;
mod objects;
mod remote;
mod sourced;
mod status;
mod trees;
mod untracked;
mod url;

pub use checkout::Checkout;
pub use clones::Clones;
pub use sourced::Sourced;
pub use url::same_repository;

use crate::ops::Failure;
use crate::recipe::CommitSha;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The checkouts that the command line gave. Each is opened and checked once a run.
#[derive(Clone, Default)]
pub struct Checkouts {
    /// `--dir`.
    pub source: Option<PathBuf>,
    /// `--vendor NAME=DIR`.
    pub vendors: BTreeMap<String, PathBuf>,
    /// `--allow-dirty`.
    pub allow_dirty: bool,
    opened: Arc<Mutex<Opened>>,
}

/// By directory, repository and commit.
type Opened = BTreeMap<(PathBuf, String, CommitSha), Arc<Sourced>>;

impl Checkouts {
    /// Those of a command line.
    pub fn new(source: Option<PathBuf>, vendors: BTreeMap<String, PathBuf>, allow_dirty: bool) -> Self {
        Self { source, vendors, allow_dirty, opened: Arc::default() }
    }

    /// Gives the tree of a pin from elsewhere: an object database, in place of the checkout `directory`.
    pub fn seed(&self, directory: &Path, repo: &str, commit: &CommitSha, tree: Workspace) {
        let sourced = Sourced { tree, dirty: Vec::new() };
        if let Ok(mut opened) = self.opened.lock() {
            opened.insert((directory.to_path_buf(), repo.to_owned(), commit.clone()), Arc::new(sourced));
        }
    }

    /// The tree of a checkout after all checks of its pin.
    ///
    /// # Errors
    /// Wrong commit, wrong repository, not clean, no checkout.
    pub fn pinned(&self, directory: &Path, repo: &str, commit: &CommitSha) -> Result<Arc<Sourced>, Failure> {
        let key = (directory.to_path_buf(), repo.to_owned(), commit.clone());
        let known = |opened: &BTreeMap<_, Arc<Sourced>>| opened.get(&key).cloned();
        if let Some(sourced) = self.opened.lock().ok().and_then(|opened| known(&opened)) {
            return Ok(sourced);
        }
        let checkout = Checkout::open(directory)?;
        checkout.verify(repo, commit)?;
        let sourced = Arc::new(checkout.sourced(self.allow_dirty)?);
        if let Ok(mut opened) = self.opened.lock() {
            opened.insert(key, sourced.clone());
        }
        Ok(sourced)
    }
}
