//! Where each pinned repository of a run comes from: a checkout that the command line names, or the cache. Each is opened
//! and checked once.

use super::cache::{self, Fetching};
use super::checkout::{Checkout, source};
use super::sourced::Sourced;
use crate::ops::Failure;
use crate::recipe::CommitSha;
use crate::report::reference::quoted;
use crate::workspace::Workspace;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// The checkouts that the command line gave, and what may be done about those it did not.
#[derive(Clone, Default)]
pub struct Checkouts {
    /// `--dir`.
    pub source: Option<PathBuf>,
    /// `--vendor NAME=DIR`.
    pub vendors: BTreeMap<String, PathBuf>,
    /// `--allow-dirty`.
    pub allow_dirty: bool,
    /// Whether and where to fetch what no checkout was given for.
    pub fetching: Fetching,
    opened: Arc<Mutex<Opened>>,
}

/// By directory (`None`: the cache), repository and commit.
type Opened = BTreeMap<(Option<PathBuf>, String, CommitSha), Arc<Sourced>>;

impl Checkouts {
    /// Those of a command line. Nothing is fetched unless [`Checkouts::fetching`] says where to.
    pub fn new(source: Option<PathBuf>, vendors: BTreeMap<String, PathBuf>, allow_dirty: bool) -> Self {
        Self { source, vendors, allow_dirty, ..Self::default() }
    }

    /// Gives the tree of a pin from elsewhere: an object database, in place of the checkout `directory` or the cache.
    pub fn seed(&self, directory: Option<&Path>, repo: &str, commit: &CommitSha, tree: Workspace) {
        self.keep(directory, repo, commit, Sourced { tree, dirty: Vec::new() });
    }

    /// The same checkouts with nothing opened, to be given other trees.
    pub fn unopened(&self) -> Self {
        Self { opened: Arc::default(), ..self.clone() }
    }

    /// The tree of the `source` op's pin.
    ///
    /// # Errors
    /// Wrong commit, wrong repository, not clean, no checkout, or what went wrong when it was fetched.
    pub fn upstream(&self, repo: &str, commit: &CommitSha) -> Result<Arc<Sourced>, Failure> {
        let found = self.of(self.source.as_deref(), repo, commit, || {
            let clone = format!("git clone {} CHECKOUT && git -C CHECKOUT checkout {commit}", quoted(repo));
            source("there is no checkout to take the source from").hint(clone)
        });
        match self.source {
            Some(_) => found,
            None => found.map_err(|failure| failure.hint("--dir CHECKOUT takes the source from a checkout")),
        }
    }

    /// The tree of a `vendor` op's pin.
    ///
    /// # Errors
    /// As [`Checkouts::upstream`].
    pub fn vendored(&self, name: &str, repo: &str, commit: &CommitSha) -> Result<Arc<Sourced>, Failure> {
        let directory = self.vendors.get(name).map(PathBuf::as_path);
        let found = self.of(directory, repo, commit, || {
            source(format!("there is no checkout of the vendored repository {name}")).at("name")
        });
        match directory {
            Some(_) => found,
            None => found.map_err(|failure| {
                failure.hint(format!("--vendor {}=CHECKOUT takes it from a checkout", quoted(name)))
            }),
        }
    }

    fn of(
        &self,
        directory: Option<&Path>,
        repo: &str,
        commit: &CommitSha,
        nowhere: impl FnOnce() -> Failure,
    ) -> Result<Arc<Sourced>, Failure> {
        let key = (directory.map(Path::to_path_buf), repo.to_owned(), commit.clone());
        if let Some(sourced) = self.opened.lock().ok().and_then(|opened| opened.get(&key).cloned()) {
            return Ok(sourced);
        }
        let sourced = match (directory, &self.fetching.cache) {
            (Some(directory), _) => {
                let checkout = Checkout::open(directory)?;
                checkout.verify(repo, commit)?;
                checkout.sourced(self.allow_dirty)?
            }
            (None, Some(root)) => {
                let tree = cache::tree(root, &self.fetching, repo, commit)?;
                Sourced { tree, dirty: Vec::new() }
            }
            (None, None) => return Err(nowhere()),
        };
        Ok(self.keep(directory, repo, commit, sourced))
    }

    fn keep(
        &self,
        directory: Option<&Path>,
        repo: &str,
        commit: &CommitSha,
        sourced: Sourced,
    ) -> Arc<Sourced> {
        let sourced = Arc::new(sourced);
        if let Ok(mut opened) = self.opened.lock() {
            let key = (directory.map(Path::to_path_buf), repo.to_owned(), commit.clone());
            opened.insert(key, sourced.clone());
        }
        sourced
    }
}
