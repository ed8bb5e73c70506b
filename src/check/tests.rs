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
write to="tests/test_ci.py" text="import pytest\n\n\n@pytest.mark.kernels_ci\ndef test_it():\n    pass\n"
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

const COMPILED: &str = r#"
write to="flake.nix" text=""
write to="tests/test_ci.py" text="import pytest\n@pytest.mark.kernels_ci\ndef test_it(): pass\n"
kernel name="k" backend="cuda" src="csrc/*.cu" include="csrc,inc"
manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" torch_src="torch-ext/binding.cpp" repo_id="o/pkg""#;

const BINDING: &str = "#include \"registration.h\"\nTORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n";

fn compiled(binding: &str, source: &str, more: &[(&str, &str)]) -> Vec<String> {
    let mut files = vec![
        ("torch-ext/pkg/__init__.py", ""),
        ("torch-ext/binding.cpp", binding),
        ("csrc/k.cu", source),
        ("csrc/other.h", ""),
        ("inc/deep/x.h", ""),
    ];
    files.extend_from_slice(more);
    found(COMPILED, &files)
}

#[test]
fn headers_that_no_section_lists_are_found() {
    assert_eq!(compiled(BINDING, "", &[]), [""; 0]);
    for include in [
        "#include \"other.h\"",
        "#include \"../csrc/other.h\"",
        "  #  include \"deep/x.h\" // x",
        "#if X\n#include \"other.h\"\n#endif",
    ] {
        let found = compiled(BINDING, include, &[]);
        assert_eq!(found.len(), 1, "{include}: {found:?}");
        assert!(found[0].starts_with("unlisted-header! csrc/k.cu:"), "{found:?}");
    }
    for include in [
        "// #include \"other.h\"",
        "#include <other.h>",
        "#if 0\n#include \"other.h\"\n#endif",
        "s = \"#include \\\"other.h\\\"\";",
        "#include \"gone.h\"",
        "#include \"k.cu\"",
    ] {
        assert_eq!(compiled(BINDING, include, &[]), [""; 0], "{include}");
    }
}

#[test]
fn pybind_is_found_in_code_only() {
    for code in [
        "#include <torch/extension.h>",
        "#include <torch/python.h>",
        "#include <pybind11/stl.h>",
        "PYBIND11_MODULE(a, m) {}",
    ] {
        let found = compiled(BINDING, code, &[]);
        assert_eq!(found.len(), 1, "{code}: {found:?}");
        assert!(found[0].starts_with("pybind! csrc/k.cu:1"), "{found:?}");
    }
    for code in [
        "// PYBIND11_MODULE(a, m)",
        "s = \"PYBIND11_MODULE\";",
        "#if 0\nPYBIND11_MODULE(a, m)\n#endif",
        "MY_PYBIND11_MODULE(a)",
        "#include <torch/all.h>",
    ] {
        assert_eq!(compiled(BINDING, code, &[]), [""; 0], "{code}");
    }
}

#[test]
fn operators_are_registered_under_the_generated_name() {
    for (binding, message) in [
        ("TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}", "no [torch] source holds REGISTER_EXTENSION"),
        ("REGISTER_EXTENSION(TORCH_EXTENSION_NAME)", "no [torch] source holds TORCH_LIBRARY_EXPAND"),
        (&format!("{BINDING}TORCH_LIBRARY(mylib, m) {{}}"), "registers under the fixed name mylib"),
        (
            &format!("{BINDING}TORCH_LIBRARY_IMPL(mylib, CUDA, m) {{}}"),
            "registers under the fixed name mylib",
        ),
    ] {
        let found = compiled(binding, "", &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].starts_with("registration! ") && found[0].ends_with(message), "{found:?}");
    }
    for more in [
        "// TORCH_LIBRARY(mylib, m)",
        "TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {}",
        "STABLE_TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {}",
    ] {
        assert_eq!(compiled(&format!("{BINDING}{more}"), "", &[]), [""; 0], "{more}");
    }
}

