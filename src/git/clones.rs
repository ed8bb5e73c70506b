//! Clones at hand: where the pinned commit of a repository can be read from an object database, whatever is checked out.

use super::history::History;
use super::url::same_repository;
use crate::recipe::CommitSha;
use crate::workspace::Workspace;
use git2::Repository;
use std::path::{Path, PathBuf};

/// Repositories to look in.
#[derive(Debug, Clone, Default)]
pub struct Clones {
    found: Vec<(PathBuf, Vec<String>)>,
}

impl Clones {
    /// Each directory that is a repository, and each repository directly below one that is not.
    pub fn new(directories: &[PathBuf]) -> Self {
        let mut clones = Self::default();
        for directory in directories {
            if clones.add(directory) {
                continue;
            }
            let Ok(entries) = std::fs::read_dir(directory) else { continue };
            let mut below: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            below.sort();
            for path in below {
                clones.add(&path);
            }
        }
        clones
    }

    fn add(&mut self, directory: &Path) -> bool {
        let Ok(repository) = Repository::open(directory) else { return false };
        let names = repository.remotes().ok();
        let names: Vec<String> = names.iter().flatten().flatten().flatten().map(str::to_owned).collect();
        let url = |name: &String| repository.find_remote(name).ok()?.url().ok().map(str::to_owned);
        self.found.push((directory.to_path_buf(), names.iter().filter_map(url).collect()));
        true
    }

    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &Path> {
        self.found.iter().map(|(path, _)| path.as_path())
    }

    /// The repository's clones.
    pub fn of<'c>(&'c self, repo: &'c str) -> impl Iterator<Item = &'c Path> {
        let ours =
            self.found.iter().filter(move |(_, urls)| urls.iter().any(|url| same_repository(url, repo)));
        ours.map(|(path, _)| path.as_path())
    }

    /// What a pinned commit tracks, from the first clone that has it, and that clone.
    pub fn tree(&self, repo: &str, commit: &CommitSha) -> Option<(PathBuf, Workspace)> {
        self.of(repo).find_map(|path| {
            let tree = History::open(path).ok()?.workspace(commit).ok()?;
            Some((path.to_path_buf(), tree))
        })
    }
}
