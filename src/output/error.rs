//! Why an output was not written. One line that says it all, the paths concerned, and what to do; `report` renders
//! them.

use crate::report::escape;
use std::fmt;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// Most paths that an error lists.
const MAX_LISTED: usize = 10;

/// What kind of failure it is; decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// `--out` or `--in-place` cannot mean this place: exit status 2.
    Usage,
    /// The tree is not one that may be written: exit status 1.
    Tree,
    /// Something is there that would be lost, and `--force` was not given: exit status 5.
    Refused,
    /// The operating system said no, or a file changed on the way: exit status 5.
    Write,
}

/// Why an output was not written. What was there before is still there.
#[derive(Debug, Clone)]
pub struct OutputError {
    /// The kind.
    pub kind: ErrorKind,
    /// The place concerned, as the operating system knows it.
    pub path: Option<PathBuf>,
    /// One complete line: what was asked for and what stands against it.
    pub message: String,
    /// Further paths, one a line, safe to print.
    pub details: Vec<String>,
    /// What to do next.
    pub help: Option<String>,
}

impl OutputError {
    /// An error with its one line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, path: None, message: message.into(), details: Vec::new(), help: None }
    }

    /// The operating system's error for what was tried: `cannot create out/a: No space left on device`.
    pub fn io(tried: &str, path: &Path, error: &io::Error) -> Self {
        Self::new(ErrorKind::Write, format!("cannot {tried} {}: {error}", shown(path))).at(path)
    }

    /// With the place concerned.
    #[must_use]
    pub fn at(mut self, path: &Path) -> Self {
        self.path = Some(path.to_path_buf());
        self
    }

    /// With the first of the concerned paths, and how many more there are.
    #[must_use]
    pub fn list(mut self, lines: impl IntoIterator<Item = String>) -> Self {
        let mut lines = lines.into_iter();
        self.details.extend(lines.by_ref().take(MAX_LISTED));
        let more = lines.count();
        if more > 0 {
            self.details.push(format!("... and {more} more"));
        }
        self
    }

    /// With what to do next.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for OutputError {}

/// A path as it may be printed.
pub(super) fn shown(path: &Path) -> Shown<'_> {
    Shown(path.as_os_str().as_bytes())
}

/// A path below an output as it may be printed.
pub(super) fn shown_bytes(path: &[u8]) -> Shown<'_> {
    Shown(path)
}

/// Prints a path with control characters and bytes that are no UTF-8 escaped.
pub(super) struct Shown<'a>(&'a [u8]);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        escape::path(self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_lists_are_cut_and_counted() {
        let error = OutputError::new(ErrorKind::Refused, "m").list((0..13).map(|n| n.to_string()));
        assert_eq!(error.details.len(), 11);
        assert_eq!(error.details[10], "... and 3 more");
        let error = OutputError::new(ErrorKind::Refused, "m").list((0..10).map(|n| n.to_string()));
        assert_eq!(error.details.len(), 10);
    }
}
