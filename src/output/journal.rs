//! Changes what a directory holds when the directory itself must stay: everything new is prepared in
//! `.kernel-port-journal`, written down, marked as decided, and only then renamed into place. A run that is killed
//! after the mark is finished by the next one; before it, nothing has happened yet.

use super::JOURNAL;
use super::error::{ErrorKind, OutputError, shown};
use super::lock::Lock;
use super::materialise::make_directory;
use super::quote::{quote, unquote};
use super::remove::remove_tree;
use super::syscalls::{rename_new, sync_directory, sync_tree};
use crate::workspace::RepoPath;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

const STEPS: &str = "journal.json";
const DECIDED: &str = "decided";
const OLD: &str = "old";

/// What is to be done, all paths relative: those of `from` to the journal, the others to the directory.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Steps {
    /// Files, links or whole directories that go. They are moved into the journal first.
    pub(super) remove: Vec<RepoPath>,
    /// What comes: prepared at the first path, wanted at the second.
    pub(super) place: Vec<(RepoPath, RepoPath)>,
    /// Directories to remove at the end if nothing is left in them, deepest first.
    pub(super) tidy: Vec<RepoPath>,
}

impl Steps {
    fn to_json(&self) -> String {
        let text = |path: &RepoPath| Value::from(quote(path.as_bytes()));
        let list = |paths: &[RepoPath]| paths.iter().map(text).collect::<Vec<_>>();
        let place: Vec<Value> = self.place.iter().map(|(from, to)| json!([text(from), text(to)])).collect();
        format!("{:#}\n", json!({ "remove": list(&self.remove), "place": place, "tidy": list(&self.tidy) }))
    }

    /// Writes them into the journal.
    pub(super) fn write(&self, home: &Path) -> Result<(), OutputError> {
        let full = home.join(STEPS);
        fs::write(&full, self.to_json()).map_err(|e| OutputError::io("write", &full, &e))
    }

    fn parse(text: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(text).ok()?;
        let path = |value: &Value| RepoPath::new(unquote(value.as_str()?)?).ok();
        let list = |key: &str| value.get(key)?.as_array()?.iter().map(path).collect::<Option<Vec<_>>>();
        let place = value.get("place")?.as_array()?.iter();
        Some(Self {
            remove: list("remove")?,
            place: place
                .map(|pair| Some((path(pair.get(0)?)?, path(pair.get(1)?)?)))
                .collect::<Option<_>>()?,
            tidy: list("tidy")?,
        })
    }
}

/// What became of an earlier run that did not end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Recovered {
    /// There was none.
    Nothing,
    /// It had decided what to do, and that is done now.
    Finished,
    /// It had changed nothing yet, or what it changed is as before.
    Undone,
}

/// A change being prepared. Dropped before [`Journal::commit`], it leaves nothing behind.
pub(super) struct Journal {
    root: PathBuf,
    home: PathBuf,
    /// What became of an earlier run.
    pub(super) recovered: Recovered,
    _lock: Lock,
}

impl Journal {
    /// Begins a change of `root`, after finishing or undoing an earlier one that did not end.
    ///
    /// # Errors
    /// Another run is at it, or the directory cannot be written; nothing has changed.
    pub(super) fn begin(root: &Path) -> Result<Self, OutputError> {
        let lock = Lock::wait(root)?;
        let recovered = recover_locked(root)?;
        let home = root.join(JOURNAL);
        let made = fs::create_dir(&home).and_then(|()| make_directory(&home.join(OLD)));
        made.map_err(|e| OutputError::io("create", &home, &e))?;
        Ok(Self { root: root.to_path_buf(), home, recovered, _lock: lock })
    }

    /// Where the new files are prepared.
    pub(super) fn home(&self) -> &Path {
        &self.home
    }

    /// Does it. On an error everything is put back.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn commit(self, steps: &Steps) -> Result<(), OutputError> {
        steps.write(&self.home)?;
        sync_tree(&self.home).map_err(|e| OutputError::io("write", &self.home, &e))?;
        let decided = self.home.join(DECIDED);
        fs::write(&decided, "").map_err(|e| OutputError::io("write", &decided, &e))?;
        sync_directory(&self.home);
        apply_or_undo(&self.root, &self.home, steps)
    }
}

impl Drop for Journal {
    fn drop(&mut self) {
        if fs::symlink_metadata(self.home.join(DECIDED)).is_err() {
            let _ = remove_tree(&self.home);
        }
    }
}

/// Finishes or undoes a change of `root` that a killed run left.
///
/// # Errors
/// Another run is still at it, or it can be neither finished nor undone.
pub fn recover(root: &Path) -> Result<Recovered, OutputError> {
    if fs::symlink_metadata(root.join(JOURNAL)).is_err() {
        return Ok(Recovered::Nothing);
    }
    let _lock = Lock::wait(root)?;
    recover_locked(root)
}

