//! Trees in which a rule must find something, and near misses in which it must not.

use super::{Severity, run};
use crate::check::Input;
use crate::ops::testing::Port;

/// The findings of a tree as `rule severity path:line message`.
fn found(recipe: &str, files: &[(&str, &str)]) -> Vec<String> {
    let port = files.iter().fold(Port::new(recipe), |port, (path, text)| port.file(path, text));
    let done = port.run();
    assert!(done.drift.is_empty(), "{:#?}", done.drift);
    let report = run(&Input::new(&done.workspace, &done.records), &done.records, false);
    let show = |f: &super::Finding| {
        let line = f.place.position.map_or(String::new(), |p| format!(":{}", p.line));
        let word = if f.severity == Severity::Warning { "?" } else { "!" };
        format!("{}{word} {}{line} {}", f.rule, f.place.path, f.message)
    };
    report.findings.iter().map(show).collect()
}

fn tree(files: &[(&str, &str)]) -> Vec<String> {
    found("expect in=\"no\" files=0", files)
}

const MANIFEST: &str = r#"
write to="flake.nix" text=""
manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" noarch=#true"#;

fn ported(files: &[(&str, &str)]) -> Vec<String> {
    found(MANIFEST, files)
}

#[test]
fn absolute_imports_of_the_package_are_found_in_every_form() {
    for statement in [
        "import pkg",
        "import os, pkg.a as a",
        "from pkg import a",
        "def f():\n    from pkg.a.b import c",
        "if TYPE_CHECKING:\n    from pkg import a",
        "import importlib\nimportlib.import_module('pkg.a')",
        "__import__(\"pkg\")",
        "from importlib import import_module\nimport_module('pkg')",
    ] {
        let found = tree(&[("torch-ext/pkg/__init__.py", statement)]);
        assert_eq!(found.len(), 1, "{statement}: {found:?}");
        assert!(found[0].starts_with("absolute-import! torch-ext/pkg/__init__.py:"), "{found:?}");
    }
}

#[test]
fn near_misses_of_absolute_imports_are_not() {
    for statement in [
        "# import pkg",
        "'''\nimport pkg\n'''",
        "from pkg_extra import a",
        "import other.pkg",
        "x = 'import pkg'",
        "importlib.import_module(name)",
        "importlib.import_module('pkgs')",
        "f('pkg')",
    ] {
        assert_eq!(tree(&[("torch-ext/pkg/__init__.py", statement)]), [""; 0], "{statement}");
    }
    assert_eq!(tree(&[("pkg/__init__.py", "import pkg"), ("tests/t.py", "import pkg")]), [""; 0]);
}

#[test]
fn the_name_that_the_package_had_upstream_counts() {
    let files = [("src/flash/__init__.py", "import flash.ops"), ("src/flash/ops.py", "")];
    let renamed = found("move from=\"src/flash\" to=\"torch-ext/flash2\"", &files);
    assert_eq!(
        renamed,
        ["absolute-import! torch-ext/flash2/__init__.py:1 imports flash.ops by its absolute name"]
    );
    let same = [("lib/triton/k.py", "import triton"), ("lib/triton/__init__.py", "")];
    assert_eq!(found("move from=\"lib\" to=\"torch-ext/lib\"", &same), [""; 0]);
}

#[test]
fn relative_imports_must_reach_a_module() {
    for (path, statement, message) in [
        ("a.py", "from ..x import y", "climbs above the package: 2 dots, and at most 1 are possible here"),
        ("s/a.py", "from ... import y", "climbs above the package: 3 dots, and at most 2 are possible here"),
        (
            "a.py",
            "def f():\n    from .utls import y",
            "there is no module pkg.utls; the nearest is pkg.utils",
        ),
        ("s/a.py", "from .utils import y", "there is no module pkg.s.utils; the nearest is pkg.utils"),
        ("a.py", "from .ns import nothing", "there is no module pkg.ns.nothing"),
    ] {
        let files = [
            ("torch-ext/pkg/__init__.py".to_owned(), ""),
            ("torch-ext/pkg/utils.py".to_owned(), ""),
            ("torch-ext/pkg/ns/m.py".to_owned(), ""),
            (format!("torch-ext/pkg/{path}"), statement),
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|(p, t)| (p.as_str(), *t)).collect();
        let found = tree(&files);
        assert_eq!(found.len(), 1, "{statement}: {found:?}");
        assert!(found[0].starts_with("relative-import! ") && found[0].contains(message), "{found:?}");
    }
}

