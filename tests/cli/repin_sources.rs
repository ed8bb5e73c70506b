//! `repin` and `outdated` on what the recipe vendors, on sources without a checkout, and on submodules.

use crate::harness::Port;
use std::fs;

/// A source `up` and a vendored `lib` with two commits each, tagged v1 and v2; the recipe pins the first of both.
fn vendored() -> Port {
    let recipe = "recipe version=1\nsource repo=\"file://PWD/up\" commit=\"UP\"\n\
                  vendor name=\"lib\" repo=\"file://PWD/lib\" commit=\"LIB\" path=\"inc\" to=\"inc\" files=2\n\
                  vendor name=\"lib\" repo=\"file://PWD/lib\" commit=\"LIB\" path=\"doc\" to=\"doc\" files=1\n\
                  replace in=\"a.py\" find=\"x = 1\" with=\"x = 2\" count=1\n\
                  overlay from=\"overlay\" overwrites=1\n";
    Port::new()
        .on_disk("port.kdl", recipe)
        .on_disk("overlay/inc/own.h", "ours\n")
        .on_disk("up/a.py", "x = 1\n")
        .on_disk("lib/inc/own.h", "theirs 1\n")
        .on_disk("lib/inc/b.h", "b\n")
        .on_disk("lib/doc/d", "d\n")
        .on_disk("lib/other", "1\n")
        .sh("for d in up lib; do (cd $d; git init -q; git add -A; git commit -qm one; git tag v1); done; \
             sed -i \"s,PWD,$PWD,; s/UP/$(git -C up rev-parse v1)/; s/LIB/$(git -C lib rev-parse v1)/\" port.kdl; \
             (cd up; echo 'x = 1  # two' > a.py; git commit -qam 'Touch a'; git tag v2); \
             cd lib; echo 2 > other; git commit -qam Elsewhere; \
             echo 'theirs 2' > inc/own.h; echo c > inc/c.h; git add -A; git commit -qm 'Add c'; git tag v2")
}

fn recipe(port: &Port) -> String {
    fs::read_to_string(port.path("port.kdl")).unwrap()
}

fn sha(port: &Port, directory: &str, revision: &str) -> String {
    let output = std::process::Command::new("git")
        .args(["-C", port.path(directory).to_str().unwrap(), "rev-parse", revision])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn what_is_vendored_is_bumped_alone() {
    for lib in [&["--vendor=lib=lib"][..], &[]] {
        let port = lib.iter().fold(vendored().args(["repin", "port.kdl"]), |port, arg| port.arg(*arg));
        let before = recipe(&port);
        let ran = port.args(["--vendor-to", "lib=v2", "--write"]).run().succeeds();
        let (old, new) = (sha(&ran.port, "lib", "v1"), sha(&ran.port, "lib", "v2"));
        let expected = format!(
            "lib {} (v1) -> {} (v2)\n2 commits between, 1 touches ported files\n  {} Add c\n\n\
             1 pin to review\nline 3: vendor files= 2 -> 3\n  + inc/c.h\n\n\
             overlay files that hide a change of upstream's\n\
             inc/own.h replaces upstream's inc/own.h, which changed:\n",
            &old[..12],
            &new[..12],
            &new[..12]
        );
        assert!(ran.done.out.starts_with(&expected), "{}", ran.done.out);
        assert!(ran.done.out.contains("  -theirs 1\n  +theirs 2\n"), "{}", ran.done.out);
        let wanted = before.replace(&old, &new).replace("files=2", "files=3");
        assert_eq!(recipe(&ran.port), wanted);
    }
}

#[test]
fn source_and_vendored_together() {
    let port = vendored().args(["repin", "port.kdl", "--to", "v2", "--vendor-to", "lib=v2", "--write"]);
    let ran = port.run().succeeds();
    let text = recipe(&ran.port);
    for directory in ["up", "lib"] {
        assert!(text.contains(&sha(&ran.port, directory, "v2")), "{directory}: {text}");
        assert!(!text.contains(&sha(&ran.port, directory, "v1")), "{directory}: {text}");
    }
    assert!(ran.done.out.starts_with("upstream ") && ran.done.out.contains("\nlib "), "{}", ran.done.out);
}

#[test]
fn without_a_checkout_the_cache_is_used() {
    let ran = vendored().args(["repin", "port.kdl"]).run().succeeds();
    assert!(ran.done.out.contains("1 commit between, 1 touches ported files"), "{}", ran.done.out);
    // The vendored repository is not re-pinned: only its pinned commit was fetched.
    let again = ran.port.sh("mv up gone").arg("--offline").run().succeeds();
    assert_eq!(again.done.out, ran.done.out);
    let none = again.port.sh("mv gone up; rm -r .cache").run();
    none.fails_with(3).mentions("is not in the cache").mentions("run once without --offline");
}

#[test]
fn a_vendor_that_is_not_there_is_a_slip() {
    let ran = vendored().args(["repin", "port.kdl", "--vendor-to", "lab=v2"]).run().fails_with(2);
    ran.mentions("--vendor-to lab=: no vendor op has this name").mentions("did you mean lib?");
    vendored()
        .args(["repin", "port.kdl", "--vendor-to", "lib"])
        .run()
        .fails_with(2)
        .mentions("must be NAME=REV");
    let unknown = vendored().args(["repin", "port.kdl", "--vendor-to", "lib=v9"]).run().fails_with(3);
    unknown.mentions("`v9` names no commit here");
}

#[test]
fn outdated_looks_into_the_cache_and_fetches_when_told() {
    let ran = vendored().args(["outdated", "port.kdl"]).run().succeeds();
    assert!(ran.done.out.contains("--fetch gets it"), "{}", ran.done.out);
    let ran = ran.port.arg("--fetch").run().succeeds();
    assert!(ran.done.out.contains("(v1), 1 behind "), "{}", ran.done.out);
    let newer = ran.port.sh("cd up; echo 3 > a.py; git commit -qam three; git tag v3").run().succeeds();
    assert!(newer.done.out.contains("(v1), 2 behind "), "{}", newer.done.out);
}

#[test]
fn submodules_are_read_at_both_commits() {
    let port = Port::new()
        .on_disk("port.kdl", "recipe version=1\nsource repo=\"https://host/up\" commit=\"SHA\"\nprune keep=\"sub/**\" files=1\n")
        .on_disk("sub/a", "1\n")
        .on_disk("up/x", "x\n")
        .sh("cd sub; git init -q; git add -A; git commit -qm one; cd ../up; git init -q; \
             git -c protocol.file.allow=always submodule --quiet add \"$PWD/../sub\" sub; git add -A; git commit -qm one; \
             git remote add origin https://host/up; sed -i s/SHA/$(git rev-parse HEAD)/ ../port.kdl; \
             cd sub; echo 2 > a; echo b > b; git add -A; git commit -qm two; cd ..; git add sub; git commit -qm two");
    let ran = port.args(["repin", "port.kdl", "--dir", "up"]).run().succeeds();
    assert!(ran.done.out.contains("line 3: prune files= 1 -> 2\n  + sub/b\n"), "{}", ran.done.out);
}
