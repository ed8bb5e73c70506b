//! What lies between two commits: which commits, which paths they touch, which files were renamed. Reads the object
//! database only; the work tree is never looked at.

use super::layout::format_of;
use crate::ops::Failure;
use crate::recipe::CommitSha;
use crate::report::reference::quoted;
use crate::workspace::RepoPath;
use git2::{Delta, DiffFindOptions, DiffOptions, ErrorCode, Oid, Repository, Sort, Tree};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Why history cannot be read.
#[derive(Debug, Clone)]
pub struct HistoryError {
    /// One complete line.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl HistoryError {
    fn new(message: impl Into<String>, help: &str) -> Self {
        Self { message: message.into(), help: Some(help.to_owned()) }
    }
}

impl From<Failure> for HistoryError {
    fn from(failure: Failure) -> Self {
        let help = failure.hints.first().cloned();
        let details = failure.details.iter().map(|line| format!("\n  {line}")).collect::<String>();
        Self { message: failure.message + &details, help }
    }
}

/// A repository whose history is read.
pub struct History {
    repository: Repository,
}

/// What lies between two commits.
#[derive(Debug, Default)]
pub struct Between {
    /// How many commits the new one has that the old one has not.
    pub commits: usize,
    /// Each of them that touches one of the given paths, newest first: short id and subject.
    pub touching: Vec<(String, String)>,
    /// How many commits the old one has that the new one has not: none, unless this goes back or to another branch.
    pub lost: usize,
    /// Files that git sees as renamed, old path to new.
    pub renamed: BTreeMap<RepoPath, RepoPath>,
    /// Paths whose content differs, the old side's and the new side's.
    pub changed: BTreeSet<RepoPath>,
}

impl History {
    /// Opens the repository whose work tree (or bare directory) is `directory`.
    ///
    /// # Errors
    /// There is none, or git refuses to open it.
    pub fn open(directory: &Path) -> Result<Self, HistoryError> {
        let shown = directory.display();
        let repository = Repository::open(directory).map_err(|e| match e.code() {
            ErrorCode::Owner => HistoryError::new(
                format!("{shown} belongs to another user"),
                &format!("git config --global --add safe.directory {}", quoted(&shown.to_string())),
            ),
            ErrorCode::NotFound => HistoryError::new(
                format!("{shown} is not a git repository"),
                "name the top of a checkout of the source",
            ),
            _ => HistoryError::new(
                format!("{shown}: history cannot be read: {}", e.message()),
                "a full clone has no extensions that hinder: git clone without --filter and --ref-format",
            ),
        })?;
        Ok(Self { repository })
    }

    /// Whether the commit is here.
    pub fn has(&self, commit: &CommitSha) -> bool {
        object_id(commit).is_ok_and(|id| self.repository.find_commit(id).is_ok())
    }

    pub(super) fn common(&self) -> &Path {
        self.repository.commondir()
    }

    /// How one file differs between two commits, as a patch; empty when it does not.
    pub fn file_diff(&self, old: &CommitSha, new: &CommitSha, path: &RepoPath) -> String {
        let shown = || -> Result<String, HistoryError> {
            let (old, new) = (self.tree(old)?, self.tree(new)?);
            let mut options = DiffOptions::new();
            options.pathspec(path.as_os_path()).disable_pathspec_match(true).context_lines(3);
            let diff = self.repository.diff_tree_to_tree(Some(&old), Some(&new), Some(&mut options));
            let mut text = String::new();
            let printed = diff.and_then(|diff| {
                diff.print(git2::DiffFormat::Patch, |_, _, line| {
                    if matches!(line.origin(), '+' | '-' | ' ') {
                        text.push(line.origin());
                    }
                    text.push_str(&String::from_utf8_lossy(line.content()));
                    true
                })
            });
            printed.map_err(git_error)?;
            Ok(text)
        };
        let text = shown().unwrap_or_else(|error| error.message);
        text.lines().map(|line| format!("  {}\n", crate::report::escape::line(line))).collect()
    }

    /// The commit that a tag, branch, `HEAD` or (short) id names.
    ///
    /// # Errors
    /// No such revision.
    pub fn resolve(&self, revision: &str) -> Result<CommitSha, HistoryError> {
        let object = self.repository.revparse_single(revision).and_then(|o| o.peel_to_commit());
        let id = object.map_err(|_| {
            HistoryError::new(
                format!("`{revision}` names no commit here"),
                "`git fetch --tags` brings the commits and tags that the remote has",
            )
        })?;
        CommitSha::new(&id.id().to_string()).map_err(|e| HistoryError { message: e.message, help: e.help })
    }

    /// The name of a tag on the commit, for reading.
    pub fn tag_of(&self, commit: &CommitSha) -> Option<String> {
        let wanted = object_id(commit).ok()?;
        let mut found = Vec::new();
        for name in self.repository.tag_names(None).ok()?.iter().flatten().flatten() {
            let tagged = self
                .repository
                .revparse_single(&format!("refs/tags/{name}"))
                .and_then(|o| o.peel_to_commit());
            if tagged.is_ok_and(|c| c.id() == wanted) {
                found.push(name.to_owned());
            }
        }
        found.into_iter().max()
    }

