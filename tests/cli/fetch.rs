//! Sources without a checkout: fetched at their commit, kept in a cache.

use crate::harness::{BINARY, Port, clean};
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};

/// An upstream repository `r` with two commits and a tag; `sha` is the first, which is no branch's or tag's tip.
fn upstream(init: &str) -> Port {
    Port::new()
        .on_disk("r/pkg/a.py", "x = 1\n")
        .on_disk("r/run.sh", "#!/bin/sh\n")
        .on_disk("w/x", "w\n")
        .sh(&format!(
            "cd r; chmod 755 run.sh; ln -s pkg link; git init -q {init}; git add -A; git commit -qm one; git rev-parse HEAD > ../sha; \
             echo 2 > pkg/a.py; git commit -qam two; git tag v2; git rev-parse HEAD > ../sha-two; \
             cd ../w; git init -q; git add -A; git commit -qm w; git rev-parse HEAD > ../sha-w"
        ))
}

const RECIPE: &str = "source repo=\"REPO\" commit=\"SHA\"";

fn sourced(port: Port, repo: &str) -> Port {
    let repo = repo.replace("PWD", &port.path("").display().to_string());
    port.arg("-e").arg(RECIPE.replace("REPO", &repo)).with("SHA", "sha").args(["--out", "out"])
}

const TREE: [(&str, &str); 3] = [("link", "-> pkg"), ("pkg/a.py", "x = 1\n"), ("run.sh", "755 #!/bin/sh\n")];

/// The cached repositories, by commit.
fn cached(port: &Port) -> Vec<String> {
    let Ok(sources) = std::fs::read_dir(port.path(".cache/kernel-port/sources")) else { return Vec::new() };
    let entries = sources.flat_map(|source| std::fs::read_dir(source.unwrap().path()).unwrap());
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.ends_with(".lock")).collect();
    names.sort();
    names
}

#[test]
fn a_commit_is_fetched_once_and_then_read_offline() {
    for repo in ["file://PWD/r", "PWD/r", "./r", "r/"] {
        let ran = sourced(upstream(""), repo).run().succeeds().leaves("out", TREE);
        assert!(ran.done.out.contains("  verified "), "{}", ran.done.out);
        assert_eq!(cached(&ran.port).len(), 1);
        let again = ran.port.sh("mv r gone; rm -r out; mkdir -p r").args(["--offline"]).run();
        again.succeeds().leaves("out", TREE);
    }
}

#[test]
fn a_sha_256_repository_is_fetched() {
    sourced(upstream("--object-format=sha256"), "PWD/r").run().succeeds().leaves("out", TREE);
    let failed = sourced(upstream("").sh("printf %064d 0 > sha"), "PWD/r").run();
    failed.fails_with(3).mentions("another number of digits");
}

#[test]
fn what_is_not_in_the_cache_is_an_error_offline() {
    let ran = sourced(upstream(""), "PWD/r").arg("--offline").run();
    ran.fails_with(3)
        .mentions(" is not in the cache")
        .mentions("help: --dir CHECKOUT takes the source from a checkout");
    Port::inline("delete in=\"a\"")
        .file("a", "")
        .arg("--offline")
        .run()
        .fails_with(2)
        .mentions("--offline makes no difference here");
}

#[test]
fn a_repository_or_commit_that_is_not_there_leaves_nothing_behind() {
    let wrong = sourced(upstream("").sh("printf %040d 7 > sha"), "file://PWD/r").run().fails_with(3);
    assert_eq!(cached(&wrong.port), [""; 0]);
    wrong.mentions(" has no commit 0000000000000000000000000000000000000007");
    let blob = sourced(upstream("").sh("cd r; git rev-parse HEAD:run.sh > ../sha"), "file://PWD/r").run();
    assert_eq!(cached(&blob.fails_with(3).port), [""; 0]);
    sourced(upstream(""), "file://PWD/none").run().fails_with(3).mentions("there is no such repository");
    sourced(upstream(""), "PWD/none").run().fails_with(3).mentions("is no directory");
    sourced(upstream("").sh("mkdir empty"), "PWD/empty")
        .run()
        .fails_with(3)
        .mentions("there is no such repository");
    for repo in ["ext::sh -c touch% PWD/ran", "--upload-pack=touch PWD/ran;", "ftp://h/r"] {
        let ran = sourced(upstream(""), repo).run().fails_with(3);
        assert!(!ran.port.path("ran").exists());
    }
    sourced(upstream(""), "PWD/r")
        .sh("mkdir bin; ln -s $(command -v bash) bin/bash")
        .env("PATH", "/nowhere")
        .run()
        .fails_with(3)
        .mentions("git is needed to fetch a source, and cannot be run: it is not installed");
    sourced(upstream("").on_disk("file", ""), "PWD/r")
        .env("KERNEL_PORT_CACHE", "file/cache")
        .run()
        .fails_with(3)
        .mentions("cannot write the cache");
}

