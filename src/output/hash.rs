//! The tree hash of provenance: sha256 over the files in path order, each as path bytes, one zero byte, length as
//! 64-bit little-endian, content.

use super::error::{ErrorKind, OutputError};
use super::reader::{CHUNK, Reader};
use super::{OLD_PROVENANCE, PROVENANCE};
use crate::report::hex;
use crate::workspace::{Entry, RepoPath, load};
use sha2::{Digest, Sha256};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// Takes the files of a tree, which must come in path order.
#[derive(Clone, Default)]
pub struct TreeHasher(Sha256);

impl TreeHasher {
    /// Begins a file of `length` bytes.
    pub fn begin(&mut self, path: &[u8], length: u64) {
        self.0.update(path);
        self.0.update([0]);
        self.0.update(length.to_le_bytes());
    }

    /// A piece of the file's content.
    pub fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    /// `sha256:` and the digits.
    pub fn finish(self) -> String {
        spelled(self.0)
    }

    /// A whole file.
    pub(super) fn file(&mut self, path: &[u8], mut reader: Reader, buffer: &mut [u8]) -> io::Result<()> {
        self.begin(path, reader.length());
        loop {
            let piece = reader.next(buffer)?;
            if piece.is_empty() {
                return Ok(());
            }
            self.update(piece);
        }
    }
}

fn spelled(hash: Sha256) -> String {
    format!("sha256:{}", hex(&hash.finalize()))
}

/// `sha256:` and the digits for some bytes.
pub fn bytes_hash(bytes: &[u8]) -> String {
    spelled(Sha256::new_with_prefix(bytes))
}

/// The hash of files in path order. The provenance file is left out; a symlink counts with its target.
///
/// # Errors
/// A content that cannot be read.
pub fn tree_hash<'a>(
    files: impl IntoIterator<Item = (&'a RepoPath, &'a Entry)>,
) -> Result<String, OutputError> {
    let mut hasher = TreeHasher::default();
    let mut buffer = vec![0; CHUNK];
    for (path, entry) in files {
        if is_provenance(path.as_bytes()) {
            continue;
        }
        Reader::open(&entry.content)
            .and_then(|reader| hasher.file(path.as_bytes(), reader, &mut buffer))
            .map_err(|e| OutputError::io("read", path.as_os_path(), &e))?;
    }
    Ok(hasher.finish())
}

/// Whether a path is that of the provenance file, under either name.
pub(super) fn is_provenance(path: &[u8]) -> bool {
    path == PROVENANCE.as_bytes() || path == OLD_PROVENANCE.as_bytes()
}

/// The hash of what an overlay directory brings; of several, the hash of theirs, one a line in the order of the
/// recipe.
///
/// # Errors
/// A directory or file that cannot be read.
pub(super) fn overlay_hash(directories: &[&Path]) -> Result<Option<String>, OutputError> {
    let hashes: Vec<String> = directories.iter().map(|d| directory_hash(d)).collect::<Result<_, _>>()?;
    Ok(match hashes.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(bytes_hash((several.join("\n") + "\n").as_bytes())),
    })
}

fn directory_hash(directory: &Path) -> Result<String, OutputError> {
    let (files, _) = load::directory(directory)
        .map_err(|failure| OutputError::new(ErrorKind::Write, failure.message).at(directory))?;
    tree_hash(files.iter())
}

/// Adds a file or symlink that is on disk.
pub(super) fn hash_on_disk(
    hasher: &mut TreeHasher,
    path: &[u8],
    full: &Path,
    link: bool,
    buffer: &mut [u8],
) -> io::Result<()> {
    if link {
        let target = std::fs::read_link(full)?;
        let target = target.as_os_str().as_bytes();
        hasher.begin(path, target.len() as u64);
        hasher.update(target);
        return Ok(());
    }
    let (file, length) = super::syscalls::open_regular(full)?;
    hasher.file(path, Reader::file(file, length), buffer)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, workspace};
    use super::*;

    #[test]
    fn the_hash_is_over_path_zero_length_content() {
        let tree = workspace(&[("b", "xy"), ("a/c", "")]);
        let bytes = [&b"a/c\0"[..], &0u64.to_le_bytes(), b"b\0", &2u64.to_le_bytes(), b"xy"].concat();
        assert_eq!(tree_hash(tree.iter()).unwrap(), bytes_hash(&bytes));
        assert_eq!(
            tree_hash([]).unwrap(),
            "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        );
    }

    #[test]
    fn the_provenance_file_is_left_out_and_a_symlink_is_its_target() {
        let bare = workspace(&[("a", "x")]);
        let with = workspace(&[("a", "x"), (PROVENANCE, "{}"), (OLD_PROVENANCE, "{}")]);
        assert_eq!(tree_hash(bare.iter()).unwrap(), tree_hash(with.iter()).unwrap());
        let linked = link(&[], "l", "a");
        assert_eq!(tree_hash(linked.iter()).unwrap(), tree_hash(workspace(&[("l", "a")]).iter()).unwrap());
    }

    #[test]
    fn an_overlay_hashes_like_the_tree_it_brings() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("p")).unwrap();
        std::fs::write(dir.path().join("p/a.py"), "x").unwrap();
        std::os::unix::fs::symlink("p/a.py", dir.path().join("l")).unwrap();
        let same = tree_hash(link(&[("p/a.py", "x")], "l", "p/a.py").iter()).unwrap();
        assert_eq!(overlay_hash(&[dir.path()]).unwrap(), Some(same.clone()));
        let two = bytes_hash(format!("{same}\n{same}\n").as_bytes());
        assert_eq!(overlay_hash(&[dir.path(), dir.path()]).unwrap(), Some(two));
        assert_eq!(overlay_hash(&[]).unwrap(), None);
        assert!(overlay_hash(&[&dir.path().join("gone")]).is_err());
    }
}
