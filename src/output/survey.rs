//! What stands below a directory: every file with its mode, and which of them git ignores or Python left behind.

use super::error::OutputError;
use super::hash::{TreeHasher, hash_on_disk, is_provenance};
use super::reader::CHUNK;
use super::{JOURNAL, PARTIAL};
use crate::workspace::Mode;
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use walkdir::WalkDir;

/// Whether a name at the top of a directory is never touched, listed or compared: a checkout's own data, and what some
/// file systems keep in the directory they are mounted on.
pub(super) fn is_kept(name: &[u8]) -> bool {
    name.eq_ignore_ascii_case(b".git") || name == b"lost+found"
}

/// One thing that is not a directory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Found {
    /// `None` for a pipe, a socket, a device, or a nested checkout: nothing a port could have written.
    pub(super) mode: Option<Mode>,
    /// Ignored by the enclosing git repository.
    pub(super) ignored: bool,
}

/// Everything below one directory, by path bytes.
#[derive(Debug)]
pub(super) struct Survey {
    pub(super) root: PathBuf,
    pub(super) files: BTreeMap<Vec<u8>, Found>,
}

impl Survey {
    /// Walks a directory without following a link.
    ///
    /// # Errors
    /// A directory that cannot be read.
    pub(super) fn of(root: &Path) -> Result<Self, OutputError> {
        let mut files = walk(root).map_err(|e| OutputError::io("read", root, &e))?;
        mark_ignored(root, &mut files);
        Ok(Self { root: root.to_path_buf(), files })
    }

    /// Whether nothing is there but what Python compiles anew.
    pub(super) fn is_empty(&self) -> bool {
        self.files.keys().all(|path| is_cache(path))
    }

    /// The absolute path of a file found.
    pub(super) fn full(&self, path: &[u8]) -> PathBuf {
        self.root.join(OsStr::from_bytes(path))
    }

    /// The files that `chosen` selects, this program's own ones left out.
    pub(super) fn select(&self, chosen: impl Fn(&[u8], &Found) -> bool) -> BTreeMap<&[u8], Found> {
        let files = self.files.iter().map(|(path, found)| (path.as_slice(), *found));
        files.filter(|(path, found)| !is_own(path) && chosen(path, found)).collect()
    }

    /// The tree hash of some of the files; `None` when one of them is nothing a port could have written.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub(super) fn hash(&self, files: &BTreeMap<&[u8], Found>) -> Result<Option<String>, OutputError> {
        let mut hasher = TreeHasher::default();
        let mut buffer = vec![0; CHUNK];
        for (path, found) in files {
            let Some(mode) = found.mode else {
                return Ok(None);
            };
            let full = self.full(path);
            hash_on_disk(&mut hasher, path, &full, mode == Mode::Symlink, &mut buffer)
                .map_err(|e| OutputError::io("read", &full, &e))?;
        }
        Ok(Some(hasher.finish()))
    }
}

/// Whether a path is a file that this program writes beside the tree.
pub(super) fn is_own(path: &[u8]) -> bool {
    is_provenance(path) || path == PARTIAL.as_bytes() || first(path) == JOURNAL.as_bytes()
}

fn first(path: &[u8]) -> &[u8] {
    path.split(|b| *b == b'/').next().unwrap_or(path)
}

/// Whether a path is one of Python's caches.
pub(super) fn is_cache(path: &[u8]) -> bool {
    // Somebody's own file in a `__pycache__` is no cache.
    let name = path.rsplit(|b| *b == b'/').next().unwrap_or(path);
    [b".pyc".as_slice(), b".pyo", b".nbi", b".nbc"].iter().any(|ending| name.ends_with(ending))
}

fn walk(root: &Path) -> io::Result<BTreeMap<Vec<u8>, Found>> {
    let mut files = BTreeMap::new();
    let mut entries = WalkDir::new(root).follow_links(false).follow_root_links(false).into_iter();
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let Ok(path) = entry.path().strip_prefix(root) else {
            continue;
        };
        let path = path.as_os_str().as_bytes().to_vec();
        let kind = entry.file_type();
        let is_git = entry.file_name().eq_ignore_ascii_case(".git");
        if entry.depth() == 1 && is_kept(entry.file_name().as_bytes()) {
            if kind.is_dir() {
                entries.skip_current_dir();
            }
            continue;
        }
        if kind.is_dir() && !is_git {
            continue;
        }
        let mode = if is_git {
            if kind.is_dir() {
                entries.skip_current_dir();
            }
            None
        } else if kind.is_symlink() {
            Some(Mode::Symlink)
        } else if kind.is_file() {
            let executable = entry.metadata()?.permissions().mode() & 0o111 != 0;
            Some(if executable { Mode::Executable } else { Mode::File })
        } else {
            None
        };
        files.insert(path, Found { mode, ignored: false });
    }
    Ok(files)
}

