//! Files of the old output that the new one has too: they get a second name instead of a copy. That is faster, keeps
//! their times for build tools, and is safe as nothing is ever written into an existing file.

use super::reader::Reader;
use super::syscalls::open_regular;
use crate::workspace::RepoPath;
use std::collections::HashMap;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// The output that is about to be replaced.
pub(super) struct Old {
    root: PathBuf,
    /// Which directories below it are no links to elsewhere.
    real: HashMap<RepoPath, bool>,
    can_link: bool,
}

/// A file of it, open.
pub(super) struct Twin {
    pub(super) reader: Reader,
    full: PathBuf,
}

impl Old {
    /// The output at `root`.
    pub(super) fn new(root: &Path) -> Self {
        Self { root: root.to_path_buf(), real: HashMap::new(), can_link: true }
    }

    /// The file at the same path, when it has the length, the permission bits, and no other name.
    pub(super) fn twin(&mut self, path: &RepoPath, length: u64, bits: u32) -> Option<Twin> {
        if !self.can_link || !path.parent().is_none_or(|parent| self.is_real(&parent)) {
            return None;
        }
        let full = self.root.join(path.as_os_path());
        let fits = |meta: &fs::Metadata| {
            meta.is_file() && meta.len() == length && meta.mode() & 0o7777 == bits && meta.nlink() == 1
        };
        fs::symlink_metadata(&full).ok().filter(fits)?;
        let (file, length) = open_regular(&full).ok()?;
        Some(Twin { reader: Reader::file(file, length), full })
    }

    /// Gives the file its second name; `false` where the file system has none to give.
    pub(super) fn link(&mut self, twin: &Twin, to: &Path) -> bool {
        self.can_link = fs::hard_link(&twin.full, to).is_ok();
        self.can_link
    }

    fn is_real(&mut self, directory: &RepoPath) -> bool {
        if let Some(known) = self.real.get(directory) {
            return *known;
        }
        let above = directory.parent().is_none_or(|parent| self.is_real(&parent));
        let full = self.root.join(directory.as_os_path());
        let real = above && fs::symlink_metadata(full).is_ok_and(|meta| meta.is_dir());
        self.real.insert(directory.clone(), real);
        real
    }
}
