//! The object database: commits, trees and blobs by id, opened without the repository around it. The library hashes what it
//! reads and refuses what does not match its id, so that a damaged or forged database cannot give other bytes.

use super::layout::{object_id, read_small};
use crate::workspace::{Last, Mode, RepoPath, Stored};
use git2::{ErrorCode, ObjectFormat, ObjectType, Odb, Oid};
use sha1::Sha1;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, HashMap};
use std::ffi::OsStr;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

/// A commit with more files and directories is refused: the largest kernel repositories have a hundredth of it, and a tree
/// of trees that repeat each other can pretend to hold any number.
const MAX_ENTRIES: usize = 1_000_000;
/// As far as git follows alternates of alternates.
const MAX_HOPS: usize = 5;
/// As many places for objects are looked at.
const MAX_DIRECTORIES: usize = 100;
/// A larger blob is not read into memory.
const MAX_BLOB: u64 = 1 << 30;
/// Git's mode of a submodule.
pub(super) const SUBMODULE: u32 = 0o160_000;
/// As long a path as the system opens.
pub(super) const MAX_PATH: usize = 4096;

/// An object database.
pub(super) struct Objects {
    odb: Odb<'static>,
    /// Where loose objects are: its own directory and those of alternates.
    directories: Vec<PathBuf>,
    format: ObjectFormat,
    kept: Mutex<Kept>,
}

/// Contents that were read and proven once, for the next op that reads them.
#[derive(Default)]
struct Kept {
    bytes: usize,
    by_id: HashMap<Oid, Arc<[u8]>>,
}

/// A file that is larger is read again.
const MAX_KEPT_FILE: usize = 256 << 10;
/// Bytes that are kept in all, so that memory does not grow with the repository.
const MAX_KEPT: usize = 24 << 20;

impl fmt::Debug for Objects {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("objects")
    }
}

/// The object directories that `info/alternates` names, and what these name. What is no file is refused before the library
/// opens it.
fn alternates(objects: &Path, hops: usize, found: &mut Vec<PathBuf>) -> io::Result<()> {
    let text = match read_small(&objects.join("info/alternates")) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
        text => text?,
    };
    for line in text.split(|b| *b == b'\n').filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
        let directory = objects.join(OsStr::from_bytes(line));
        if hops == 0 || found.contains(&directory) {
            continue;
        }
        if found.len() == MAX_DIRECTORIES {
            return Err(io::Error::other("there is no end to them"));
        }
        found.push(directory.clone());
        alternates(&directory, hops - 1, found)?;
    }
    Ok(())
}

/// A file that a commit tracks: path, blob and mode.
pub(super) type Committed = (RepoPath, (Oid, Mode));

/// What a commit tracks.
#[derive(Debug, Default)]
pub(super) struct Listing {
    /// The files, sorted by path.
    pub files: Vec<Committed>,
    /// The commit each submodule is recorded at.
    pub submodules: BTreeMap<RepoPath, Oid>,
}

impl Listing {
    /// Blob and mode of a file.
    pub(super) fn file(&self, path: &RepoPath) -> Option<&(Oid, Mode)> {
        let at = self.files.binary_search_by(|(other, _)| other.cmp(path)).ok()?;
        Some(&self.files[at].1)
    }

    /// The paths of files, then those of submodules.
    pub(super) fn paths(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().map(|(path, _)| path).chain(self.submodules.keys())
    }
}

/// Why objects cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum ObjectError {
    /// It is not there: a shallow or partial clone, another repository, a damaged one.
    Missing(String),
    /// It is there and makes no sense.
    Unusable(String),
}

impl fmt::Display for ObjectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(text) | Self::Unusable(text) => f.write_str(text),
        }
    }
}

impl Objects {
    /// The content of a blob, if somebody had it before.
    pub(super) fn known(&self, id: Oid) -> Option<Arc<[u8]>> {
        self.kept.lock().ok()?.by_id.get(&id).cloned()
    }

    /// The content of a blob, which `read` gets and proves unless somebody had it before.
    ///
    /// # Errors
    /// Those of `read`.
    pub(super) fn kept(
        &self,
        id: Oid,
        read: impl FnOnce() -> io::Result<Arc<[u8]>>,
    ) -> io::Result<Arc<[u8]>> {
        if let Some(content) = self.known(id) {
            return Ok(content);
        }
        let content = read()?;
        if content.len() <= MAX_KEPT_FILE
            && let Ok(mut kept) = self.kept.lock()
            && kept.bytes + content.len() <= MAX_KEPT
            && kept.by_id.insert(id, content.clone()).is_none()
        {
            kept.bytes += content.len();
        }
        Ok(content)
    }

