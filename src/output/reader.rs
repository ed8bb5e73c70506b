//! Reads a content in pieces, so that a huge file never stands in memory, and notices one that changes meanwhile.

use super::syscalls::{clone, open_regular};
use crate::workspace::{Content, Last};
use std::fs::File;
use std::io::{self, Read};

/// The buffer size that callers use.
pub(super) const CHUNK: usize = 128 * 1024;

/// A content being read.
pub(super) struct Reader {
    source: Source,
    length: u64,
    read: u64,
}

enum Source {
    Bytes(Last),
    File(File),
}

impl Reader {
    /// Opens a content.
    ///
    /// # Errors
    /// The system's, or a file whose size is no longer the one the tree was built with.
    pub(super) fn open(content: &Content) -> io::Result<Self> {
        Self::open_with(content, &mut Vec::new())
    }

    /// As [`Reader::open`]; a content that must be read as a whole may use the memory of `spare`.
    ///
    /// # Errors
    /// As [`Reader::open`].
    pub(super) fn open_with(content: &Content, spare: &mut Vec<u8>) -> io::Result<Self> {
        let (source, length) = match content {
            Content::Stored(stored) => match stored.file() {
                Some(path) => {
                    let (file, length) = open_regular(&path)?;
                    if stored.size().is_some_and(|size| size != length) {
                        return Err(changed());
                    }
                    (Source::File(file), length)
                }
                None => Self::whole(stored.read_last(spare)?),
            },
            Content::Bytes(bytes) => Self::whole(Last::Shared(bytes.clone())),
        };
        Ok(Self { source, length, read: 0 })
    }

    /// Reads a file that is open.
    pub(super) fn file(file: File, length: u64) -> Self {
        Self { source: Source::File(file), length, read: 0 }
    }

    fn whole(bytes: Last) -> (Source, u64) {
        let length = bytes.len() as u64;
        (Source::Bytes(bytes), length)
    }

    /// The memory of a content that was read as a whole, for the next one; `None` when it is not its own.
    pub(super) fn into_spare(self) -> Option<Vec<u8>> {
        match self.source {
            Source::Bytes(Last::Own(bytes)) => Some(bytes),
            Source::Bytes(Last::Shared(_)) | Source::File(_) => None,
        }
    }

    /// How many bytes there are.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Whether the content is a file of its own on disk.
    pub(super) fn is_file(&self) -> bool {
        matches!(self.source, Source::File(_))
    }

    /// Lets the file system share the blocks with `copy`; `false` when that is not possible.
    pub(super) fn clone_to(&self, copy: &File) -> bool {
        matches!(&self.source, Source::File(file) if clone(file, copy))
    }

    /// Reads on from a copy of the file, which must be as long.
    ///
    /// # Errors
    /// It is not: the file changed just then.
    pub(super) fn continue_with(self, copy: File, length: u64) -> io::Result<Self> {
        if length == self.length { Ok(Self::file(copy, length)) } else { Err(changed()) }
    }

    /// The next piece; empty at the end.
    ///
    /// # Errors
    /// The system's, or a file that ends early or late.
    pub(super) fn next<'b>(&'b mut self, buffer: &'b mut [u8]) -> io::Result<&'b [u8]> {
        let piece = match &mut self.source {
            Source::Bytes(bytes) => bytes.get(self.read as usize..).unwrap_or_default(),
            Source::File(file) => {
                let got = read_some(file, buffer)?;
                &buffer[..got]
            }
        };
        self.read += piece.len() as u64;
        if self.read > self.length || (piece.is_empty() && self.read < self.length) {
            return Err(changed());
        }
        Ok(piece)
    }

