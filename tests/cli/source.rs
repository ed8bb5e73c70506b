//! `source` and `vendor`: pins, remotes, and what counts as clean.

use crate::harness::Port;

const SOURCE: &str = "source repo=\"https://host/org/r\" commit=\"SHA\"";

/// An upstream repository in `up/`, its commit in place of SHA.
fn port(recipe: &str) -> Port {
    Port::inline(recipe)
        .upstream("pkg/a.py", "x = 1\n")
        .upstream("run.sh", "#!/bin/sh\n")
        .upstream(".gitignore", "ign/\n")
        .sh("cd up; chmod 755 run.sh; ln -s pkg link; git init -q; git add -A; git commit -qm one; \
             git remote add origin git@HOST:org/r.git; git rev-parse HEAD > ../sha")
        .with("SHA", "sha")
        .dir()
}

fn dirty(script: &str) -> Port {
    port(SOURCE).sh(&format!("cd up; {script}"))
}

#[test]
fn a_clean_checkout_at_the_pin_is_verified() {
    let ran = port(SOURCE).run().succeeds();
    assert!(
        ran.done.out.starts_with("[line   1] source  verified https://host/org/r @ "),
        "{}",
        ran.done.out
    );
}

#[test]
fn another_commit_or_repository_is_a_source_problem() {
    dirty("git commit -q --allow-empty -m two")
        .run()
        .fails_with(3)
        .mentions(" but HEAD of ")
        .mentions("/up checkout ");
    dirty("git remote set-url origin https://host/org/other")
        .run()
        .fails_with(3)
        .mentions("expected a remote https://host/org/r, but no remote of")
        .mentions("origin is https://host/org/other");
    dirty("git remote remove origin").run().fails_with(3).mentions(" has none");
    dirty("git remote rename origin upstream").run().succeeds();
}

#[test]
fn what_is_not_clean_is_listed_whatever_git_is_told() {
    for (script, change) in [
        ("echo 2 > pkg/a.py", "pkg/a.py  modified"),
        ("rm pkg/a.py", "pkg/a.py  missing"),
        ("chmod 644 run.sh", "run.sh  other mode"),
        ("git config core.fileMode false; chmod 644 run.sh", "run.sh  other mode"),
        ("rm link; cp run.sh link", "link  other kind of file"),
        ("echo > new", "new  untracked"),
        ("git config status.showUntrackedFiles no; echo > new", "new  untracked"),
        ("echo new > .git/info/exclude; echo > new", "new  untracked"),
        (
            "mkdir ../home; echo new > ../home/ignore; git config core.excludesFile ../home/ignore; echo > new",
            "new  untracked",
        ),
        ("git update-index --assume-unchanged pkg/a.py; echo 2 > pkg/a.py", "pkg/a.py  modified"),
        ("git update-index --skip-worktree pkg/a.py; echo 2 > pkg/a.py", "pkg/a.py  modified"),
        ("touch -r pkg/a.py t; echo 'x = 2' > pkg/a.py; touch -r t pkg/a.py; rm t", "pkg/a.py  modified"),
        ("echo > new; git add new", "new  staged, not in the commit"),
        ("git rm -q --cached pkg/a.py", "pkg/a.py  staged deletion"),
        ("echo 2 > pkg/a.py; git add -A; echo 'x = 1' > pkg/a.py", "pkg/a.py  staged change"),
    ] {
        dirty(script).run().fails_with(3).mentions("is not clean").mentions(change);
    }
    dirty("mkdir ign; echo > ign/x; touch pkg/a.py; chmod 755 run.sh").run().succeeds();
}

#[test]
fn allow_dirty_ports_the_work_tree_and_says_so() {
    let ran = dirty("echo 2 > pkg/a.py; echo > new").args(["--allow-dirty", "--print"]).run().passes();
    assert!(ran.done.out.contains("==> pkg/a.py\n2\n") && !ran.done.out.contains("new"), "{}", ran.done.out);
    ran.mentions(
        "warning: recipe line 1: source: the checkout is not clean: 2 files differ; provenance says dirty",
    );
}

#[test]
fn the_bytes_are_the_commits_under_autocrlf_and_ident() {
    let ran = Port::inline(SOURCE)
        .upstream("a.bat", "a\nb\n")
        .upstream("h.h", "/* $Id$ */\n")
        .upstream(".gitattributes", "*.h ident\n")
        .sh("cd up; git init -q; git add -A; git commit -qm one; git remote add origin https://host/org/r; \
             git config core.autocrlf true; rm a.bat h.h; git checkout -q .; grep -q $'\\r' a.bat; grep -q 'Id: ' h.h; \
             git rev-parse HEAD > ../sha")
        .with("SHA", "sha")
        .dir()
        .arg("--print")
        .run()
        .succeeds();
    assert!(ran.done.out.contains("==> a.bat\na\nb\n==> h.h\n/* $Id$ */\n"), "{}", ran.done.out);
}

