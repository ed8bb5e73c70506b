//! Errors of every kind, as they are on a terminal of 80 columns: one page, `tests/snapshots/errors.txt`, to be read from
//! the top. Each says what was expected, what was found, where, and what to do next.

use crate::harness::Port;
use crate::snapshots::is_as_kept;
use std::fmt::Write;

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
