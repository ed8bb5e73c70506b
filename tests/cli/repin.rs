//! `repin`, `check` and `verify`: a bump as one review, and proofs for CI.

use crate::harness::Port;
use std::fs;

/// A port of a repository with two commits, tagged v1 and v2; the recipe fits v1.
fn bumped() -> Port {
    let recipe = "recipe version=1\n// The source.\nsource repo=\"https://host/up\" commit=\"SHA\"\n\
                  prune keep=\"pkg/**\" files=4 // all of it\n\
                  move from=\"pkg\" \\\n    to=\"torch-ext/pkg\" files=4\n\
                  relativize_imports in=\"torch-ext/pkg/**\" package_root=\"torch-ext/pkg\" changes=0x2\n\
                  replace in=\"torch-ext/pkg/a.py\" find=\"x = 1\" with=\"x = 2\" count=1\n\
                  overlay from=\"overlay\" overwrites=1\n";
    Port::new()
        .on_disk("port.kdl", recipe)
        .on_disk("overlay/torch-ext/pkg/conf.py", "ours = 1\n")
        .upstream("pkg/__init__.py", "from pkg.a import x\n")
        .upstream("pkg/a.py", "x = 1\n")
        .upstream("pkg/b.py", "import os\nfrom pkg import a\n")
        .upstream("pkg/conf.py", "theirs = 1\n")
        .upstream("README", "one\n")
        .sh("cd up; git init -q; git add -A; git commit -qm 'First'; git tag v1; git remote add origin https://host/up; \
             sed -i s/SHA/$(git rev-parse HEAD)/ ../port.kdl; \
             printf 'from pkg.a import x\\n' > pkg/c.py; printf '# moved\\nimport os\\nfrom pkg import a\\n' > pkg/b.py; \
             git add -A; git commit -qm 'Add c'; echo two > README; git commit -qam 'Readme'; \
             echo 'theirs = 2' > pkg/conf.py; git commit -qam 'Change the configuration'; git tag v2; \
             echo dirty > pkg/a.py")
}

const REVIEW: &str = "\
upstream OLD (v1) -> NEW (v2)
3 commits between, 2 touch ported files
  NEW Change the configuration
  MID Add c

3 pins to review
line 4: prune files= 4 -> 5
  + pkg/c.py
line 5: move files= 4 -> 5
  + pkg/c.py
line 7: relativize_imports changes= 2 -> 3
  + torch-ext/pkg/c.py:1  from pkg.a import x

overlay files that hide a change of upstream's
torch-ext/pkg/conf.py replaces upstream's pkg/conf.py, which changed:
  diff --git a/pkg/conf.py b/pkg/conf.py
  index INDEX 100644
  --- a/pkg/conf.py
  +++ b/pkg/conf.py
  @@ -1 +1 @@
  -theirs = 1
  +theirs = 2

2 files of the port differ, +2 -0 lines
M torch-ext/pkg/b.py  +1 -0
A torch-ext/pkg/c.py  +1 -0
";