    /// Opens an `objects` directory, alternates included.
    ///
    /// # Errors
    /// It cannot be opened.
    pub(super) fn open(directory: &Path, format: ObjectFormat) -> Result<Arc<Self>, ObjectError> {
        let unusable = |reason: &str| ObjectError::Unusable(format!("{}: {reason}", directory.display()));
        let mut directories = vec![directory.to_path_buf()];
        alternates(directory, MAX_HOPS, &mut directories)
            .map_err(|e| unusable(&format!("info/alternates: {e}")))?;
        let odb = Odb::new_ext(format).map_err(|e| unusable(e.message()))?;
        let path = directory.to_str().ok_or_else(|| unusable("the path is not UTF-8"))?;
        odb.add_disk_alternate(path).map_err(|e| unusable(e.message()))?;
        Ok(Arc::new(Self { odb, directories, format, kept: Mutex::default() }))
    }

    /// How ids are made.
    pub(super) fn format(&self) -> ObjectFormat {
        self.format
    }

    /// Whether the object is here.
    pub(super) fn has(&self, id: Oid) -> bool {
        self.odb.exists(id)
    }

    /// The content of a blob.
    ///
    /// # Errors
    /// It is not here, damaged, or something else.
    pub(super) fn blob(&self, id: Oid) -> Result<Arc<[u8]>, ObjectError> {
        if let Some(size) = self.size(id).filter(|size| *size > MAX_BLOB) {
            let message =
                format!("the blob {id} has {size} bytes; from a checkout (--dir) it is copied, not read");
            return Err(ObjectError::Unusable(message));
        }
        self.read(id, ObjectType::Blob)
    }

    /// A pipe or a device in place of a loose object: the library would read it for ever.
    fn is_special(&self, id: Oid) -> bool {
        let hex = id.to_string();
        let (directory, name) = hex.split_at(2);
        self.directories
            .iter()
            .any(|objects| fs::metadata(objects.join(directory).join(name)).is_ok_and(|meta| !meta.is_file()))
    }

    /// The size of a blob without reading it.
    pub(super) fn size(&self, id: Oid) -> Option<u64> {
        if self.is_special(id) {
            return None;
        }
        self.odb.read_header(id).ok().map(|(size, _)| size as u64)
    }

    /// Whether these bytes are exactly that blob.
    pub(super) fn is_blob(&self, bytes: &[u8], id: Oid) -> bool {
        hash(ObjectType::Blob, bytes, self.format) == Some(id)
    }

    /// Whether a file on disk holds exactly that blob. Reads it in pieces.
    pub(super) fn is_blob_file(&self, path: &Path, id: Oid) -> bool {
        Oid::hash_file_ext(ObjectType::Blob, path, self.format).is_ok_and(|found| found == id)
    }

    fn read(&self, id: Oid, kind: ObjectType) -> Result<Arc<[u8]>, ObjectError> {
        if self.is_special(id) {
            return Err(ObjectError::Unusable(format!("the {} {id} is no file", kind.str())));
        }
        let object = self.odb.read(id).map_err(|error| match error.code() {
            ErrorCode::NotFound => ObjectError::Missing(format!("the {} {id} is missing", kind.str())),
            _ => {
                ObjectError::Unusable(format!("the {} {id} cannot be read: {}", kind.str(), error.message()))
            }
        })?;
        if object.kind() != kind {
            let message = format!("{id} is a {}, not a {}", object.kind().str(), kind.str());
            return Err(ObjectError::Unusable(message));
        }
        Ok(object.data().into())
    }

    /// The tree of a commit.
    ///
    /// # Errors
    /// The commit is not here or is none.
    pub(super) fn tree_of(&self, commit: Oid) -> Result<Oid, ObjectError> {
        let data = self.read(commit, ObjectType::Commit)?;
        let line = data.split(|b| *b == b'\n').next().unwrap_or_default();
        let hex = line.strip_prefix(b"tree ").and_then(|hex| std::str::from_utf8(hex).ok());
        hex.and_then(|hex| object_id(hex, self.format))
            .ok_or_else(|| ObjectError::Unusable(format!("the commit {commit} names no tree")))
    }

