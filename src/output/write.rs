//! `--out`: the whole of it, from the rules to the swap.

use super::error::{OutputError, shown};
use super::guard::Target;
use super::journal::{Recovered, recover};
use super::place::{Parcel, place};
use super::previous::previous;
use super::provenance::{Origins, Provenance};
use super::{PROVENANCE, rules};
use crate::workspace::Workspace;
use std::path::PathBuf;

/// An output that was written.
#[derive(Debug, Clone)]
pub struct Written {
    /// Where it is: the directory itself, links resolved.
    pub path: PathBuf,
    /// How many files it holds, the record not counted.
    pub files: usize,
    /// Its tree hash.
    pub tree: String,
    /// What a reader should know besides, one a line.
    pub notes: Vec<String>,
}

/// Writes the port to `target`. What is there is replaced in one step when it is an unedited port, an unedited
/// partial one or nothing, and with `force` whatever it is.
///
/// # Errors
/// A tree that may not be written, a refusal, or the system's. What was there is still there, whole.
pub fn write(
    target: &Target,
    workspace: &Workspace,
    origins: &Origins,
    force: bool,
) -> Result<Written, OutputError> {
    rules::check(workspace)?;
    let mut notes = opening_notes(target)?;
    let judge = || match previous(target, Some(workspace))?.refusal(target) {
        Some(refusal) if !force => Err(refusal),
        _ => Ok(()),
    };
    let text = |tree: &str| Provenance::new(origins, tree.to_owned(), workspace).to_json();
    let parcel = Parcel { files: workspace.iter().collect(), name: PROVENANCE, text: &text };
    let tree = place(target, &parcel, &judge, &mut notes)?;
    Ok(Written { path: target.path.clone(), files: workspace.len(), tree, notes })
}

/// What is to be said before anything is written: through which link, and what was left to finish.
pub(super) fn opening_notes(target: &Target) -> Result<Vec<String>, OutputError> {
    let mut notes = Vec::new();
    if target.linked {
        notes.push(format!("{} is a symlink; writing to {}", shown(&target.typed), shown(&target.path)));
    }
    match recover(&target.path)? {
        Recovered::Nothing => {}
        Recovered::Finished => notes.push("finished what an interrupted run had begun".to_owned()),
        Recovered::Undone => notes.push("removed what an interrupted run had left".to_owned()),
    }
    Ok(notes)
}

#[cfg(test)]
mod tests {
    use super::super::ErrorKind;
    use super::super::testing::{link, load, names, on_disk, origins, path, target, tree, workspace};
    use super::*;
    use crate::workspace::{Change, Content, Entry, Mode, RepoPath};
    use std::fs::{self, Permissions};
    use std::os::unix::ffi::OsStrExt;
    use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
    use std::path::Path;

    fn port(out: &Path, tree: &Workspace) -> Written {
        write(&target(out), tree, &origins(), false).unwrap()
    }

    #[test]
    fn a_tree_is_written_with_modes_links_and_a_record_that_fits() {
        let dir = tempfile::tempdir().unwrap();
        let mut new = link(&[("a/b/c.py", "x"), ("empty", "")], "a/l", "b/c.py");
        let put = Change::Put {
            path: path("run.sh"),
            content: Content::from("#!"),
            mode: Mode::Executable,
            origin: crate::workspace::Origin::Generated,
        };
        new.apply(vec![put]).unwrap();
        let out = dir.path().join("p/q/out");
        let written = port(&out, &new);
        assert_eq!((written.files, written.notes.len()), (4, 0));
        let found = tree(&out);
        let expected = [("a/b/c.py", "x"), ("a/l", "-> b/c.py"), ("empty", ""), ("run.sh", "* #!")];
        for (name, text) in expected {
            assert_eq!(found[name], text);
        }
        assert_eq!(found.len(), 5);
        let record = Provenance::parse(found[PROVENANCE].as_bytes()).unwrap();
        assert_eq!(record.tree, super::super::tree_hash(new.iter()).unwrap());
        assert_eq!(record.tree, written.tree);
        for (name, mode) in
            [("", 0o755), ("a/b", 0o755), ("empty", 0o644), ("run.sh", 0o755), (PROVENANCE, 0o644)]
        {
            assert_eq!(fs::metadata(out.join(name)).unwrap().mode() & 0o7777, mode, "{name}");
        }
        assert_eq!(names(dir.path()).len(), 5);
    }

