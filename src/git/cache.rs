//! The cache of fetched commits: one bare repository a commit, put in place whole. Nothing in it is trusted: contents are
//! hashed when they are read, so a damaged or forged cache can make a run fail but not give other bytes. Deleting any of it
//! is always safe.

use super::address::Address;
use super::checkout::source;
use super::fetch;
use super::history::History;
use super::layout::{format_of, object_id};
use super::objects::{ObjectError, Objects};
use super::trees;
use crate::ops::Failure;
use crate::recipe::CommitSha;
use crate::workspace::Workspace;
use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use std::fs::{self, DirBuilder, File, OpenOptions, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Is told what is going on while something is fetched, a line at a time as it came from the server; an empty line ends it.
pub type Progress = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether and where to fetch repositories that no checkout was given for.
#[derive(Clone, Default)]
pub struct Fetching {
    /// The cache; `None` fetches nothing and looks nowhere.
    pub cache: Option<PathBuf>,
    /// `--offline`: what is not in the cache is an error.
    pub offline: bool,
    /// Who is told about progress.
    pub progress: Option<Progress>,
}

/// `$KERNEL_PORT_CACHE`, or `kernel-port` in the user's cache directory. `None` when there is no home.
pub fn cache_directory(env: impl Fn(&str) -> Option<PathBuf>) -> Option<PathBuf> {
    let set = |name: &str| env(name).filter(|path| !path.as_os_str().is_empty());
    if let Some(own) = set("KERNEL_PORT_CACHE") {
        return std::path::absolute(own).ok();
    }
    let home = || set("HOME").filter(|home| home.is_absolute());
    let user = if cfg!(target_os = "macos") {
        home().map(|home| home.join("Library/Caches"))
    } else {
        set("XDG_CACHE_HOME")
            .filter(|path| path.is_absolute())
            .or_else(|| home().map(|home| home.join(".cache")))
    };
    user.map(|directory| directory.join("kernel-port"))
}

/// The tree of a commit, fetched when the cache has it not.
///
/// # Errors
/// No such repository or commit, no network, no access, no git, or a cache that cannot be written.
pub(super) fn tree(
    root: &Path,
    fetching: &Fetching,
    repo: &str,
    commit: &CommitSha,
) -> Result<Workspace, Failure> {
    let address = Address::of(repo)?;
    let directory = root.join("sources").join(&address.key);
    let entry = directory.join(commit.as_str());
    if let Ok(tree) = open(&entry, commit) {
        return Ok(tree);
    }
    if fetching.offline {
        let message = format!("{} @ {} is not in the cache", address.shown(), commit.short());
        return Err(source(message)
            .at("commit")
            .details(vec![format!("looked for {}", entry.display())])
            .hint("run once without --offline"));
    }
    let unwritable = |error: io::Error| {
        source(format!("cannot write the cache {}: {error}", root.display()))
            .hint("KERNEL_PORT_CACHE names another place")
    };
    prepare(root, &directory).map_err(unwritable)?;
    let _lock = lock(&directory.join(format!("{commit}.lock")), fetching).map_err(unwritable)?;
    if let Ok(tree) = open(&entry, commit) {
        return Ok(tree);
    }
    let prefix = format!("{commit}.partial-");
    clear(&directory, &entry, &prefix).map_err(unwritable)?;
    let partial = tempfile::Builder::new()
        .prefix(&prefix)
        .permissions(Permissions::from_mode(0o777))
        .tempdir_in(&directory)
        .map_err(unwritable)?;
    fetch::commit(&address, commit, partial.path(), fetching.progress.as_ref())?;
    complete(partial.path(), commit).map_err(|error| {
        source(format!("what {} sent is not complete: {error}", address.shown())).at("repo")
    })?;
    let partial = partial.keep();
    if let Err(error) = fs::rename(&partial, &entry) {
        // Without working locks another run may have been faster.
        let _ = fs::remove_dir_all(&partial);
        if open(&entry, commit).is_err() {
            return Err(unwritable(error));
        }
    }
    open(&entry, commit).map_err(|error| {
        source(format!("the cache {} changed while it was read: {error}", root.display())).hint("run again")
    })
}

/// A bare clone of a whole repository, with the commit: what re-pinning compares commits in. It is fetched, or brought up
/// to date when `refresh` says so or the commit is not there yet; `HEAD` is the remote's default branch.
///
/// # Errors
/// As [`tree`].
pub fn history(
    fetching: &Fetching,
    repo: &str,
    commit: &CommitSha,
    refresh: bool,
) -> Result<PathBuf, Failure> {
    let address = Address::of(repo)?;
    let Some(root) = &fetching.cache else {
        return Err(source("there is no directory for a cache").hint("KERNEL_PORT_CACHE names one"));
    };
    let directory = root.join("histories");
    let entry = directory.join(&address.key);
    let is_there = || History::open(&entry).is_ok_and(|history| history.has(commit));
    if (fetching.offline || !refresh) && is_there() {
        return Ok(entry);
    }
    if fetching.offline {
        let message = format!("the history of {} is not in the cache", address.shown());
        return Err(source(message)
            .at("repo")
            .details(vec![format!("looked for {}", entry.display())])
            .hint("run once without --offline"));
    }
    let unwritable = |error: io::Error| {
        source(format!("cannot write the cache {}: {error}", root.display()))
            .hint("KERNEL_PORT_CACHE names another place")
    };
    prepare(root, &directory).map_err(unwritable)?;
    let _lock = lock(&directory.join(format!("{}.lock", address.key)), fetching).map_err(unwritable)?;
    // What a killed run left may be no repository yet.
    if entry.exists() && History::open(&entry).is_err() {
        fs::remove_dir_all(&entry).map_err(unwritable)?;
    }
    fs::create_dir_all(&entry).map_err(unwritable)?;
    fetch::history(&address, commit, &entry, fetching.progress.as_ref())?;
    Ok(entry)
}

fn open(entry: &Path, commit: &CommitSha) -> Result<Workspace, ObjectError> {
    let objects = Objects::open(&entry.join("objects"), format_of(commit.as_str()))?;
    trees::of_commit(&objects, commit)
}

/// Whether every object of the commit is there.
fn complete(repository: &Path, commit: &CommitSha) -> Result<(), ObjectError> {
    let format = format_of(commit.as_str());
    let objects = Objects::open(&repository.join("objects"), format)?;
    let missing = |what: &str| ObjectError::Missing(format!("{what} is missing"));
    let id = object_id(commit.as_str(), format).ok_or_else(|| missing(commit.as_str()))?;
    let listing = objects.list(id)?;
    match listing.files.iter().find(|(_, (id, _))| !objects.has(*id)) {
        Some((path, _)) => Err(missing(&format!("`{path}`"))),
        None => Ok(()),
    }
}

/// Makes the directories. What is fetched may be private; the root keeps others out.
fn prepare(root: &Path, directory: &Path) -> io::Result<()> {
    if !root.exists() {
        DirBuilder::new().recursive(true).mode(0o700).create(root)?;
    }
    let tag = root.join("CACHEDIR.TAG");
    if !tag.exists() {
        // Backup programs leave out directories that hold this file: https://bford.info/cachedir/
        let text = "Signature: 8a477f597d28d172789f06886806bc55\n# Sources fetched by kernel-port. Deleting them is safe.\n";
        fs::write(tag, text)?;
    }
    fs::create_dir_all(directory)
}

/// Waits until no other run fetches the same commit. A file system that knows no locks grants them all; then two runs
/// fetch, and the first to finish wins.
fn lock(path: &Path, fetching: &Fetching) -> io::Result<File> {
    let file = OpenOptions::new().create(true).truncate(false).write(true).open(path)?;
    let mut operation = FlockOperation::NonBlockingLockExclusive;
    loop {
        match flock(&file, operation) {
            Ok(()) => break,
            Err(Errno::WOULDBLOCK) => {
                if let Some(progress) = &fetching.progress {
                    progress("waiting for another run that fetches the same commit");
                }
                operation = FlockOperation::LockExclusive;
            }
            Err(Errno::INTR) => {}
            Err(Errno::NOSYS | Errno::NOLCK | Errno::NOTSUP | Errno::INVAL) => break,
            Err(error) => return Err(error.into()),
        }
    }
    if let Some(progress) = &fetching.progress {
        progress("");
    }
    Ok(file)
}

/// Removes what killed runs left, and an entry that cannot be read. Only the holder of the lock may. The git of a killed run
/// may still be writing; what cannot be removed for that reason is left to the next time.
fn clear(directory: &Path, entry: &Path, prefix: &str) -> io::Result<()> {
    for item in fs::read_dir(directory)? {
        let item = item?;
        if item.file_name().to_str().is_some_and(|name| name.starts_with(prefix)) {
            let _ = fs::remove_dir_all(item.path());
        }
    }
    match fs::remove_dir_all(entry) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_is_where_the_environment_says() {
        let with = |pairs: &[(&str, &str)]| {
            let pairs: Vec<(String, PathBuf)> =
                pairs.iter().map(|(name, value)| ((*name).to_owned(), PathBuf::from(value))).collect();
            cache_directory(|name| pairs.iter().find(|(n, _)| n == name).map(|(_, v)| v.clone()))
        };
        let own = with(&[("KERNEL_PORT_CACHE", "/c"), ("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]);
        assert_eq!(own, Some("/c".into()));
        assert_eq!(with(&[]), None);
        assert_eq!(with(&[("KERNEL_PORT_CACHE", ""), ("HOME", "relative")]), None);
        if cfg!(target_os = "linux") {
            assert_eq!(with(&[("XDG_CACHE_HOME", "/x"), ("HOME", "/h")]), Some("/x/kernel-port".into()));
            assert_eq!(
                with(&[("XDG_CACHE_HOME", "x"), ("HOME", "/h")]),
                Some("/h/.cache/kernel-port".into())
            );
        }
        assert!(with(&[("KERNEL_PORT_CACHE", "c")]).unwrap().is_absolute());
    }
}
