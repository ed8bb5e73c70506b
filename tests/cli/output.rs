//! `--out`, `--in-place`, `--check`, `--partial`: what is written, and what never is.

use crate::harness::Port;
use std::fs;

const MOVE: &str = "move from=\"a\" to=\"d/b\"";

fn port(recipe: &str) -> Port {
    Port::inline(recipe)
        .upstream("a", "1\n")
        .upstream("run.sh", "#!/bin/sh\n")
        .sh("chmod 755 up/run.sh; ln -s a up/link")
        .dir()
}

fn repository(recipe: &str) -> Port {
    port(recipe).sh("cd up; echo ign > .gitignore; git init -q; git add -A; git commit -qm one")
}

#[test]
fn a_port_is_written_with_modes_links_and_provenance() {
    let ran = port("delete in=\"a\"\nwrite to=\"a\" text=\"2\\n\"").args(["--out", "o/p"]).run().succeeds();
    assert!(ran.done.out.contains("wrote 3 files to o/p\ntree sha256:"), "{}", ran.done.out);
    let record = fs::read_to_string(ran.port.path("o/p/port-provenance.json")).unwrap();
    assert!(record.starts_with("{\n  \"format\": 1,\n  \"recipe\": \"sha256:"), "{record}");
    assert!(record.contains("\"link\": \"120000\"") && record.contains("\"run.sh\": \"100755\""), "{record}");
    ran.leaves("o/p", [("a", "2\n"), ("link", "-> a"), ("run.sh", "755 #!/bin/sh\n")]);
}

#[test]
fn two_runs_give_the_same_bytes_wherever_they_run() {
    let write = |sh: &str, zone: &str| {
        let ran =
            port(MOVE).args(["--out", "o"]).sh(sh).env("TZ", zone).env("HOME", "/nowhere").run().succeeds();
        (ran.done.out.clone(), ran.port.tree("o"))
    };
    assert_eq!(write("true", "UTC"), write("umask 077; touch -d 2001-01-01 up/a", "Asia/Tokyo"));
}

#[test]
fn an_earlier_port_is_replaced_and_anything_else_refused() {
    let again = port(MOVE).args(["--out", "o"]).run().succeeds().port;
    assert_eq!(again.run_again().status, 0);
    let edited = again.sh("echo mine >> o/d/b; echo > o/new").run();
    edited
        .fails_with(5)
        .mentions("was edited by hand")
        .mentions("changed: d/b")
        .mentions("extra: new")
        .mentions("--force");
    let foreign = port(MOVE).on_disk("o/thesis.tex", "precious").args(["--out", "o"]).run();
    foreign
        .fails_with(5)
        .mentions("is not a port")
        .mentions("thesis.tex")
        .leaves("o", [("thesis.tex", "precious")]);
    let forced = port(MOVE).on_disk("o/old", "").args(["--out", "o", "--force"]).run().passes();
    forced.leaves("o", [("d/b", "1\n"), ("link", "-> a"), ("run.sh", "755 #!/bin/sh\n")]);
}

#[test]
fn an_output_may_overlap_nothing_of_value() {
    for (out, what) in [
        ("up", "--dir"),
        ("up/x", "--dir"),
        (".", "the current directory"),
        ("..", "the current directory"),
        ("up/a/..", "up/a"),
    ] {
        port(MOVE)
            .args(["--out", out])
            .run()
            .fails_with(2)
            .mentions(what)
            .leaves("up", [("a", "1\n"), ("link", "-> a"), ("run.sh", "755 #!/bin/sh\n")]);
    }
    let overlay =
        Port::new().recipe("recipe version=1\noverlay from=\"ov\"\n").on_disk("ov/f", "1").file("a", "");
    overlay.args(["--out", "ov"]).run().fails_with(2).mentions("the overlay").leaves("ov", [("f", "1")]);
}

#[test]
fn a_symlink_that_leaves_the_tree_and_an_empty_tree_are_refused() {
    port("delete in=\"run.sh\"")
        .sh("ln -s /etc/hostname up/abs")
        .args(["--out", "o"])
        .run()
        .fails_with(1)
        .mentions("abs");
    port("delete in=\"**\"").args(["--out", "o"]).run().fails_with(1);
    port("write to=\"port-provenance.json\" text=\"\"")
        .args(["--out", "o"])
        .run()
        .fails_with(1)
        .mentions("port-provenance.json");
}

