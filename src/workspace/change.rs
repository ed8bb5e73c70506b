//! What an op wants to do, as values. The runner looks at them, checks the pins, and only then applies them.

use super::{Content, Mode, RepoPath};
use std::ops::Range;
use std::sync::Arc;

/// One replacement of a byte range in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextEdit {
    /// The bytes that go.
    pub range: Range<usize>,
    /// The bytes that come.
    pub with: Vec<u8>,
}

impl TextEdit {
    /// Replaces `range` by `with`.
    pub fn new(range: Range<usize>, with: impl Into<Vec<u8>>) -> Self {
        Self { range, with: with.into() }
    }
}

/// Applies edits to a content. Bytes outside the ranges stay as they are.
///
/// # Errors
/// Two edits that overlap or a range outside the content: an op that plans such a thing is wrong.
pub fn splice(content: &[u8], edits: &[TextEdit]) -> Result<Vec<u8>, OverlapError> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|e| (e.range.start, e.range.end));
    let mut out = Vec::with_capacity(content.len() + edits.iter().map(|e| e.with.len()).sum::<usize>());
    let mut at = 0;
    for edit in sorted {
        let kept = content.get(at..edit.range.start).ok_or(OverlapError(edit.range.start))?;
        out.extend_from_slice(kept);
        out.extend_from_slice(&edit.with);
        at = edit.range.end.max(edit.range.start);
    }
    out.extend_from_slice(content.get(at..).ok_or(OverlapError(at))?);
    Ok(out)
}

/// Two edits want the same byte.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverlapError(pub usize);

/// Who brought a file into the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The source tree: `--dir` or `--file`.
    Upstream,
    /// A `vendor` op, by its name.
    Vendor(String),
    /// An `overlay` op.
    Overlay,
    /// An op that writes a file: `write`, `ensure_init`, `manifest`.
    Generated,
}

/// One step of an op on the tree. All changes of an op are applied together, renames as one batch.
#[derive(Debug, Clone)]
pub enum Change {
    /// A file that was not there, or (an overlay) one that replaces another.
    Put {
        /// Where.
        path: RepoPath,
        /// What it holds.
        content: Content,
        /// Its mode.
        mode: Mode,
        /// Who brings it.
        origin: Origin,
    },
    /// Byte ranges of a file that is there.
    Edit {
        /// Which file.
        path: RepoPath,
        /// Sorted or not; may not overlap.
        edits: Vec<TextEdit>,
    },
    /// As `Edit`, by an op that has looked at the result already.
    Edited {
        /// Which file.
        path: RepoPath,
        /// What it holds then.
        content: Arc<[u8]>,
    },
    /// The file goes.
    Delete {
        /// Which file.
        path: RepoPath,
    },
    /// A submodule whose files are not at hand goes: nothing of it is wanted.
    DropSubmodule {
        /// Where it would be.
        path: RepoPath,
    },
    /// The file gets another path and is remembered as moved.
    Rename {
        /// Where it is.
        from: RepoPath,
        /// Where it will be.
        to: RepoPath,
    },
    /// A second file with the same content and mode.
    Copy {
        /// Where it is.
        from: RepoPath,
        /// Where the second one will be.
        to: RepoPath,
    },
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splice_keeps_every_byte_outside_the_ranges() {
        let edits = [TextEdit::new(4..5, "XY"), TextEdit::new(0..1, ""), TextEdit::new(2..2, "-")];
        assert_eq!(splice(b"abcdef", &edits).unwrap(), b"b-cdXYf");
    }

    #[test]
    fn splice_refuses_overlaps_and_ranges_outside() {
        let overlapping = [TextEdit::new(0..3, ""), TextEdit::new(2..4, "")];
        assert!(splice(b"abcdef", &overlapping).is_err());
        assert!(splice(b"ab", &[TextEdit::new(1..9, "")]).is_err());
    }
}