#[test]
fn odd_checkouts_work_or_say_what_to_do() {
    port(SOURCE)
        .sh("mv up orig; git -C orig worktree add -q --detach $PWD/up; test -f up/.git")
        .run()
        .succeeds();
    port(SOURCE).sh("mv up orig; git clone -q --depth 1 file://$PWD/orig up; git -C up remote set-url origin https://host/org/r").run().succeeds();
    port(SOURCE)
        .sh("cd up; git sparse-checkout set --no-cone '/*' '!/pkg/'; test ! -e pkg")
        .arg("--print")
        .run()
        .succeeds();
    port(SOURCE).sh("mv up/.git .").run().fails_with(3).mentions("is not the top of its checkout");
    port(SOURCE).sh("rm -rf up/.git").run().fails_with(3).mentions("is not a git checkout");
    port(SOURCE)
        .sh("mv up orig; git clone -q --bare orig up")
        .run()
        .fails_with(3)
        .mentions("is a bare repository");
    port(SOURCE).sh("rm -rf up; git init -q up").run().fails_with(3).mentions("has no commit yet");
}

#[test]
fn a_submodule_that_is_not_checked_out_is_named_with_the_command() {
    let script = "git init -q sub; (cd sub; echo s > s.h; git add -A; git commit -qm s); cd up; \
                  git -c protocol.file.allow=always submodule --quiet add $PWD/../sub third/sub; git commit -qm sub; git rev-parse HEAD > ../sha";
    let with = |recipe: &str, more: &str| {
        Port::inline(recipe)
            .upstream("a", "")
            .sh("cd up; git init -q; git add -A; git commit -qm one; git remote add origin https://host/org/r")
            .sh(script)
            .sh(more)
            .with("SHA", "sha")
            .dir()
    };
    let keep = format!("{SOURCE}\nprune keep=\"third/**\" files=1");
    with(&keep, "true").run().passes();
    let gone = "cd up; git submodule --quiet deinit -f third/sub";
    with(&keep, gone)
        .run()
        .fails_with(3)
        .mentions("keep= reaches into the submodule third/sub, which is not checked out")
        .mentions("in the checkout: git submodule update --init third/sub");
    with(&format!("{SOURCE}\nprune keep=\"a\" files=1"), gone).run().passes();
    with(&keep, "cd up/third/sub; git commit -q --allow-empty -m x")
        .run()
        .fails_with(3)
        .mentions("submodule at another commit");
}

#[test]
fn a_directory_of_a_vendored_repository_is_copied() {
    let vendor =
        "vendor name=\"v\" repo=\"https://host/v\" commit=\"SHA\" path=\"lib\" to=\"third/v\" files=1";
    let port = |recipe: &str| {
        Port::inline(recipe)
            .on_disk("v/lib/v.h", "v\n")
            .on_disk("v/x", "")
            .sh("cd v; git init -q; git add -A; git commit -qm v; git remote add origin https://host/v; git rev-parse HEAD > ../sha")
            .with("SHA", "sha")
    };
    let ran = port(vendor).file("a", "").args(["--vendor", "v=v"]).run().succeeds();
    assert!(ran.done.out.contains("vendored 1 file from v:lib @ "), "{}", ran.done.out);
    assert!(ran.done.out.contains("==> third/v/v.h\nv\n"));
    port(vendor)
        .file("third/v/v.h", "")
        .args(["--vendor", "v=v"])
        .run()
        .fails_with(1)
        .mentions("1 destination exists already");
    port(&vendor.replace("path=\"lib\"", "path=\"x\""))
        .file("a", "")
        .args(["--vendor", "v=v"])
        .run()
        .fails_with(1)
        .mentions("is a file of v");
    port(&vendor.replace("path=\"lib\"", "path=\"li\""))
        .file("a", "")
        .args(["--vendor", "v=v"])
        .run()
        .fails_with(1)
        .mentions("nearest paths: lib");
    port(vendor)
        .file("a", "")
        .arg("--offline")
        .run()
        .fails_with(3)
        .mentions("--vendor v=CHECKOUT takes it from a checkout");
    port(vendor)
        .file("a", "")
        .args(["--vendor", "w=v"])
        .run()
        .fails_with(2)
        .mentions("--vendor w=: no vendor op has this name");
    port(&vendor.replace("name=\"v\"", "name=\"upstream\""))
        .file("a", "")
        .run()
        .fails_with(2)
        .mentions("is the source's");
}

#[test]
fn a_sourced_recipe_needs_its_checkout() {
    port(SOURCE).file("a", "").run().fails_with(2);
    Port::inline(SOURCE)
        .file("a", "")
        .run()
        .fails_with(2)
        .mentions("commit= must be a full commit id of 40 hexadecimal digits");
}
