//! What the program says, as it is on a terminal of 80 columns: the help, the reference, the man page, and errors of
//! every kind. Each page stands in `tests/snapshots/`, was read, and is written anew with `UPDATE_DOCS=1`.

use crate::harness::{BINARY, Port, clean};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compares a text with its page.
#[track_caller]
fn is_as_kept(name: &str, found: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/snapshots", name].iter().collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if kept != found {
        let line = kept.lines().zip(found.lines()).position(|(a, b)| a != b);
        let at = line.unwrap_or_else(|| kept.lines().count().min(found.lines().count()));
        let (was, is) = (kept.lines().nth(at), found.lines().nth(at));
        panic!(
            "{}:{}: was {was:?}, is {is:?}; run UPDATE_DOCS=1 cargo test --test cli and read the difference",
            path.display(),
            at + 1
        );
    }
}

/// Output and errors of one call.
fn said(args: &[&str]) -> String {
    let mut command = clean(Command::new(BINARY), Path::new(env!("CARGO_MANIFEST_DIR")));
    let output = command.args(args).env("COLUMNS", "80").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn commands() -> Vec<String> {
    use clap::CommandFactory;
    kernel_port::cli::Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect()
}

#[test]
fn help_is_as_kept() {
    let mut all = format!("$ kernel-port -h\n{}\n$ kernel-port --help\n{}", said(&["-h"]), said(&["--help"]));
    for name in commands() {
        let _ = write!(all, "\n$ kernel-port {name} --help\n{}", said(&[&name, "--help"]));
    }
    let wide: Vec<&str> =
        all.lines().filter(|line| line.chars().count() > 80 && !line.starts_with("  kernel-port ")).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    is_as_kept("help.txt", &all);
}

#[test]
fn the_reference_is_as_kept() {
    let mut all = format!("$ kernel-port ops\n{}", said(&["ops"]));
    for spec in kernel_port::ops::TABLE {
        let _ = write!(all, "\n$ kernel-port ops {}\n{}", spec.name, said(&["ops", spec.name]));
    }
    is_as_kept("ops.txt", &all);
    let mut all = format!("$ kernel-port explain\n{}", said(&["explain"]));
    for story in kernel_port::report::stories::STORIES {
        let _ = write!(all, "\n$ kernel-port explain {}\n{}", story.id, said(&["explain", story.id]));
    }
    for rule in kernel_port::check::RULES {
        let _ = write!(all, "\n$ kernel-port explain {}\n{}", rule.id, said(&["explain", rule.id]));
    }
    is_as_kept("explain.txt", &all);
}

#[test]
fn the_man_page_is_as_kept() {
    let page = said(&["man"]);
    for name in commands().iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!(".SS kernel\\-port {name}\n")), "{name}");
    }
    for spec in kernel_port::ops::TABLE {
        assert!(page.contains(&format!("\\fB{} ", spec.name)), "{}", spec.name);
    }
    is_as_kept("kernel-port.1", &page);
}