fn id(port: &Port, revision: &str) -> String {
    let output = std::process::Command::new("git")
        .args(["-C", port.path("up").to_str().unwrap(), "rev-parse", "--short=12", revision])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn a_bump_is_one_review_and_one_edit() {
    let ran = bumped().args(["repin", "port.kdl", "--dir", "up", "--to", "v2"]).run().succeeds();
    let index = ran.done.out.lines().find(|l| l.trim().starts_with("index ")).unwrap();
    let index = index.trim().split(' ').nth(1).unwrap().to_owned();
    let (old, new, mid) = (id(&ran.port, "v1"), id(&ran.port, "v2"), id(&ran.port, "v2~2"));
    let expected =
        REVIEW.replace("OLD", &old).replace("NEW", &new).replace("MID", &mid).replace("INDEX", &index);
    assert_eq!(
        ran.done.out,
        format!("{expected}\n--write puts the new commit and numbers into the recipe\n")
    );

    let before = fs::read_to_string(ran.port.path("port.kdl")).unwrap();
    let written = ran.port.arg("--write").run().succeeds().port;
    let after = fs::read_to_string(written.path("port.kdl")).unwrap();
    let full = |revision| {
        let output = std::process::Command::new("git")
            .args(["-C", written.path("up").to_str().unwrap(), "rev-parse", revision])
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    let expected = before
        .replace(&full("v1"), &full("v2"))
        .replace("files=4 // all", "files=5 // all")
        .replace("to=\"torch-ext/pkg\" files=4", "to=\"torch-ext/pkg\" files=5")
        .replace("changes=0x2", "changes=0x3");
    assert_eq!(after, expected);
}

#[test]
fn going_back_is_said() {
    let port = bumped().sh("sed -i s/$(git -C up rev-parse v1)/$(git -C up rev-parse v2)/ port.kdl; sed -i 's/files=4/files=5/; s/0x2/3/' port.kdl");
    let ran = port.args(["repin", "port.kdl", "--dir", "up", "--to", "v1"]).run().succeeds();
    let said = "0 commits between, 0 touch ported files\nthe old one has 3 commits that the new one has not: this goes back, or to another branch\n";
    assert!(ran.done.out.contains(said), "{}", ran.done.out);
}

#[test]
fn what_no_number_can_fix_blocks() {
    let gone = bumped().sh("cd up; git checkout -q pkg/a.py; git mv pkg/a.py pkg/d.py; echo 'y = 1' > pkg/d.py; git commit -qam Gone");
    let before = fs::read_to_string(gone.path("port.kdl")).unwrap();
    let ran = gone.args(["repin", "port.kdl", "--dir", "up", "--write"]).run().fails_with(1);
    assert!(
        ran.done.out.contains("needs a change that no number makes")
            || ran.done.out.contains("need a change that no number makes"),
        "{}",
        ran.done.out
    );
    assert!(ran.done.out.contains("in=\"torch-ext/pkg/a.py\" matches no file"), "{}", ran.done.out);
    assert!(ran.done.out.ends_with("the recipe needs a hand edit at the lines above, then run this again\n"));
    assert_eq!(fs::read_to_string(ran.port.path("port.kdl")).unwrap(), before);
}

#[test]
fn a_recipe_that_is_red_at_its_own_pin_is_not_compared() {
    let red = bumped().sh("sed -i s/count=1/count=2/ port.kdl");
    red.args(["repin", "port.kdl", "--dir", "up", "--to", "v2"])
        .run()
        .fails_with(1)
        .mentions("the recipe does not apply at the commit it pins");
    bumped()
        .args(["repin", "port.kdl", "--dir", "up", "--to", "v9"])
        .run()
        .fails_with(3)
        .mentions("`v9` names no commit here");
    bumped()
        .args(["repin", "port.kdl", "--dir", "overlay"])
        .run()
        .fails_with(3)
        .mentions("is not a git repository");
}

/// A monorepo with the port committed under `ports/up/port` and its output in `ports/up/src`.
fn monorepo() -> Port {
    let port = bumped().sh("cd up; git checkout -q v1 -f; cd ..; mkdir -p ports/up/port; mv port.kdl overlay ports/up/port; git clone -q up clone; git -C clone remote set-url origin https://host/up");
    let written =
        port.args(["ports/up/port/port.kdl", "--dir", "up", "--out", "ports/up/src"]).run().passes().port;
    let fresh = written.sh("cd ports; git init -q; git add -A; git commit -qm ports");
    fresh.without_args().args(["check", "ports", "--clones", "clone"])
}

#[test]
fn check_reads_pinned_sources_from_clones_and_names_every_difference() {
    monorepo().run().succeeds().prints("ports/up/port/port.kdl  ok\n1 of 1 port is what its recipe makes\n");
    for (script, difference) in [
        ("echo >> ports/up/src/torch-ext/pkg/a.py", "changed: torch-ext/pkg/a.py"),
        ("echo > ports/up/src/new", "extra: new"),
        ("rm ports/up/src/torch-ext/pkg/a.py", "missing: torch-ext/pkg/a.py"),
        ("chmod 755 ports/up/src/torch-ext/pkg/a.py", "mode: torch-ext/pkg/a.py"),
    ] {
        monorepo().sh(script).run().fails_with(4).mentions(difference);
    }
    let none = monorepo().sh("rm -rf clone").arg("--offline").run().fails_with(3);
    assert!(none.done.out.starts_with("ports/up/port/port.kdl  has no source\n"), "{}", none.done.out);
    none.mentions("is not in the cache").mentions("--clones DIR names a clone");
    monorepo()
        .sh("sed -i s/count=1/count=3/ ports/up/port/port.kdl")
        .run()
        .fails_with(1)
        .mentions("expected exactly 3 matches but found 1");
    Port::new().args(["check", "."]).run().fails_with(2).mentions("there is no port.kdl below");
}

#[test]
fn check_fetches_what_no_clone_has_and_keeps_it() {
    let script = "sed -i \"s#https://host/up#file://$PWD/up#\" ports/up/port/port.kdl; \
                  \"$BINARY\" ports/up/port/port.kdl --dir up --out ports/up/src --quiet 2>/dev/null; rm -rf clone";
    let script = script.replace("$BINARY", crate::harness::BINARY);
    let port = monorepo().sh("git -C up remote set-url origin \"file://$PWD/up\"").sh(&script).without_args();
    let fetched = port.args(["check", "ports"]).run().succeeds();
    fetched
        .port
        .sh("rm -rf up")
        .arg("--offline")
        .run()
        .succeeds()
        .prints("ports/up/port/port.kdl  ok\n1 of 1 port is what its recipe makes\n");
}

#[test]
fn check_can_be_limited_to_what_changed() {
    let unchanged = monorepo().args(["--changed-since", "HEAD"]).run().succeeds();
    unchanged.prints("no port changed since HEAD\n");
    monorepo().sh("echo > ports/up/src/new").args(["--changed-since", "HEAD"]).run().fails_with(4);
    monorepo().args(["--changed-since", "nope"]).run().fails_with(2).mentions("--changed-since nope");
}

#[test]
fn verify_checks_a_port_by_hand() {
    let port = || {
        Port::new()
            .on_disk("p/build.toml", "[general]\nname = \"pkg\"\nversion = 1\nedition = 5\nlicense = \"MIT\"\nbackends = [\"cuda\"]\n\n[torch-noarch]\n\n[kernel]\n")
            .on_disk("p/torch-ext/pkg/__init__.py", "from . import a\n")
            .on_disk("p/torch-ext/pkg/a.py", "x = 1\n")
            .on_disk("p/flake.nix", "{}\n")
            .on_disk("p/tests/t.py", "import pytest\n@pytest.mark.kernels_ci\ndef test_a(): pass\n")
            .args(["verify", "p"])
    };
    port().run().succeeds().prints("p: no findings\n");
    let found = port()
        .sh("echo 'import pkg' > p/torch-ext/pkg/a.py; sed -i s/cuda/cudaa/ p/build.toml")
        .run()
        .fails_with(1);
    assert!(found.done.out.contains("torch-ext/pkg/a.py:1:1  import pkg"), "{}", found.done.out);
    assert!(
        found.done.out.contains("error[manifest]") && found.done.out.contains("build.toml:6"),
        "{}",
        found.done.out
    );
    let sarif =
        port().sh("echo 'def' > p/torch-ext/pkg/a.py").args(["--format", "sarif"]).run().fails_with(1);
    let log: serde_json::Value = serde_json::from_str(&sarif.done.out).unwrap();
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(log["runs"][0]["results"][0]["ruleId"], "parse");
    assert_eq!(
        log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"],
        "torch-ext/pkg/a.py"
    );
    Port::new().on_disk("p/x", "").args(["verify", "p"]).run().fails_with(2).mentions("it is no port");
}

#[test]
fn repin_check_and_outdated_speak_json() {
    let parse = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
    let repin = bumped()
        .args(["repin", "port.kdl", "--dir", "up", "--to", "v2", "--format", "json"])
        .run()
        .succeeds();
    let document = parse(&repin.done.out);
    crate::json::check(&document);
    assert_eq!(document["pins"][0]["added"][0]["path"], "pkg/c.py");
    assert_eq!(document["hidden"][0]["upstream"], "pkg/conf.py");
    let check = monorepo().sh("echo > ports/up/src/new").args(["--format", "json"]).run().fails_with(4);
    let document = parse(&check.done.out);
    crate::json::check(&document);
    assert_eq!(document["ports"][0]["details"][0], "extra: new");
    let outdated =
        bumped().args(["outdated", "port.kdl", "--clones", "up", "--format", "json"]).run().succeeds();
    let document = parse(&outdated.done.out);
    crate::json::check(&document);
    assert_eq!(
        (&document["ports"][0]["behind"], &document["ports"][0]["newest_tag"]),
        (&3.into(), &"v2".into())
    );
}

#[test]
fn outdated_says_how_far_behind_a_pin_is() {
    let ran = bumped().args(["outdated", "port.kdl", "--clones", "up"]).run().succeeds();
    let (old, new) = (id(&ran.port, "v1"), id(&ran.port, "v2"));
    assert_eq!(ran.done.out, format!("port.kdl  {old} (v1), 3 behind {new} (v2), 2 touch ported files\n"));
    let none = bumped().args(["outdated", "port.kdl", "--clones", "overlay"]).run().succeeds();
    assert!(none.done.out.contains("neither a clone nor the cache has"));
}

/// Renames, imports that come and go, texts that change: the whole review, and what is left to a human.
#[test]
fn a_review_of_renames_removed_imports_and_changed_texts() {
    let recipe = "recipe version=1\nsource repo=\"https://host/up\" commit=\"SHA\"\n\
                  move from=\"pkg\" to=\"torch-ext/pkg\" files=4\n\
                  relativize_imports in=\"torch-ext/pkg/**\" package_root=\"torch-ext/pkg\" changes=3\n\
                  replace in=\"torch-ext/pkg/kernel.py\" find=\"BLOCK = 64\" with=\"BLOCK = 128\" count=1\n\
                  replace in=\"torch-ext/pkg/conf.py\" find=\"import old_ops as ops\" with=\"from ._ops import ops\" count=1\n\
                  expect in=\"torch-ext/pkg/*.py\" find=\"TODO\" count=1\n";
    let port = Port::new()
        .on_disk("port.kdl", recipe)
        .upstream("pkg/__init__.py", "from pkg.kernel import f\nfrom pkg.conf import c\n")
        .upstream("pkg/kernel.py", "# The kernel.\nBLOCK = 64\nWARPS = 4\nSTAGES = 2\n\n\ndef f(x):\n    return x\n")
        .upstream("pkg/conf.py", "import old_ops as ops\n\nc = ops\n")
        .upstream("pkg/old.py", "from pkg import conf\n# TODO\n")
        .sh("cd up; git init -q; git add -A; git commit -qm one; git tag v1; git remote add origin https://host/up; \
             sed -i s/SHA/$(git rev-parse HEAD)/ ../port.kdl; \
             git mv pkg/kernel.py pkg/fast_kernel.py; printf 'from pkg.fast_kernel import f\\nimport pkg.conf\\n' > pkg/__init__.py; \
             printf 'import new_ops as ops\\n\\nc = ops\\n' > pkg/conf.py; printf '# TODO\\n# TODO later\\n' > pkg/old.py; \
             git add -A; git commit -qm 'Rename the kernel'; git tag v2");
    let ran = port.args(["repin", "port.kdl", "--dir", "up", "--to", "v2", "--write"]).run().fails_with(1);
    let (old, new) = (id(&ran.port, "v1"), id(&ran.port, "v2"));
    let found = ran.done.out.replace(&old, "OLD").replace(&new, "NEW");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write("tests/snapshots/repin-renames.txt", &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string("tests/snapshots/repin-renames.txt").unwrap());
}