#[test]
fn fixed_operator_names_are_found() {
    let package = |text| ported(&[("torch-ext/pkg/__init__.py", text)]);
    for text in [
        "import torch\n@torch.library.custom_op('ns::f', mutates_args=())\ndef f(): pass",
        "from torch.library import triton_op as t\ndef g():\n    @t(name='ns::f')\n    def f(): pass",
        "import torch\nN = 'ns'\n@torch.library.custom_op(f'{N}::f')\ndef f(): pass",
        "from torch import library\nlib = library.Library('ns', 'DEF')",
        "import torch\nclass A:\n    def f(self): return torch.ops.ns.f(1)",
        "from torch import ops\nops.ns.f.default(1)",
    ] {
        let found = package(text);
        assert_eq!(found.len(), 1, "{text}: {found:?}");
        assert!(found[0].starts_with("torch-ops! "), "{found:?}");
    }
    for text in [
        "import torch\nfrom ._ops import add_op_namespace_prefix as p\n@torch.library.custom_op(p('f'), mutates_args=())\ndef f(): pass",
        "import torch\n@torch.library.custom_op(NAME)\ndef f(): pass\n@f.register_kernel('cuda')\ndef g(): pass\nf.register_fake(g)",
        "import torch\ntorch.ops.aten.add(1)\ntorch.ops.load_library('x')",
        "# torch.ops.ns.f\nx = 'torch.ops.ns.f'",
        "def custom_op(n): pass\ncustom_op('ns::f')",
        "from ._ops import ops\nops.f(1)",
    ] {
        assert_eq!(package(text), [""; 0], "{text}");
    }
}

#[test]
fn run_time_builds_and_undeclared_packages_are_warned_about() {
    let package = |text| ported(&[("torch-ext/pkg/__init__.py", text)]);
    for text in [
        "from torch.utils.cpp_extension import load\nload('x')",
        "import torch.utils.cpp_extension as c\nc.load_inline('x')",
        "import torch.utils.cpp_extension\ndef f(): return torch.utils.cpp_extension.load()",
    ] {
        assert!(package(text)[0].starts_with("jit? "), "{text}");
    }
    for text in ["from json import load\nload('x')", "load('x')", "# load_inline()\nx.load_inline()"] {
        assert_eq!(package(text), [""; 0], "{text}");
    }
    for text in ["import numpy", "from einops import rearrange", "import os, jax.numpy as jnp"] {
        assert!(package(text)[0].starts_with("third-party? "), "{text}");
    }
    for text in [
        "import torch.nn, triton.language as tl, os.path",
        "def f():\n    import numpy",
        "try:\n    import numpy\nexcept ImportError:\n    pass",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy",
    ] {
        assert_eq!(package(text), [""; 0], "{text}");
    }
    let declared = MANIFEST.replace("noarch=", "python_depends=\"einops\" noarch=");
    assert_eq!(found(&declared, &[("torch-ext/pkg/__init__.py", "import einops")]), [""; 0]);
}

#[test]
fn tests_are_marked_and_load_this_kernel() {
    let package = ("torch-ext/pkg/__init__.py", "");
    let unmarked = MANIFEST.replace("@pytest.mark.kernels_ci", "@pytest.mark.slow");
    assert_eq!(found(&unmarked, &[package]), ["tests? tests holds no test with the marker kernels_ci"]);
    let with = |text| {
        found(&MANIFEST.replace("noarch=", "repo_id=\"o/pkg\" noarch="), &[package, ("tests/t.py", text)])
    };
    for text in [
        "import kernels\nk = kernels.get_kernel('x/pkg')",
        "from kernels import get_kernel\nget_kernel('o/pkg', version=2)",
        "import kernels as k\nk.get_kernel(repo_id='o/other', version=1)",
    ] {
        assert!(with(text)[0].starts_with("repo-id? tests/t.py:2"), "{text}");
    }
    for text in [
        "import kernels\nkernels.get_kernel('o/pkg', version=1)",
        "get_kernels('x/y')",
        "# get_kernel('x/y')\nf('x/y')",
    ] {
        assert_eq!(with(text), [""; 0], "{text}");
    }
}

#[test]
fn upstreams_licence_is_carried() {
    let package = ("torch-ext/pkg/__init__.py", "");
    let pruned = |name: &str| found(&format!("delete in=\"{name}\"{MANIFEST}"), &[package, (name, "MIT")]);
    for name in ["LICENSE", "LICENSE.txt", "COPYING"] {
        assert_eq!(pruned(name), [format!("license? {name} upstream's, and not in the port")]);
    }
    assert_eq!(pruned("LICENSES_of_others"), [""; 0]);
    assert_eq!(ported(&[package, ("LICENSE", "MIT")]), [""; 0]);
    let moved = format!("move from=\"LICENSE\" to=\"docs/LICENSE\"{MANIFEST}");
    assert_eq!(found(&moved, &[package, ("LICENSE", "MIT")]), [""; 0]);
}
