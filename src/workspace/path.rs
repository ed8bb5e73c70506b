//! Paths inside the tree. Every path that enters the program becomes a [`RepoPath`] first; its constructor
//! refuses whatever could leave the tree, so no later code has to ask.

use std::borrow::Borrow;
use std::ffi::OsStr;
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;

/// A path relative to the root of the tree: bytes, `/` between components, never empty, no `.`, `..`,
/// `.git` or empty component, no NUL. Order is byte order, which is also the order of the tree hash.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(Arc<[u8]>);

/// Why a text is no [`RepoPath`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathError {
    /// Nothing at all.
    Empty,
    /// Starts with `/`.
    Absolute,
    /// Holds a `..` component.
    Parent,
    /// Holds a `.` component.
    Dot,
    /// Holds `//`, or ends in `/`.
    EmptyComponent,
    /// Holds a component that git keeps for itself, in any spelling that some file system takes for it.
    DotGit,
    /// Holds a NUL byte.
    Nul,
    /// Longer than any system opens.
    TooLong,
}

/// As long a path as a system opens. Work on a path's ancestors grows with the square of its length.
const MAX_PATH: usize = 4096;

impl fmt::Display for PathError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Empty => "is empty",
            Self::Absolute => "is absolute; paths are relative to the top of the tree",
            Self::Parent => "holds `..`; a path may not leave the tree",
            Self::Dot => "holds a `.` component; leave it out",
            Self::EmptyComponent => "holds an empty component (`//` or a `/` at the end)",
            Self::DotGit => "holds a `.git` component; that is git's own",
            Self::Nul => "holds a NUL byte",
            Self::TooLong => "is longer than the 4096 bytes that a system opens",
        })
    }
}

impl RepoPath {
    /// Takes a path exactly as it is to be stored.
    ///
    /// # Errors
    /// Any [`PathError`]; nothing is normalised here.
    pub fn new(path: impl AsRef<[u8]>) -> Result<Self, PathError> {
        let bytes = path.as_ref();
        if bytes.is_empty() {
            return Err(PathError::Empty);
        }
        if bytes[0] == b'/' {
            return Err(PathError::Absolute);
        }
        if bytes.contains(&0) {
            return Err(PathError::Nul);
        }
        for component in bytes.split(|b| *b == b'/') {
            match component {
                b"" => return Err(PathError::EmptyComponent),
                b"." => return Err(PathError::Dot),
                b".." => return Err(PathError::Parent),
                name if is_dot_git(name) => return Err(PathError::DotGit),
                _ => {}
            }
        }
        Ok(Self(bytes.into()))
    }

    /// Takes a path as a person types it: a leading `./` and one trailing `/` are dropped first.
    ///
    /// # Errors
    /// As [`RepoPath::new`]; too long.
    pub fn typed(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_PATH {
            return Err(PathError::TooLong);
        }
        let text = text.strip_prefix("./").unwrap_or(text);
        let bare = text.strip_suffix('/').filter(|t| !t.is_empty()).unwrap_or(text);
        Self::new(bare)
    }

    /// The bytes, as git stores them.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// The path for the operating system, relative.
    pub fn as_os_path(&self) -> &Path {
        Path::new(OsStr::from_bytes(&self.0))
    }

    /// The last component.
    pub fn name(&self) -> &[u8] {
        self.0.rsplit(|b| *b == b'/').next().unwrap_or(&self.0)
    }

    /// What follows the last dot of the name; `None` for `Makefile` and `.gitignore`.
    pub fn extension(&self) -> Option<&[u8]> {
        let name = self.name();
        let dot = name.iter().rposition(|b| *b == b'.')?;
        (dot > 0).then(|| &name[dot + 1..])
    }

    /// The bytes of the directory that holds this path; `None` at the top.
    pub fn directory(&self) -> Option<&[u8]> {
        let slash = memchr::memrchr(b'/', &self.0)?;
        Some(&self.0[..slash])
    }

    /// The directory that holds this path; `None` at the top.
    pub fn parent(&self) -> Option<Self> {
        Some(Self(self.directory()?.into()))
    }

    /// The directories above this path, nearest first.
    pub fn ancestors(&self) -> impl Iterator<Item = Self> {
        std::iter::successors(self.parent(), Self::parent)
    }

    /// The components, first to last.
    pub fn components(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|b| *b == b'/')
    }

    /// This path with one more component or a relative path behind it.
    ///
    /// # Errors
    /// As [`RepoPath::new`], for what is appended.
    pub fn join(&self, more: impl AsRef<[u8]>) -> Result<Self, PathError> {
        let mut bytes = self.0.to_vec();
        bytes.push(b'/');
        bytes.extend_from_slice(more.as_ref());
        Self::new(bytes)
    }

    /// What is left of this path below `directory`; `None` when it is not strictly below.
    pub fn below<'a>(&'a self, directory: &Directory) -> Option<&'a [u8]> {
        match directory {
            Directory::Root => Some(&self.0),
            Directory::Path(dir) => self.0.strip_prefix(dir.as_bytes())?.strip_prefix(b"/"),
        }
    }
}

