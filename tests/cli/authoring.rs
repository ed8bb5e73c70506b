//! What helps while a recipe is written: `--tree`, `--until`, `--watch`.

use crate::harness::{BINARY, Port, clean};
use std::fs::{self, File};
use std::process::{Child, Command};
use std::time::{Duration, Instant};

const RECIPE: &str = "recipe version=1\nprune keep=\"pkg/**\" files=3\nmove from=\"pkg\" to=\"torch-ext/pkg\"\n\
                      replace in=\"torch-ext/pkg/a.py\" find=\"x = 1\" with=\"x = 2\" count=1\n\
                      overlay from=\"overlay\"\n";

fn port() -> Port {
    Port::new()
        .recipe(RECIPE)
        .on_disk("overlay/flake.nix", "{ }\n")
        .upstream("pkg/__init__.py", "")
        .upstream("pkg/a.py", "x = 1\n")
        .upstream("pkg/b.py", "y = 1\n")
        .upstream("docs/x", "")
        .dir()
}

#[test]
fn the_tree_says_what_came_from_where() {
    let ran = port().args(["--tree", "--out", "o"]).run().passes();
    let tree = "flake.nix        overlay\n\
                torch-ext/\n  pkg/\n    \
                __init__.py  from pkg/__init__.py\n    \
                a.py         from pkg/a.py, edited\n    \
                b.py         from pkg/b.py\n\
                4 files: 3 from upstream (1 of them edited), 1 from the overlay\n\
                wrote 4 files to o\n";
    assert!(ran.done.out.contains(tree), "{}", ran.done.out);
    assert!(!ran.done.out.contains("\nD docs"), "{}", ran.done.out);
}

#[test]
fn the_tree_folds_what_upstream_has_side_by_side() {
    let recipe = "move from=\"csrc\" to=\"src\"";
    let port =
        Port::inline(recipe).upstream("csrc/a/1.h", "").upstream("csrc/a/2.h", "").upstream("csrc/b.h", "");
    let ran = port.dir().args(["--tree"]).run().passes();
    assert!(
        ran.done.out.contains("\nsrc/ (3 files)  from csrc/\n3 files: 3 from upstream\n"),
        "{}",
        ran.done.out
    );
    let all = ran.port.arg("--verbose").run().passes();
    assert!(all.done.out.contains("    1.h  from csrc/a/1.h\n"), "{}", all.done.out);
}

#[test]
fn until_stops_before_a_line_and_shows_the_tree_there() {
    let ran = port().args(["--until", "4"]).run().succeeds();
    ran.prints(
        "[line   2] prune    removed 1 file, kept 3\n\
         [line   3] move     moved 3 files to \"torch-ext/pkg\"\n\
         stopped before line 4: replace\n\
         torch-ext/\n  pkg/ (3 files)  from pkg/\n\
         3 files: 3 from upstream\n",
    );
    let patch = port().args(["--until", "3", "--diff"]).run().passes();
    assert!(patch.done.out.starts_with("diff --git a/docs/x b/docs/x\n"), "{}", patch.done.out);
    port()
        .args(["--until", "6"])
        .run()
        .fails_with(2)
        .mentions("no op of the recipe stands at or after that line");
}

#[test]
fn require_pins_says_what_to_write() {
    let recipe = "prune keep=\"pkg/**\"\nmove from=\"pkg\" to=\"p\" files=2\n\
                  relativize_imports in=\"p/**\" package_root=\"p\"";
    let port = |more: &str| {
        let port = Port::inline(&format!("{recipe}{more}"))
            .upstream("pkg/__init__.py", "import os\nfrom p.a import x\n");
        port.upstream("pkg/a.py", "").upstream("README", "").dir().args(["--require-pins", "--out", "o"])
    };
    let ran = port("").run().fails_with(2).prints("");
    let expected = "error: <inline>:1:1: prune: is not pinned\n   \
        ,-[<inline>:1:1]\n 1 | prune keep=\"pkg/**\"\n   : ^^^^^\n   `----\n  \
        help: write files=2, if the matches that --verbose lists are right\n\
        error: <inline>:3:1: relativize_imports: is not pinned\n   \
        ,-[<inline>:3:1]\n 3 | relativize_imports in=\"p/**\" package_root=\"p\"\n   : ^^^^^^^^^^^^^^^^^^\n   `----\n  \
        help: write changes=1, if the matches that --verbose lists are right\n\
        2 ops are not pinned; nothing was written\n";
    let ran = ran.port.env("LC_ALL", "C").run().complains(expected);
    assert!(!ran.port.path("o").exists());
    let verbose = ran.port.arg("--verbose").run().fails_with(2);
    assert!(verbose.done.out.contains("from p.a import x"), "{}", verbose.done.out);
    // What does not apply is the news, and comes with what is not pinned.
    let both = port("\ndelete in=\"none\"").run().fails_with(1).mentions("3 ops are not pinned");
    both.mentions("delete: in=\"none\" matches no file");
    // Without a tree nothing can be counted.
    let none = Port::inline(recipe).arg("--require-pins").run().fails_with(2);
    none.mentions("help: --require-pins asks for changes= or missing=\n");
}

