//! Any text as a recipe on a small tree: it is refused with places inside the text, or it runs; either way what is printed
//! holds no control characters, and no path leaves the tree.
#![no_main]

use kernel_port::check::{self, Input};
use kernel_port::git::Checkouts;
use kernel_port::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use kernel_port::report::{Style, failure, findings, log};
use kernel_port::run::{Mode as RunMode, run};
use kernel_port::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use libfuzzer_sys::fuzz_target;

const FILES: [(&str, &str); 6] = [
    ("LICENSE", "MIT\n"),
    ("csrc/k.cu", "#include \"k.h\"\nint f() { return 1; }\n"),
    ("csrc/k.h", "int f();\n"),
    ("pkg/__init__.py", "from pkg.a import f\nimport pkg.sub.b\n"),
    ("pkg/a.py", "import pkg.sub.b as b\nx = 1\n\n\ndef f():\n    return b.g(x)\n"),
    ("pkg/sub/b.py", "def g(x):\n    return torch.ops.ns.f(x)\n"),
];

fuzz_target!(|text: &str| {
    // What is above the limit is refused at once, and time is better spent elsewhere.
    if text.len() > 4096 {
        return;
    }
    let input = RecipeInput {
        text: RecipeText::new("fuzz.kdl", text),
        inline: true,
        context: BuildContext { base: "/nonexistent".into(), ..BuildContext::default() },
    };
    let recipe = match Recipe::build(&input) {
        Ok(recipe) => recipe,
        Err(errors) => {
            for error in &errors.errors {
                assert!(error.span.end <= errors.text.text().len(), "{:?}", error.span);
            }
            clean(&failure::recipe_errors(&errors, Style::PLAIN));
            return;
        }
    };
    let file = |(path, text): &(&str, &str)| {
        Entry::upstream(RepoPath::new(*path).expect("a path"), Content::from(*text), Mode::File)
    };
    let tree = Workspace::new(FILES.iter().map(file));
    let done = run(&recipe, 64, tree, &Checkouts::default(), RunMode::Measure);
    for (path, _) in done.workspace.iter() {
        let bytes = path.as_bytes();
        let escapes = bytes.split(|b| *b == b'/').any(|part| matches!(part, b"" | b"." | b".."));
        assert!(!escapes && !bytes.contains(&0), "{path}");
    }
    clean(&failure::drift(&recipe, &done.drift, true, Style::PLAIN));
    clean(&log::steps(&recipe, &done, true, Style::PLAIN));
    if done.drift.is_empty() {
        let report = check::run(&Input::new(&done.workspace, &done.records), &done.records, false);
        clean(&findings::text(&report, true, None, Style::PLAIN));
    }
});

/// Nothing that a terminal would obey.
fn clean(text: &str) {
    let obeyed = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    assert!(!text.contains(obeyed), "{text:?}");
}
