//! The README and the pages of `docs/`: every command gives exactly what is printed below it, and the generated
//! parts are what the program says. With `UPDATE_DOCS=1` in the environment they are written anew instead.

use crate::harness::{BINARY, clean};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A command of a document, and what is printed below it.
struct Printed {
    line: usize,
    command: String,
    output: String,
}

impl Printed {
    /// As it stands in the document: lines after the first carry the shell's `> `.
    fn block(&self, output: &str) -> String {
        format!("$ {}\n{output}", self.command.replace('\n', "\n> "))
    }
}

/// The commands of a document's ```console blocks.
fn commands(text: &str) -> Vec<Printed> {
    let mut found: Vec<Printed> = Vec::new();
    let mut inside = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
            continue;
        }
        if !inside {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            found.push(Printed { line: number + 1, command: command.to_owned(), output: String::new() });
        } else if let Some(last) = found.last_mut() {
            match line.strip_prefix("> ").or_else(|| (line == ">").then_some("")) {
                Some(more) if last.output.is_empty() => {
                    last.command.push('\n');
                    last.command.push_str(more);
                }
                _ => {
                    last.output.push_str(line);
                    last.output.push('\n');
                }
            }
        }
    }
    found
}

/// A directory in which a document's commands find the repository's examples, and what they write is their own.
struct Shell {
    directory: tempfile::TempDir,
}

impl Shell {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        for name in ["examples", "README.md", "docs"] {
            let target = directory.path().join(name);
            std::os::unix::fs::symlink(root().join(name), target).unwrap();
        }
        Self { directory }
    }

    fn run(&self, command: &str) -> Output {
        let bin = Path::new(BINARY).parent().unwrap();
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let mut shell = clean(Command::new("bash"), self.directory.path());
        shell.env("PATH", path).args(["-c", &format!("exec 2>&1\n{command}")]).output().unwrap()
    }
}

fn run_document(path: &Path) {
    let name = path.strip_prefix(root()).unwrap().display();
    let text = fs::read_to_string(path).unwrap();
    let shell = Shell::new();
    let mut wrong = String::new();
    let (mut updated, mut rest) = (String::new(), text.as_str());
    for printed in commands(&text) {
        let output = shell.run(&printed.command);
        let found = String::from_utf8_lossy(&output.stdout);
        let old = printed.block(&printed.output);
        let (before, after) = rest.split_once(&old).unwrap_or_else(|| panic!("{name}: {old}"));
        updated.push_str(before);
        updated.push_str(&printed.block(&found));
        rest = after;
        if found != printed.output {
            wrong.push_str(&format!(
                "{name}:{}: $ {}\n--- printed there\n{}--- found\n{found}\n",
                printed.line, printed.command, printed.output
            ));
        }
    }
    updated.push_str(rest);
    if updating() {
        fs::write(path, updated).unwrap();
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The README, CONTRIBUTING and the pages of `docs/`.
fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md"), root().join("CONTRIBUTING.md")];
    let pages = fs::read_dir(root().join("docs")).unwrap().map(|entry| entry.unwrap().path());
    found.extend(pages.filter(|path| path.extension().is_some_and(|e| e == "md")));
    found.sort();
    found
}

/// With `UPDATE_DOCS=1` in the environment, what is printed there is replaced by what was found.
fn updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

#[test]
fn every_command_of_the_documents_gives_the_printed_output() {
    let printed = commands(&fs::read_to_string(root().join("README.md")).unwrap());
    let shown = |command: &str| printed.iter().any(|p| p.command.contains(command));
    for spec in kernel_port::ops::TABLE {
        assert!(shown(&format!("{} ", spec.name)), "the README has no command for {}", spec.name);
    }
    for document in documents() {
        run_document(&document);
    }
}

/// The lines of the ```sh blocks: what is typed on a new machine. Those that run the program are run, without cargo.
#[test]
fn every_command_for_a_new_machine_works() {
    // What needs a network or builds everything; `.ci/run` does that.
    const KNOWN: [&str; 5] = [
        "sudo apt install build-essential git",
        "curl --proto '=https' --tlsv1.2 -sSf https://sh.rustup.rs | sh",
        "cargo test",
        "cargo install --locked --path .",
        "cargo install --locked --git https://github.com/huggingface/kernel-port",
    ];
    let shell = Shell::new();
    let mut run = 0;
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        let blocks = text.split("```sh\n").skip(1).map(|rest| rest.split("```").next().unwrap());
        for line in blocks.flat_map(str::lines).filter(|line| !line.is_empty() && !line.starts_with('#')) {
            if KNOWN.contains(&line) {
                continue;
            }
            let command = line.replace("cargo run --release --", "kernel-port");
            assert!(command.starts_with("kernel-port "), "{}: {line}", document.display());
            let output = shell.run(&command);
            assert!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stdout));
            run += 1;
        }
    }
    assert!(run > 0);
}

