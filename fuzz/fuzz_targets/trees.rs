//! Any commit: a tree object of any bytes, read as a source and as what is vendored. It is refused, or every path stays
//! inside, and the rules of the output hold or say why not.
#![no_main]

use git2::{ObjectType, Repository};
use kernel_port::git::Checkouts;
use kernel_port::git::history::History;
use kernel_port::output::check_tree;
use kernel_port::recipe::{BuildContext, CommitSha, Recipe, RecipeInput, RecipeText};
use kernel_port::run::{Mode as RunMode, run};
use libfuzzer_sys::fuzz_target;
use std::path::PathBuf;
use std::sync::OnceLock;

/// A bare repository that all inputs share: what they write are objects only.
fn directory() -> &'static PathBuf {
    static DIRECTORY: OnceLock<PathBuf> = OnceLock::new();
    DIRECTORY.get_or_init(|| {
        let directory = std::env::temp_dir().join(format!("kernel-port-fuzz-{}", std::process::id()));
        Repository::init_bare(&directory).expect("a repository");
        directory
    })
}

fuzz_target!(|data: &[u8]| {
    let repository = Repository::open_bare(directory()).expect("the repository");
    let odb = repository.odb().expect("its objects");
    let blob = odb.write(ObjectType::Blob, b"#include <x>\nimport pkg\n").expect("a blob");
    let Some((choice, data)) = data.split_first() else { return };
    // Entries are `mode name\0` and an id: the ids of two real objects make deeper trees and readable files likely.
    let mut tree = Vec::new();
    for entry in data.split(|b| *b == b'\n') {
        tree.extend_from_slice(entry);
        tree.push(0);
        let deeper = tree.first() == Some(&b'4') && choice % 3 == 0;
        let inner = odb.write(ObjectType::Tree, &[b"100644 f.py\0".as_slice(), blob.as_bytes()].concat());
        tree.extend_from_slice(if deeper { inner.as_ref().map_or(blob.as_bytes(), |id| id.as_bytes()) } else { blob.as_bytes() });
    }
    let Ok(tree) = odb.write(ObjectType::Tree, &tree) else { return };
    let text = format!("tree {tree}\nauthor a <a@b> 0 +0000\ncommitter a <a@b> 0 +0000\n\nc\n");
    let commit = odb.write(ObjectType::Commit, text.as_bytes()).expect("a commit");
    let commit = CommitSha::new(&commit.to_string()).expect("an id");
    let Ok(tree) = History::open(directory()).expect("a history").workspace(&commit) else { return };
    for (path, _) in tree.iter() {
        let bytes = path.as_bytes();
        let escapes = bytes.split(|b| *b == b'/').any(|part| matches!(part, b"" | b"." | b".."));
        assert!(!escapes && !bytes.contains(&0), "{path}");
    }
    let recipe = format!(
        "source repo=\"https://host/r\" commit=\"{commit}\"\nvendor name=\"v\" repo=\"https://host/v\" commit=\"{commit}\" path=\".\" to=\"third/v\"\n\
         copy from=\"third\" to=\"torch-ext/pkg\"\n"
    );
    let input = RecipeInput { text: RecipeText::new("f", recipe), inline: true, context: BuildContext::default() };
    let recipe = Recipe::build(&input).expect("a recipe");
    let checkouts = Checkouts::default();
    checkouts.seed(None, "https://host/r", &commit, tree.clone());
    checkouts.seed(None, "https://host/v", &commit, tree);
    let done = run(&recipe, usize::MAX, Default::default(), &checkouts, RunMode::FailFast);
    let _ = check_tree(&done.workspace);
    let _ = done.workspace.iter().map(|(_, entry)| entry.content.read().is_ok()).count();
});