#[test]
fn options_that_do_not_go_together_are_refused() {
    port().args(["--watch", "--tree"]).run().fails_with(2).mentions("cannot be used with");
    port().args(["--tree", "--diff"]).run().fails_with(2).mentions("cannot be used with");
    port()
        .args(["--watch", "--format", "json"])
        .run()
        .fails_with(2)
        .mentions("--format json makes no difference");
    // Mistakes on the command line end the watching before it starts.
    Port::new()
        .recipe(RECIPE)
        .on_disk("overlay/a", "")
        .arg("--watch")
        .run()
        .fails_with(2)
        .mentions("no tree");
    Port::new()
        .args(["--watch", "none.kdl", "--dir", "up"])
        .run()
        .fails_with(2)
        .mentions("cannot read the recipe");
}

/// A running `--watch`, whose output goes to a file.
struct Watching {
    port: Port,
    child: Child,
    seen: usize,
}

impl Watching {
    fn start(args: &[&str]) -> Self {
        let port = port();
        let log = File::create(port.path("log")).unwrap();
        let mut command = clean(Command::new(BINARY), &port.path(""));
        let command = command.args(["port.kdl", "--dir", "up", "--watch"]).args(args);
        let child = command.stdout(log.try_clone().unwrap()).stderr(log).spawn().unwrap();
        Self { port, child, seen: 0 }
    }

    /// Waits until `end` is printed; everything since the last time.
    #[track_caller]
    fn reads(&mut self, end: &str) -> String {
        self.reads_until(end, |new| new.ends_with(end))
    }

    /// Waits until the last line begins with `start`.
    #[track_caller]
    fn reads_line(&mut self, start: &str) -> String {
        let last =
            |new: &str| new.ends_with('\n') && new.lines().last().is_some_and(|l| l.starts_with(start));
        self.reads_until(start, last)
    }

    #[track_caller]
    fn reads_until(&mut self, what: &str, done: impl Fn(&str) -> bool) -> String {
        let start = Instant::now();
        loop {
            let text = fs::read_to_string(self.port.path("log")).unwrap();
            let new = &text[self.seen..];
            if done(new) {
                let new = new.to_owned();
                self.seen = text.len();
                return new;
            }
            assert!(start.elapsed() < Duration::from_secs(30), "{what:?} was not printed, but:\n{new}");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn save(&self, path: &str, text: &str) {
        fs::write(self.port.path(path), text).unwrap();
    }
}

impl Drop for Watching {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn each_save_runs_again_and_prints_what_it_changed() {
    let mut watching = Watching::start(&["--out", "o"]);
    let first = watching.reads_line("tree sha256:");
    assert!(first.contains("overlay  copied 1 file\n") && first.contains("wrote 4 files to o\n"), "{first}");

    // A file of the overlay.
    watching.save("overlay/flake.nix", "{ x = 1; }\n");
    assert_eq!(watching.reads("M flake.nix\n"), "== overlay/flake.nix changed\nM flake.nix\n");
    assert_eq!(fs::read_to_string(watching.port.path("o/flake.nix")).unwrap(), "{ x = 1; }\n");

    // A new one, saved as editors do: beside its place, then renamed.
    watching.save("new", "MIT\n");
    fs::rename(watching.port.path("new"), watching.port.path("overlay/LICENSE")).unwrap();
    let expected =
        "== overlay/LICENSE changed\n- overlay  copied 1 file\n+ overlay  copied 2 files\nA LICENSE\n";
    assert_eq!(watching.reads("A LICENSE\n"), expected);

    // The recipe: an op more, the lines behind it shifted.
    watching.save("port.kdl", &RECIPE.replacen("move", "delete in=\"pkg/b.py\"\nmove", 1));
    let expected = "== port.kdl changed\n- move  moved 3 files to \"torch-ext/pkg\"\n\
                    + delete  removed 1 file\n+ move  moved 2 files to \"torch-ext/pkg\"\n\
                    D torch-ext/pkg/b.py\n";
    assert_eq!(watching.reads("D torch-ext/pkg/b.py\n"), expected);

    // A mistake, and the way back: what stands in --out meanwhile is the last that was right.
    watching.save("port.kdl", &RECIPE.replace("count=1", "count=2"));
    let failed = watching.reads("  torch-ext/pkg/a.py:1:1  x = 1\n");
    assert!(
        failed.contains("error: recipe line 4: replace: expected exactly 2 matches but found 1"),
        "{failed}"
    );
    assert!(!watching.port.path("o/torch-ext/pkg/b.py").exists());
    watching.save("port.kdl", RECIPE);
    assert!(watching.reads("A torch-ext/pkg/b.py\n").starts_with("== port.kdl changed\n"));
    assert!(watching.port.path("o/torch-ext/pkg/b.py").exists());
}

#[test]
fn a_recipe_with_mistakes_is_watched_until_it_has_none() {
    let mut watching = Watching::start(&["--diff"]);
    watching.reads("changes the checkout\n");
    watching.save("port.kdl", &RECIPE.replace("count", "cuont"));
    let text = watching.reads("1 mistake in port.kdl; nothing was run\n");
    assert!(text.contains("did you mean `count`?") && !text.contains("- prune"), "{text}");
    watching.save("port.kdl", &format!("{}\n", RECIPE.replace("count", "cuont")));
    watching.reads("the same errors as before\n");
    watching.save("port.kdl", &RECIPE.replace("x = 2", "x = 3"));
    let text = watching.reads("+x = 3\n");
    let patch = "diff --git a/torch-ext/pkg/a.py b/torch-ext/pkg/a.py\n";
    assert!(text.starts_with("== port.kdl changed\n") && text.contains(patch), "{text}");
    assert!(text.contains("\n-x = 2\n"), "{text}");
}
