//! In place: what changes, what never does, and what a failure or a kill leaves.

use super::journal::{Journal, Steps};
use super::testing::{load, names, on_disk, origins, path, tree, workspace};
use super::{ErrorKind, GitState, JOURNAL, OutputError, PROVENANCE, Recovered, Written, in_place, recover};
use crate::workspace::{Change, Content, Mode, Origin, Workspace};
use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

fn checkout(files: &[(&str, &str)]) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    on_disk(dir.path(), files);
    dir
}

fn put(at: &str, text: &str) -> Change {
    let origin = Origin::Overlay;
    Change::Put { path: path(at), content: Content::from(text), mode: Mode::File, origin }
}

fn delete(at: &str) -> Change {
    Change::Delete { path: path(at) }
}

fn rename(from: &str, to: &str) -> Change {
    Change::Rename { from: path(from), to: path(to) }
}

fn changed(dir: &Path, changes: Vec<Change>) -> Workspace {
    let mut tree = load(dir);
    tree.apply(changes).unwrap();
    tree
}

fn run(dir: &Path, tree: &Workspace) -> Result<Written, OutputError> {
    in_place(dir, tree, &origins(), &GitState::Clean, &[], false)
}

/// The tree without its record.
fn shown(dir: &Path) -> Vec<String> {
    let found = tree(dir).into_iter().filter(|(name, _)| name != PROVENANCE);
    found.map(|(name, text)| format!("{name}={text}")).collect()
}

#[test]
fn a_port_in_place_changes_what_differs_and_touches_nothing_else() {
    let dir = checkout(&[
        ("a", "1"),
        ("b", "2"),
        ("d/gone", "3"),
        ("d/e/gone", "3"),
        ("m", "4"),
        ("ignored/x", "5"),
    ]);
    let inode = |name: &str| fs::metadata(dir.path().join(name)).unwrap().ino();
    let (kept, old) = (inode("a"), inode("b"));
    let mut tree = Workspace::new(
        load(dir.path()).iter().filter(|(p, _)| p.as_bytes()[0] != b'i').map(|(p, e)| (p.clone(), e.clone())),
    );
    let changes =
        vec![put("b", "new"), delete("d/gone"), delete("d/e/gone"), rename("m", "n/m"), put("f/g", "6")];
    tree.apply(changes).unwrap();
    let written = run(dir.path(), &tree).unwrap();
    assert_eq!((written.files, written.notes), (4, vec![]));
    assert_eq!(shown(dir.path()), ["a=1", "b=new", "f/g=6", "ignored/x=5", "n/m=4"]);
    assert!(!dir.path().join("d").exists(), "emptied directories go");
    assert_eq!(inode("a"), kept);
    assert_ne!(inode("b"), old);
    let record = fs::read(dir.path().join(PROVENANCE)).unwrap();
    assert_eq!(super::Provenance::parse(&record).unwrap().tree, written.tree);
}

#[test]
fn a_hard_linked_file_keeps_its_text_under_the_other_name() {
    let dir = checkout(&[("src/a.py", "v = 1")]);
    fs::hard_link(dir.path().join("src/a.py"), dir.path().join("backup.py")).unwrap();
    let src = dir.path().join("src");
    run(&src, &changed(&src, vec![put("a.py", "v = 2")])).unwrap();
    assert_eq!(shown(&src), ["a.py=v = 2"]);
    assert_eq!(fs::read_to_string(dir.path().join("backup.py")).unwrap(), "v = 1");
}

#[test]
fn symlinks_are_entries_and_what_they_lead_to_stays() {
    let dir = checkout(&[("other/thesis", "precious"), ("other/shared.py", "1"), ("src/pkg/a.py", "x")]);
    let src = dir.path().join("src");
    symlink("../other", src.join("link")).unwrap();
    symlink("../other/shared.py", src.join("a.py")).unwrap();
    symlink("pkg", src.join("kept")).unwrap();
    let changes = vec![delete("link"), put("link/inside", "new"), delete("a.py"), put("a.py", "2")];
    let mut tree = load(&src);
    for change in changes {
        tree.apply(vec![change]).unwrap();
    }
    run(&src, &tree).unwrap();
    assert_eq!(shown(&src), ["a.py=2", "kept=-> pkg", "link/inside=new", "pkg/a.py=x"]);
    assert_eq!(shown(&dir.path().join("other")), ["shared.py=1", "thesis=precious"]);
}

