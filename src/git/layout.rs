//! Where a checkout keeps things: its git directory (`.git`, or what a `.git` file names), the common directory of
//! worktrees, the object format, HEAD. Read from the files themselves, so that no setting, owner or extension of the
//! repository decides what this program sees, and none can make it run anything.

use super::checkout::source;
use super::config::Config;
use crate::ops::Failure;
use crate::report::reference::quoted;
use git2::{ObjectFormat, Oid};
use std::ffi::OsStr;
use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// No file of git's that is read here is larger, except the index and `packed-refs`.
const SMALL: u64 = 1 << 20;
const LARGE: u64 = 1 << 30;
/// As many symbolic references as git follows.
const MAX_HOPS: usize = 5;

/// The places of one checkout.
#[derive(Debug)]
pub(super) struct Layout {
    /// The top of the work tree, resolved.
    pub top: PathBuf,
    /// HEAD and the index are here.
    pub git: PathBuf,
    /// Objects, references and the configuration are here.
    pub common: PathBuf,
    /// The repository's own configuration.
    pub config: Config,
    /// How object ids are made.
    pub format: ObjectFormat,
}

/// What HEAD says.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Head {
    /// A commit.
    At(Oid),
    /// A branch without a commit.
    Unborn,
    /// Neither.
    Unreadable,
}

impl Layout {
    /// The checkout whose top is `directory`.
    ///
    /// # Errors
    /// No directory, no checkout, not its top, a bare repository, a format that this build does not read.
    pub(super) fn of(directory: &Path) -> Result<Self, Failure> {
        let shown = directory.display();
        let top = fs::canonicalize(directory).map_err(|e| source(format!("{shown}: {e}")))?;
        let git = git_directory(directory, &top)?;
        let common = match read_small(&git.join("commondir")) {
            Ok(text) => join(&git, &text),
            Err(_) => git.clone(),
        };
        if !common.join("objects").is_dir() || !git.join("HEAD").is_file() {
            return Err(source(format!("{shown}: {} is not a git repository", git.display()))
                .hint("a damaged one is best cloned anew"));
        }
        let config = Config::parse(&read_small(&common.join("config")).unwrap_or_default());
        let layout = Self { format: object_format(directory, &config)?, top, git, common, config };
        layout.check_work_tree(directory)?;
        Ok(layout)
    }

    /// A linked worktree has a work tree whatever the repository's configuration says about the main one.
    fn check_work_tree(&self, directory: &Path) -> Result<(), Failure> {
        if self.git != self.common {
            return Ok(());
        }
        if self.config.is_true("core", "bare") {
            return Err(bare(directory));
        }
        let Some(elsewhere) = self.config.get("core", "worktree") else { return Ok(()) };
        let elsewhere = self.git.join(elsewhere);
        match fs::canonicalize(&elsewhere) {
            Ok(work_tree) if work_tree == self.top => Ok(()),
            _ => {
                let message = format!("the work tree of {} is {}", directory.display(), elsewhere.display());
                Err(source(message).hint("name that directory, or unset core.worktree"))
            }
        }
    }

    /// What HEAD says.
    pub(super) fn head(&self) -> Head {
        let mut name = b"HEAD".to_vec();
        for _ in 0..MAX_HOPS {
            let Some(value) = self.reference(&name) else {
                return if name == b"HEAD" { Head::Unreadable } else { Head::Unborn };
            };
            let Some(target) = value.strip_prefix(b"ref:") else {
                let id = std::str::from_utf8(&value).ok().and_then(|hex| object_id(hex, self.format));
                return id.map_or(Head::Unreadable, Head::At);
            };
            name = target.trim_ascii().to_vec();
            let inside = name.starts_with(b"refs/") && !name.split(|b| *b == b'/').any(|part| part == b"..");
            if !inside {
                return Head::Unreadable;
            }
        }
        Head::Unreadable
    }

    /// The value of a reference: of its own file, or of a line of `packed-refs`.
    fn reference(&self, name: &[u8]) -> Option<Vec<u8>> {
        let own = [&b"HEAD"[..], b"refs/worktree/", b"refs/bisect/", b"refs/rewritten/"];
        let base = if own.iter().any(|own| name.starts_with(own)) { &self.git } else { &self.common };
        let file = base.join(Path::new(OsStr::from_bytes(name)));
        if let Ok(value) = read_small(&file) {
            return Some(value.trim_ascii().to_vec());
        }
        let packed = read(&self.common.join("packed-refs"), LARGE).ok()?;
        let lines = packed.split(|b| *b == b'\n').filter(|line| !line.starts_with(b"#"));
        let mut found = lines.filter_map(|line| {
            let (id, rest) = line.split_at_checked(line.iter().position(|b| *b == b' ')?)?;
            (rest.trim_ascii() == name).then(|| id.to_vec())
        });
        found.next()
    }