    #[test]
    fn the_next_port_replaces_the_whole_of_the_last_and_leaves_nothing_beside_it() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        port(&out, &workspace(&[("old", "x"), ("d/old", "x")]));
        fs::set_permissions(&out, Permissions::from_mode(0o700)).unwrap();
        port(&out, &workspace(&[("d", "x")]));
        assert_eq!(names(dir.path()), ["out/d", "out/port-provenance.json"]);
        assert_eq!(fs::metadata(&out).unwrap().mode() & 0o7777, 0o700);
    }

    #[test]
    fn files_that_did_not_change_keep_their_times_and_nothing_else_is_shared() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let elsewhere = dir.path().join("elsewhere");
        on_disk(&elsewhere, &[("linked", "same")]);
        let files = [
            ("same", "x"),
            ("d/same", ""),
            ("text", "x"),
            ("mode", "x"),
            ("shared", "x"),
            ("l/linked", "same"),
        ];
        port(&out, &workspace(&files));
        fs::hard_link(out.join("shared"), dir.path().join("backup")).unwrap();
        fs::remove_dir_all(out.join("l")).unwrap();
        symlink(&elsewhere, out.join("l")).unwrap();
        let inode = |name: &str| fs::metadata(out.join(name)).unwrap().ino();
        let names = ["same", "d/same", "text", "mode", "shared", "l/linked"];
        let before = names.map(inode);
        let next = [
            ("same", "x"),
            ("d/same", ""),
            ("text", "y"),
            ("mode*", "x"),
            ("shared", "x"),
            ("l/linked", "same"),
        ];
        let written = write(&target(&out), &workspace(&next), &origins(), true).unwrap();
        let after = names.map(inode);
        let kept: Vec<bool> = before.iter().zip(after).map(|(a, b)| *a == b).collect();
        assert_eq!(kept, [true, true, false, false, false, false]);
        assert_eq!(written.tree, super::super::tree_hash(workspace(&next).iter()).unwrap());
        assert_eq!(tree(&out)["mode"], "* x");
        assert_eq!(fs::metadata(out.join("same")).unwrap().nlink(), 1);
    }

    #[test]
    fn two_runs_give_the_same_bytes() {
        let dir = tempfile::tempdir().unwrap();
        let new = workspace(&[("a", "x"), ("b*", "y")]);
        port(&dir.path().join("one"), &new);
        port(&dir.path().join("two"), &new);
        assert_eq!(tree(&dir.path().join("one")), tree(&dir.path().join("two")));
    }

    #[test]
    fn large_files_on_disk_are_copied_exactly() {
        let dir = tempfile::tempdir().unwrap();
        let big: String = (0..100_000u32).map(|n| format!("{n}\n")).collect();
        on_disk(&dir.path().join("up"), &[("big", big.as_str()), ("small", "x"), ("l", "-> big")]);
        let new = load(&dir.path().join("up"));
        let written = port(&dir.path().join("out"), &new);
        assert_eq!(tree(&dir.path().join("out"))["big"], big);
        assert_eq!(written.tree, super::super::tree_hash(new.iter()).unwrap());
    }

    #[test]
    fn a_refused_or_failed_run_leaves_the_old_output_and_nothing_else() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        on_disk(&out, &[("precious", "x")]);
        let before = tree(dir.path());
        let kind = |new: &Workspace, force| write(&target(&out), new, &origins(), force).unwrap_err().kind;
        assert_eq!(kind(&workspace(&[("a", "")]), false), ErrorKind::Refused);
        assert_eq!(kind(&workspace(&[]), true), ErrorKind::Tree);
        assert_eq!(kind(&workspace(&[(".port-provenance.json", "")]), true), ErrorKind::Tree);
        assert_eq!(kind(&link(&[], "l", "/etc"), true), ErrorKind::Tree);
        assert_eq!(tree(dir.path()), before);
    }

    #[test]
    fn a_source_file_that_vanished_is_an_error_that_names_it_and_costs_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("p/out");
        on_disk(&dir.path().join("up"), &[("a", "x"), ("b", "x")]);
        let new = load(&dir.path().join("up"));
        fs::remove_file(dir.path().join("up/b")).unwrap();
        let error = write(&target(&out), &new, &origins(), false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Write);
        assert!(error.message.starts_with("cannot read the content of "), "{error}");
        assert!(error.message.contains("up/b: No such file"), "{error}");
        assert_eq!(names(dir.path()), ["up/a"]);
        assert!(!dir.path().join("p").exists());
    }

    #[test]
    fn a_linked_output_is_written_where_the_link_leads() {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("real")).unwrap();
        symlink("real", dir.path().join("out")).unwrap();
        let written = port(&dir.path().join("out"), &workspace(&[("a", "")]));
        assert!(written.notes[0].contains("is a symlink; writing to "), "{:?}", written.notes);
        assert!(dir.path().join("out").is_symlink());
        assert!(dir.path().join("real/a").is_file());
    }

    #[test]
    fn force_replaces_anything_but_a_checkouts_own_data() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        on_disk(&out, &[("thesis", "x"), ("d/e", "x"), (".git/HEAD", "x"), ("a/old", "x")]);
        write(&target(&out), &workspace(&[("a/b", "y"), ("d", "y")]), &origins(), true).unwrap();
        assert_eq!(names(&out), [".git/HEAD", "a/b", "d", "port-provenance.json"]);
        port(&out, &workspace(&[("c", "")]));
        assert_eq!(names(&out), [".git/HEAD", "c", "port-provenance.json"]);
    }

    #[test]
    fn names_that_are_no_utf8_and_directories_nobody_may_enter_are_no_obstacle() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let odd = RepoPath::new(b"d/caf\xe9 \n").unwrap();
        let new = Workspace::new([Entry::upstream(odd, Content::from("x"), Mode::Executable)]);
        port(&out, &new);
        assert!(out.join(std::ffi::OsStr::from_bytes(b"d/caf\xe9 \n")).is_file());
        fs::set_permissions(out.join("d"), Permissions::from_mode(0o555)).unwrap();
        port(&out, &workspace(&[("a", "")]));
        assert_eq!(names(dir.path()), ["out/a", "out/port-provenance.json"]);
    }

    #[test]
    fn runs_at_the_same_time_end_with_one_of_the_trees_whole() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("out");
        let names_of = |letter: &str| (0..60).map(|n| format!("{letter}/{n}")).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            for letter in ["f", "g", "h"] {
                let (names, out) = (names_of(letter), &out);
                scope.spawn(move || {
                    let files: Vec<_> = names.iter().map(|n| (n.as_str(), "x")).collect();
                    for _ in 0..5 {
                        port(out, &workspace(&files));
                    }
                });
            }
        });
        let found = names(&out);
        assert_eq!(found.len(), 61, "{found:?}");
        let letter = &found[0][..1];
        assert!(found[..60].iter().all(|n| n.starts_with(letter)), "{found:?}");
        assert_eq!(names(dir.path()).len(), 61);
    }
}