/// What bash offers after a beginning, as its own completion machinery sees it.
fn completed(words: &[&str]) -> Vec<String> {
    let (last, before) = words.split_last().unwrap();
    let script = format!(
        "source <({BINARY} completions bash); COMP_WORDS=({}); COMP_CWORD={}; \
         _kernel__port kernel-port '{last}' '{}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        before.len(),
        before.last().unwrap()
    );
    let mut command = clean(Command::new("bash"), Path::new("/"));
    let output = command.args(["-c", &script]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_names() {
    assert_eq!(completed(&["kernel-port", "exp"]), ["explain"]);
    assert_eq!(completed(&["kernel-port", "--require"]), ["--require-pins"]);
    assert_eq!(completed(&["kernel-port", "ops", "rem"]), ["remap_module", "remap_strings"]);
    assert_eq!(completed(&["kernel-port", "explain", "dri"]), ["drift"]);
    assert_eq!(completed(&["kernel-port", "explain", "torch"]), ["torch-ops"]);
    // The other shells are told the commands and options only.
    assert!(said(&["completions", "zsh"]).contains("relativize_imports"));
}

/// One thing that goes wrong: a name, the files of upstream, the recipe, more arguments. Without files the arguments
/// are the whole call.
struct Case(&'static str, &'static [(&'static str, &'static str)], &'static str, &'static [&'static str]);

const PACKAGE: &[(&str, &str)] = &[
    ("pkg/__init__.py", "from pkg.ops import relu\n"),
    ("pkg/ops.py", "import os\nimport pkg.util\n\nrelu = pkg.util.relu\n"),
    ("pkg/util.py", "relu = 1\n"),
    ("csrc/relu.cu", "at::Half relu(at::Half x) {\n  return x;\n}\n"),
    ("tests/test_relu.py", "from pkg import relu\n\n\ndef test_relu():\n    assert relu\n"),
];

const CASES: &[Case] = &[
    // The recipe's text.
    Case("an op that does not exist", PACKAGE, "recipe version=1\nrelativise_imports in=\"pkg/**\"\n", &[]),
    Case("an argument that does not exist", PACKAGE, "recipe version=1\nprune keeps=\"pkg/**\"\n", &[]),
    Case("an argument is missing", PACKAGE, "recipe version=1\nmove from=\"pkg\"\n", &[]),
    Case("a number in quotes", PACKAGE, "recipe version=1\ndelete in=\"csrc/**\" files=\"1\"\n", &[]),
    Case("a text without quotes", PACKAGE, "recipe version=1\ndelete in=csrc/** files=1\n", &[]),
    Case("a positional argument", PACKAGE, "recipe version=1\ndelete \"csrc/**\"\n", &[]),
    Case(
        "true of KDL 1",
        PACKAGE,
        "recipe version=1\nmanifest name=\"a\" version=1 backends=\"cuda\" noarch=true\n",
        &[],
    ),
    Case("no header", PACKAGE, "delete in=\"csrc/**\"\n", &[]),
    Case("a version of the future", PACKAGE, "recipe version=2\ndelete in=\"csrc/**\"\n", &[]),
    Case("an unclosed string", PACKAGE, "recipe version=1\ndelete in=\"csrc/**\n", &[]),
    Case("a glob with ./", PACKAGE, "recipe version=1\ndelete in=\"./csrc/*\"\n", &[]),
    Case("a path that leaves the tree", PACKAGE, "recipe version=1\nmove from=\"pkg\" to=\"../pkg\"\n", &[]),
    Case(
        "a short commit",
        PACKAGE,
        "recipe version=1\nsource repo=\"https://host/a\" commit=\"abc123\"\n",
        &[],
    ),
    Case(
        "a backend that does not exist",
        PACKAGE,
        "recipe version=1\nmanifest name=\"pkg\" version=1 edition=5 backends=\"cude\" noarch=#true\n",
        &[],
    ),
    Case("an overlay that is not there", PACKAGE, "recipe version=1\noverlay from=\"overlay\"\n", &[]),
    Case(
        "several mistakes",
        PACKAGE,
        "recipe version=1\nprune keep=\"\"\ndelet in=\"a\"\nexpect in=\"a\" count=-1\n",
        &[],
    ),
    // What the tree does not hold.
    Case("a glob that matches nothing", PACKAGE, "recipe version=1\ndelete in=\"src/*.cu\"\n", &[]),
    Case("a glob that names a directory", PACKAGE, "recipe version=1\ndelete in=\"csrc\"\n", &[]),
    Case("a glob that is misspelt", PACKAGE, "recipe version=1\nprune keep=\"pkg/**,csrc/rellu.cu\"\n", &[]),
    Case(
        "a path that is misspelt",
        PACKAGE,
        "recipe version=1\nmove from=\"pkgs\" to=\"torch-ext/pkg\"\n",
        &[],
    ),
    Case(
        "a destination that exists",
        PACKAGE,
        "recipe version=1\nmove from=\"pkg/ops.py\" to=\"pkg/util.py\"\n",
        &[],
    ),
    Case("a pin that differs", PACKAGE, "recipe version=1\nprune keep=\"pkg/**\" files=2\n", &[]),
    Case(
        "two pins that differ",
        PACKAGE,
        "recipe version=1\nprune keep=\"pkg/**\" files=2\nmove from=\"pkg\" to=\"p\" files=4\n",
        &[],
    ),
    Case(
        "an op after one that failed",
        PACKAGE,
        "recipe version=1\nmove from=\"pkgs\" to=\"p\"\ndelete in=\"p/**\"\n",
        &[],
    ),
    // Text and imports.
    Case(
        "a text that is nearly there",
        PACKAGE,
        "recipe version=1\nreplace in=\"csrc/*\" find=\"at::Half relu(at::Half y) {\\n  return y;\" with=\"x\"\n",
        &[],
    ),
    Case(
        "a text that upstream has by now",
        PACKAGE,
        "recipe version=1\nreplace in=\"csrc/*\" find=\"c10::Half\" with=\"at::Half\"\n",
        &[],
    ),
    Case(
        "a text found too often",
        PACKAGE,
        "recipe version=1\nreplace in=\"csrc/*\" find=\"at::Half\" with=\"half\"\n",
        &[],
    ),
    Case(
        "a guard that fails",
        PACKAGE,
        "recipe version=1\nexpect in=\"csrc/*\" find=\"at::Half\" count=0\n",
        &[],
    ),
    Case(
        "nothing to rewrite",
        PACKAGE,
        "recipe version=1\nrelativize_imports in=\"csrc/**\" package_root=\"csrc\"\n",
        &[],
    ),
    Case(
        "a file outside of the package",
        PACKAGE,
        "recipe version=1\nrelativize_imports in=\"**\" package_root=\"pkg\"\n",
        &[],
    ),
    Case(
        "a module that is not there",
        &[("pkg/__init__.py", "from pkg.ops import relu\n")],
        "recipe version=1\nrelativize_imports in=\"pkg/**\" package_root=\"pkg\"\n",
        &[],
    ),
    Case(
        "an import that cannot be followed",
        &[("pkg/__init__.py", "import pkg.ops\n\nf(pkg)\n"), ("pkg/ops.py", "")],
        "recipe version=1\nrelativize_imports in=\"pkg/**\" package_root=\"pkg\"\n",
        &[],
    ),
    Case(
        "Python that does not parse",
        &[("pkg/__init__.py", "import pkg.ops as\n")],
        "recipe version=1\nrelativize_imports in=\"pkg/**\" package_root=\"pkg\"\n",
        &[],
    ),
    Case(
        "tests without pytest",
        PACKAGE,
        "recipe version=1\nmark_tests in=\"tests/*\" marker=\"kernels_ci\"\n",
        &[],
    ),
    // The manifest and the final checks.
    Case(
        "a list of sources that matches nothing",
        PACKAGE,
        "recipe version=1\nkernel name=\"pkg\" backend=\"cuda\" src=\"csrc/*.cu\"\nmanifest name=\"pkg\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" torch_src=\"torch-ext/*.cpp\"\n",
        &[],
    ),
    Case(
        "a kernel without manifest",
        PACKAGE,
        "recipe version=1\nkernel name=\"pkg\" backend=\"cuda\" src=\"csrc/*.cu\"\n",
        &[],
    ),
    Case(
        "no framework",
        PACKAGE,
        "recipe version=1\nmanifest name=\"pkg\" version=1 edition=5 license=\"MIT\" backends=\"cuda\"\n",
        &[],
    ),
    Case(
        "final checks",
        PACKAGE,
        "recipe version=1\nprune keep=\"pkg/**\"\nmove from=\"pkg\" to=\"torch-ext/pkg\"\nmanifest name=\"pkg\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" noarch=#true\n",
        &[],
    ),
    Case(
        "final checks with --partial",
        PACKAGE,
        "recipe version=1\nprune keep=\"pkg/**\"\nmove from=\"pkg\" to=\"torch-ext/pkg\"\nmanifest name=\"pkg\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" noarch=#true\n",
        &["--out", "out", "--partial"],
    ),
    Case(
        "warnings with --strict",
        PACKAGE,
        "recipe version=1\nprune keep=\"pkg/util.py\"\nmove from=\"pkg/util.py\" to=\"torch-ext/pkg/__init__.py\"\nmanifest name=\"pkg\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" noarch=#true\n",
        &["--strict"],
    ),
    Case(
        "an allow that excuses nothing",
        PACKAGE,
        "recipe version=1\nallow rule=\"pybind\" in=\"csrc/**\" reason=\"none\"\n",
        &[],
    ),
    Case(
        "an allow of no rule",
        PACKAGE,
        "recipe version=1\nallow rule=\"pybnd\" in=\"csrc/**\" reason=\"none\"\n",
        &[],
    ),
    Case(
        "no pins with --require-pins",
        PACKAGE,
        "recipe version=1\nprune keep=\"pkg/**\"\n",
        &["--require-pins"],
    ),
    // Sources and outputs.
    Case(
        "a source that is no checkout",
        PACKAGE,
        "recipe version=1\nsource repo=\"https://host/a\" commit=\"0123456789012345678901234567890123456789\"\n",
        &[],
    ),
    Case(
        "a vendor that no op names",
        PACKAGE,
        "recipe version=1\ndelete in=\"csrc/**\"\n",
        &["--vendor", "cutlass=up"],
    ),
    Case(
        "an output that is no port",
        PACKAGE,
        "recipe version=1\ndelete in=\"csrc/**\"\n",
        &["--out", "notes"],
    ),
    Case(
        "an output inside of the source",
        PACKAGE,
        "recipe version=1\ndelete in=\"csrc/**\"\n",
        &["--out", "up/out"],
    ),
    Case(
        "an output that differs",
        PACKAGE,
        "recipe version=1\ndelete in=\"csrc/**\"\n",
        &["--out", "old", "--check"],
    ),
    Case(
        "an output that is missing",
        PACKAGE,
        "recipe version=1\ndelete in=\"csrc/**\"\n",
        &["--out", "none", "--check"],
    ),
    // The command line.
    Case("nothing at all", &[], "", &[]),
    Case("no tree", &[], "", &["port.kdl"]),
    Case("a recipe that is not there", &[], "", &["prot.kdl", "--dir", "up"]),
    Case("a directory as recipe", &[], "", &["up", "--dir", "up"]),
    Case("a command that is misspelt", &[], "", &["repinn", "port.kdl"]),
    Case("an option that is misspelt", &[], "", &["port.kdl", "--dirr", "up"]),
    Case("a directory that is not there", &[], "", &["port.kdl", "--dir", "down"]),
    Case("a file name after -e", &[], "", &["-e", "port.kdl"]),
    Case("an idle option", &[], "", &["port.kdl", "--dir", "up", "--force"]),
    Case("a file without =", &[], "", &["-e", "delete in=\"a\"", "--file", "a"]),
    Case("help for an op that does not exist", &[], "", &["ops", "replce"]),
    Case("a story that does not exist", &[], "", &["explain", "flaek"]),
    Case("repin without source", &[], "", &["repin", "port.kdl", "--dir", "up"]),
    Case("verify without build.toml", &[], "", &["verify", "up"]),
    Case("check without recipes", &[], "", &["check", "notes"]),
    Case("a variant that is none", &[], "", &["variants", "torch210-cu12.8-x86_64-linux"]),
];

#[test]
fn errors_are_as_kept() {
    let mut all = String::new();
    for Case(name, files, recipe, args) in CASES {
        let default = "recipe version=1\ndelete in=\"csrc/**\" files=1\n";
        let (recipe, files, dir) = if files.is_empty() {
            (default, PACKAGE, &[][..])
        } else {
            (*recipe, *files, &["port.kdl", "--dir", "up"][..])
        };
        let mut port = Port::new().on_disk("port.kdl", recipe).on_disk("notes/todo", "x\n");
        for (path, text) in files {
            port = port.upstream(path, text);
        }
        if args.contains(&"old") {
            port = port.sh("mkdir old; cp -r up/pkg up/tests old; echo y > old/extra");
        }
        let port = dir.iter().chain(args.iter()).fold(port.env("COLUMNS", "80"), |port, arg| port.arg(arg));
        let done = port.run_again();
        assert!(done.status != 0, "{name}: {}", done.out);
        let call = dir.iter().chain(args.iter()).fold(String::from("kernel-port"), |call, arg| {
            let quoted = if arg.contains(' ') { format!("'{arg}'") } else { (*arg).to_owned() };
            call + " " + &quoted
        });
        let here = port.path("").display().to_string();
        let err = done.err.replace(&here, "/HERE/").replace(here.trim_end_matches('/'), "/HERE");
        let _ = writeln!(all, "## {name}");
        if !dir.is_empty() {
            let _ = write!(all, "{}", recipe.lines().map(|l| format!("| {l}\n")).collect::<String>());
        }
        let _ = write!(all, "$ {call}\n{err}= {}\n\n", done.status);
    }
    assert!(CASES.len() >= 40);
    is_as_kept("errors.txt", &all);
}
