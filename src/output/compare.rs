//! How a directory differs from what a run would write there: for `--check`, for `--dry-run --out`, and for the list
//! of what a refusal protects.

use super::error::{OutputError, shown_bytes};
use super::hash::tree_hash;
use super::previous::read_record;
use super::provenance::{Origins, Provenance};
use super::reader::Reader;
use super::survey::{Found, Survey, is_cache};
use super::syscalls::open_regular;
use super::{OLD_PROVENANCE, PROVENANCE};
use crate::workspace::{ApplyError, Change, Content, Entry, Mode, Origin, RepoPath, Stored, Workspace};
use std::borrow::Cow;
use std::fmt;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// In which way a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DifferenceKind {
    /// A run writes it, and it is not there.
    Missing,
    /// It is there, and no run writes it.
    Extra,
    /// The bytes differ, or the target of a symlink.
    Content,
    /// Git's mode differs.
    Mode,
    /// The record differs in something other than the runner.
    Provenance,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    /// Bytes relative to the output; not always a path that a tree could hold.
    pub path: Vec<u8>,
    /// In which way.
    pub kind: DifferenceKind,
    /// For a mode, both; for provenance, the keys.
    pub detail: String,
}

impl Difference {
    fn new(path: &[u8], kind: DifferenceKind) -> Self {
        Self { path: path.to_vec(), kind, detail: String::new() }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = shown_bytes(&self.path);
        match self.kind {
            DifferenceKind::Missing => write!(f, "missing: {path}"),
            DifferenceKind::Extra => write!(f, "extra: {path}"),
            DifferenceKind::Content => write!(f, "changed: {path}"),
            DifferenceKind::Mode => write!(f, "mode: {path} ({})", self.detail),
            DifferenceKind::Provenance => write!(f, "provenance: {path} ({})", self.detail),
        }
    }
}

/// Compares a directory with what a run would write there. Extra files count whether git tracks them or not; Python
/// caches and what the enclosing repository ignores do not. Nothing there at all means that every file is missing.
///
/// # Errors
/// A directory or file that cannot be read.
pub fn compare(out: &Path, workspace: &Workspace, origins: &Origins) -> Result<Vec<Difference>, OutputError> {
    let mut all = match out.is_dir() {
        true => files(&Survey::of(out)?, workspace)?,
        false => {
            workspace.iter().map(|(p, _)| Difference::new(p.as_bytes(), DifferenceKind::Missing)).collect()
        }
    };
    let wanted = Provenance::new(origins, tree_hash(workspace.iter())?, workspace);
    let detail = match read_record(out, PROVENANCE)? {
        Some(Some(record)) => {
            let keys = record.differing_keys(&wanted);
            if keys.is_empty() { String::new() } else { format!("{} differ", keys.join(", ")) }
        }
        Some(None) => "cannot be read".to_owned(),
        None if read_record(out, OLD_PROVENANCE)?.is_some() => {
            format!("stands under its old name {OLD_PROVENANCE}")
        }
        None => "missing".to_owned(),
    };
    if !detail.is_empty() {
        let path = PROVENANCE.as_bytes().to_vec();
        all.push(Difference { path, kind: DifferenceKind::Provenance, detail });
    }
    Ok(all)
}

/// The files that count: all but caches and ignored ones, unless the tree to be written has them too.
pub(super) fn counts(path: &[u8], found: &Found, workspace: Option<&Workspace>) -> bool {
    let known = || RepoPath::new(path).is_ok_and(|p| workspace.is_some_and(|w| w.is_file(&p)));
    (!found.ignored && !is_cache(path)) || known()
}

