//! Puts a finished tree where an output is to be, in one step where the system can.

use super::staging::Staging;
use super::syscalls::{exchange, lacks_exchange, rename_new, sync_directory};
use std::fs;
use std::io;
use std::path::Path;

/// Swaps the staged tree with what stands at `out`, or moves it there when nothing does.
///
/// # Errors
/// The system's; what stood at `out` still does.
pub(super) fn swap(staging: &Staging, out: &Path) -> io::Result<()> {
    match fs::symlink_metadata(out) {
        Err(_) => rename_new(&staging.tree(), out)?,
        Ok(meta) if !meta.is_dir() => return Err(io::ErrorKind::NotADirectory.into()),
        Ok(_) => match exchange(&staging.tree(), out) {
            Err(error) if lacks_exchange(&error) => two_steps(staging, out)?,
            done => done?,
        },
    }
    if let Some(parent) = out.parent() {
        sync_directory(parent);
    }
    Ok(())
}

/// For file systems that cannot exchange: for an instant nothing stands at `out`. A run killed just then is undone by
/// the next, see [`Staging`].
fn two_steps(staging: &Staging, out: &Path) -> io::Result<()> {
    fs::rename(out, staging.old())?;
    rename_new(&staging.tree(), out).inspect_err(|_| {
        let _ = fs::rename(staging.old(), out);
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{names, on_disk};
    use super::*;
    use tempfile::TempDir;

    fn staged() -> (TempDir, Staging) {
        let dir = tempfile::tempdir().unwrap();
        on_disk(&dir.path().join("out"), &[("old", "x")]);
        let staging = Staging::create(dir.path(), "out".as_ref(), &mut Vec::new()).unwrap().unwrap();
        on_disk(&staging.tree(), &[("new", "x")]);
        (dir, staging)
    }

    #[test]
    fn one_step_and_two_steps_end_alike() {
        for steps in [swap, two_steps] {
            let (dir, staging) = staged();
            steps(&staging, &dir.path().join("out")).unwrap();
            assert_eq!(names(&dir.path().join("out")), ["new"]);
            staging.remove().unwrap();
            assert_eq!(names(dir.path()), ["out/new"]);
        }
    }

    #[test]
    fn a_second_step_that_fails_takes_the_first_one_back() {
        let (dir, staging) = staged();
        fs::remove_dir_all(staging.tree()).unwrap();
        assert!(two_steps(&staging, &dir.path().join("out")).is_err());
        drop(staging);
        assert_eq!(names(dir.path()), ["out/old"]);
    }

    #[test]
    fn where_nothing_stands_the_tree_is_moved() {
        let (dir, staging) = staged();
        swap(&staging, &dir.path().join("fresh")).unwrap();
        drop(staging);
        assert_eq!(names(dir.path()), ["fresh/new", "out/old"]);
    }

    #[test]
    fn a_file_that_came_meanwhile_is_not_swapped_away() {
        let (dir, staging) = staged();
        fs::write(dir.path().join("file"), "x").unwrap();
        assert_eq!(
            swap(&staging, &dir.path().join("file")).unwrap_err().kind(),
            io::ErrorKind::NotADirectory
        );
    }

    #[test]
    fn an_output_that_a_killed_run_had_moved_away_is_put_back() {
        let (dir, staging) = staged();
        fs::rename(dir.path().join("out"), staging.old()).unwrap();
        forget(staging);
        let mut notes = Vec::new();
        let next = Staging::create(dir.path(), "other".as_ref(), &mut notes).unwrap().unwrap();
        drop(next);
        assert_eq!(names(dir.path()), ["out/old"]);
        assert!(notes[0].starts_with("put back "), "{notes:?}");
    }

    #[test]
    fn leftovers_go_and_living_runs_and_strangers_stay() {
        let (dir, staging) = staged();
        let (_other_dir, living) = staged();
        forget(staging);
        on_disk(dir.path(), &[(".kernel-port-notes/mine", "x"), (".kernel-port-journal/x", "x")]);
        on_disk(dir.path(), &[(".kernel-port-abc123/owner", "not ours\n"), (".kernel-port-abc123/f", "x")]);
        fs::create_dir(dir.path().join(".kernel-port-empty1")).unwrap();
        let concurrent = Staging::create(dir.path(), "out".as_ref(), &mut Vec::new()).unwrap().unwrap();
        let next = Staging::create(dir.path(), "out".as_ref(), &mut Vec::new()).unwrap().unwrap();
        assert!(concurrent.tree().is_dir() && living.tree().is_dir());
        drop((concurrent, next));
        let left = [".kernel-port-abc123/f", ".kernel-port-abc123/owner", ".kernel-port-journal/x"];
        assert_eq!(names(dir.path())[..3], left);
        assert_eq!(names(dir.path())[3..], [".kernel-port-notes/mine", "out/old"]);
        assert!(!dir.path().join(".kernel-port-empty1").exists());
    }

    /// Leaves a staging directory as a killed run does: there, and no longer locked.
    fn forget(staging: Staging) {
        let (tree, dir) = (staging.tree(), staging.tree().parent().unwrap().with_extension("kept"));
        fs::rename(tree.parent().unwrap(), &dir).unwrap();
        drop(staging);
        fs::rename(&dir, tree.parent().unwrap()).unwrap();
    }
}
