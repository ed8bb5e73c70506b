//! A checkout on disk: opened without discovery and checked against a pin.

use super::layout::{Head, Layout, object_id};
use super::objects::Objects;
use super::remote;
use super::url::{same_repository, without_password};
use crate::ops::{Failure, FailureKind};
use crate::recipe::CommitSha;
use crate::report::reference::quoted;
use git2::Oid;
use std::path::Path;
use std::sync::Arc;

/// An opened checkout.
pub struct Checkout {
    pub(super) layout: Layout,
    /// Shared with the contents that are read later.
    pub(super) objects: Arc<Objects>,
}

impl Checkout {
    /// Opens the checkout whose top is `directory`.
    ///
    /// # Errors
    /// No directory, no checkout, not its top, a bare repository, a format that this build does not read.
    pub fn open(directory: &Path) -> Result<Self, Failure> {
        let layout = Layout::of(directory)?;
        let objects = Objects::open(&layout.common.join("objects"), layout.format)
            .map_err(|error| source(error.to_string()))?;
        Ok(Self { layout, objects })
    }

    /// Checks that HEAD is `commit` and that a remote is `repo`.
    ///
    /// # Errors
    /// What was expected, what is there, and the command that mends it.
    pub fn verify(&self, repo: &str, commit: &CommitSha) -> Result<(), Failure> {
        let shown = self.layout.top.display();
        let head = self.head()?;
        if head.to_string() != commit.as_str() {
            return Err(self.other_commit(head, repo, commit));
        }
        let remotes = remote::of(&self.layout.config);
        if remotes.iter().any(|remote| remote.urls.iter().any(|url| same_repository(url, repo))) {
            return Ok(());
        }
        let details = remotes.iter().flat_map(|remote| {
            let url = remote.urls.first().map(|url| without_password(url));
            url.map(|url| format!("{} is {}", remote.name, crate::report::escape::line(&url)))
        });
        let message = match remotes.is_empty() {
            true => format!("expected a remote {repo}, but the checkout {shown} has none"),
            false => format!("expected a remote {repo}, but no remote of {shown} is that repository"),
        };
        Err(source(message).at("repo").details(details.collect()).hint(format!(
            "if it is a checkout of that repository: git -C {shown} remote add upstream {repo}"
        )))
    }

    /// The commit that is checked out.
    ///
    /// # Errors
    /// There is none yet, or HEAD cannot be read.
    pub(super) fn head(&self) -> Result<Oid, Failure> {
        let shown = self.layout.top.display();
        match self.layout.head() {
            Head::At(id) => Ok(id),
            Head::Unborn => Err(source(format!("the checkout {shown} has no commit yet")).at("commit")),
            Head::Unreadable => Err(source(format!("the checkout {shown} has no readable HEAD"))
                .at("commit")
                .hint(format!("{} checkout COMMIT writes it anew", self.git()))),
        }
    }

    /// The beginning of a command on this checkout, for a hint.
    pub(super) fn git(&self) -> String {
        format!("git -C {}", quoted(&self.layout.top.display().to_string()))
    }

    fn other_commit(&self, head: Oid, repo: &str, commit: &CommitSha) -> Failure {
        let shown = self.layout.top.display();
        let failure = source(format!("expected commit {commit} but HEAD of {shown} is {head}")).at("commit");
        let Some(id) = object_id(commit.as_str(), self.layout.format) else {
            let digits = head.to_string().len();
            return failure.hint(format!("the ids of this repository have {digits} digits"));
        };
        let (git, from) = (self.git(), quoted(repo));
        let fetch = match (self.objects.has(id), self.layout.is_shallow()) {
            (true, _) => String::new(),
            (false, true) => format!("{git} fetch --depth 1 {from} {commit} && "),
            (false, false) => format!("{git} fetch --tags {from} {commit} && "),
        };
        failure
            .hint(format!("{fetch}{git} checkout {commit}"))
            .hint("to move the port to another commit: kernel-port repin")
    }
}

/// A failure of the source.
pub(super) fn source(message: impl Into<String>) -> Failure {
    Failure::new(FailureKind::Source, message)
}
