//! `--in-place`: makes a checkout hold the port. Every new file is a new one, renamed into place, so that nothing is
//! written through a symlink or a hard link; what goes is moved away first and can be put back.

use super::compare::same_content;
use super::error::{ErrorKind, OutputError, shown};
use super::journal::{Journal, Recovered, Steps};
use super::materialise::{Materialiser, make_directory, write_new};
use super::provenance::{Origins, Provenance};
use super::write::Written;
use super::{PROVENANCE, rules, tree_hash};
use crate::report::plural;
use crate::workspace::{Mode, RepoPath, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Metadata};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// What git says about the directory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GitState {
    /// Everything in it can be had back from git.
    Clean,
    /// No git checkout.
    NoCheckout,
    /// These paths could not be had back.
    Dirty(Vec<String>),
}

/// Makes `dir` hold the port. `protected` are the recipe and its overlay directories: a port that would change them is
/// refused. Files in `dir` that are no part of the tree stay.
///
/// # Errors
/// A tree that may not be written, no clean checkout and no `force`, files in the way, or the system's; nothing has
/// changed then.
pub fn in_place(
    dir: &Path,
    workspace: &Workspace,
    origins: &Origins,
    checkout: &GitState,
    protected: &[PathBuf],
    force: bool,
) -> Result<Written, OutputError> {
    rules::check(workspace)?;
    if !force {
        check_clean(dir, checkout)?;
    }
    let root = fs::canonicalize(dir).map_err(|e| OutputError::io("find", dir, &e))?;
    let journal = Journal::begin(&root)?;
    let mut notes = Vec::new();
    if journal.recovered == Recovered::Finished {
        // The tree was read before that: it is not what is there now.
        return Err(OutputError::new(
            ErrorKind::Write,
            format!("{} was left half changed by an interrupted run; that is repaired now", shown(dir)),
        )
        .at(dir)
        .help("run again"));
    }
    let plan = Plan::new(&root, workspace)?;
    plan.check_protected(protected)?;
    if !force {
        plan.check_obstacles(dir)?;
    } else {
        notes.extend(
            plan.obstacles.iter().map(|path| format!("replaced {path}, which was no part of the tree")),
        );
    }
    let tree = tree_hash(workspace.iter())?;
    let record = Provenance::new(origins, tree.clone(), workspace).to_json();
    let steps = plan.prepare(&journal, workspace, &record)?;
    journal.commit(&steps)?;
    Ok(Written { path: root, files: workspace.len(), tree, notes })
}

fn check_clean(dir: &Path, checkout: &GitState) -> Result<(), OutputError> {
    let (message, list) = match checkout {
        GitState::Clean => return Ok(()),
        GitState::NoCheckout => {
            (format!("--in-place: {} is no git checkout, so nothing could be had back", shown(dir)), &[][..])
        }
        GitState::Dirty(paths) => {
            let count = plural(paths.len(), ("change", "changes"));
            let message =
                format!("--in-place: {} is not clean: {count} could not be had back from git", shown(dir));
            (message, paths.as_slice())
        }
    };
    Err(OutputError::new(ErrorKind::Refused, message)
        .at(dir)
        .list(list.iter().cloned())
        .help("commit or stash first, write to --out instead, or take the risk with --force"))
}

/// What differs between the directory and the port.
struct Plan {
    root: PathBuf,
    /// Moved away: files that go or are replaced, and whole directories that a file replaces.
    remove: BTreeSet<RepoPath>,
    /// Written.
    place: Vec<RepoPath>,
    /// What is moved away though the tree never had it.
    obstacles: BTreeSet<RepoPath>,
}

impl Plan {
    fn new(root: &Path, workspace: &Workspace) -> Result<Self, OutputError> {
        let mut plan = Self {
            root: root.to_path_buf(),
            remove: BTreeSet::new(),
            place: Vec::new(),
            obstacles: BTreeSet::new(),
        };
        let base = workspace.base();
        for path in base.keys().filter(|path| !workspace.is_file(path)) {
            if plan.there(path)?.is_some_and(|meta| !meta.is_dir()) {
                plan.remove.insert(path.clone());
            }
        }
        let mut known = BTreeMap::new();
        for (path, entry) in workspace.iter() {
            plan.clear_above(path, workspace, &mut known)?;
            let full = plan.full(path);
            let Some(meta) = plan.there(path)? else {
                plan.place.push(path.clone());
                continue;
            };
            let failed = |e| OutputError::io("compare", &full, &e);
            match mode_of(&meta) {
                Some(mode) if mode == entry.mode && same_content(entry, mode, &full).map_err(failed)? => {
                    continue;
                }
                _ if meta.is_dir() => plan.clear_directory(path, workspace)?,
                _ if !base.contains_key(path) => {
                    plan.obstacles.insert(path.clone());
                }
                _ => {}
            }
            plan.remove.insert(path.clone());
            plan.place.push(path.clone());
        }
        Ok(plan)
    }

    fn full(&self, path: &RepoPath) -> PathBuf {
        self.root.join(path.as_os_path())
    }