/// Whether git on some system takes the name for its own directory: Windows drops dots and blanks at the end, what follows a
/// colon, and knows `git~1` too; macOS drops characters that are not seen.
fn is_dot_git(name: &[u8]) -> bool {
    if name.first().is_none_or(|first| !b".gG\xe2\xef".contains(first)) {
        return false;
    }
    let seen: String = String::from_utf8_lossy(name)
        .chars()
        .filter(|c| !matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}'))
        .collect();
    let base = seen.split(':').next().unwrap_or_default().trim_end_matches(['.', ' ']);
    base.eq_ignore_ascii_case(".git") || base.eq_ignore_ascii_case("git~1")
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        crate::report::escape::path(&self.0, f)
    }
}

impl fmt::Debug for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{self}`")
    }
}

impl Borrow<[u8]> for RepoPath {
    fn borrow(&self) -> &[u8] {
        &self.0
    }
}

/// A directory of the tree, the top included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Directory {
    /// The top of the tree, written `.` in a recipe.
    Root,
    /// Any directory below it.
    Path(RepoPath),
}

impl Directory {
    /// Takes a directory as a person types it; `.`, `./` and nothing at all are the top.
    ///
    /// # Errors
    /// As [`RepoPath::new`]; too long.
    pub fn typed(text: &str) -> Result<Self, PathError> {
        match text {
            "" | "." | "./" => Ok(Self::Root),
            text => RepoPath::typed(text).map(Self::Path),
        }
    }

    /// A path below this directory.
    ///
    /// # Errors
    /// As [`RepoPath::new`], for `relative`.
    pub fn join(&self, relative: impl AsRef<[u8]>) -> Result<RepoPath, PathError> {
        match self {
            Self::Root => RepoPath::new(relative),
            Self::Path(path) => path.join(relative),
        }
    }

    /// Whether `path` lies below, at any depth.
    pub fn holds(&self, path: &RepoPath) -> bool {
        path.below(self).is_some()
    }

    /// The last component; `None` for the top.
    pub fn name(&self) -> Option<&[u8]> {
        match self {
            Self::Root => None,
            Self::Path(path) => Some(path.name()),
        }
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Root => f.write_str("."),
            Self::Path(path) => path.fmt(f),
        }
    }
}

impl From<Option<RepoPath>> for Directory {
    fn from(path: Option<RepoPath>) -> Self {
        path.map_or(Self::Root, Self::Path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_could_leave_the_tree() {
        for (text, error) in [
            ("", PathError::Empty),
            ("/etc/passwd", PathError::Absolute),
            ("a/../b", PathError::Parent),
            ("..", PathError::Parent),
            ("a/./b", PathError::Dot),
            ("a//b", PathError::EmptyComponent),
            ("a/", PathError::EmptyComponent),
            (".git/config", PathError::DotGit),
            ("a/.GIT/x", PathError::DotGit),
            ("a\0b", PathError::Nul),
        ] {
            assert_eq!(RepoPath::new(text), Err(error), "{text:?}");
        }
        assert!(RepoPath::new("a/.gitignore").is_ok());
        assert!(RepoPath::new("a\\b").is_ok());
        assert!(RepoPath::new(b"caf\xe9").is_ok());
    }

    #[test]
    fn typed_paths_lose_a_leading_dot_and_one_trailing_slash() {
        assert_eq!(RepoPath::typed("./a/b/"), RepoPath::new("a/b"));
        assert_eq!(RepoPath::typed("a//"), Err(PathError::EmptyComponent));
        assert_eq!(RepoPath::typed("/"), Err(PathError::Absolute));
        assert_eq!(
            RepoPath::typed(&"a/".repeat(2048)),
            RepoPath::new("a/".repeat(2048).trim_end_matches('/'))
        );
        assert_eq!(RepoPath::typed(&"a/".repeat(2049)), Err(PathError::TooLong));
        assert_eq!(Directory::typed("."), Ok(Directory::Root));
    }

    #[test]
    fn below_respects_component_boundaries() {
        let path = RepoPath::new("pkg/a.py").unwrap();
        assert_eq!(path.below(&Directory::typed("pkg").unwrap()), Some(&b"a.py"[..]));
        assert_eq!(path.below(&Directory::typed("pk").unwrap()), None);
        assert_eq!(path.below(&Directory::Root), Some(&b"pkg/a.py"[..]));
    }
}