#[test]
fn relative_imports_that_reach_something_are_not_found() {
    let files = |statement| {
        [
            ("torch-ext/pkg/__init__.py", "x = 1"),
            ("torch-ext/pkg/utils.pyi", ""),
            ("torch-ext/pkg/ns/m.py", ""),
            ("torch-ext/pkg/ext.so", ""),
            ("torch-ext/pkg/s/__init__.py", ""),
            ("torch-ext/pkg/s/a.py", statement),
        ]
    };
    for statement in [
        "from .. import x",
        "from ..utils import y",
        "from ..ns import m",
        "from ..ns.m import y",
        "from .._ops import ops",
        "from .. import _ops",
        "from . import a",
        "from ..ext import f",
        "from ..s.a import y",
    ] {
        assert_eq!(tree(&files(statement)), [""; 0], "{statement}");
    }
    let guarded = tree(&files("try:\n    from ..gone import y\nexcept ImportError:\n    y = None"));
    assert_eq!(guarded, ["relative-import? torch-ext/pkg/s/a.py:2 there is no module pkg.gone"]);
}

#[test]
fn python_that_the_port_wrote_must_parse_and_upstreams_own_may_not() {
    let broken = found("replace in=\"a.py\" find=\"x\" with=\"(\" count=1", &[("a.py", "x\n")]);
    assert_eq!(broken.len(), 1);
    assert!(broken[0].starts_with("parse! a.py:"), "{broken:?}");
    assert!(found("write to=\"a.pyi\" text=\"def\"", &[])[0].starts_with("parse! a.pyi:1"));
    assert!(
        found(
            "ensure_init under=\"p\"\nreplace in=\"p/a.py\" find=\"x\" with=\"1 1\" count=1",
            &[("p/a.py", "x")]
        )[0]
        .contains("does not parse")
    );
    let moved = "move from=\"t\" to=\"tests\"";
    assert_eq!(found(moved, &[("t/bad.py", "def f(:"), ("t/py2.py", "print \"hi\"\n")]), [""; 0]);
    assert_eq!(found("write to=\"a.txt\" text=\"def\"", &[]), [""; 0]);
    assert_eq!(found("replace in=\"a.py\" find=\"x\" with=\"y\" count=1", &[("a.py", "x\n")]), [""; 0]);
}

#[test]
fn the_package_is_where_the_manifest_says() {
    assert_eq!(
        ported(&[("torch-ext/other/__init__.py", "")]),
        ["package! torch-ext/pkg/__init__.py is missing: the manifest's name makes the package pkg"]
    );
    for inner in ["torch-ext/pkg/pkg/__init__.py", "torch-ext/pkg/pkg"] {
        let found = ported(&[("torch-ext/pkg/__init__.py", ""), (inner, "")]);
        assert!(found[0].starts_with("package! torch-ext/pkg/pkg the builder generates"), "{found:?}");
    }
    for inner in ["torch-ext/pkg/pkg.py", "torch-ext/pkg/sub/pkg.py", "torch-ext/pkg/pkgs.py"] {
        let found =
            ported(&[("torch-ext/pkg/__init__.py", ""), ("torch-ext/pkg/sub/__init__.py", ""), (inner, "")]);
        assert_eq!(found, [""; 0]);
    }
}