#[test]
fn check_names_every_difference() {
    let written = || port(MOVE).args(["--out", "o"]).run().succeeds().port.arg("--check");
    assert!(written().run().succeeds().done.out.ends_with("o is what the recipe makes\n"));
    for (script, difference) in [
        ("echo 2 > o/d/b", "changed: d/b"),
        ("echo > o/new", "extra: new"),
        ("rm o/d/b", "missing: d/b"),
        ("chmod 755 o/d/b", "mode: d/b"),
        ("sed -i s/format.../format\\\":2/ o/port-provenance.json", "provenance: port-provenance.json"),
        ("rm -r o", "missing: run.sh"),
    ] {
        written()
            .sh(script)
            .run()
            .fails_with(4)
            .mentions("o is not what the recipe makes")
            .mentions(difference);
    }
}

#[test]
fn a_file_below_pycache_is_not_emptied_away() {
    let ran = port(MOVE).on_disk("o/__pycache__/mine.txt", "precious").args(["--out", "o"]).run();
    ran.fails_with(5).mentions("__pycache__/mine.txt").leaves("o", [("__pycache__/mine.txt", "precious")]);
    let written = port(MOVE).args(["--out", "o"]).run().succeeds().port;
    let mine = written.sh("mkdir o/d/__pycache__; echo mine > o/d/__pycache__/data.txt").run();
    mine.fails_with(5).mentions("extra: d/__pycache__/data.txt");
    let cache = port(MOVE).args(["--out", "o"]).run().succeeds().port;
    cache.sh("mkdir o/d/__pycache__; echo > o/d/__pycache__/b.cpython-311.pyc").run().succeeds();
}

#[test]
fn a_tree_that_can_never_be_written_is_no_difference() {
    for option in ["--check", "--dry-run"] {
        let port = port("write to=\"port-provenance.json\" text=\"{}\"").args(["--out", "o", option]);
        port.run().fails_with(1).mentions("a reserved name");
    }
}

#[test]
fn a_dry_run_shows_the_changes_against_the_output() {
    let port = port(MOVE)
        .args(["--out", "o"])
        .run()
        .succeeds()
        .port
        .sh("echo 2 > o/d/b; rm o/run.sh")
        .arg("--dry-run");
    port.run().succeeds().prints(
        "[line   1] move  moved 1 file to \"d/b\"\nM d/b\nA run.sh\nnothing was written; these are the changes against o\n",
    );
}

#[test]
fn a_failed_run_leaves_everything_and_partial_writes_what_was_there() {
    let recipe = "move from=\"a\" to=\"b\"\nreplace in=\"b\" find=\"1\" with=\"2\" count=2";
    let kept = port(recipe).on_disk("o/x", "").args(["--out", "o"]).run().fails_with(1);
    kept.leaves("o", [("x", "")]);
    let partial = port(recipe)
        .args(["--out", "o", "--partial"])
        .run()
        .fails_with(1)
        .mentions("wrote the tree before line 2");
    let tree = partial.port.tree("o");
    assert_eq!(tree["b"], "1\n");
    assert!(tree[".port-partial"].contains("expected exactly 2 matches but found 1"));
}

#[test]
fn in_place_changes_a_clean_checkout_only() {
    let ran = repository("delete in=\"link\"\nmove from=\"a\" to=\"d/a\"").arg("--in-place").run().passes();
    let mut tree = ran.port.tree("up");
    tree.retain(|path, _| !path.starts_with(".git/"));
    assert_eq!(tree.into_keys().collect::<Vec<_>>(), [".gitignore", "d/a", "port-provenance.json", "run.sh"]);
    port(MOVE).arg("--in-place").run().fails_with(5).mentions("is no git checkout");
    repository(MOVE).sh("echo > up/new").arg("--in-place").run().fails_with(5).mentions("new  untracked");
    let ignored = repository("delete in=\"ign\"").sh("echo precious > up/ign").arg("--in-place").run();
    assert_eq!(ignored.fails_with(5).mentions("ign  untracked").port.tree("up")["ign"], "precious\n");
}

#[test]
fn in_place_writes_through_no_link() {
    let ran = repository("replace in=\"a\" find=\"1\" with=\"2\" count=1")
        .sh("ln up/a hard; cd up; git add -A")
        .arg("--in-place")
        .run()
        .passes();
    assert_eq!(fs::read_to_string(ran.port.path("hard")).unwrap(), "1\n");
    assert_eq!(fs::read_to_string(ran.port.path("up/a")).unwrap(), "2\n");
}

#[test]
fn options_that_make_no_difference_are_usage_errors() {
    for args in [
        ["--force"].as_slice(),
        &["--allow-dirty"],
        &["--partial"],
        &["--check"],
        &["--in-place", "--out", "o"],
        &["--in-place", "--dry-run"],
    ] {
        let port = args.iter().fold(port(MOVE), |port, arg| port.arg(arg));
        port.run().fails_with(2);
    }
    Port::inline(MOVE).file("a", "").arg("--in-place").run().fails_with(2);
}
