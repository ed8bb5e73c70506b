//! The index file, read for two things: what is staged, and which files nobody has touched since git wrote them. Understands
//! versions 2 to 4, both object formats and sparse indexes; flags that hide changes are read but never believed.

use super::objects::MAX_PATH;
use super::stat::Stat;
use crate::workspace::RepoPath;
use git2::{ObjectFormat, Oid};
use std::fmt;
use std::ops::Range;

/// One path of the index.
#[derive(Debug, Clone)]
pub(super) struct IndexEntry {
    path: Range<u32>,
    /// The object that is staged.
    pub id: Oid,
    /// Git's mode.
    pub mode: u32,
    /// The file need not be in the work tree.
    pub skip_worktree: bool,
    /// Named with `git add --intent-to-add`, with no content yet.
    pub intent_to_add: bool,
    ctime: (u32, u32),
    mtime: (u32, u32),
    inode: u32,
    size: u32,
}

/// The whole index, sorted by path.
#[derive(Debug, Clone, Default)]
pub(super) struct Index {
    pub entries: Vec<IndexEntry>,
    /// The paths of all entries, one after the other.
    paths: Vec<u8>,
    /// When the file was written: seconds and nanoseconds.
    pub written: Option<(i64, i64)>,
}

/// Why an index cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum IndexError {
    /// Not an index, or cut off.
    Damaged,
    /// A version or extension that is not known.
    Unknown,
    /// Its entries stand in a second file.
    Split,
    /// A merge is under way.
    Unmerged,
}

impl fmt::Display for IndexError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Damaged => "is damaged",
            Self::Unknown => "has a format that is not known",
            Self::Split => "is split in two files",
            Self::Unmerged => "holds an unfinished merge",
        })
    }
}

impl IndexError {
    /// The command that helps.
    pub(super) fn remedy(self) -> &'static str {
        match self {
            Self::Damaged => "rm .git/index && git reset",
            Self::Unknown => "git update-index --index-version 2",
            Self::Split => "git update-index --no-split-index",
            Self::Unmerged => "git merge --abort",
        }
    }
}

const SPARSE_DIRECTORY: u32 = 0o040_000;

impl IndexEntry {
    fn place(&self) -> Range<usize> {
        self.path.start as usize..self.path.end as usize
    }

    /// Whether it stands for a whole directory that a sparse checkout leaves out.
    pub(super) fn is_sparse_directory(&self) -> bool {
        self.mode == SPARSE_DIRECTORY
    }

    /// Size and every time and number that the index recorded are the file's own, and the file is older than the index:
    /// then nobody has written to it since git did.
    pub(super) fn proves_untouched(&self, stat: &Stat, index_written: Option<(i64, i64)>) -> bool {
        let older = index_written.is_some_and(|written| stat.mtime < written);
        older && self.looks_untouched(stat)
    }

    /// As [`IndexEntry::proves_untouched`], without the order: a write within the same few milliseconds would not show.
    pub(super) fn looks_untouched(&self, stat: &Stat) -> bool {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the index keeps 32 bits"
        )]
        let low = |number: i64| number as u32;
        #[expect(clippy::cast_possible_truncation, reason = "the index keeps the low 32 bits")]
        let numbers = self.size == stat.size as u32 && self.inode == stat.inode as u32;
        numbers
            && self.mtime == (low(stat.mtime.0), low(stat.mtime.1))
            && self.ctime == (low(stat.ctime.0), low(stat.ctime.1))
    }
}

