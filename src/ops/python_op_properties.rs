//! Properties of the ops that write Python, over random files: the output parses, a second run finds nothing, and
//! what an op has no business with stays as it is.

use super::FailureKind;
use super::testing::Port;
use crate::python::{Module, Role};
use crate::workspace::RepoPath;
use proptest::prelude::*;

const FILE: &str = "torch-ext/p/a/m.py";

/// A line that one of the ops is about, or that is near to one.
fn line() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "from pkg import a",
        "from pkg.x import (a,  # c\n b as c,\n)",
        "import pkg",
        "import pkg.a",
        "import os, pkg.b as b",
        "import pkg  # note",
        "import pytest",
        "import torch",
        "import sys, importlib",
        "from torch.library import custom_op as co",
        "w = torch.library.custom_op",
        "NS = \"ns\"",
        "x = torch.ops.ns.f(torch.ops.ns)",
        "co(\"ns::f\", x)",
        "w(f'{NS}::f')",
        "torch.library.define(name=r'''ns::f''')",
        "lib = torch.library.Library(\"ns\", \"DEF\")",
        "getattr(torch.ops, 'ns')",
        "importlib.import_module('pkg.x')",
        "sys.modules[\"pkg\"] = patch('pkg.a' '.b')",
        "y = 'pkg.a'  # pkg.a, pkg-a",
        "t = '''\nimport pkg\n'''",
        "pytestmark = pytest.mark.slow",
        "def test_one(): pass",
        "@pytest.mark.slow\nclass TestTwo: pass",
        "@w('ns::g')\nasync def test_three(ops): return ops, torch.ops.ns.g",
        "pass",
    ])
}

fn part() -> impl Strategy<Value = String> {
    let is_simple = |line: &str| !line.starts_with(['@', 'd']) && !line.contains('#');
    let header = prop::sample::select(vec!["def f(x):", "class C:", "if x:", "try:", "with x as pkg:"]);
    prop_oneof![
        6 => line().prop_map(str::to_owned),
        2 => (line(), line()).prop_map(move |(a, b)| {
            if is_simple(a) && is_simple(b) { format!("{a}; {b}") } else { a.to_owned() }
        }),
        1 => line().prop_map(move |a| if is_simple(a) { format!("if x: {a}") } else { a.to_owned() }),
        3 => (header, prop::collection::vec(line(), 1..4)).prop_map(|(header, lines)| {
            let lines: Vec<String> = lines.iter().map(|l| format!("  {}", l.replace('\n', "\n  "))).collect();
            let end = if header == "try:" { "\nfinally:\n  import pkg" } else { "" };
            format!("{header}\n{}{end}", lines.join("\n"))
        }),
    ]
}

fn file() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec!["", "\u{feff}", "'''doc pkg.a'''\n", "'d'; ", "# c\n\n"]);
    let future = prop::sample::select(vec![
        "",
        "from __future__ import annotations\n",
        "import pytest\n",
        "import pytest as pt\nimport torch\n",
    ]);
    let ending = prop::sample::select(vec!["\n", "\r\n", "\r"]);
    let parts = prop::collection::vec(part(), 1..8);
    let random =
        (head, future, parts, ending, any::<bool>()).prop_map(|(head, future, parts, ending, ends)| {
            let text = format!("{head}{future}{}{}", parts.join("\n"), if ends { "\n" } else { "" });
            text.replace('\n', ending)
        });
    prop_oneof![4 => random, 1 => super::import_properties::file()]
}

/// The file after the op; `None` when it refuses or finds nothing.
fn after(recipe: &str, source: &str) -> Option<String> {
    let run = Port::new(recipe).file(FILE, source).run();
    if let Some(drift) = run.drift.first() {
        let kind = drift.failure.kind;
        assert!(matches!(kind, FailureKind::Refused | FailureKind::NoEffect), "{:?}", drift.failure);
        return None;
    }
    let content = run.workspace.read(&RepoPath::new(FILE).unwrap()).unwrap();
    Some(String::from_utf8(content.to_vec()).unwrap())
}

const OPS: [&str; 6] = [
    r#"kernelize_imports in="**" package="pkg" kernel="o/k" version=1"#,
    r#"kernelize_imports in="**" package="pkg" kernel="o/k" version=1 binding="k""#,
    r#"mark_tests in="**" marker="m""#,
    r#"remap_strings in="**" from="pkg" to="q.r" docs=#true"#,
    r#"prefix_torch_ops in="**" namespace="ns""#,
    r#"ensure_import in="**" from="..z" name="zz""#,
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn the_output_parses_and_a_second_run_finds_nothing(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        for op in OPS {
            let Some(once) = after(op, &source) else { continue };
            prop_assert!(Module::parse(once.as_bytes()).is_ok(), "{op}: {once:?}");
            prop_assert_eq!(after(op, &once), None, "{}: {:?}", op, once);
            prop_assert_eq!(texts(&once, op), texts(&source, op), "{}: {:?}", op, once);
        }
    }

    #[test]
    fn a_name_of_the_kernel_or_of_ops_is_bound_before_the_module_uses_it(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        for (op, name) in [(OPS[1], "k"), (OPS[4], "add_op_namespace_prefix")] {
            let Some(once) = after(op, &source) else { continue };
            let module = Module::parse(once.as_bytes()).unwrap();
            let Some(id) = module.table.find(name) else { continue };
            let of = |wanted: fn(&Role) -> bool| {
                let places = module.names.iter().filter(|n| n.id == id && wanted(&n.role));
                places.map(|n| n.range.start()).min()
            };
            let (bound, used) = (of(|r| matches!(r, Role::Bind(_))), of(|r| *r == Role::Use));
            prop_assert!(bound.is_some() && used.is_none_or(|used| bound < Some(used)), "{op}: {once:?}");
        }
    }

    #[test]
    fn remapped_strings_can_be_undone(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        if let Some(there) = after(OPS[3], &source) {
            let back = after(r#"remap_strings in="**" from="q.r" to="pkg" docs=#true"#, &there);
            prop_assert_eq!(back.as_deref(), Some(source.as_str()), "{:?}", there);
        }
    }
}

/// The words of strings and comments, but for the ones that the op is there to change.
fn texts(source: &str, op: &str) -> Vec<String> {
    if op.starts_with("remap") || op.starts_with("prefix") {
        return Vec::new();
    }
    let module = Module::parse(source.as_bytes()).unwrap();
    let strings = module.strings.iter().map(|s| s.value.to_string()).filter(|s| s != "o/k");
    let comments = module.comments.iter().map(|c| source[c.clone()].to_owned());
    // Two comments may come to stand on one line.
    let words = |text: String| text.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let mut all: Vec<String> = strings.chain(comments).flat_map(words).collect();
    all.sort();
    all
}