#[test]
fn a_directory_may_become_a_file_and_a_file_a_directory() {
    let dir = checkout(&[("a.txt", "1"), ("z/z", "2"), ("f", "3")]);
    let mut tree = load(dir.path());
    tree.apply(vec![rename("a.txt", "b.txt")]).unwrap();
    tree.apply(vec![rename("z/z", "z")]).unwrap();
    tree.apply(vec![rename("f", "f/inner")]).unwrap();
    run(dir.path(), &tree).unwrap();
    assert_eq!(shown(dir.path()), ["b.txt=1", "f/inner=3", "z=2"]);
}

#[test]
fn modes_change_in_place() {
    let dir = checkout(&[("run.sh", "#!"), ("go.sh", "#!")]);
    fs::set_permissions(dir.path().join("run.sh"), Permissions::from_mode(0o755)).unwrap();
    let mut tree = load(dir.path());
    tree.apply(vec![rename("run.sh", "bin/run.sh")]).unwrap();
    tree.apply(vec![delete("go.sh")]).unwrap();
    let executable = Change::Put {
        path: path("go.sh"),
        content: Content::from("#!"),
        mode: Mode::Executable,
        origin: Origin::Generated,
    };
    tree.apply(vec![executable]).unwrap();
    run(dir.path(), &tree).unwrap();
    assert_eq!(shown(dir.path()), ["bin/run.sh=* #!", "go.sh=* #!"]);
}

#[test]
fn without_a_clean_checkout_nothing_happens() {
    let dir = checkout(&[("a", "1"), ("b", "only copy")]);
    let tree = changed(dir.path(), vec![delete("b")]);
    let dirty = GitState::Dirty(vec!["?? b".to_owned()]);
    for (state, message) in [
        (&GitState::NoCheckout, "is no git checkout, so nothing could be had back"),
        (&dirty, "is not clean: 1 change could not be had back from git"),
    ] {
        let error = in_place(dir.path(), &tree, &origins(), state, &[], false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.message.ends_with(message), "{error}");
        assert!(error.help.unwrap().contains("--force"));
    }
    assert_eq!(names(dir.path()), ["a", "b"]);
    in_place(dir.path(), &tree, &origins(), &dirty, &[], true).unwrap();
    assert_eq!(shown(dir.path()), ["a=1"]);
}

#[test]
fn the_running_recipe_and_its_overlay_are_never_removed() {
    let dir = checkout(&[("pkg/a", "1"), (".ports/p/port.kdl", "r"), (".ports/p/overlay/f", "o")]);
    let at = |p: &str| dir.path().join(p);
    let protected = [at(".ports/p/port.kdl"), at(".ports/p/overlay")];
    let tree = changed(dir.path(), vec![delete(".ports/p/port.kdl"), delete(".ports/p/overlay/f")]);
    let error = in_place(dir.path(), &tree, &origins(), &GitState::Clean, &protected, true).unwrap_err();
    assert_eq!(error.message, "--in-place would remove or change the running recipe or its overlay");
    assert_eq!(error.details, [".ports/p/overlay/f", ".ports/p/port.kdl"]);
    assert_eq!(names(dir.path()).len(), 3);
    let tree = changed(dir.path(), vec![delete("pkg/a")]);
    assert!(in_place(dir.path(), &tree, &origins(), &GitState::Clean, &protected, false).is_ok());
}

#[test]
fn files_that_are_no_part_of_the_tree_are_not_overwritten_unasked() {
    let dir = checkout(&[("a", "1"), ("new", "mine"), ("dir/mine", "m"), ("up", "mine")]);
    let tracked = Workspace::new(
        load(dir.path()).iter().filter(|(p, _)| p.as_bytes() == b"a").map(|(p, e)| (p.clone(), e.clone())),
    );
    let mut tree = tracked;
    tree.apply(vec![put("new", "port's"), put("dir", "port's"), put("up/file", "port's")]).unwrap();
    let error = run(dir.path(), &tree).unwrap_err();
    assert!(
        error.message.starts_with("--in-place would replace 3 files that are no part of the tree"),
        "{error}"
    );
    assert_eq!(error.details, ["dir/mine", "new", "up"]);
    assert_eq!(shown(dir.path()), ["a=1", "dir/mine=m", "new=mine", "up=mine"]);
    let written = in_place(dir.path(), &tree, &origins(), &GitState::Clean, &[], true).unwrap();
    assert_eq!(written.notes.len(), 3);
    assert_eq!(shown(dir.path()), ["a=1", "dir=port's", "new=port's", "up/file=port's"]);
}

