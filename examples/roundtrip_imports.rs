//! Remaps every package that a Python file imports to another namespace and back, and checks that the bytes are the
//! same again and that in between exactly the imports of that package changed. Reads paths from stdin.
#![allow(clippy::print_stdout)]

use kernel_port::git::Checkouts;
use kernel_port::ops::FailureKind;
use kernel_port::python::{Import, ImportKind, Module};
use kernel_port::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use kernel_port::run::{Mode as RunMode, run};
use kernel_port::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use std::collections::BTreeSet;
use std::io::BufRead;

const SPACE: &str = "kp_ns.deep";

fn main() -> std::io::Result<()> {
    let (mut files, mut trips, mut refused, mut wrong) = (0, 0, 0, 0);
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let content = std::fs::read(&path)?;
        let Ok(module) = Module::parse(&content) else {
            continue;
        };
        files += 1;
        for root in roots(&module) {
            trips += 1;
            match trip(&content, &module, &root) {
                Ok(true) => {}
                Ok(false) => refused += 1,
                Err(why) => {
                    wrong += 1;
                    println!("{path}: {root}: {why}");
                }
            }
        }
    }
    println!("{files} files, {trips} round trips: {wrong} wrong, {refused} refused");
    std::process::exit(i32::from(wrong > 0));
}

/// The top-level packages that a file imports absolutely.
fn roots(module: &Module) -> BTreeSet<String> {
    let names = module.imports.iter().filter(|i| i.level == 0 && !i.is_future()).flat_map(modules);
    names.filter_map(|name| name.split('.').next().map(str::to_owned)).filter(|n| n.is_ascii()).collect()
}

fn modules(import: &Import) -> Vec<String> {
    match import.kind {
        ImportKind::From => vec![import.module.clone()],
        ImportKind::Import => import.aliases.iter().map(|a| a.name.clone()).collect(),
    }
}

/// `Ok(false)` when the op refuses.
fn trip(content: &[u8], module: &Module, root: &str) -> Result<bool, String> {
    let forth = format!("remap_module in=\"m.py\" from=\"{root}\" to=\"{SPACE}.{root}\"");
    let back = format!("remap_module in=\"m.py\" from=\"{SPACE}.{root}\" to=\"{root}\"");
    let Some(there) = apply(content, &forth)? else {
        return Ok(false);
    };
    let after =
        Module::parse(&there).map_err(|e| format!("does not parse: {}: {}", e.position, e.message))?;
    let mapped = |name: String| {
        let below = name.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        if below { format!("{SPACE}.{name}") } else { name }
    };
    let says = |import: &Import, map: &dyn Fn(String) -> String| {
        let own = |name: String| if import.level == 0 { map(name) } else { name };
        let aliases: Vec<_> = import.aliases.iter().map(|a| (a.name.clone(), a.asname.clone())).collect();
        match import.kind {
            ImportKind::From => (own(import.module.clone()), aliases),
            ImportKind::Import => {
                (String::new(), aliases.into_iter().map(|(name, asname)| (own(name), asname)).collect())
            }
        }
    };
    let expected: Vec<_> = module.imports.iter().map(|i| says(i, &mapped)).collect();
    let mut found: Vec<_> = after.imports.iter().map(|i| says(i, &|name| name)).collect();
    // Where the uses cannot be followed, `import pkg` becomes `import new as pkg`.
    let plain = |asname: &Option<String>| asname.as_deref() == Some(root);
    for (found, expected) in found.iter_mut().zip(&expected) {
        for (found, expected) in found.1.iter_mut().zip(&expected.1) {
            if plain(&found.1) && expected.1.is_none() && found.0 == mapped(root.to_owned()) {
                found.1 = None;
            }
        }
    }
    if expected != found {
        return Err("other imports than expected".to_owned());
    }
    match apply(&there, &back)? {
        Some(again) if again == content => Ok(true),
        // Blanks inside a dotted name are not written back.
        Some(again) if without_blanks(&again) == without_blanks(content) => Ok(true),
        Some(_) => Err("other bytes after coming back".to_owned()),
        None => Err("refused on the way back".to_owned()),
    }
}

fn without_blanks(content: &[u8]) -> Vec<u8> {
    content.iter().copied().filter(|b| !b.is_ascii_whitespace() && *b != b'\\').collect()
}

fn apply(content: &[u8], recipe: &str) -> Result<Option<Vec<u8>>, String> {
    let path = RepoPath::new("m.py").map_err(|e| e.to_string())?;
    let entry = Entry::upstream(path.clone(), Content::from(content.to_vec()), Mode::File);
    let text = RecipeText::new("<inline>", recipe);
    let input = RecipeInput { text, inline: true, context: BuildContext::default() };
    let recipe = Recipe::build(&input).map_err(|e| format!("{:?}", e.errors))?;
    let done = run(&recipe, 1, Workspace::new([entry]), &Checkouts::default(), RunMode::FailFast);
    match done.drift.first() {
        Some(drift) if drift.failure.kind == FailureKind::Refused => Ok(None),
        Some(drift) => Err(drift.failure.message.clone()),
        None => done.workspace.read(&path).map(|bytes| Some(bytes.to_vec())).map_err(|e| e.to_string()),
    }
}
