//! Whether a checkout is clean, judged by content: no setting of the repository, the user or the environment and no
//! index flag can hide a change. The index saves reading only where its times prove that a file is untouched.

use super::checkout::{Checkout, source};
use super::index::{Index, IndexError};
use super::judge::{Judge, Look};
use super::layout::Head;
use super::objects::{ObjectError, Objects, SUBMODULE};
use super::work_tree::WorkTreePass;
use crate::ops::{Evidence, Failure};
use crate::workspace::{Mode, RepoPath};
use git2::Oid;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Arc;

/// A file that the commit (or, when it was only staged, the index) tracks.
#[derive(Debug, Clone)]
pub(super) struct Tracked {
    /// Where the work tree and the blobs are.
    pub work_tree: Arc<WorkTree>,
    /// Its path in that work tree.
    pub path: RepoPath,
    /// How it stands there.
    pub state: State,
}

/// A checkout's files and its blobs, shared by all its tracked files.
#[derive(Debug)]
pub(super) struct WorkTree {
    top: PathBuf,
    /// Where the blobs are.
    pub objects: Arc<Objects>,
}

impl WorkTree {
    /// Where a file is.
    pub(super) fn full(&self, path: &RepoPath) -> PathBuf {
        self.top.join(path.as_os_path())
    }
}

/// A file of the commit against the work tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// As the commit has it, or left out by a sparse checkout.
    Clean(Oid, Mode),
    /// Another content or kind of file, or staged and not in the commit.
    Changed,
    /// Not there.
    Gone,
}

/// What the commit tracks, and where the work tree differs from it; submodules included.
#[derive(Debug, Default)]
pub(super) struct Status {
    /// Sorted by path.
    pub files: Vec<(RepoPath, Tracked)>,
    /// Submodules whose files are not there.
    pub absent: Vec<RepoPath>,
    /// Every difference: path, and what it is.
    pub dirty: Vec<Evidence>,
}

/// Submodules in submodules: more than anybody has.
const MAX_DEPTH: usize = 16;

impl Checkout {
    /// Compares the work tree with HEAD's commit.
    pub(super) fn status(&self) -> Result<Status, Failure> {
        let mut status = Status::default();
        self.add_status(None, self.head()?, 0, &mut status)?;
        status.files.sort_by(|(a, _), (b, _)| a.cmp(b));
        status.dirty.sort();
        status.dirty.dedup();
        status.absent.sort();
        Ok(status)
    }

    /// Adds what `commit` tracks under `prefix`, the path of a submodule.
    fn add_status(
        &self,
        prefix: Option<&RepoPath>,
        commit: Oid,
        depth: usize,
        status: &mut Status,
    ) -> Result<(), Failure> {
        let index = self.index()?;
        let tree = self.objects.tree_of(commit).map_err(|error| self.unreadable(&error))?;
        let listing = match index.listing(tree, self.layout.format) {
            Some(listing) => listing,
            None => self.objects.list(commit).map_err(|error| self.unreadable(&error))?,
        };
        status.files.reserve(listing.files.len());
        let work_tree = Arc::new(WorkTree { top: self.layout.top.clone(), objects: self.objects.clone() });
        let judge = Judge::new(&work_tree, &listing, &index);
        let pass = WorkTreePass::new(&self.layout.top, &listing)?;
        let found = pass.look(|file, stat| judge.look(file, stat))?;
        let mut looks = vec![Look::Nothing; listing.files.len()];
        for (file, look) in found.files {
            looks[file] = look;
        }
        let mut survey = Survey { work_tree: &work_tree, prefix, status };
        for (file, look) in looks.into_iter().enumerate() {
            let (state, what) = judge.state(file, look);
            let path = &listing.files[file].0;
            if let Some(what) = what {
                survey.note(path, what)?;
            }
            survey.track(path, state)?;
        }
        survey.staged(&judge, &pass)?;
        for (path, what) in &found.untracked {
            if index.get(path.as_bytes()).is_none() {
                survey.note(path, what)?;
            }
        }
        for (path, id) in &listing.submodules {
            let full = self.layout.top.join(path.as_os_path());
            let place = survey.place(path)?;
            if pass.stat(path).is_none() || !full.join(".git").exists() {
                survey.status.absent.push(place);
                continue;
            }
            if depth == MAX_DEPTH {
                return Err(source(format!("`{place}`: submodules are nested too deeply")));
            }
            let inner = Self::open(&full)?;
            let head = match inner.layout.head() {
                Head::At(head) => head,
                // `git submodule update` was interrupted before it checked anything out.
                Head::Unborn | Head::Unreadable => {
                    survey.status.absent.push(place);
                    continue;
                }
            };
            if head != *id {
                survey.note(path, &format!("submodule at another commit than {id}"))?;
            }
            inner.add_status(Some(&place), head, depth + 1, survey.status)?;
        }
        Ok(())
    }