#[test]
fn a_nested_checkout_is_not_replaced_even_by_force() {
    let dir = checkout(&[("a", "1"), ("dir/sub/.git/HEAD", "x")]);
    let mut tree = workspace(&[("a", "1")]);
    tree.apply(vec![put("dir", "port's")]).unwrap();
    let error = in_place(dir.path(), &tree, &origins(), &GitState::Clean, &[], true).unwrap_err();
    assert!(error.message.ends_with("is in the way and holds a checkout"), "{error}");
    assert_eq!(names(dir.path()), ["a", "dir/sub/.git/HEAD"]);
}

#[test]
fn a_content_that_vanished_leaves_the_checkout_as_it_was() {
    let dir = checkout(&[("src/a", "1"), ("src/b", "2"), ("v/f", "3")]);
    let (src, vendored) = (dir.path().join("src"), load(&dir.path().join("v")));
    let content = vendored.get(&path("f")).unwrap().content.clone();
    let put = Change::Put { path: path("t/f"), content, mode: Mode::File, origin: Origin::Overlay };
    let tree = changed(&src, vec![delete("b"), put]);
    fs::remove_file(dir.path().join("v/f")).unwrap();
    assert_eq!(run(&src, &tree).unwrap_err().kind, ErrorKind::Write);
    assert_eq!(names(&src), ["a", "b"]);
}

/// A journal as a run that was killed leaves it.
fn killed(dir: &Path, steps: &Steps, decided: bool) {
    let journal = Journal::begin(dir).unwrap();
    on_disk(journal.home(), &[("new/0", "new")]);
    let home = journal.home().to_path_buf();
    let aside = home.with_extension("aside");
    fs::rename(&home, &aside).unwrap();
    drop(journal);
    fs::rename(&aside, &home).unwrap();
    steps.write(&home).unwrap();
    if decided {
        fs::write(home.join("decided"), "").unwrap();
    }
}

fn steps() -> Steps {
    Steps {
        remove: vec![path("a"), path("d/b")],
        place: vec![(path("new/0"), path("n/new"))],
        tidy: vec![path("d")],
    }
}

#[test]
fn a_run_killed_before_it_decided_has_changed_nothing() {
    let dir = checkout(&[("a", "1"), ("d/b", "2")]);
    killed(dir.path(), &steps(), false);
    assert_eq!(recover(dir.path()).unwrap(), Recovered::Undone);
    assert_eq!(shown(dir.path()), ["a=1", "d/b=2"]);
    assert_eq!(recover(dir.path()).unwrap(), Recovered::Nothing);
}

#[test]
fn a_run_killed_anywhere_after_that_is_finished() {
    let home = |dir: &TempDir, name: &str| dir.path().join(JOURNAL).join(name);
    type Kill<'a> = &'a dyn Fn(&TempDir);
    let until: [Kill<'_>; 4] = [
        &|_| {},
        &|dir| fs::rename(dir.path().join("a"), home(dir, "old/0")).unwrap(),
        &|dir| fs::rename(dir.path().join("d/b"), home(dir, "old/1")).unwrap(),
        &|dir| {
            fs::create_dir(dir.path().join("n")).unwrap();
            fs::rename(home(dir, "new/0"), dir.path().join("n/new")).unwrap();
        },
    ];
    for last in 1..=until.len() {
        let dir = checkout(&[("a", "1"), ("d/b", "2")]);
        killed(dir.path(), &steps(), true);
        until[..last].iter().for_each(|kill| kill(&dir));
        assert_eq!(recover(dir.path()).unwrap(), Recovered::Finished);
        assert_eq!(shown(dir.path()), ["n/new=new"]);
    }
}

