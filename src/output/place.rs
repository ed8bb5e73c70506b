//! Brings a tree to its place on disk: built beside the output and swapped, or inside it where that cannot be.

use super::error::{OutputError, shown};
use super::guard::Target;
use super::inside;
use super::lock::Lock;
use super::materialise::{Materialiser, make_directory, write_new};
use super::staging::Staging;
use super::survey::is_kept;
use super::swap::swap;
use super::syscalls::{Identity, identity, is_fixed, sync_tree};
use crate::workspace::{Entry, RepoPath};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// A tree to write, and the file of this program's own that goes with it.
pub(super) struct Parcel<'a> {
    /// In path order.
    pub(super) files: Vec<(&'a RepoPath, &'a Entry)>,
    /// The name of the file about the tree.
    pub(super) name: &'static str,
    /// Its text, once the tree hash is known.
    pub(super) text: &'a dyn Fn(&str) -> String,
}

impl Parcel<'_> {
    /// Writes everything below an empty directory and to the disk, files that did not change from `old`; the tree hash.
    fn fill(&self, root: &Path, old: Option<&Path>) -> Result<String, OutputError> {
        let tree = Materialiser::new(root).reusing(old).tree(self.files.iter().copied())?;
        write_new(&root.join(self.name), (self.text)(&tree).as_bytes())?;
        sync_tree(root).map_err(|e| OutputError::io("write", root, &e))?;
        Ok(tree)
    }
}

/// Says whether what stands at the output may be replaced.
pub(super) type Judge<'a> = &'a dyn Fn() -> Result<(), OutputError>;

/// Writes a parcel to `target`, replacing what is there if `judge` allows it; the tree hash. What else a reader should
/// know goes to `notes`.
///
/// # Errors
/// The judge's, the system's, or a content that cannot be read. What was there is still there.
pub(super) fn place(
    target: &Target,
    parcel: &Parcel<'_>,
    judge: Judge<'_>,
    notes: &mut Vec<String>,
) -> Result<String, OutputError> {
    let out = &target.path;
    let judged = judge_first(target, judge)?;
    let inside = |notes: &mut Vec<String>| {
        inside::replace(out, notes, |root| {
            judge()?;
            parcel.fill(root, Some(out))
        })
    };
    if judged.is_some() && must_stay(out) {
        return inside(notes);
    }
    let parents = Parents::make(&target.missing)?;
    let tree = match beside(target, parcel, judge, judged, notes)? {
        Beside::Done(tree) => tree,
        Beside::Impossible(_) if judged.is_some() => inside(notes)?,
        Beside::Impossible(error) => return Err(error),
    };
    parents.keep();
    Ok(tree)
}

/// Judges before anything is built, while no other run can exchange what is looked at.
fn judge_first(target: &Target, judge: Judge<'_>) -> Result<Identity, OutputError> {
    let _parent = if target.missing.is_empty() { Some(Lock::wait(target.parent())?) } else { None };
    let judged = identity(&target.path);
    let _out = if judged.is_some() { Some(Lock::wait(&target.path)?) } else { None };
    judge()?;
    Ok(judged)
}

enum Beside {
    Done(String),
    /// This directory cannot be replaced by another.
    Impossible(OutputError),
}

fn beside(
    target: &Target,
    parcel: &Parcel<'_>,
    judge: Judge<'_>,
    judged: Identity,
    notes: &mut Vec<String>,
) -> Result<Beside, OutputError> {
    let (out, parent) = (&target.path, target.parent());
    let name = out.file_name().unwrap_or_default();
    let staging = match Staging::create(parent, name, notes)? {
        Ok(staging) => staging,
        Err(error) => {
            let failure = OutputError::io("write to", parent, &error);
            return if is_fixed(&error) { Ok(Beside::Impossible(failure)) } else { Err(failure) };
        }
    };
    let tree = parcel.fill(&staging.tree(), judged.is_some().then_some(out))?;
    let lock = Lock::wait(parent)?;
    if identity(out) != judged {
        judge()?;
    }
    if let Ok(before) = fs::metadata(out) {
        let _ = fs::set_permissions(staging.tree(), before.permissions());
    }
    if let Err(error) = swap(&staging, out) {
        let failure = OutputError::io("replace", out, &error);
        return if is_fixed(&error) { Ok(Beside::Impossible(failure)) } else { Err(failure) };
    }
    drop(lock);
    if let Err((left, error)) = staging.remove() {
        notes.push(format!("the old output could not be removed from {}: {error}", shown(&left)));
    }
    Ok(Beside::Done(tree))
}

/// Whether a directory is more than an output: a file system is mounted on it, or it is the top of a checkout.
fn must_stay(out: &Path) -> bool {
    let device = |path: &Path| fs::metadata(path).map(|m| m.dev()).ok();
    let mounted = out.parent().is_some_and(|parent| device(parent) != device(out));
    let holds =
        |mut entries: fs::ReadDir| entries.any(|e| e.is_ok_and(|e| is_kept(e.file_name().as_bytes())));
    mounted || fs::read_dir(out).is_ok_and(holds)
}

/// The missing directories above an output; they go again if the output does not come.
struct Parents(Vec<PathBuf>);

impl Parents {
    fn make(missing: &[PathBuf]) -> Result<Self, OutputError> {
        let mut made = Self(Vec::new());
        for directory in missing {
            match make_directory(directory) {
                Ok(()) => made.0.push(directory.clone()),
                Err(_) if directory.is_dir() => {}
                Err(error) => return Err(OutputError::io("create", directory, &error)),
            }
        }
        Ok(made)
    }

    fn keep(mut self) {
        self.0.clear();
    }
}

impl Drop for Parents {
    fn drop(&mut self) {
        for directory in self.0.iter().rev() {
            let _ = fs::remove_dir(directory);
        }
    }
}