fn recover_locked(root: &Path) -> Result<Recovered, OutputError> {
    let home = root.join(JOURNAL);
    match fs::symlink_metadata(&home) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Recovered::Nothing),
        Ok(meta) if meta.is_dir() => {}
        _ => return Err(broken(&home)),
    }
    if fs::symlink_metadata(home.join(DECIDED)).is_err() {
        remove_tree(&home).map_err(|e| OutputError::io("remove", &home, &e))?;
        return Ok(Recovered::Undone);
    }
    let steps = fs::read(home.join(STEPS)).ok().and_then(|text| Steps::parse(&text));
    let steps = steps.ok_or_else(|| broken(&home))?;
    apply_or_undo(root, &home, &steps)?;
    Ok(Recovered::Finished)
}

fn broken(home: &Path) -> OutputError {
    let message = format!("{} is left from an interrupted run and cannot be read", shown(home));
    OutputError::new(ErrorKind::Write, message)
        .at(home)
        .help("see what is in it, restore the directory (with git, say), and remove it")
}

fn apply_or_undo(root: &Path, home: &Path, steps: &Steps) -> Result<(), OutputError> {
    let change = Change { root, home, steps };
    if let Err(error) = change.apply() {
        if let Err(second) = change.undo() {
            return Err(error.help(format!(
                "it could not be undone either ({second}); what was there is in {}, and the next run tries again",
                shown(home)
            )));
        }
        clear(home)?;
        return Err(error);
    }
    clear(home)
}

/// Removes the journal, the mark first: without it, what is left of the journal is only something to remove.
fn clear(home: &Path) -> Result<(), OutputError> {
    let gone = fs::remove_file(home.join(DECIDED)).and_then(|()| remove_tree(home));
    gone.map_err(|e| OutputError::io("remove", home, &e))
}

/// The steps, done in a way that can be repeated: what is where says what has been done already.
struct Change<'a> {
    root: &'a Path,
    home: &'a Path,
    steps: &'a Steps,
}

impl Change<'_> {
    fn old(&self, index: usize) -> PathBuf {
        self.home.join(OLD).join(index.to_string())
    }

    fn apply(&self) -> Result<(), OutputError> {
        for (index, path) in self.steps.remove.iter().enumerate() {
            let (from, to) = (self.root.join(path.as_os_path()), self.old(index));
            let half_moved = || is_directory(&from) && is_directory(&to) && !self.is_placed(path);
            if exists(&from) && (!exists(&to) || half_moved()) {
                self.on_real_directories(path)?;
                shift(&from, &to).map_err(|e| OutputError::io("move away", &from, &e))?;
            }
        }
        for (prepared, path) in &self.steps.place {
            let (from, to) = (self.home.join(prepared.as_os_path()), self.root.join(path.as_os_path()));
            if exists(&from) {
                self.on_real_directories(path)?;
                rename_new(&from, &to).map_err(|e| OutputError::io("write", &to, &e))?;
            }
        }
        for path in &self.steps.tidy {
            let _ = fs::remove_dir(self.root.join(path.as_os_path()));
        }
        Ok(())
    }

    fn undo(&self) -> io::Result<()> {
        let mut above = BTreeSet::new();
        for (prepared, path) in self.steps.place.iter().rev() {
            let (from, to) = (self.home.join(prepared.as_os_path()), self.root.join(path.as_os_path()));
            above.extend(path.ancestors());
            if !exists(&from) && exists(&to) {
                fs::rename(&to, &from)?;
            }
        }
        // Those that were made for the new files are empty again; `a/b` sorts after `a`.
        for directory in above.iter().rev() {
            let _ = fs::remove_dir(self.root.join(directory.as_os_path()));
        }
        for (index, path) in self.steps.remove.iter().enumerate().rev() {
            let (from, to) = (self.old(index), self.root.join(path.as_os_path()));
            if exists(&from) {
                if let Some(parent) = to.parent() {
                    fs::create_dir_all(parent)?;
                }
                shift(&from, &to)?;
            }
        }
        Ok(())
    }

    /// Whether what stands at a path is already the new one.
    fn is_placed(&self, path: &RepoPath) -> bool {
        let prepared = self.steps.place.iter().find(|(_, to)| to == path);
        prepared.is_some_and(|(from, _)| !exists(&self.home.join(from.as_os_path())))
    }

    /// Makes the directories above a path; a link among them would lead elsewhere and is refused.
    fn on_real_directories(&self, path: &RepoPath) -> Result<(), OutputError> {
        let mut above: Vec<RepoPath> = path.ancestors().collect();
        while let Some(directory) = above.pop() {
            let full = self.root.join(directory.as_os_path());
            match fs::symlink_metadata(&full) {
                Ok(meta) if meta.is_dir() => {}
                Ok(_) => {
                    let error = io::Error::from(io::ErrorKind::NotADirectory);
                    return Err(OutputError::io("write below", &full, &error));
                }
                Err(_) => make_directory(&full).map_err(|e| OutputError::io("create", &full, &e))?,
            }
        }
        Ok(())
    }
}

fn exists(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok()
}

fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir())
}

/// Moves a file or directory. A directory in the lower layer of an overlay cannot be renamed, and one that was half
/// moved is there twice: then its entries are moved one by one.
fn shift(from: &Path, to: &Path) -> io::Result<()> {
    if !(is_directory(from) && is_directory(to)) {
        match fs::rename(from, to) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices && is_directory(from) => {
                make_directory(to)?;
            }
            done => return done,
        }
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        shift(&entry.path(), &to.join(entry.file_name()))?;
    }
    fs::remove_dir(from)
}