#[test]
fn cookbook_and_reference_are_what_the_op_table_says() {
    let output = kernel_port::cli::example_output;
    generated("README.md", "ops", &kernel_port::report::reference::cookbook(output));
    let reference = kernel_port::report::reference::markdown(|example| output(example, false));
    generated("docs/ops.md", "ops", &reference);
}

/// What editors offer, made from the op table.
#[test]
fn editor_snippets_are_what_the_op_table_says() {
    let path = root().join("docs/editors/kernel-port.code-snippets");
    let expected = kernel_port::report::snippets::file();
    if updating() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &expected).unwrap();
    }
    assert_eq!(fs::read_to_string(path).unwrap(), expected, "run UPDATE_DOCS=1 cargo test --test cli");
    // Filled in as proposed, each is an op whose arguments are known and all there.
    let all: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&expected).unwrap();
    assert_eq!(all.len(), kernel_port::ops::TABLE.len() + 1);
    for (name, snippet) in all.iter().filter(|(name, _)| *name != "recipe") {
        let body = snippet["body"].as_str().unwrap().replace("$0", "");
        let filled: String = body
            .split("${")
            .enumerate()
            .map(|(at, part)| {
                if at == 0 {
                    return part.to_owned();
                }
                let (hint, rest) = part.split_once('}').unwrap();
                format!("{}{rest}", hint.split_once(':').unwrap().1)
            })
            .collect();
        let run = crate::harness::Port::inline(&filled).file("a", "").run_again();
        for word in
            ["unknown argument", "missing argument", "unknown op", "must be #true", "must be an integer"]
        {
            assert!(!run.err.contains(word), "{name}: {filled}\n{}", run.err);
        }
    }
}

/// The part of a document between two marks.
fn generated(document: &str, mark: &str, expected: &str) {
    let path = root().join(document);
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- {mark} -->\n"), format!("<!-- /{mark} -->\n"));
    let start = text.find(&begin).unwrap() + begin.len();
    let stop = text.find(&end).unwrap();
    if updating() {
        fs::write(&path, format!("{}{expected}{}", &text[..start], &text[stop..])).unwrap();
    } else {
        assert_eq!(&text[start..stop], expected, "{document}: run UPDATE_DOCS=1 cargo test --test cli");
    }
}

#[test]
fn a_newcomer_finishes_the_readme() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let lines = text.lines().count();
    assert!(lines <= 400, "the README has {lines} lines; long matter belongs into docs/");
    use clap::CommandFactory;
    for command in kernel_port::cli::Cli::command().get_subcommands() {
        let name = command.get_name();
        assert!(text.contains(&format!("kernel-port {name}")), "the README does not say what `{name}` is");
    }
}

/// The oldest Rust is the same wherever it stands.
#[test]
fn the_oldest_rust_is_stated_once() {
    let manifest = fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let version = manifest.split("\nrust-version = \"").nth(1).unwrap().split('"').next().unwrap();
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    assert!(readme.contains(&format!("Rust {version} or newer")), "{version}");
    let release = fs::read_to_string(root().join(".github/workflows/release.yml")).unwrap();
    assert!(release.contains(&format!("rustup toolchain install {version}.0 ")), "{version}");
}

/// Links between the documents lead somewhere.
#[test]
fn every_link_between_the_documents_leads_somewhere() {
    for document in documents() {
        let text = fs::read_to_string(&document).unwrap();
        for link in text.split("](").skip(1).map(|rest| rest.split(')').next().unwrap()) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            if file.contains(':') {
                continue;
            }
            let target =
                if file.is_empty() { document.clone() } else { document.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", document.display());
            if !anchor.is_empty() {
                let there = fs::read_to_string(&target).unwrap();
                let mut headings = there.lines().filter(|line| line.starts_with('#')).map(|line| {
                    line.trim_start_matches('#')
                        .trim()
                        .to_lowercase()
                        .replace(' ', "-")
                        .replace(['`', ',', ':'], "")
                });
                assert!(headings.any(|heading| heading == anchor), "{}: {link}", document.display());
            }
        }
    }
}