impl Index {
    /// Reads the bytes of an index file.
    ///
    /// # Errors
    /// Any [`IndexError`].
    pub(super) fn parse(bytes: &[u8], format: ObjectFormat) -> Result<Self, IndexError> {
        let mut reader = Reader { bytes, at: 0 };
        if reader.take(4)? != b"DIRC" {
            return Err(IndexError::Damaged);
        }
        let version = reader.number()?;
        if !(2..=4).contains(&version) {
            return Err(IndexError::Unknown);
        }
        let count = reader.number()?;
        // No entry is smaller, whatever the file says of their number.
        let mut entries: Vec<IndexEntry> = Vec::with_capacity((count as usize).min(bytes.len() / 62));
        let mut paths = Vec::with_capacity(bytes.len() / 2);
        // The names in a split index are in its other part.
        let mut sorted = true;
        for _ in 0..count {
            let last = entries.last().map_or(0..0, |last| last.place());
            let entry = reader.entry(version, format, &mut paths, last.clone())?;
            sorted &= entries.is_empty() || paths[last] < paths[entry.place()];
            entries.push(entry);
        }
        let checksum = if format == ObjectFormat::Sha256 { 32 } else { 20 };
        while reader.left() > checksum {
            let name = reader.take(4)?;
            match name {
                b"link" => return Err(IndexError::Split),
                b"sdir" => {}
                // Extensions that may be ignored begin with a capital letter.
                [b'A'..=b'Z', ..] => {}
                _ => return Err(IndexError::Unknown),
            }
            let length = reader.number()? as usize;
            reader.take(length)?;
        }
        if sorted { Ok(Self { entries, paths, written: None }) } else { Err(IndexError::Damaged) }
    }

    /// The path of an entry; a directory that a sparse index leaves out ends in `/`.
    pub(super) fn path(&self, entry: &IndexEntry) -> &[u8] {
        &self.paths[entry.place()]
    }

    /// The entry of a path.
    pub(super) fn get(&self, path: &[u8]) -> Option<&IndexEntry> {
        let at = self.entries.binary_search_by(|e| self.path(e).cmp(path)).ok()?;
        Some(&self.entries[at])
    }