    fn index(&self) -> Result<Index, Failure> {
        let file = self.layout.git.join("index");
        let bytes = self.layout.index().map_err(|e| source(format!("{}: {e}", file.display())))?;
        let Some(bytes) = bytes else { return Ok(Index::default()) };
        let mut index = Index::parse(&bytes, self.layout.format).map_err(|error: IndexError| {
            source(format!("the index of {} {error}", self.layout.top.display()))
                .hint(format!("in the checkout: {}", error.remedy()))
        })?;
        index.written = fs::metadata(&file).map(|m| (m.mtime(), m.mtime_nsec())).ok();
        Ok(index)
    }

    pub(super) fn unreadable(&self, error: &ObjectError) -> Failure {
        let failure = source(format!("the checkout {}: {error}", self.layout.top.display()));
        match error {
            ObjectError::Missing(_) => failure.hint(format!(
                "`{} fetch --refetch` completes a partial clone; a damaged one is best cloned anew",
                self.git()
            )),
            ObjectError::Unusable(_) => failure,
        }
    }
}

/// One checkout's part of the status.
struct Survey<'a> {
    work_tree: &'a Arc<WorkTree>,
    prefix: Option<&'a RepoPath>,
    status: &'a mut Status,
}

impl Survey<'_> {
    /// The path in the whole tree.
    fn place(&self, path: &RepoPath) -> Result<RepoPath, Failure> {
        match self.prefix {
            None => Ok(path.clone()),
            Some(prefix) => {
                prefix.join(path.as_bytes()).map_err(|e| source(format!("`{prefix}/{path}` {e}")))
            }
        }
    }

    fn note(&mut self, path: &RepoPath, what: &str) -> Result<(), Failure> {
        let path = self.place(path)?;
        self.status.dirty.push(Evidence { path, position: None, text: what.to_owned() });
        Ok(())
    }

    fn track(&mut self, path: &RepoPath, state: State) -> Result<(), Failure> {
        let tracked = Tracked { work_tree: self.work_tree.clone(), path: path.clone(), state };
        self.status.files.push((self.place(path)?, tracked));
        Ok(())
    }

    /// What is staged is a change too. A file that is staged and not in the commit counts as tracked.
    fn staged(&mut self, judge: &Judge<'_>, pass: &WorkTreePass<'_>) -> Result<(), Failure> {
        let Judge { listing, index, places, .. } = judge;
        let mut committed = vec![false; index.entries.len()];
        for ((_, (id, _)), place) in listing.files.iter().zip(places) {
            if let Some(place) = place {
                let entry = &index.entries[*place as usize];
                committed[*place as usize] = entry.id == *id && !entry.intent_to_add;
            }
        }
        for (entry, is_committed) in index.entries.iter().zip(committed) {
            if is_committed || entry.is_sparse_directory() {
                continue;
            }
            let Ok(path) = RepoPath::new(index.path(entry)) else { continue };
            match (listing.file(&path), listing.submodules.get(&path)) {
                (None, Some(id)) if *id == entry.id => {}
                (Some(_), _) | (None, Some(_)) => self.note(&path, "staged change")?,
                (None, None) if entry.mode == SUBMODULE => self.note(&path, "staged, not in the commit")?,
                (None, None) => {
                    self.note(&path, "staged, not in the commit")?;
                    let there = pass.stat(&path).is_some_and(|stat| stat.mode.is_some());
                    self.track(&path, if there { State::Changed } else { State::Gone })?;
                }
            }
        }
        let files = listing.files.iter().zip(places).filter(|(_, place)| place.is_none());
        let submodules = listing.submodules.keys().filter(|path| index.get(path.as_bytes()).is_none());
        for path in files.map(|((path, _), _)| path).chain(submodules) {
            if !index.is_left_out(path.as_bytes()) {
                self.note(path, "staged deletion")?;
            }
        }
        Ok(())
    }
}
