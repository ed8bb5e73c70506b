//! Checkouts of every kind: each gives the same tree, or says what to do.

use crate::harness::{Port, Ran};

const SOURCE: &str = "source repo=\"https://host/org/r\" commit=\"SHA\"";

/// The same commit in every test, its id in the file `sha`; `git init` takes the options.
fn unpinned(options: &str) -> Port {
    Port::inline(SOURCE)
        .upstream("pkg/a.py", "x = 1\n")
        .upstream("pkg/sub/b.py", "y = 2\n")
        .upstream("run.sh", "#!/bin/sh\n")
        .upstream("name with blank", "z\n")
        .sh(&format!(
            "cd up; chmod 755 run.sh; ln -s pkg link; git init -q {options}; git add -A; git commit -qm one; \
             git remote add origin https://host/org/r; git rev-parse HEAD > ../sha"
        ))
        .dir()
        .args(["--out", "out"])
}

fn made_with(options: &str) -> Port {
    unpinned(options).with("SHA", "sha")
}

fn after(script: &str) -> Ran {
    made_with("").sh(script).run()
}

const TREE: [(&str, &str); 5] = [
    ("link", "-> pkg"),
    ("name with blank", "z\n"),
    ("pkg/a.py", "x = 1\n"),
    ("pkg/sub/b.py", "y = 2\n"),
    ("run.sh", "755 #!/bin/sh\n"),
];

#[test]
fn every_kind_of_checkout_gives_the_same_tree() {
    let clone = |options: &str| {
        format!(
            "mv up orig; git clone -q {options} file://$PWD/orig up; git -C up remote set-url origin https://host/org/r"
        )
    };
    for script in [
        "true".to_owned(),
        clone("--depth 1"),
        clone("-c core.autocrlf=true"),
        clone("-c core.eol=crlf -c core.symlinks=true"),
        format!("git -C up config uploadpack.allowFilter true; {}", clone("--filter=blob:none")),
        format!("git -C up config uploadpack.allowFilter true; {}", clone("--filter=tree:0")),
        format!("{}; cd up; git sparse-checkout set --cone --sparse-index pkg/sub; test ! -e run.sh || test -e run.sh", clone("")),
        "mv up orig; git clone -q --shared orig up; git -C up remote set-url origin https://host/org/r".to_owned(),
        "mv up orig; git -C orig worktree add -q --detach $PWD/up".to_owned(),
        "mv up orig; git clone -q --bare orig bare.git; git -C bare.git remote set-url origin https://host/org/r; \
         git -C bare.git worktree add -q --detach $PWD/up"
            .to_owned(),
        "mv up/.git there; echo gitdir: ../there > up/.git".to_owned(),
        "mv up/.git there; ln -s ../there up/.git".to_owned(),
        "cd up; git checkout -q --detach; git pack-refs --all; git gc -q".to_owned(),
        "cd up; git pack-refs --all; git gc -q; test ! -e .git/refs/heads/*".to_owned(),
        "cd up; git update-index --index-version 4".to_owned(),
        "cd up; git update-index --index-version 3; git update-index --fsmonitor 2>/dev/null || true".to_owned(),
        "cd up; git config index.skipHash true; touch run.sh; git status -s; git update-index --force-write-index".to_owned(),
        "cd up; git update-index --untracked-cache; git config core.fsmonitor 'touch ../ran'; git config core.pager false".to_owned(),
        "chown -R 12345 up".to_owned(),
        "mv up elsewhere; ln -s elsewhere up".to_owned(),
        "cd up; git remote set-url origin gh:org/r; printf '[url \"https://host/\"]\\n insteadOf = gh:\\n' > ../.gitconfig".to_owned(),
    ] {
        after(&script).succeeds().leaves("out", TREE);
    }
}

#[test]
fn a_sha_256_repository_is_pinned_by_64_digits() {
    made_with("--object-format=sha256").run().succeeds().leaves("out", TREE);
    made_with("--object-format=sha256").sh("cd up; git gc -q").run().succeeds().leaves("out", TREE);
    made_with("--object-format=sha256")
        .sh("echo 2 > up/pkg/a.py")
        .run()
        .fails_with(3)
        .mentions("pkg/a.py  modified");
    made_with("")
        .sh("rm -rf up/.git; cd up; git init -q --object-format=sha256; git add -A; git commit -qm one")
        .run()
        .fails_with(3)
        .mentions("the ids of this repository have 64 digits");
}

