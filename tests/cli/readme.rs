//! The README's commands give exactly what it prints.

use crate::harness::{BINARY, clean};
use std::fs;
use std::path::Path;
use std::process::Command;

/// The commands of a document's ```console blocks with the output printed below each.
fn commands(text: &str) -> Vec<(usize, String, String)> {
    let mut found: Vec<(usize, String, String)> = Vec::new();
    let mut inside = false;
    let mut continued = false;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = line == "```console";
            continued = false;
            continue;
        }
        if !inside {
            continue;
        }
        if let Some(command) = line.strip_prefix("$ ") {
            found.push((number + 1, command.to_owned(), String::new()));
            continued = command.ends_with('\\');
        } else if let Some((_, command, output)) = found.last_mut() {
            if continued {
                command.push('\n');
                command.push_str(line.strip_prefix("> ").unwrap_or(line));
                continued = line.ends_with('\\');
            } else {
                output.push_str(line);
                output.push('\n');
            }
        }
    }
    found
}

fn run_document(path: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join(path)).unwrap();
    let work = tempfile::tempdir().unwrap();
    // The commands write below `target/`; everything else they see is the repository's.
    for name in ["examples", "README.md"] {
        std::os::unix::fs::symlink(root.join(name), work.path().join(name)).unwrap();
    }
    let bin = Path::new(BINARY).parent().unwrap();
    let commands = commands(&text);
    assert!(!commands.is_empty(), "{path} has no command");
    let mut wrong = String::new();
    let mut updated = text.clone();
    for (line, command, expected) in commands {
        let script = format!("exec 2>&1\n{command}");
        let mut shell = clean(Command::new("bash"), work.path());
        let path_var = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        let output = shell.env("PATH", path_var).args(["-c", &script]).output().unwrap();
        let found = String::from_utf8_lossy(&output.stdout);
        if found != expected {
            if updating() {
                let printed = format!("$ {}\n{expected}```", command.replace('\n', "\n> "));
                let now = format!("$ {}\n{found}```", command.replace('\n', "\n> "));
                updated = updated.replacen(&printed, &now, 1);
                continue;
            }
            wrong.push_str(&format!(
                "{path}:{line}: $ {command}\n--- printed there\n{expected}--- found\n{found}\n"
            ));
        }
    }
    if updated != text {
        fs::write(root.join(path), updated).unwrap();
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// With `UPDATE_DOCS=1` in the environment, what is printed there is replaced by what was found.
fn updating() -> bool {
    std::env::var_os("UPDATE_DOCS").is_some()
}

#[test]
fn every_command_of_the_readme_gives_the_printed_output() {
    run_document("README.md");
}

#[test]
fn the_cookbook_is_what_the_op_table_says() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let text = fs::read_to_string(&path).unwrap();
    let (begin, end) = ("<!-- ops -->\n", "<!-- /ops -->\n");
    let start = text.find(begin).unwrap() + begin.len();
    let stop = text.find(end).unwrap();
    let expected = kernel_port::report::reference::markdown(kernel_port::cli::example_output);
    if updating() {
        fs::write(&path, format!("{}{expected}{}", &text[..start], &text[stop..])).unwrap();
    } else {
        assert_eq!(&text[start..stop], expected, "run UPDATE_DOCS=1 cargo test --test cli");
    }
}