#[test]
fn a_directory_that_was_half_moved_away_is_moved_on_or_back() {
    let steps =
        |to: &str| Steps { remove: vec![path("d")], place: vec![(path("new/0"), path(to))], tidy: vec![] };
    for (to, expected) in [("d", "d=new"), ("n", "n=new")] {
        let dir = checkout(&[("d/a", "1"), ("d/e/b", "2")]);
        killed(dir.path(), &steps(to), true);
        on_disk(dir.path(), &[(".kernel-port-journal/old/0/a", "1")]);
        fs::remove_file(dir.path().join("d/a")).unwrap();
        assert_eq!(recover(dir.path()).unwrap(), Recovered::Finished);
        assert_eq!(shown(dir.path()), [expected]);
    }
    let dir = checkout(&[("d/a", "1"), ("d/e/b", "2"), ("n/x", "in the way")]);
    killed(dir.path(), &steps("n"), true);
    on_disk(dir.path(), &[(".kernel-port-journal/old/0/a", "1")]);
    fs::remove_file(dir.path().join("d/a")).unwrap();
    assert!(recover(dir.path()).is_err());
    assert_eq!(shown(dir.path()), ["d/a=1", "d/e/b=2", "n/x=in the way"]);
}

#[test]
fn a_new_directory_in_place_of_an_old_one_is_not_taken_for_it() {
    let dir = checkout(&[("d/new", "new")]);
    let steps = Steps { remove: vec![path("d")], place: vec![(path("tree/d"), path("d"))], tidy: vec![] };
    killed(dir.path(), &steps, true);
    on_disk(dir.path(), &[(".kernel-port-journal/old/0/old", "old")]);
    assert_eq!(recover(dir.path()).unwrap(), Recovered::Finished);
    assert_eq!(shown(dir.path()), ["d/new=new"]);
}

#[test]
fn a_run_that_was_repaired_asks_to_be_run_again() {
    let dir = checkout(&[("a", "1"), ("d/b", "2")]);
    let tree = load(dir.path());
    killed(dir.path(), &steps(), true);
    let error = run(dir.path(), &tree).unwrap_err();
    assert!(
        error.message.ends_with("was left half changed by an interrupted run; that is repaired now"),
        "{error}"
    );
    assert_eq!(error.help.as_deref(), Some("run again"));
    assert_eq!(shown(dir.path()), ["n/new=new"]);
}

#[test]
fn a_step_that_fails_is_undone() {
    let dir = checkout(&[("a", "1"), ("d/b", "2"), ("n/new", "in the way")]);
    let journal = Journal::begin(dir.path()).unwrap();
    on_disk(journal.home(), &[("new/0", "new")]);
    let error = journal.commit(&steps()).unwrap_err();
    assert!(error.message.contains("File exists"), "{error}");
    assert_eq!(shown(dir.path()), ["a=1", "d/b=2", "n/new=in the way"]);
}

#[test]
fn a_journal_that_a_stranger_wrote_cannot_reach_outside() {
    for text in [
        r#"{"remove":["../precious"],"place":[],"tidy":[]}"#,
        r#"{"remove":[".git/config"],"place":[],"tidy":[]}"#,
        r#"{"remove":[],"place":[["/etc/hostname","a"]],"tidy":[]}"#,
        r#"{"remove":[],"place":[["new/0","../a"]],"tidy":[]}"#,
        "{",
    ] {
        let dir = checkout(&[("precious", "x"), ("src/a", "1")]);
        on_disk(&dir.path().join("src"), &[(".kernel-port-journal/decided", "")]);
        on_disk(&dir.path().join("src"), &[(".kernel-port-journal/journal.json", text)]);
        let error = recover(&dir.path().join("src")).unwrap_err();
        assert!(error.message.ends_with("is left from an interrupted run and cannot be read"), "{error}");
        assert!(dir.path().join("precious").exists());
    }
    let dir = checkout(&[("precious/x", "x"), ("src/a", "1"), ("src/.kernel-port-journal/decided", "")]);
    symlink("../precious", dir.path().join("src/link")).unwrap();
    let text = r#"{"remove":["link/x"],"place":[],"tidy":[]}"#;
    on_disk(&dir.path().join("src"), &[(".kernel-port-journal/journal.json", text)]);
    assert!(recover(&dir.path().join("src")).is_err());
    assert!(dir.path().join("precious/x").exists());
}

#[test]
fn a_second_run_waits_for_the_first() {
    let dir = checkout(&[("a", "1")]);
    let journal = Journal::begin(dir.path()).unwrap();
    let root: PathBuf = dir.path().to_path_buf();
    let second = std::thread::spawn(move || run(&root, &workspace(&[("a", "2")])));
    on_disk(journal.home(), &[("new/0", "first")]);
    let steps = Steps { place: vec![(path("new/0"), path("b"))], ..Steps::default() };
    journal.commit(&steps).unwrap();
    second.join().unwrap().unwrap();
    assert_eq!(shown(dir.path()), ["a=2", "b=first"]);
}