#[test]
fn what_cannot_be_read_says_what_to_do() {
    made_with("--ref-format=reftable").run().fails_with(3).mentions("refs migrate --ref-format=files");
    for (script, message) in [
        ("cd up; git update-index --split-index", "git update-index --no-split-index"),
        ("rm -rf up/.git/objects/*", "is missing"),
        ("echo x > up/.git/HEAD", "has no readable HEAD"),
        ("echo 'ref: refs/../../x' > up/.git/HEAD", "has no readable HEAD"),
        ("rm up/.git/HEAD; mkfifo up/.git/HEAD", "is not a git repository"),
        ("rm -rf up/.git; mkfifo up/.git", "neither a file nor a directory"),
        ("rm -rf up/.git; echo gitdir: ../gone > up/.git", "git worktree repair"),
        ("rm -rf up/.git; echo x > up/.git", "names no git directory"),
        ("mkdir w; git -C up config core.worktree $PWD/w", "unset core.worktree"),
        ("git -C up config core.bare true", "is a bare repository"),
        ("head -c 100 up/.git/index > i; mv i up/.git/index", "is damaged"),
        (
            "cd up; b=$(git rev-parse HEAD:pkg/a.py); git rm -q --cached pkg/a.py; \
             printf \"100644 $b 1\\tpkg/a.py\\n100644 $b 2\\tpkg/a.py\\n\" | git update-index --index-info",
            "holds an unfinished merge",
        ),
        (
            "f=$(ls up/.git/objects/*/* | head -1); for f in up/.git/objects/*/*; do chmod +w $f; echo x > $f; done",
            "cannot be read",
        ),
    ] {
        after(script).fails_with(3).mentions(message);
    }
}

#[test]
fn nothing_that_a_repository_configures_runs_or_counts() {
    let ran = after(
        "cd up; for h in post-checkout post-index-change reference-transaction fsmonitor-watchman pre-commit; do \
           printf '#!/bin/sh\\ntouch ../ran\\n' > .git/hooks/$h; chmod +x .git/hooks/$h; done; \
         git config core.fsmonitor '../run.sh'; git config filter.x.clean 'touch ../ran; cat'; git config filter.x.smudge 'touch ../ran; cat'; \
         git config filter.x.process 'touch ../ran'; git config diff.external 'touch ../ran'; git config core.sshCommand 'touch ../ran'; \
         git config extensions.partialClone origin; git config remote.origin.promisor true; git config core.alternateRefsCommand 'touch ../ran'; \
         git config include.path /dev/zero; echo '* filter=x diff=x' > .git/info/attributes; rm -f ../ran",
    );
    let ran = ran.succeeds().leaves("out", TREE);
    assert!(!ran.port.path("ran").exists());
}

#[test]
fn the_environment_of_git_and_replaced_objects_do_not_count() {
    let port = made_with("").sh(
        "mkdir other; cd other; git init -q; echo evil > evil; git add -A; git commit -qm evil; cd ../up; \
         blob=$(echo evil | git hash-object -w --stdin); git replace $(git rev-parse HEAD:pkg/a.py) $blob; \
         echo $(cat ../sha) > .git/info/grafts",
    );
    let other = port.path("other/.git").display().to_string();
    let ran = ["GIT_DIR", "GIT_WORK_TREE", "GIT_OBJECT_DIRECTORY", "GIT_INDEX_FILE", "GIT_CONFIG_GLOBAL"]
        .into_iter()
        .fold(port, |port, name| port.env(name, &other))
        .run();
    ran.succeeds().leaves("out", TREE);
}

#[test]
fn a_link_in_place_of_a_directory_is_not_followed() {
    let ran = made_with("")
        .sh("mv up/pkg elsewhere; ln -s ../elsewhere up/pkg")
        .arg("--allow-dirty")
        .run()
        .passes();
    let ran =
        ran.leaves("out", [("link", "-> pkg"), ("name with blank", "z\n"), ("run.sh", "755 #!/bin/sh\n")]);
    ran.mentions("3 files differ");
}

#[test]
fn a_commit_that_no_tree_can_hold_is_refused() {
    let forged = |tree: &str| {
        unpinned("").sh(&format!(
            "cd up; b=$(git rev-parse HEAD:pkg/a.py); t=$(git rev-parse HEAD:pkg); tree() {{ git mktree --missing < /dev/stdin; }}; \
             raw() {{ git hash-object -t tree --literally -w --stdin; }}; bin() {{ printf $(echo $1 | sed 's/../\\\\x&/g'); }}; \
             T=$({tree}); git commit-tree -m x $T > ../sha; git update-ref HEAD $(cat ../sha)"
        ))
        .with("SHA", "sha")
    };
    for (tree, message) in [
        (r"(printf '100644 ..\0'; bin $b) | raw", "holds `..`"),
        (r"(printf '40000 .git\0'; bin $t) | raw", "holds a `.git` component"),
        (r"(printf '100644 a/b\0'; bin $b) | raw", "is malformed"),
        (r"(printf '120000 d\0'; bin $b; printf '40000 d\0'; bin $t) | raw", "as a file and as a directory"),
        (r"(printf '100644 a\0'; bin $b; printf '100644 a\0'; bin $b) | raw", "tracks `a` twice"),
        (r"(printf '170000 a\0'; bin $b) | raw", "with the mode 170000"),
        (r"(printf '100644 a\0abc') | raw", "is malformed"),
        (
            "t=$t; for i in 1 2 3 4 5 6 7 8; do t=$(for n in 0 1 2 3 4 5 6 7 8 9; do printf '040000 tree %s\\t%s\\n' $t $n; done | tree); done; echo $t",
            "has more than 1000000 files",
        ),
    ] {
        forged(tree).run().fails_with(3).mentions(message);
    }
}