/// Marks what the rules of the enclosing repository leave out. The user's own ignore file is not asked, as two
/// people must get the same answer.
fn mark_ignored(root: &Path, files: &mut BTreeMap<Vec<u8>, Found>) {
    for found in files.values_mut() {
        found.ignored = true;
    }
    let mut builder = ignore::WalkBuilder::new(root);
    builder.standard_filters(false).parents(true).git_ignore(true).git_exclude(true).require_git(true);
    for entry in builder.build().flatten() {
        let path = entry.path().strip_prefix(root).map(|p| p.as_os_str().as_bytes()).unwrap_or_default();
        if let Some(found) = files.get_mut(path) {
            found.ignored = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::on_disk;
    use super::*;
    use std::process::Command;

    fn git_init(path: &Path) {
        let done = Command::new("git").args(["init", "-q"]).arg(path).status().unwrap();
        assert!(done.success());
    }

    fn ignored(survey: &Survey) -> Vec<String> {
        let some = survey.files.iter().filter(|(_, f)| f.ignored);
        some.map(|(p, _)| String::from_utf8_lossy(p).into_owned()).collect()
    }

    #[test]
    fn modes_links_and_strangers_are_told_apart_and_links_are_not_followed() {
        let dir = tempfile::tempdir().unwrap();
        on_disk(dir.path(), &[("a", "x"), ("run", "x"), ("l", "-> /"), ("d/.git/HEAD", "x"), (".git/x", "")]);
        std::fs::set_permissions(dir.path().join("run"), PermissionsExt::from_mode(0o755)).unwrap();
        assert!(Command::new("mkfifo").arg(dir.path().join("pipe")).status().unwrap().success());
        let survey = Survey::of(dir.path()).unwrap();
        let found: Vec<_> =
            survey.files.iter().map(|(p, f)| (std::str::from_utf8(p).unwrap(), f.mode)).collect();
        let expected = [
            ("a", Some(Mode::File)),
            ("d/.git", None),
            ("l", Some(Mode::Symlink)),
            ("pipe", None),
            ("run", Some(Mode::Executable)),
        ];
        assert_eq!(found, expected);
        assert_eq!(survey.hash(&survey.select(|_, _| true)).unwrap(), None);
    }

    #[test]
    fn an_enclosing_repository_says_what_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        git_init(dir.path());
        let out = dir.path().join("k/out");
        on_disk(dir.path(), &[(".gitignore", "*.log\n"), (".git/info/exclude", "secret\n")]);
        on_disk(
            &out,
            &[("a.log", ""), ("b", ""), ("build/x/y", ""), (".gitignore", "build/\n"), ("secret", "")],
        );
        assert_eq!(ignored(&Survey::of(&out).unwrap()), ["a.log", "build/x/y", "secret"]);
    }

    #[test]
    fn without_a_repository_nothing_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        on_disk(dir.path(), &[(".gitignore", "*\n"), (".ignore", "*\n"), ("a.log", ""), (".hidden", "")]);
        assert_eq!(ignored(&Survey::of(dir.path()).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn in_an_ignored_directory_its_files_still_count() {
        let dir = tempfile::tempdir().unwrap();
        git_init(dir.path());
        on_disk(dir.path(), &[(".gitignore", "/target/\n"), ("target/out/a", ""), ("target/out/d/b", "")]);
        assert_eq!(ignored(&Survey::of(&dir.path().join("target/out")).unwrap()), Vec::<String>::new());
    }

    #[test]
    fn caches_are_known_by_name() {
        for cache in ["a.pyc", "d/__pycache__/x.cpython-311.pyc", "__pycache__/k.py39.nbi"] {
            assert!(is_cache(cache.as_bytes()), "{cache}");
        }
        for kept in ["pycache/a.py", "a.pyc.txt", "__pycache__/mine.txt", "__pycache__/y.so"] {
            assert!(!is_cache(kept.as_bytes()), "{kept}");
        }
    }
}