    /// Where the entries of sorted paths stand in `entries`.
    pub(super) fn places<'p>(&self, paths: impl Iterator<Item = &'p RepoPath>) -> Vec<Option<u32>> {
        let mut at: u32 = 0;
        let mut rest = self.entries.iter().peekable();
        let place = |path: &RepoPath| {
            while rest.next_if(|entry| self.path(entry) < path.as_bytes()).is_some() {
                at += 1;
            }
            rest.peek().is_some_and(|entry| self.path(entry) == path.as_bytes()).then_some(at)
        };
        paths.map(place).collect()
    }

    /// Whether a directory above `path` is one that a sparse index leaves out.
    pub(super) fn is_left_out(&self, path: &[u8]) -> bool {
        let slashes = path.iter().enumerate().filter(|(_, b)| **b == b'/');
        slashes.into_iter().any(|(at, _)| self.get(&path[..=at]).is_some_and(IndexEntry::is_sparse_directory))
    }
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl<'a> Reader<'a> {
    fn left(&self) -> usize {
        self.bytes.len() - self.at
    }

    fn take(&mut self, length: usize) -> Result<&'a [u8], IndexError> {
        let end = self.at.checked_add(length).ok_or(IndexError::Damaged)?;
        let taken = self.bytes.get(self.at..end).ok_or(IndexError::Damaged)?;
        self.at = end;
        Ok(taken)
    }

    fn number(&mut self) -> Result<u32, IndexError> {
        let bytes = self.take(4)?.try_into().map_err(|_| IndexError::Damaged)?;
        Ok(u32::from_be_bytes(bytes))
    }

    fn short(&mut self) -> Result<u16, IndexError> {
        let bytes = self.take(2)?.try_into().map_err(|_| IndexError::Damaged)?;
        Ok(u16::from_be_bytes(bytes))
    }

    /// One entry, whose path is added to `paths`; that of the one before is at `last`, and version 4 builds on it.
    fn entry(
        &mut self,
        version: u32,
        format: ObjectFormat,
        paths: &mut Vec<u8>,
        last: Range<usize>,
    ) -> Result<IndexEntry, IndexError> {
        let start = self.at;
        let ctime = (self.number()?, self.number()?);
        let mtime = (self.number()?, self.number()?);
        let (_device, inode) = (self.number()?, self.number()?);
        let mode = self.number()?;
        let (_user, _group) = (self.number()?, self.number()?);
        let size = self.number()?;
        let length = if format == ObjectFormat::Sha256 { 32 } else { 20 };
        let id = Oid::from_bytes(self.take(length)?).map_err(|_| IndexError::Damaged)?;
        let flags = self.short()?;
        let more = if version >= 3 && flags & 0x4000 != 0 { self.short()? } else { 0 };
        if flags & 0x3000 != 0 {
            return Err(IndexError::Unmerged);
        }
        let start_of_path = paths.len();
        if version == 4 {
            let kept = last.len().checked_sub(self.varint()?).ok_or(IndexError::Damaged)?;
            paths.extend_from_within(last.start..last.start + kept);
        }
        let length = memchr::memchr(0, &self.bytes[self.at..]).ok_or(IndexError::Damaged)?;
        paths.extend_from_slice(self.take(length)?);
        // In version 4 few bytes can stand for a long path, again and again.
        if paths.len() - start_of_path > MAX_PATH {
            return Err(IndexError::Damaged);
        }
        let offset = |at: usize| u32::try_from(at).map_err(|_| IndexError::Damaged);
        let path = offset(start_of_path)?..offset(paths.len())?;
        self.take(1)?;
        if version < 4 {
            // Entries are padded to a multiple of eight bytes, with one NUL at least.
            let rest = (self.at - start) % 8;
            self.take(if rest == 0 { 0 } else { 8 - rest })?;
        }
        Ok(IndexEntry {
            path,
            id,
            mode,
            skip_worktree: more & 0x4000 != 0,
            intent_to_add: more & 0x2000 != 0,
            ctime,
            mtime,
            inode,
            size,
        })
    }

    fn varint(&mut self) -> Result<usize, IndexError> {
        let mut byte = self.take(1)?[0];
        let mut value = usize::from(byte & 0x7f);
        while byte & 0x80 != 0 {
            byte = self.take(1)?[0];
            value = (value + 1)
                .checked_mul(128)
                .and_then(|v| v.checked_add(usize::from(byte & 0x7f)))
                .ok_or(IndexError::Damaged)?;
        }
        Ok(value)
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A version 2 index with these paths.
    pub(in super::super) fn index(paths: &[&str], extension: &[u8]) -> Vec<u8> {
        let mut bytes = b"DIRC\0\0\0\x02\0\0\0".to_vec();
        bytes.push(u8::try_from(paths.len()).unwrap());
        for path in paths {
            let start = bytes.len();
            bytes.extend_from_slice(&[7; 62]);
            bytes[start + 60..start + 62].copy_from_slice(&[0, 7]);
            bytes.extend_from_slice(path.as_bytes());
            bytes.push(0);
            while !(bytes.len() - start).is_multiple_of(8) {
                bytes.push(0);
            }
        }
        bytes.extend_from_slice(extension);
        bytes.extend_from_slice(&[0; 20]);
        bytes
    }

    fn parse(bytes: &[u8]) -> Result<Vec<String>, IndexError> {
        let index = Index::parse(bytes, ObjectFormat::Sha1)?;
        Ok(index.entries.iter().map(|e| String::from_utf8_lossy(index.path(e)).into_owned()).collect())
    }

    #[test]
    fn paths_and_extensions_are_told_apart() {
        assert_eq!(parse(&index(&["a", "b/c", "b0"], b"")).unwrap(), ["a", "b/c", "b0"]);
        assert_eq!(parse(&index(&["a"], b"TREE\0\0\0\x02xy")).unwrap(), ["a"]);
        assert_eq!(parse(&index(&["a"], b"link\0\0\0\0")), Err(IndexError::Split));
        assert_eq!(parse(&index(&["", ""], b"link\0\0\0\0")), Err(IndexError::Split));
        assert_eq!(parse(&index(&["a"], b"newx\0\0\0\0")), Err(IndexError::Unknown));
        assert_eq!(parse(&index(&["b", "a"], b"")), Err(IndexError::Damaged));
    }

    #[test]
    fn paths_that_no_system_opens_are_refused() {
        let long = "a".repeat(MAX_PATH);
        assert!(parse(&index(&[&long], b"")).is_ok());
        assert_eq!(parse(&index(&[&(long + "a")], b"")), Err(IndexError::Damaged));
    }

    #[test]
    fn a_cut_or_altered_index_is_refused_without_harm() {
        let whole = index(&["a", "bb/c"], b"TREE\0\0\0\x02xy");
        for length in 0..whole.len() {
            let _ = parse(&whole[..length]);
        }
        assert_eq!(parse(&whole[..40]), Err(IndexError::Damaged));
        for at in 0..whole.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut altered = whole.clone();
                altered[at] = byte;
                let _ = parse(&altered);
                altered[7] = 4;
                let _ = parse(&altered);
            }
        }
    }
}
