//! Small trees for the tests of this directory.

use super::{Origins, Target};
use crate::workspace::{Content, Entry, Mode, RepoPath, Stored, Workspace};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

pub(super) fn path(text: &str) -> RepoPath {
    RepoPath::new(text).unwrap()
}

fn entry(at: &str, text: &str, mode: Mode) -> (RepoPath, Entry) {
    Entry::upstream(path(at), Content::from(text), mode)
}

/// A tree of plain files; a name that ends in `*` is executable.
pub(super) fn workspace(files: &[(&str, &str)]) -> Workspace {
    Workspace::new(files.iter().map(|(name, text)| match name.strip_suffix('*') {
        Some(name) => entry(name, text, Mode::Executable),
        None => entry(name, text, Mode::File),
    }))
}

/// A tree with one symlink.
pub(super) fn link(files: &[(&str, &str)], at: &str, target: &str) -> Workspace {
    let files = files.iter().map(|(name, text)| entry(name, text, Mode::File));
    Workspace::new(files.chain([entry(at, target, Mode::Symlink)]))
}

/// A file on disk, as a loaded checkout has it.
pub(super) struct OnDisk(pub PathBuf, pub Option<u64>);

impl Stored for OnDisk {
    fn read(&self) -> io::Result<Arc<[u8]>> {
        Ok(fs::read(&self.0)?.into())
    }
    fn file(&self) -> Option<Cow<'_, Path>> {
        Some(Cow::Borrowed(&self.0))
    }
    fn size(&self) -> Option<u64> {
        self.1
    }
}

/// A workspace that holds what is below `root`, read lazily, as `--dir` would load it.
pub(super) fn load(root: &Path) -> Workspace {
    let mut entries = Vec::new();
    for found in walkdir::WalkDir::new(root) {
        let found = found.unwrap();
        let relative = found.path().strip_prefix(root).unwrap().to_str().unwrap().to_owned();
        let kind = found.file_type();
        let meta = found.metadata().unwrap();
        if kind.is_symlink() {
            let target = fs::read_link(found.path()).unwrap();
            entries.push(entry(&relative, target.to_str().unwrap(), Mode::Symlink));
        } else if kind.is_file() {
            let mode = if meta.permissions().mode() & 0o111 == 0 { Mode::File } else { Mode::Executable };
            let stored = OnDisk(found.path().to_path_buf(), Some(meta.len()));
            entries.push(Entry::upstream(path(&relative), Content::Stored(Arc::new(stored)), mode));
        }
    }
    Workspace::new(entries)
}

/// Everything below `root`: path to content; symlinks as `-> target`, executables with `* ` before.
pub(super) fn tree(root: &Path) -> BTreeMap<String, String> {
    let mut found = BTreeMap::new();
    for entry in walkdir::WalkDir::new(root) {
        let entry = entry.unwrap();
        let name = entry.path().strip_prefix(root).unwrap().display().to_string();
        if entry.file_type().is_symlink() {
            found.insert(name, format!("-> {}", fs::read_link(entry.path()).unwrap().display()));
        } else if entry.file_type().is_file() {
            let text = String::from_utf8_lossy(&fs::read(entry.path()).unwrap()).into_owned();
            let executable = entry.metadata().unwrap().permissions().mode() & 0o111 != 0;
            found.insert(name, if executable { format!("* {text}") } else { text });
        }
    }
    found
}

/// The names that [`tree`] finds.
pub(super) fn names(root: &Path) -> Vec<String> {
    tree(root).into_keys().collect()
}

/// Writes files below `root`; a text that begins with `-> ` is a symlink.
pub(super) fn on_disk(root: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let full = root.join(name);
        fs::create_dir_all(full.parent().unwrap()).unwrap();
        match text.strip_prefix("-> ") {
            Some(target) => symlink(target, full).unwrap(),
            None => fs::write(full, text).unwrap(),
        }
    }
}

/// What a run without source and overlay knows.
pub(super) fn origins() -> Origins {
    Origins::new(1, b"recipe version=1\n", &[]).unwrap()
}

/// `--out` at `path`, with nothing to protect.
pub(super) fn target(path: impl AsRef<Path>) -> Target {
    super::guard(path.as_ref(), &[]).unwrap()
}