#[test]
fn files_that_the_builder_generates_are_found() {
    let package = ("torch-ext/pkg/__init__.py", "");
    for path in [
        "setup.py",
        "pyproject.toml",
        "CMakeLists.txt",
        "cmake/x.cmake",
        "metadata-cuda.json",
        "torch-ext/registration.h",
        "torch-ext/pkg/_ops.py",
    ] {
        let found = ported(&[package, (path, "")]);
        assert!(found[0].starts_with(&format!("generated! {path} ")), "{found:?}");
    }
    for path in ["sub/setup.py", "tests/_ops.py", "metadata.json", "include/registration.h"] {
        assert_eq!(ported(&[package, (path, "")]), [""; 0], "{path}");
    }
}

#[test]
fn what_ships_and_what_does_not() {
    let package = ("torch-ext/pkg/__init__.py", "");
    assert_eq!(
        ported(&[package, ("torch-ext/pkg/data.json", "")]),
        ["dropped-file? torch-ext/pkg/data.json its extension is not among those that ship"]
    );
    assert_eq!(ported(&[package, ("tests/data.bin", "")])[0].split(' ').next(), Some("dropped-file?"));
    assert_eq!(ported(&[package, ("torch-ext/pkg/py.typed", "")]).len(), 1);
    let listed = MANIFEST.replace("noarch=", "noarch_pyext=\"py,json\" noarch=");
    assert_eq!(found(&listed, &[package, ("torch-ext/pkg/data.json", "")]), [""; 0]);
    assert_eq!(ported(&[package, ("torch-ext/pkg/a.pyi", ""), ("data.json", "")]), [""; 0]);
}

#[test]
fn directories_without_init_and_modules_that_shadow() {
    let package = ("torch-ext/pkg/__init__.py", "");
    assert_eq!(ported(&[package, ("torch-ext/pkg/s/t/a.py", "")]).len(), 2);
    assert_eq!(
        ported(&[package, ("torch-ext/pkg/s/__init__.py", ""), ("torch-ext/pkg/s/a.py", "")]),
        [""; 0]
    );
    assert_eq!(
        ported(&[package, ("torch-ext/pkg/types.py", "")]),
        ["stdlib-name? torch-ext/pkg/types.py shadows Python's own module types"]
    );
    assert_eq!(
        ported(&[package, ("torch-ext/pkg/s/__init__.py", ""), ("torch-ext/pkg/s/types.py", "")]),
        [""; 0]
    );
}

#[test]
fn lfs_pointers_and_build_output_are_found() {
    let package = ("torch-ext/pkg/__init__.py", "");
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n";
    assert_eq!(tree(&[("w.bin", pointer)]), ["lfs! w.bin is a Git LFS pointer, not the file"]);
    assert_eq!(tree(&[("w.bin", "see version https://git-lfs.github.com/spec/v1")]), [""; 0]);
    let found = ported(&[package, ("build/torch210-cxx11-cu128-x86_64-linux/x.so", "")]);
    assert_eq!(
        found,
        ["variants? build upstream's build output is in the port: torch210-cxx11-cu128-x86_64-linux"]
    );
}

#[test]
fn an_allow_excuses_its_findings_and_one_that_excuses_nothing_fails() {
    let port = |recipe: &str| {
        let done = Port::new(recipe).file("torch-ext/pkg/__init__.py", "import pkg").run();
        run(&Input::new(&done.workspace, &done.records), &done.records, false)
    };
    let excused = port("allow rule=\"absolute-import\" in=\"torch-ext/**\" reason=\"r\"");
    assert!(!excused.fails(true) && excused.allowances[0].excused == 1);
    let idle = port(
        "allow rule=\"parse\" in=\"**\" reason=\"r\"\nallow rule=\"absolute-import\" in=\"**\" reason=\"r\"",
    );
    assert!(idle.fails(false) && idle.idle().count() == 1);
    let errors = Port::new("allow rule=\"absolut-import\" in=\"**\" reason=\"r\"").build_errors();
    assert_eq!(errors, ["1:12: allow: there is no rule absolut-import"]);
}