/// The differences without provenance, in path order.
pub(super) fn files(survey: &Survey, workspace: &Workspace) -> Result<Vec<Difference>, OutputError> {
    let found = survey.select(|path, found| counts(path, found, Some(workspace)));
    let mut all = Vec::new();
    for (path, found) in &found {
        let entry = RepoPath::new(path).ok().and_then(|p| workspace.get(&p));
        let Some((entry, mode)) = entry.zip(found.mode) else {
            all.push(Difference::new(path, DifferenceKind::Extra));
            continue;
        };
        let full = survey.full(path);
        if !same_content(entry, mode, &full).map_err(|e| OutputError::io("compare", &full, &e))? {
            all.push(Difference::new(path, DifferenceKind::Content));
        }
        if entry.mode != mode {
            let detail = format!("{} there, {} in the port", mode.as_git(), entry.mode.as_git());
            all.push(Difference { path: path.to_vec(), kind: DifferenceKind::Mode, detail });
        }
    }
    let there = |path: &RepoPath| found.get(path.as_bytes()).is_some_and(|f| f.mode.is_some());
    let missing = workspace.iter().filter(|(path, _)| !there(path));
    all.extend(missing.map(|(path, _)| Difference::new(path.as_bytes(), DifferenceKind::Missing)));
    all.sort_by(|a, b| (&a.path, a.kind).cmp(&(&b.path, b.kind)));
    Ok(all)
}

/// Whether a file on disk holds what an entry does, a symlink's target included.
pub(super) fn same_content(entry: &Entry, mode: Mode, full: &Path) -> io::Result<bool> {
    if (entry.mode == Mode::Symlink) != (mode == Mode::Symlink) {
        return Ok(false);
    }
    if mode == Mode::Symlink {
        return Ok(*entry.content.read()? == *fs::read_link(full)?.as_os_str().as_bytes());
    }
    if let Content::Stored(stored) = &entry.content
        && stored.file().as_deref() == Some(full)
    {
        return Ok(true);
    }
    let (file, length) = open_regular(full)?;
    Reader::open(&entry.content)?.same_as(Reader::file(file, length))
}

/// The tree to be written, as a workspace whose change set is relative to what stands in `out` now. Files that do not
/// count for [`compare`] are not in it.
///
/// # Errors
/// A directory that cannot be read.
pub fn against(out: &Path, workspace: &Workspace) -> Result<Workspace, OutputError> {
    let mut there = Workspace::default();
    if out.is_dir() {
        let survey = Survey::of(out)?;
        let found = survey.select(|path, found| counts(path, found, Some(workspace)));
        let entries = found.into_iter().filter_map(|(path, found)| {
            let (path, mode) = (RepoPath::new(path).ok()?, found.mode?);
            let content = Content::Stored(Arc::new(There { full: survey.full(path.as_bytes()), mode }));
            Some(Entry::upstream(path, content, mode))
        });
        there = Workspace::new(entries);
    }
    let gone = there.iter().map(|(path, _)| Change::Delete { path: path.clone() });
    let new = workspace.iter().map(|(path, entry)| Change::Put {
        path: path.clone(),
        content: entry.content.clone(),
        mode: entry.mode,
        origin: Origin::Generated,
    });
    let failed = |e: ApplyError| OutputError::io("compare with", out, &io::Error::other(e.to_string()));
    let (gone, new): (Vec<Change>, Vec<Change>) = (gone.collect(), new.collect());
    there.apply(gone).and_then(|()| there.apply(new)).map_err(failed)?;
    Ok(there)
}

/// A file in an output.
struct There {
    full: PathBuf,
    mode: Mode,
}

