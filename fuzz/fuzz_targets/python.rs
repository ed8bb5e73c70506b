//! Any bytes under every import op: no panic, no overflow, and output that parses whenever the input did.
#![no_main]

use kernel_port::git::Checkouts;
use kernel_port::ops::FailureKind;
use kernel_port::python::Module;
use kernel_port::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use kernel_port::run::{Mode as RunMode, run};
use kernel_port::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use libfuzzer_sys::fuzz_target;

const OPS: [&str; 10] = [
    "convert_import in=\"pkg/a/m.py\" prefix=\"pkg\"",
    "remap_module in=\"pkg/a/m.py\" from=\"pkg\" to=\"kp.ns\"",
    "remap_module in=\"pkg/a/m.py\" from=\"pkg.sub\" to=\"pkg.core\"",
    "relativize_imports in=\"pkg/a/m.py\" package_root=\"pkg\"",
    "relativize_imports in=\"pkg/a/m.py\" package_root=\"pkg\" style=\"root\"",
    "kernelize_imports in=\"pkg/a/m.py\" package=\"pkg\" kernel=\"o/k\" version=1 binding=\"k\"",
    "mark_tests in=\"pkg/a/m.py\" marker=\"m\"",
    "remap_strings in=\"pkg/a/m.py\" from=\"pkg\" to=\"q.r\" docs=#true",
    "prefix_torch_ops in=\"torch-ext/pkg/m.py\" namespace=\"ns\"",
    "ensure_import in=\"pkg/a/m.py\" from=\"..z\" name=\"zz\"",
];

fuzz_target!(|data: &[u8]| {
    let Some((choice, source)) = data.split_first() else {
        return;
    };
    let op = OPS[usize::from(*choice) % OPS.len()];
    let parses = Module::parse(source).is_ok();
    if let Some(once) = apply(source, op) {
        if parses {
            let after = Module::parse(&once);
            assert!(after.is_ok(), "{op}: {:?} in {:?}", after.err(), String::from_utf8_lossy(&once));
        }
        if !op.starts_with("convert") && !op.starts_with("remap") {
            assert_eq!(apply(&once, op), None, "{op} is not at rest: {:?}", String::from_utf8_lossy(&once));
        }
    }
});

/// The file after the op; `None` when the op does not apply.
fn apply(source: &[u8], op: &str) -> Option<Vec<u8>> {
    let file = if op.starts_with("prefix") { "torch-ext/pkg/m.py" } else { "pkg/a/m.py" };
    let entry = |path: &str, content: &[u8]| {
        let path = RepoPath::new(path).expect("a path");
        Entry::upstream(path, Content::from(content.to_vec()), Mode::File)
    };
    let files = ["pkg/__init__.py", "pkg/sub.py", "pkg/a/__init__.py", "pkg/a/b.py"];
    let mut entries: Vec<_> = files.iter().map(|path| entry(path, b"")).collect();
    entries.push(entry(file, source));
    let text = RecipeText::new("<inline>", op);
    let input = RecipeInput { text, inline: true, context: BuildContext::default() };
    let recipe = Recipe::build(&input).expect("the op builds");
    let done = run(&recipe, 1, Workspace::new(entries), &Checkouts::default(), RunMode::FailFast);
    if let Some(drift) = done.drift.first() {
        let mistake = drift.failure.hints.iter().any(|hint| hint.contains("mistake of kernel-port"));
        assert!(!mistake && drift.failure.kind != FailureKind::Conflict, "{:?}", drift.failure);
        return None;
    }
    Some(done.workspace.read(&RepoPath::new(file).expect("a path")).expect("in memory").to_vec())
}