    /// The bytes of the index; `None` when there is none.
    ///
    /// # Errors
    /// It cannot be read.
    pub(super) fn index(&self) -> io::Result<Option<Vec<u8>>> {
        match read(&self.git.join("index"), LARGE) {
            Ok(bytes) => Ok(Some(bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Whether history was cut off when this was cloned.
    pub(super) fn is_shallow(&self) -> bool {
        self.common.join("shallow").exists()
    }
}

/// The object id that these digits spell, all of them.
pub(super) fn object_id(hex: &str, format: ObjectFormat) -> Option<Oid> {
    let digits = if format == ObjectFormat::Sha256 { 64 } else { 40 };
    (hex.len() == digits).then(|| Oid::from_str_ext(hex, format).ok()).flatten()
}

/// The format that an id of this many digits belongs to.
pub(super) fn format_of(hex: &str) -> ObjectFormat {
    if hex.len() == 64 { ObjectFormat::Sha256 } else { ObjectFormat::Sha1 }
}

fn git_directory(directory: &Path, top: &Path) -> Result<PathBuf, Failure> {
    let shown = directory.display();
    let dot_git = top.join(".git");
    match fs::metadata(&dot_git) {
        Ok(meta) if meta.is_dir() => Ok(dot_git),
        Ok(meta) if meta.is_file() => {
            let text = read_small(&dot_git).map_err(|e| source(format!("{}: {e}", dot_git.display())))?;
            let Some(target) = text.strip_prefix(b"gitdir:") else {
                return Err(source(format!("{} names no git directory", dot_git.display())));
            };
            let git = join(top, target);
            if git.is_dir() {
                return Ok(git);
            }
            let message = format!("{shown} is a worktree of {}, which is not there", git.display());
            Err(source(message).hint("`git worktree repair` in the repository mends a moved one"))
        }
        Ok(_) => Err(source(format!("{} is neither a file nor a directory", dot_git.display()))),
        Err(_) if top.join("HEAD").is_file() && top.join("objects").is_dir() => Err(bare(directory)),
        Err(_) => match top.ancestors().skip(1).find(|above| above.join(".git").exists()) {
            Some(above) => Err(source(format!("{shown} is not the top of its checkout"))
                .hint(format!("the top is {}", above.display()))),
            None => Err(source(format!("{shown} is not a git checkout"))
                .hint("a source op needs one; without the op any directory can be ported")),
        },
    }
}

fn bare(directory: &Path) -> Failure {
    let shown = directory.display();
    source(format!("{shown} is a bare repository, not a checkout"))
        .hint(format!("git clone {} CHECKOUT makes one", quoted(&shown.to_string())))
}

fn object_format(directory: &Path, config: &Config) -> Result<ObjectFormat, Failure> {
    let shown = directory.display();
    if let Some(storage) = config.get("extensions", "refstorage")
        && !storage.eq_ignore_ascii_case("files")
    {
        let message =
            format!("{shown} keeps its references in the {storage} format, which this build cannot read");
        return Err(source(message)
            .hint(format!("git -C {} refs migrate --ref-format=files", quoted(&shown.to_string()))));
    }
    match config.get("extensions", "objectformat").map(str::to_ascii_lowercase).as_deref() {
        None | Some("sha1") => Ok(ObjectFormat::Sha1),
        Some("sha256") => Ok(ObjectFormat::Sha256),
        Some(other) => Err(source(format!("{shown} has {other} object ids, which this build cannot read"))),
    }
}

/// A path that a file of git's gives, relative to `base`.
fn join(base: &Path, text: &[u8]) -> PathBuf {
    let joined = base.join(OsStr::from_bytes(text.trim_ascii()));
    fs::canonicalize(&joined).unwrap_or(joined)
}

/// Reads one of git's small files.
pub(super) fn read_small(path: &Path) -> io::Result<Vec<u8>> {
    read(path, SMALL)
}

/// Reads a regular file of at most `limit` bytes. A pipe would never end.
fn read(path: &Path, limit: u64) -> io::Result<Vec<u8>> {
    let meta = fs::metadata(path)?;
    if !meta.is_file() || meta.len() > limit {
        return Err(io::Error::other("is no file of git's"));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(meta.len()).unwrap_or_default() + 1);
    File::open(path)?.take(limit).read_to_end(&mut bytes)?;
    Ok(bytes)
}