#[test]
fn a_moved_tag_or_rewritten_branch_changes_nothing() {
    let port = upstream("").sh(
        "cd r; git tag -f v1 $(cat ../sha); git checkout -q --orphan other; echo evil > pkg/a.py; git add -A; git commit -qm evil; \
         git tag -f v1; git branch -qf master; git branch -qf main",
    );
    sourced(port, "PWD/r").run().succeeds().leaves("out", TREE);
}

#[test]
fn a_server_that_refuses_commit_ids_is_asked_for_everything() {
    let old = "printf '[protocol]\\nversion = 0\\n' > .gitconfig";
    sourced(upstream("").sh(old), "file://PWD/r").run().succeeds().leaves("out", TREE);
    let wrong = sourced(upstream("").sh(old).sh("printf %040d 7 > sha"), "file://PWD/r").run().fails_with(3);
    assert_eq!(cached(&wrong.port), [""; 0]);
    wrong.mentions(" has no commit 0000000000000000000000000000000000000007");
}

#[test]
fn a_damaged_or_half_written_cache_is_fetched_again() {
    for damage in [
        "rm -r */objects/pack",
        "for f in */objects/pack/*.pack; do chmod +w $f; : > $f; done",
        "rm -r */objects; mkdir $(cat ~/sha).partial-left; touch $(cat ~/sha).partial-left/x",
        "rm -r *",
        "rm -r ~/.cache",
    ] {
        let ran = sourced(upstream(""), "PWD/r").run().succeeds();
        let ran = ran.port.sh(&format!("rm -r out; cd .cache/kernel-port/sources/*; {damage}")).run();
        let ran = ran.succeeds().leaves("out", TREE);
        assert_eq!(cached(&ran.port).len(), 1, "{damage}");
    }
}

#[test]
fn a_forged_cache_cannot_give_other_bytes() {
    let script = "cd w; mkdir pkg; echo evil > pkg/a.py; git add -A; git commit -qm evil; cd ../.cache/kernel-port/sources/*/*/objects; rm -r pack/*; \
                  cp -r ~/w/.git/objects/* .; c=$(cat ~/sha); e=$(git -C ~/w rev-parse HEAD); mkdir -p ${c:0:2}; cp ${e:0:2}/${e:2} ${c:0:2}/${c:2}";
    let ran = sourced(upstream(""), "PWD/r").run().succeeds();
    ran.port.sh("rm -r out").sh(script).run().succeeds().leaves("out", TREE);
}

#[test]
fn nothing_of_the_user_or_the_environment_runs_or_redirects_the_fetch() {
    let port = upstream("").sh(
        "mkdir hooks template; for h in reference-transaction post-checkout pre-auto-gc; do printf '#!/bin/sh\\ntouch ~/ran\\n' > hooks/$h; chmod +x hooks/$h; done; \
         mkdir template/hooks; cp hooks/* template/hooks; for h in hooks/*; do cp $h r/.git/hooks; done; \
         git config --global core.hooksPath ~/hooks; git config --global init.templateDir ~/template; \
         git -C r config uploadpack.packObjectsHook 'touch ~/ran; git pack-objects'; git -C r config core.fsmonitor 'touch ~/ran'",
    );
    let other = port.path("w/.git").display().to_string();
    let template = port.path("template").display().to_string();
    let port = [
        "GIT_DIR",
        "GIT_WORK_TREE",
        "GIT_OBJECT_DIRECTORY",
        "GIT_INDEX_FILE",
        "GIT_NAMESPACE",
        "GIT_COMMON_DIR",
    ]
    .into_iter()
    .fold(sourced(port, "PWD/r"), |port, name| port.env(name, &other));
    let ran = port.env("GIT_TEMPLATE_DIR", &template).run().succeeds().leaves("out", TREE);
    assert!(!ran.port.path("ran").exists());
}

#[test]
fn a_checkout_that_is_given_comes_first_and_gives_the_same_tree() {
    let port = sourced(upstream(""), "PWD/r").sh("git clone -q r c; git -C c checkout -q $(cat sha)");
    let hash = |out: &str| out.lines().find(|l| l.starts_with("tree ")).unwrap().to_owned();
    let fetched = port.run().succeeds();
    let first = hash(&fetched.done.out);
    let port = fetched
        .port
        .sh("rm -rf r .cache; mkdir r; git -C c remote set-url origin $PWD/r")
        .args(["--dir", "c", "--force"]);
    assert_eq!(hash(&port.run().succeeds().done.out), first);
}

