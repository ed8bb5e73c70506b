//! A checkout on disk: opened without discovery, checked against a pin, and read as what its commit tracks.

use super::url::same_repository;
use crate::ops::{Failure, FailureKind};
use crate::recipe::CommitSha;
use git2::{ErrorCode, Oid, Repository};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// An opened checkout.
pub struct Checkout {
    /// Shared with the contents that are read later.
    pub(super) repository: Arc<Mutex<Repository>>,
    /// The top of the work tree.
    pub(super) top: PathBuf,
}

impl Checkout {
    /// Opens the checkout whose top is `directory`.
    ///
    /// # Errors
    /// No directory, no checkout, not its top, a bare repository, one that git or this build refuses.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        let shown = directory.display();
        let top = fs::canonicalize(directory).map_err(|e| source(format!("{shown}: {e}")))?;
        let repository = Repository::open(&top).map_err(|error| not_opened(directory, &top, &error))?;
        if repository.workdir().is_none() {
            return Err(source(format!("{shown} is a bare repository, not a checkout"))
                .hint(format!("git clone {shown} CHECKOUT makes one")));
        }
        Ok(Self { repository: Arc::new(Mutex::new(repository)), top })
    }

    /// Checks that HEAD is `commit` and that a remote is `repo`.
    ///
    /// # Errors
    /// What was expected, what is there, and the command that mends it.
    pub fn verify(&self, repo: &str, commit: &CommitSha) -> Result<(), Failure> {
        let repository = self.lock()?;
        let shown = self.top.display();
        let head = repository.head().and_then(|head| head.peel_to_commit()).map_err(|error| {
            let reason = match error.code() {
                ErrorCode::UnbornBranch => "has no commit yet".to_owned(),
                _ => format!("has no readable HEAD: {}", error.message()),
            };
            source(format!("the checkout {shown} {reason}")).at("commit")
        })?;
        let found = head.id().to_string();
        if found != commit.as_str() {
            let known = Oid::from_str(commit.as_str()).is_ok_and(|id| repository.find_commit(id).is_ok());
            let fetch = if known { "" } else { "git fetch && " };
            return Err(source(format!("expected commit {commit} but HEAD of {shown} is {found}"))
                .at("commit")
                .hint(format!("in the checkout: {fetch}git checkout {commit}"))
                .hint("to move the port to another commit: kernel-port repin"));
        }
        let names = repository.remotes().map_err(|e| source(format!("{shown}: git: {}", e.message())))?;
        let mut remotes: Vec<(String, String)> = Vec::new();
        for name in names.iter().flatten().flatten() {
            if let Ok(remote) = repository.find_remote(name)
                && let Ok(url) = remote.url()
            {
                remotes.push((name.to_owned(), url.to_owned()));
            }
        }
        remotes.sort_by_key(|(name, _)| name != "origin");
        if remotes.iter().any(|(_, url)| same_repository(url, repo)) {
            return Ok(());
        }
        let details =
            remotes.iter().map(|(name, url)| format!("{name} is {}", without_password(url))).collect();
        let message = match remotes.is_empty() {
            true => format!("expected a remote {repo}, but the checkout {shown} has none"),
            false => format!("expected a remote {repo}, but no remote of {shown} is that repository"),
        };
        Err(source(message)
            .at("repo")
            .details(details)
            .hint(format!("in the checkout of that repository: git remote add origin {repo}")))
    }

    pub(super) fn lock(&self) -> Result<std::sync::MutexGuard<'_, Repository>, Failure> {
        self.repository.lock().map_err(|_| source("the repository is in use by a thread that failed"))
    }
}

/// A failure of the source.
pub(super) fn source(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Source, message)
}

/// A token in a remote's URL stays out of logs.
fn without_password(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => match rest.split_once('@') {
            Some((user, host)) if !user.contains('/') => {
                format!("{scheme}://{}@{host}", user.split(':').next().unwrap_or(""))
            }
            _ => url.to_owned(),
        },
        None => url.to_owned(),
    }
}

fn not_opened(directory: &Path, top: &Path, error: &git2::Error) -> Failure {
    let shown = directory.display();
    if error.code() == ErrorCode::Owner {
        return source(format!("git does not trust {shown}: it belongs to another user"))
            .hint(format!("git config --global --add safe.directory {}", top.display()));
    }
    if fs::read_to_string(top.join(".git/config"))
        .is_ok_and(|c| c.to_ascii_lowercase().contains("objectformat = sha256"))
    {
        return source(format!("{shown} is a SHA-256 repository, which this build cannot read"))
            .hint("port it without the source op: the tree is then taken as it is");
    }
    if error.code() != ErrorCode::NotFound {
        return source(format!("git cannot open {shown}: {}", error.message()));
    }
    let above = top.ancestors().skip(1).find(|d| d.join(".git").exists());
    match above {
        Some(above) => source(format!("{shown} is not the top of its checkout"))
            .hint(format!("the top is {}", above.display())),
        None => source(format!("{shown} is not a git checkout"))
            .hint("a source op needs one; without the op any directory can be ported"),
    }
}