    /// What stands at a path; `None` where nothing does, or where something above it is no directory.
    fn there(&self, path: &RepoPath) -> Result<Option<Metadata>, OutputError> {
        for above in path.ancestors().collect::<Vec<_>>().iter().rev() {
            match fs::symlink_metadata(self.full(above)) {
                Ok(meta) if meta.is_dir() => {}
                _ => return Ok(None),
            }
        }
        match fs::symlink_metadata(self.full(path)) {
            Ok(meta) => Ok(Some(meta)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(OutputError::io("look at", &self.full(path), &error)),
        }
    }

    /// A file or link where a new path needs a directory has to go.
    fn clear_above(
        &mut self,
        path: &RepoPath,
        workspace: &Workspace,
        known: &mut BTreeMap<RepoPath, ()>,
    ) -> Result<(), OutputError> {
        for above in path.ancestors() {
            if known.insert(above.clone(), ()).is_some() {
                break;
            }
            if self.there(&above)?.is_some_and(|meta| !meta.is_dir()) {
                if !workspace.base().contains_key(&above) {
                    self.obstacles.insert(above.clone());
                }
                self.remove.insert(above);
            }
        }
        Ok(())
    }

    /// A directory where the port has a file: it goes as a whole, so all it holds must have been part of the tree.
    fn clear_directory(&mut self, path: &RepoPath, workspace: &Workspace) -> Result<(), OutputError> {
        for entry in WalkDir::new(self.full(path)).follow_links(false) {
            let entry = entry.map_err(|e| OutputError::io("read", &self.full(path), &e.into()))?;
            let below = entry.path().strip_prefix(&self.root).unwrap_or(entry.path()).as_os_str().as_bytes();
            if entry.file_type().is_dir() {
                continue;
            }
            match RepoPath::new(below) {
                Ok(file) if workspace.base().contains_key(&file) => {
                    self.remove.remove(&file);
                }
                Ok(file) => {
                    self.obstacles.insert(file);
                }
                Err(_) => {
                    let message = format!("{} is in the way and holds a checkout", shown(&self.full(path)));
                    return Err(OutputError::new(ErrorKind::Refused, message).at(entry.path()));
                }
            }
        }
        Ok(())
    }

    fn check_protected(&self, protected: &[PathBuf]) -> Result<(), OutputError> {
        let real: Vec<PathBuf> = protected.iter().filter_map(|path| fs::canonicalize(path).ok()).collect();
        let hit = |path: &&RepoPath| {
            let full = self.full(path);
            real.iter().any(|keep| full.starts_with(keep) || keep.starts_with(&full))
        };
        let hits: Vec<String> = self.remove.iter().filter(hit).map(ToString::to_string).collect();
        if hits.is_empty() {
            return Ok(());
        }
        let message = "--in-place would remove or change the running recipe or its overlay";
        Err(OutputError::new(ErrorKind::Refused, message)
            .list(hits)
            .help("keep these files in the recipe's prune and delete ops, or write to --out"))
    }

    fn check_obstacles(&self, dir: &Path) -> Result<(), OutputError> {
        if self.obstacles.is_empty() {
            return Ok(());
        }
        let count = plural(self.obstacles.len(), ("file that is", "files that are"));
        let message = format!("--in-place would replace {count} no part of the tree in {}", shown(dir));
        Err(OutputError::new(ErrorKind::Refused, message)
            .at(dir)
            .list(self.obstacles.iter().map(ToString::to_string))
            .help("move them away, or lose them with --force"))
    }

    /// Writes the new files into the journal.
    fn prepare(
        mut self,
        journal: &Journal,
        workspace: &Workspace,
        record: &str,
    ) -> Result<Steps, OutputError> {
        let new = journal.home().join("new");
        make_directory(&new).map_err(|e| OutputError::io("create", &new, &e))?;
        let mut steps = Steps::default();
        let mut writer = Materialiser::new(&new);
        for (index, path) in self.place.iter().enumerate() {
            let Some(entry) = workspace.get(path) else { continue };
            writer.file(path, entry, &new.join(index.to_string()))?;
            steps.place.push((own(&format!("new/{index}"))?, path.clone()));
        }
        let provenance = own(PROVENANCE)?;
        let same = fs::read(self.root.join(PROVENANCE)).is_ok_and(|text| text == record.as_bytes());
        if !same {
            if self.there(&provenance)?.is_some() {
                self.remove.insert(provenance.clone());
            }
            write_new(&new.join("record"), record.as_bytes())?;
            steps.place.push((own("new/record")?, provenance));
        }
        let emptied: BTreeSet<RepoPath> = self.remove.iter().flat_map(RepoPath::ancestors).collect();
        // Reversed, `a/b` comes before `a`.
        steps.tidy = emptied.into_iter().rev().collect();
        steps.remove = self.remove.into_iter().collect();
        Ok(steps)
    }
}

fn own(name: &str) -> Result<RepoPath, OutputError> {
    RepoPath::new(name).map_err(|e| OutputError::new(ErrorKind::Write, format!("`{name}` {e}")))
}

fn mode_of(meta: &Metadata) -> Option<Mode> {
    let kind = meta.file_type();
    if kind.is_symlink() {
        Some(Mode::Symlink)
    } else if kind.is_file() {
        Some(if meta.permissions().mode() & 0o111 == 0 { Mode::File } else { Mode::Executable })
    } else {
        None
    }
}