    /// Fills the buffer as far as the content goes; how many bytes it holds then.
    fn fill(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let space = &mut buffer[filled..];
            let got = match &mut self.source {
                Source::Bytes(bytes) => {
                    let rest = bytes.get(self.read as usize..).unwrap_or_default();
                    let got = rest.len().min(space.len());
                    space[..got].copy_from_slice(&rest[..got]);
                    got
                }
                Source::File(file) => read_some(file, space)?,
            };
            if got == 0 {
                break;
            }
            filled += got;
            self.read += got as u64;
        }
        Ok(filled)
    }

    /// Reads as many bytes as the buffer holds; `false` when there are fewer.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn next_exactly(&mut self, buffer: &mut [u8]) -> io::Result<bool> {
        Ok(self.fill(buffer)? == buffer.len())
    }

    /// Whether both hold the same bytes.
    ///
    /// # Errors
    /// The system's.
    pub(super) fn same_as(mut self, mut other: Self) -> io::Result<bool> {
        if self.length != other.length {
            return Ok(false);
        }
        let (mut a, mut b) = (vec![0; CHUNK], vec![0; CHUNK]);
        loop {
            let (got_a, got_b) = (self.fill(&mut a)?, other.fill(&mut b)?);
            if a[..got_a] != b[..got_b] {
                return Ok(false);
            }
            if got_a == 0 {
                return Ok(true);
            }
        }
    }
}

fn read_some(file: &mut File, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            done => return done,
        }
    }
}

fn changed() -> io::Error {
    io::Error::other("the file changed while the port ran")
}

#[cfg(test)]
mod tests {
    use super::super::testing::OnDisk;
    use super::*;
    use std::path::Path;
    use std::sync::Arc;

    fn on_disk(path: &Path, size: u64) -> Content {
        Content::Stored(Arc::new(OnDisk(path.to_path_buf(), Some(size))))
    }

    fn all(content: &Content) -> io::Result<Vec<u8>> {
        let (mut reader, mut buffer, mut all) = (Reader::open(content)?, [0; 3], Vec::new());
        loop {
            let piece = reader.next(&mut buffer)?;
            if piece.is_empty() {
                return Ok(all);
            }
            all.extend_from_slice(piece);
        }
    }

    #[test]
    fn pieces_add_up_and_equal_contents_are_equal_wherever_they_are() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        let bytes: Vec<u8> = (0..300_000u32).map(|n| n as u8).collect();
        std::fs::write(&file, &bytes).unwrap();
        let (disk, memory) = (on_disk(&file, 300_000), Content::from(bytes.clone()));
        assert_eq!(all(&disk).unwrap(), bytes);
        assert_eq!(all(&memory).unwrap(), bytes);
        let same =
            |a: &Content, b: &Content| Reader::open(a).unwrap().same_as(Reader::open(b).unwrap()).unwrap();
        assert!(same(&disk, &memory) && same(&memory, &disk) && same(&disk, &disk));
        let mut other = bytes;
        other[299_999] ^= 1;
        assert!(!same(&disk, &Content::from(other)));
        assert!(!same(&disk, &Content::from("")));
    }

    #[test]
    fn a_file_that_changed_size_is_noticed() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("f");
        std::fs::write(&file, "four").unwrap();
        assert_eq!(all(&on_disk(&file, 5)).unwrap_err().to_string(), "the file changed while the port ran");
        let mut reader = Reader::open(&on_disk(&file, 4)).unwrap();
        std::fs::write(&file, "longer").unwrap();
        assert!(reader.next(&mut [0; 16]).is_err());
        let mut reader = Reader::open(&on_disk(&file, 6)).unwrap();
        std::fs::write(&file, "").unwrap();
        assert!(reader.next(&mut [0; 16]).is_err());
    }

    #[test]
    fn a_file_that_became_a_link_or_a_directory_is_not_read() {
        let dir = tempfile::tempdir().unwrap();
        std::os::unix::fs::symlink("/etc/hostname", dir.path().join("l")).unwrap();
        assert!(all(&on_disk(&dir.path().join("l"), 1)).is_err());
        assert!(all(&on_disk(dir.path(), 1)).is_err());
    }
}
