//! Properties of the import ops over random files: what they leave alone, that their output parses, that they come
//! to rest, and that a remapping can be undone.

use super::FailureKind;
use super::testing::Port;
use crate::python::{ByteRange, Module};
use proptest::prelude::*;

const FILE: &str = "pkg/a/m.py";

fn module() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["pkg", "pkg.a", "pkg.a.b", "pkg.sub", "os", "os.path", "pkgx.sub", "xpkg"])
}

fn name() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec!["f", "sub", "b", "pkg", "é", "Klass"])
}

fn alias(of: impl Strategy<Value = &'static str>) -> impl Strategy<Value = String> {
    (of, prop::option::weighted(0.4, prop::sample::select(vec!["x", "y", "sub", "pkg2"]))).prop_map(
        |(name, asname)| asname.map_or_else(|| name.to_owned(), |asname| format!("{name} as {asname}")),
    )
}

fn import() -> impl Strategy<Value = String> {
    let list = || prop::collection::vec(alias(name()), 1..4);
    prop_oneof![
        3 => prop::collection::vec(alias(module()), 1..4).prop_map(|names| format!("import {}", names.join(", "))),
        3 => (module(), list()).prop_map(|(m, names)| format!("from {m} import {}", names.join(", "))),
        2 => (module(), list()).prop_map(|(m, names)| format!("from {m} import ({})", names.join(" , "))),
        1 => (module(), list()).prop_map(|(m, names)| {
            format!("from {m} import (  # from pkg import (\n        {},  # pkg.sub, x\n    )", names.join(",\n    # c\n        "))
        }),
        1 => (module(), name()).prop_map(|(m, n)| format!("from {m} \\\n  import \\\n {n}")),
        1 => list().prop_map(|names| format!("from . import {}", names.join(", "))),
        1 => list().prop_map(|names| format!("from ..sub import {}", names.join(", "))),
    ]
}

fn other() -> impl Strategy<Value = String> {
    prop::sample::select(vec![
        "pass",
        "pkg.sub.f(pkg.a.b.g)",
        "pkg.a.b.T",
        "x: 'pkg.sub.T' = 1",
        "y = lambda pkg: pkg.sub",
        "z = [sub.f for sub in os.path.x]",
        "t = \"\"\"\nfrom pkg.sub import f\n\"\"\"",
        "t = 'import pkg.sub as s'  # from pkg.sub import f",
        "print(os)",
    ])
    .prop_map(str::to_owned)
}

fn line() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => import(),
        2 => other(),
        1 => (other(), import()).prop_map(|(a, b)| if a.contains('#') { b } else { format!("{a}; {b}") }),
        1 => import().prop_map(|i| if i.contains('#') { i } else { format!("if x: {i}") }),
    ]
}

/// Lines under random block headers, indented by two blanks, a tab or four blanks.
fn block(depth: u32) -> BoxedStrategy<Vec<String>> {
    let plain = prop::collection::vec(line().prop_map(|l| vec![l]), 1..5);
    if depth == 0 {
        return plain.prop_map(|lines| lines.concat()).boxed();
    }
    let header = prop::sample::select(vec![
        "def f(a):",
        "class C:",
        "if TYPE_CHECKING:",
        "for i in x:",
        "with a as b:",
    ]);
    let indent = prop::sample::select(vec!["  ", "\t", "    "]);
    let nested = (header, indent, block(depth - 1)).prop_map(|(header, indent, lines)| {
        let mut out = vec![header.to_owned()];
        out.extend(lines.into_iter().map(|l| format!("{indent}{l}")));
        out
    });
    prop::collection::vec(prop_oneof![2 => line().prop_map(|l| vec![l]), 1 => nested], 1..5)
        .prop_map(|parts| parts.concat())
        .boxed()
}