    /// The newest tag that is an ancestor of nothing newer, by commit time, and the commit it is on.
    pub fn newest_tag(&self) -> Option<(String, CommitSha)> {
        let mut newest: Option<(i64, String, Oid)> = None;
        for name in self.repository.tag_names(None).ok()?.iter().flatten().flatten() {
            let tagged = self
                .repository
                .revparse_single(&format!("refs/tags/{name}"))
                .and_then(|o| o.peel_to_commit());
            let Ok(commit) = tagged else { continue };
            let time = commit.time().seconds();
            if newest.as_ref().is_none_or(|(t, n, _)| (time, name) > (*t, n.as_str())) {
                newest = Some((time, name.to_owned(), commit.id()));
            }
        }
        let (_, name, id) = newest?;
        Some((name, CommitSha::new(&id.to_string()).ok()?))
    }

    /// What lies between two commits; `ported` are the paths that matter to the port.
    ///
    /// # Errors
    /// A commit is not here.
    pub fn between(
        &self,
        old: &CommitSha,
        new: &CommitSha,
        ported: &BTreeSet<RepoPath>,
    ) -> Result<Between, HistoryError> {
        let mut found = Between::default();
        let (old_tree, new_tree) = (self.tree(old)?, self.tree(new)?);
        self.compare(&old_tree, &new_tree, &mut found).map_err(git_error)?;
        let walked = self.walk(old, new, ported, &mut found);
        walked.map_err(git_error)?;
        Ok(found)
    }

    pub(super) fn tree(&self, commit: &CommitSha) -> Result<Tree<'_>, HistoryError> {
        let id = object_id(commit).map_err(git_error)?;
        self.repository.find_commit(id).and_then(|c| c.tree()).map_err(|_| {
            HistoryError::new(
                format!("commit {} is not in this repository", commit.short()),
                "`git fetch` it first; a shallow clone needs `git fetch --unshallow`",
            )
        })
    }

    fn compare(&self, old: &Tree<'_>, new: &Tree<'_>, found: &mut Between) -> Result<(), git2::Error> {
        let mut options = DiffOptions::new();
        options.ignore_submodules(true);
        let mut diff = self.repository.diff_tree_to_tree(Some(old), Some(new), Some(&mut options))?;
        diff.find_similar(Some(DiffFindOptions::new().renames(true).rename_limit(2000)))?;
        for delta in diff.deltas() {
            let path = |file: git2::DiffFile<'_>| file.path_bytes().and_then(|p| RepoPath::new(p).ok());
            let (before, after) = (path(delta.old_file()), path(delta.new_file()));
            if delta.status() == Delta::Renamed
                && let (Some(before), Some(after)) = (&before, &after)
            {
                found.renamed.insert(before.clone(), after.clone());
            }
            if delta.old_file().id() != delta.new_file().id() || delta.status() == Delta::Renamed {
                found.changed.extend(before);
                found.changed.extend(after);
            }
        }
        Ok(())
    }

    fn walk(
        &self,
        old: &CommitSha,
        new: &CommitSha,
        ported: &BTreeSet<RepoPath>,
        found: &mut Between,
    ) -> Result<(), git2::Error> {
        let mut walk = self.repository.revwalk()?;
        walk.set_sorting(Sort::TOPOLOGICAL | Sort::TIME)?;
        walk.push(object_id(new)?)?;
        walk.hide(object_id(old)?)?;
        let mut back = self.repository.revwalk()?;
        back.push(object_id(old)?)?;
        back.hide(object_id(new)?)?;
        found.lost = back.count();
        for id in walk {
            let commit = self.repository.find_commit(id?)?;
            found.commits += 1;
            let parent = commit.parent(0).and_then(|p| p.tree()).ok();
            let diff = self.repository.diff_tree_to_tree(parent.as_ref(), Some(&commit.tree()?), None)?;
            let touches = diff.deltas().any(|delta| {
                [delta.old_file(), delta.new_file()]
                    .iter()
                    .filter_map(|file| file.path_bytes().and_then(|p| RepoPath::new(p).ok()))
                    .any(|path| ported.contains(&path))
            });
            if touches {
                let subject = commit.summary().ok().flatten().unwrap_or("(no subject)").to_owned();
                found.touching.push((commit.id().to_string()[..12].to_owned(), subject));
            }
        }
        Ok(())
    }
}

fn object_id(commit: &CommitSha) -> Result<Oid, git2::Error> {
    Oid::from_str_ext(commit.as_str(), format_of(commit.as_str()))
}

fn git_error(error: git2::Error) -> HistoryError {
    HistoryError { message: format!("git: {}", error.message()), help: None }
}
