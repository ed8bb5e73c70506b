//! The parts of a run, each alone: `cargo bench`. Whole runs are timed by `scripts/bench.sh`.
#![allow(clippy::unwrap_used)]

use divan::Bencher;
use divan::counter::{BytesCount, ItemsCount};
use kernel_port::git::Checkouts;
use kernel_port::output::tree_hash;
use kernel_port::python::Module;
use kernel_port::recipe::{BuildContext, Glob, Recipe, RecipeInput, RecipeText};
use kernel_port::run::{Mode as RunMode, run};
use kernel_port::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use std::fmt::Write;

fn main() {
    divan::main();
}

/// Files as an upstream has them: a hundred directories of them, a fifth Python.
fn tree(files: usize) -> Workspace {
    Workspace::new((0..files).map(|number| {
        let kind = ["py", "cu", "h", "md", "txt"][number % 5];
        let path = format!("d{}/s{}/f{number}.{kind}", number % 100, number % 7);
        let text = format!("// file {number}\nint f{number}() {{ return old_name({number}); }}\n").repeat(10);
        Entry::upstream(RepoPath::new(path).unwrap(), Content::from(text.as_str()), Mode::File)
    }))
}

fn recipe(text: String) -> Recipe {
    let text = RecipeText::new("bench.kdl", text);
    Recipe::build(&RecipeInput { text, inline: true, context: BuildContext::default() }).unwrap()
}

fn source() -> String {
    let mut text = String::from("import os\nfrom pkg.ops import a, b\nimport pkg.utils as u\n");
    for number in 0..200 {
        let _ = write!(
            text,
            "\n\ndef f{number}(x, y=None):\n    from pkg import ops\n    return [ops.g(x, key={number}), u.h(y)]\n"
        );
    }
    text
}

#[divan::bench(args = [100, 1000])]
fn recipe_parse(bencher: Bencher<'_, '_>, ops: usize) {
    let text: String = (0..ops)
        .map(|number| {
            format!(
                "replace in=\"a{number}.py\" find=\"x = {number}\" with=\"y = {number}\" count=1 // why\n"
            )
        })
        .collect();
    bencher.counter(ItemsCount::new(ops)).bench(|| recipe(text.clone()));
}

#[divan::bench]
fn glob_over_100_000_paths(bencher: Bencher<'_, '_>) {
    let tree = tree(100_000);
    let glob = Glob::new("d*/**/{*.py,*.cu}").unwrap();
    bencher.counter(ItemsCount::new(100_000usize)).bench(|| glob.paths(&tree).len());
}

#[divan::bench]
fn import_scan(bencher: Bencher<'_, '_>) {
    let text = source();
    let content = text.as_bytes();
    bencher.counter(BytesCount::of_slice(content)).bench(|| Module::parse(content).unwrap().imports.len());
}

#[divan::bench(args = [1, 100])]
fn replace(bencher: Bencher<'_, '_>, ops: usize) {
    let tree = tree(5_000);
    let text: String = (0..ops)
        .map(|number| {
            format!("replace in=\"**/f{}.cu\" find=\"old_name\" with=\"new_name\" count=10\n", number * 5 + 1)
        })
        .collect();
    let recipe = recipe(text);
    let apply = || run(&recipe, usize::MAX, tree.clone(), &Checkouts::default(), RunMode::FailFast);
    assert!(apply().drift.is_empty());
    bencher.counter(ItemsCount::new(ops)).bench(apply);
}

#[divan::bench]
fn hash_of_a_tree(bencher: Bencher<'_, '_>) {
    let tree = tree(5_000);
    bencher.counter(ItemsCount::new(5_000usize)).bench(|| tree_hash(tree.iter()).unwrap());
}

#[divan::bench]
fn change_set(bencher: Bencher<'_, '_>) {
    let recipe = recipe("move from=\"d1\" to=\"torch-ext/d1\"\ndelete in=\"d2/**\"\n".to_owned());
    let done = run(&recipe, usize::MAX, tree(20_000), &Checkouts::default(), RunMode::FailFast);
    assert!(done.drift.is_empty());
    bencher.counter(ItemsCount::new(20_000usize)).bench(|| done.workspace.changes());
}