#[test]
fn files_of_git_lfs_are_clean_as_pointers_and_as_contents() {
    let with = |script: &str| {
        unpinned("").sh(&format!(
            "cd up; seq 9999 > w.bin; cp w.bin ../content; printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:%s\\nsize %s\\n' \
             $(sha256sum < w.bin | cut -c1-64) $(stat -c %s w.bin) > w.bin; git add -A; git commit -qm lfs; git rev-parse HEAD > ../sha; {script}"
        ))
        .with("SHA", "sha")
    };
    for clean in ["true", "cp ../content w.bin"] {
        with(clean).run().fails_with(1).mentions("error[lfs]").mentions("w.bin  is a Git LFS pointer");
    }
    with("echo x > w.bin").run().fails_with(3).mentions("w.bin  modified");
}

#[test]
fn allow_dirty_takes_what_git_tracks_as_it_stands() {
    let port = made_with("").sh(
        "cd up; echo 2 > pkg/a.py; rm pkg/sub/b.py; chmod 644 run.sh; rm link; echo was > link; echo staged > staged; git add staged; \
         echo > untracked; echo -n > 'name with blank'",
    );
    let ran = port.arg("--allow-dirty").run().passes();
    ran.mentions("7 files differ").leaves(
        "out",
        [
            ("link", "was\n"),
            ("name with blank", ""),
            ("pkg/a.py", "2\n"),
            ("run.sh", "#!/bin/sh\n"),
            ("staged", "staged\n"),
        ],
    );
}

#[test]
fn names_that_are_not_utf_8_and_pipes_are_no_obstacle() {
    let port = Port::inline(SOURCE)
        .upstream("a\\b", "back\n")
        .sh("cd up; echo latin > $'caf\\xe9'; git init -q; git add -A; git commit -qm one; git remote add origin https://host/org/r; \
             git rev-parse HEAD > ../sha; mkfifo pipe; mkdir empty")
        .with("SHA", "sha")
        .dir()
        .args(["--out", "out"]);
    let ran = port.run().passes().mentions("warning[portable-name]");
    ran.leaves("out", [("a\\b", "back\n"), ("caf\u{fffd}", "latin\n")]);
}

#[test]
fn submodules_in_submodules_belong_to_the_tree() {
    let script = "git() { command git -c protocol.file.allow=always \"$@\"; }; mkdir inner middle; \
         (cd inner; git init -q; echo i > i.h; git add -A; git commit -qm i); \
         (cd middle; git init -q; echo m > m.h; git add -A; git submodule --quiet add $PWD/../inner deep; git commit -qm m); cd up; \
         git submodule --quiet add $PWD/../middle third/sub; git submodule --quiet update --init --recursive; git commit -qm sub; \
         git rev-parse HEAD > ../sha";
    let with = |more: &str| unpinned("").sh(&format!("{script}; {more}")).with("SHA", "sha");
    let ran = with("true").run().succeeds();
    let tree = ran.port.tree("out");
    assert_eq!((tree["third/sub/m.h"].as_str(), tree["third/sub/deep/i.h"].as_str()), ("m\n", "i\n"));
    with("echo x > third/sub/deep/i.h").run().fails_with(3).mentions("third/sub/deep/i.h  modified");
    with("echo x > third/sub/deep/new").run().fails_with(3).mentions("third/sub/deep/new  untracked");
    with("echo x > third/sub/m.h; git update-index --assume-unchanged third/sub")
        .run()
        .fails_with(3)
        .mentions("third/sub/m.h  modified");
    with("rm -rf third/sub/.git")
        .run()
        .fails_with(1)
        .mentions("third/sub  is a submodule that is not checked out");
    with("rm -rf third/sub/deep/.git")
        .run()
        .fails_with(1)
        .mentions("third/sub/deep  is a submodule that is not checked out");
    with("git rm -q --cached third/sub").run().fails_with(3).mentions("third/sub  staged deletion");
}

#[test]
fn a_filter_or_encoding_is_no_change_however_fresh_the_checkout() {
    let port = |more: &str| {
        unpinned("").sh(&format!(
            "cd up; printf '*.txt working-tree-encoding=UTF-16\\n*.up filter=up\\n' > .gitattributes; \
             git config filter.up.clean 'tr A-Z a-z'; git config filter.up.smudge 'tr a-z A-Z'; \
             echo hello | iconv -t UTF-16 > a.txt; echo WORD > a.up; git add -A; git commit -qm attributes; rm a.*; git checkout -q .; \
             grep WORD a.up; touch -d 2001-01-01 .git/index; git rev-parse HEAD > ../sha; {more}"
        ))
        .with("SHA", "sha")
    };
    let tree = port("true").run().succeeds().port.tree("out");
    assert_eq!((tree["a.txt"].as_str(), tree["a.up"].as_str()), ("hello\n", "word\n"));
    port("echo WORX > a.up").run().fails_with(3).mentions("a.up  modified");
}