#[test]
fn a_vendored_repository_is_fetched_too() {
    let port = upstream("");
    let repo = port.path("r").display().to_string();
    let vendor = |name: &str, path: &str| {
        format!("vendor name=\"{name}\" repo=\"{repo}\" commit=\"SHA\" path=\"{path}\" to=\"third/{path}\"\n")
    };
    let ran = port
        .arg("-e")
        .arg(format!("{}{}", vendor("v", "pkg"), vendor("v2", "pkg").replace("third", "fourth")))
        .with("SHA", "sha")
        .args(["--file", "a=", "--out", "out"])
        .run()
        .succeeds();
    ran.leaves("out", [("a", ""), ("fourth/pkg/a.py", "x = 1\n"), ("third/pkg/a.py", "x = 1\n")]);
}

#[test]
fn submodules_are_not_fetched_and_not_left_out_silently() {
    let with = |more: &str| {
        let port = upstream("").sh(
            "cd r; git -c protocol.file.allow=always submodule --quiet add $PWD/../w third/w; git commit -qm sub; git rev-parse HEAD > ../sha",
        );
        let repo = port.path("r").display().to_string();
        let recipe = format!("{}\n{more}", RECIPE.replace("REPO", &repo));
        port.arg("-e").arg(recipe).with("SHA", "sha").args(["--out", "out"]).run()
    };
    with("")
        .fails_with(1)
        .mentions("error[submodule]")
        .mentions("third/w  is a submodule that is not checked out");
    with("delete in=\"third/**\"").fails_with(3).mentions("submodules are not fetched without one");
    with("prune keep=\"pkg/**\"").succeeds().leaves("out", [("pkg/a.py", "2\n")]);
}

#[test]
fn parallel_runs_share_one_fetch() {
    let port = sourced(upstream(""), "PWD/r");
    let children: Vec<Child> = (0..12)
        .map(|number| {
            let recipe = format!(
                "source repo=\"{}\" commit=\"{}\"",
                port.path("r").display(),
                std::fs::read_to_string(port.path("sha")).unwrap().trim()
            );
            let out = format!("out{number}");
            let mut command = clean(Command::new(BINARY), &port.path(""));
            command.args(["-e", &recipe, "--out", &out]).stdout(Stdio::null()).stderr(Stdio::piped());
            command.spawn().unwrap()
        })
        .collect();
    for child in children {
        let done = child.wait_with_output().unwrap();
        assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
    }
    assert_eq!(cached(&port).len(), 1);
    assert_eq!(port.tree("out11")["pkg/a.py"], "x = 1\n");
}

/// A `git daemon` on a free port, gone with the value.
struct Daemon {
    child: Child,
    port: u16,
    /// Closed, it would end the daemon.
    _messages: BufReader<ChildStderr>,
}

impl Daemon {
    fn new(port: &Port) -> Self {
        for number in 0..50 {
            let listen = 20_000 + (std::process::id() % 20_000) as u16 + number;
            // `git daemon` would start it as a child of its own, which nobody could end.
            let programs = Command::new("git").arg("--exec-path").output().unwrap().stdout;
            let program = Path::new(String::from_utf8(programs).unwrap().trim()).join("git-daemon");
            let mut command = clean(Command::new(program), &port.path(""));
            let base = format!("--base-path={}", port.path("").display());
            command.args(["--verbose", "--export-all", "--listen=127.0.0.1", "--reuseaddr"]);
            command.arg(base).arg(format!("--port={listen}")).stderr(Stdio::piped());
            let mut child = command.spawn().unwrap();
            let mut line = String::new();
            let mut messages = BufReader::new(child.stderr.take().unwrap());
            messages.read_line(&mut line).unwrap();
            if line.contains("Ready to rumble") {
                return Self { child, port: listen, _messages: messages };
            }
            child.wait().unwrap();
        }
        panic!("no free port");
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

#[test]
fn a_commit_is_fetched_from_a_server() {
    let port = upstream("");
    let daemon = Daemon::new(&port);
    let ran =
        sourced(port, &format!("git://127.0.0.1:{}/r", daemon.port)).run().succeeds().leaves("out", TREE);
    let url = format!("git://127.0.0.1:{}/r", daemon.port);
    drop(daemon);
    ran.port.sh("rm -r out").run().succeeds().leaves("out", TREE);
    sourced(upstream(""), &url).run().fails_with(3).mentions("the host cannot be reached");
}