impl Stored for There {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        Ok(match self.mode {
            Mode::Symlink => fs::read_link(&self.full)?.as_os_str().as_bytes().into(),
            _ => fs::read(&self.full)?.into(),
        })
    }

    fn file(&self) -> Option<Cow<'_, Path>> {
        (self.mode != Mode::Symlink).then_some(Cow::Borrowed(&self.full))
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, on_disk, origins, target, workspace};
    use super::super::{previous, write};
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::{PermissionsExt, symlink};
    use tempfile::TempDir;

    fn port(tree: &Workspace) -> (TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        write(&target(&out), tree, &origins(), false).unwrap();
        (dir, out)
    }

    fn lines(out: &Path, tree: &Workspace) -> Vec<String> {
        compare(out, tree, &origins()).unwrap().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_port_does_not_differ_from_itself() {
        let tree = link(&[("a", "x"), ("d/b", "")], "l", "a");
        let (_dir, out) = port(&tree);
        assert_eq!(lines(&out, &tree), Vec::<String>::new());
    }

    #[test]
    fn every_kind_of_difference_is_named() {
        let tree = workspace(&[("a", "x"), ("b", "x"), ("c", "x"), ("d", "x"), ("e/f", "x")]);
        let (_dir, out) = port(&tree);
        on_disk(&out, &[("a", "y"), ("new", ""), ("__pycache__/a.pyc", ""), ("d2/.git/HEAD", "")]);
        fs::remove_file(out.join("b")).unwrap();
        fs::set_permissions(out.join("c"), Permissions::from_mode(0o755)).unwrap();
        fs::remove_file(out.join("d")).unwrap();
        symlink("x", out.join("d")).unwrap();
        fs::remove_dir_all(out.join("e")).unwrap();
        fs::write(out.join("e"), "").unwrap();
        let expected = [
            "changed: a",
            "missing: b",
            "mode: c (100755 there, 100644 in the port)",
            "changed: d",
            "mode: d (120000 there, 100644 in the port)",
            "extra: d2/.git",
            "extra: e",
            "missing: e/f",
            "extra: new",
        ];
        assert_eq!(lines(&out, &tree), expected);
    }

    #[test]
    fn provenance_differs_by_key_and_never_by_runner() {
        let tree = workspace(&[("a", "x")]);
        let (_dir, out) = port(&tree);
        let file = out.join(PROVENANCE);
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("kernel-port ", "other ")).unwrap();
        assert_eq!(lines(&out, &tree), Vec::<String>::new());
        fs::write(&file, text.replace("\"format\": 1", "\"format\": 2")).unwrap();
        assert_eq!(lines(&out, &tree), ["provenance: port-provenance.json (format differ)"]);
        fs::write(&file, "{").unwrap();
        assert_eq!(lines(&out, &tree), ["provenance: port-provenance.json (cannot be read)"]);
        fs::remove_file(&file).unwrap();
        assert_eq!(lines(&out, &tree), ["provenance: port-provenance.json (missing)"]);
        fs::write(out.join(OLD_PROVENANCE), text).unwrap();
        let old = "provenance: port-provenance.json (stands under its old name .port-provenance.json)";
        assert_eq!(lines(&out, &tree), [old]);
    }

    #[test]
    fn where_nothing_is_everything_is_missing() {
        let dir = tempfile::tempdir().unwrap();
        let expected = ["missing: a", "provenance: port-provenance.json (missing)"];
        assert_eq!(lines(&dir.path().join("none"), &workspace(&[("a", "")])), expected);
    }

    #[test]
    fn ignored_files_do_not_count_unless_the_port_has_them() {
        let tree = workspace(&[("a", "x"), ("build/kernel.so", "x"), ("p/c.pyc", "x")]);
        let (dir, out) = port(&tree);
        std::process::Command::new("git").args(["init", "-q"]).arg(dir.path()).status().unwrap();
        on_disk(dir.path(), &[(".gitignore", "build/\n*.log\n")]);
        on_disk(&out, &[("x.log", ""), ("build/other", ""), ("p/d.pyc", "")]);
        assert_eq!(lines(&out, &tree), Vec::<String>::new());
        assert!(matches!(previous(&target(&out), Some(&tree)).unwrap(), previous::Previous::Port));
        on_disk(&out, &[("build/kernel.so", "changed")]);
        assert_eq!(lines(&out, &tree), ["changed: build/kernel.so"]);
    }

    #[test]
    fn the_change_set_against_an_output_is_what_a_run_would_change_there() {
        let (_dir, out) = port(&workspace(&[("a", "x"), ("b", "x"), ("c", "x"), ("d/e", "x")]));
        let next = workspace(&[("a", "x"), ("b", "y"), ("c*", "x"), ("d", "x")]);
        let merged = against(&out, &next).unwrap();
        let set = merged.changes();
        let shown: Vec<_> =
            set.files.iter().map(|f| format!("{} {}", f.kind.letter(), f.path().unwrap())).collect();
        assert_eq!(shown, ["M b", "M c", "A d", "D d/e"]);
        let fresh = against(&out.join("none"), &next).unwrap();
        assert_eq!(fresh.changes().files.len(), 4);
    }
}