pub(super) fn file() -> impl Strategy<Value = String> {
    let head = prop::sample::select(vec![
        "",
        "\u{feff}",
        "\"\"\"from pkg.sub import f\"\"\"\n",
        "# coding: utf-8\n\x0c\n",
    ]);
    (head, block(2), prop::sample::select(vec!["\n", "\r\n", "\r"]), any::<bool>()).prop_map(
        |(head, lines, end, last)| {
            let text = format!("{head}{}{}", lines.join("\n"), if last { "\n" } else { "" });
            text.replace('\n', end)
        },
    )
}

fn port(recipe: &str, source: &str) -> Port {
    let files = ["pkg/__init__.py", "pkg/sub.py", "pkg/a/__init__.py", "pkg/a/b.py"];
    files.into_iter().fold(Port::new(recipe).file(FILE, source), |port, file| {
        port.file(file, "def __getattr__(name): ...\n")
    })
}

/// The file after the op; `None` when the op refuses or finds nothing.
fn after(recipe: &str, source: &str) -> Option<String> {
    let run = port(recipe, source).run();
    match run.drift.first() {
        None => {
            let path = crate::workspace::RepoPath::new(FILE).unwrap();
            Some(String::from_utf8(run.workspace.read(&path).unwrap().to_vec()).unwrap())
        }
        Some(drift) => {
            let kind = drift.failure.kind;
            assert!(matches!(kind, FailureKind::Refused | FailureKind::NoEffect), "{:?}", drift.failure);
            assert!(
                !drift.failure.hints.iter().any(|hint| hint.contains("mistake of kernel-port")),
                "{:?}",
                drift.failure
            );
            None
        }
    }
}

/// What is not in an import statement and not a blank; uses of the package are left out, as plain imports change them.
fn rest(source: &str) -> String {
    let module = Module::parse(source.as_bytes()).unwrap();
    let chain = |n: &crate::python::Name| module.chain(n);
    let mut gone: Vec<ByteRange> = module.imports.iter().map(|i| i.range.clone()).collect();
    gone.extend(module.names.iter().filter(|n| n.role == crate::python::Role::Use).map(chain));
    gone.sort_by_key(|r| (r.start, r.end));
    let mut out = String::new();
    let mut at = 0;
    for range in gone {
        out.push_str(&source[at..range.start.max(at)]);
        at = at.max(range.end);
    }
    out.push_str(&source[at..]);
    out.retain(|c| !c.is_whitespace() && c != ';');
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn every_op_leaves_the_rest_alone_and_its_output_parses(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        for op in [
            r#"convert_import in="pkg/a/m.py" prefix="pkg""#,
            r#"remap_module in="pkg/a/m.py" from="pkg.sub" to="new.core""#,
            r#"remap_module in="pkg/a/m.py" from="pkg" to="new""#,
            r#"relativize_imports in="pkg/a/m.py" package_root="pkg""#,
            r#"relativize_imports in="pkg/a/m.py" package_root="pkg" style="root""#,
        ] {
            if let Some(after) = after(op, &source) {
                prop_assert!(Module::parse(after.as_bytes()).is_ok(), "{op}: {after:?}");
                prop_assert_eq!(rest(&after), rest(&source), "{}: {:?}", op, after);
            }
        }
    }

    #[test]
    fn a_second_relativize_changes_nothing(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        let op = r#"relativize_imports in="pkg/a/m.py" package_root="pkg""#;
        if let Some(once) = after(op, &source) {
            prop_assert_eq!(after(op, &once), None, "{:?}", once);
        }
    }

    #[test]
    fn a_remapping_can_be_undone(source in file()) {
        prop_assume!(Module::parse(source.as_bytes()).is_ok());
        if let Some(there) = after(r#"remap_module in="pkg/a/m.py" from="pkg" to="kp.ns""#, &source) {
            let back = after(r#"remap_module in="pkg/a/m.py" from="kp.ns" to="pkg""#, &there);
            prop_assert_eq!(back.as_deref(), Some(source.as_str()), "{:?}", there);
        }
    }
}