    /// Everything that a commit tracks.
    ///
    /// # Errors
    /// An object is missing, a path is one that no tree can hold, a name stands twice, or there is no end to it.
    pub(super) fn list(&self, commit: Oid) -> Result<Listing, ObjectError> {
        let mut listing = Listing::default();
        let mut pending = vec![(Vec::new(), self.tree_of(commit)?)];
        let mut seen = 0;
        while let Some((directory, tree)) = pending.pop() {
            let data = self.read(tree, ObjectType::Tree)?;
            let mut rest = &data[..];
            while !rest.is_empty() {
                let (mode, name, id) = self
                    .next_entry(&mut rest)
                    .ok_or_else(|| ObjectError::Unusable(format!("the tree {tree} is malformed")))?;
                seen += 1;
                let full = [directory.as_slice(), name].concat();
                if seen > MAX_ENTRIES || full.len() > MAX_PATH {
                    let message =
                        format!("the commit {commit} has more than {MAX_ENTRIES} files or endless paths");
                    return Err(ObjectError::Unusable(message));
                }
                let path = RepoPath::new(&full).map_err(|e| {
                    ObjectError::Unusable(format!("the commit tracks `{}`, which {e}", full.escape_ascii()))
                })?;
                match mode {
                    0o040_000 => pending.push(([full.as_slice(), b"/"].concat(), id)),
                    SUBMODULE => drop(listing.submodules.insert(path, id)),
                    _ => {
                        let mode = file_mode(mode).ok_or_else(|| {
                            ObjectError::Unusable(format!(
                                "the commit tracks `{path}` with the mode {mode:o}"
                            ))
                        })?;
                        listing.files.push((path, (id, mode)));
                    }
                }
            }
        }
        listing.files.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        refuse_doubled(&listing)?;
        Ok(listing)
    }

    /// Mode, name and id of a tree's next entry.
    fn next_entry<'a>(&self, rest: &mut &'a [u8]) -> Option<(u32, &'a [u8], Oid)> {
        let length = if self.format == ObjectFormat::Sha256 { 32 } else { 20 };
        let nul = memchr::memchr(0, rest)?;
        let (head, after) = (&rest[..nul], rest.get(nul + 1..)?);
        let (id, after) = after.split_at_checked(length)?;
        let space = memchr::memchr(b' ', head).filter(|_| !head.contains(&b'/'))?;
        let mode = std::str::from_utf8(&head[..space]).ok().and_then(|m| u32::from_str_radix(m, 8).ok())?;
        *rest = after;
        Some((mode, &head[space + 1..], Oid::from_bytes(id).ok()?))
    }
}

/// The id of an object with that content. Unlike the library's, this does not notice two contents made to have one SHA-1:
/// whoever could make them made the commit as well.
pub(super) fn hash(kind: ObjectType, content: &[u8], format: ObjectFormat) -> Option<Oid> {
    fn of<D: Digest>(kind: ObjectType, content: &[u8]) -> Option<Oid> {
        let head = format!("{} {}\0", kind.str(), content.len());
        Oid::from_bytes(&D::new().chain_update(head).chain_update(content).finalize()).ok()
    }
    match format {
        ObjectFormat::Sha1 => of::<Sha1>(kind, content),
        ObjectFormat::Sha256 => of::<Sha256>(kind, content),
    }
}

/// How a file with git's mode, or the system's, stands in a tree; `None` for what is no file.
pub(super) fn file_mode(git: u32) -> Option<Mode> {
    match git & 0o170_000 {
        0o120_000 => Some(Mode::Symlink),
        0o100_000 if git & 0o100 != 0 => Some(Mode::Executable),
        0o100_000 => Some(Mode::File),
        _ => None,
    }
}

/// A forged tree can hold a name twice, or a link and a directory of one name; git would write through the link.
///
/// # Errors
/// The commit tracks such a thing.
pub(super) fn refuse_doubled(listing: &Listing) -> Result<(), ObjectError> {
    let mut checked: Option<&[u8]> = None;
    for path in listing.paths() {
        let parent = path.directory();
        if parent == checked {
            continue;
        }
        let taken =
            |above: &RepoPath| listing.file(above).is_some() || listing.submodules.contains_key(above);
        if let Some(file) = path.ancestors().find(taken) {
            return Err(ObjectError::Unusable(format!(
                "the commit tracks `{file}` as a file and as a directory"
            )));
        }
        checked = parent;
    }
    let doubled = listing.files.windows(2).find(|pair| pair[0].0 == pair[1].0).map(|pair| &pair[0].0);
    match doubled.or_else(|| listing.submodules.keys().find(|path| listing.file(path).is_some())) {
        Some(path) => Err(ObjectError::Unusable(format!("the commit tracks `{path}` twice"))),
        None => Ok(()),
    }
}

/// A blob, read when somebody asks.
#[derive(Debug)]
pub(super) struct Blob {
    pub objects: Arc<Objects>,
    pub id: Oid,
}

impl Stored for Blob {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        let read = || self.objects.blob(self.id).map_err(|error| io::Error::other(error.to_string()));
        self.objects.kept(self.id, read)
    }

    fn read_last(&self, _spare: &mut Vec<u8>) -> io::Result<Last> {
        let read = || self.objects.blob(self.id).map_err(|error| io::Error::other(error.to_string()));
        self.objects.known(self.id).map_or_else(read, Ok).map(Last::Shared)
    }

    fn size(&self) -> Option<u64> {
        self.objects.size(self.id)
    }
}
