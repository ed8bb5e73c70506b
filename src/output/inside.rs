//! Replaces what an output directory holds when the directory itself must stay: a mount point, the top of a checkout,
//! a directory whose parent may not be written. All is prepared inside it before anything goes.

use super::JOURNAL;
use super::error::OutputError;
use super::journal::{Journal, Recovered, Steps};
use super::materialise::make_directory;
use super::survey::is_kept;
use crate::workspace::RepoPath;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Fills a new tree with `fill` and exchanges it, entry by entry, with what `out` holds.
///
/// # Errors
/// The system's; `out` holds what it held.
pub(super) fn replace<T>(
    out: &Path,
    notes: &mut Vec<String>,
    fill: impl FnOnce(&Path) -> Result<T, OutputError>,
) -> Result<T, OutputError> {
    let journal = Journal::begin(out)?;
    match journal.recovered {
        Recovered::Nothing => {}
        Recovered::Finished => notes.push("finished what an interrupted run had begun".to_owned()),
        Recovered::Undone => notes.push("removed what an interrupted run had left".to_owned()),
    }
    let tree = journal.home().join("tree");
    make_directory(&tree).map_err(|e| OutputError::io("create", &tree, &e))?;
    let filled = fill(&tree)?;
    let mut steps = Steps::default();
    for name in entries(out)? {
        if !is_kept(&name) && name != JOURNAL.as_bytes() {
            steps.remove.push(entry(out, &name)?);
        }
    }
    for name in entries(&tree)? {
        let staged = [b"tree/", name.as_slice()].concat();
        steps.place.push((entry(out, &staged)?, entry(out, &name)?));
    }
    journal.commit(&steps)?;
    Ok(filled)
}

fn entries(directory: &Path) -> Result<Vec<Vec<u8>>, OutputError> {
    let list = || -> std::io::Result<Vec<Vec<u8>>> {
        fs::read_dir(directory)?.map(|entry| Ok(entry?.file_name().as_bytes().to_vec())).collect()
    };
    let mut names = list().map_err(|e| OutputError::io("read", directory, &e))?;
    names.sort();
    Ok(names)
}

fn entry(out: &Path, name: &[u8]) -> Result<RepoPath, OutputError> {
    RepoPath::new(name)
        .map_err(|e| OutputError::io("replace what is in", out, &std::io::Error::other(e.to_string())))
}
