//! Removes directories of this program's own.

use std::fs::{self, Permissions};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use walkdir::WalkDir;

/// Removes a directory and all below it. Directories that forbid it to their owner are made writable first.
///
/// # Errors
/// The system's; part of it may be gone.
pub(super) fn remove_tree(directory: &Path) -> io::Result<()> {
    match fs::remove_dir_all(directory) {
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            for entry in WalkDir::new(directory).follow_links(false) {
                let Ok(entry) = entry else { continue };
                if entry.file_type().is_dir() {
                    let _ = fs::set_permissions(entry.path(), Permissions::from_mode(0o700));
                }
            }
            fs::remove_dir_all(directory)
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
