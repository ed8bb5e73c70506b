//! What the program says, as it is on a terminal of 80 columns: the help, the reference, the man page. Each page stands in `tests/snapshots/`, was read, and is written anew with `UPDATE_DOCS=1`.

use crate::harness::{BINARY, clean};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Compares a text with its page.
#[track_caller]
pub fn is_as_kept(name: &str, found: &str) {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "tests/snapshots", name].iter().collect();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, found).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    if kept != found {
        let line = kept.lines().zip(found.lines()).position(|(a, b)| a != b);
        let at = line.unwrap_or_else(|| kept.lines().count().min(found.lines().count()));
        let (was, is) = (kept.lines().nth(at), found.lines().nth(at));
        panic!(
            "{}:{}: was {was:?}, is {is:?}; run UPDATE_DOCS=1 cargo test --test cli and read the difference",
            path.display(),
            at + 1
        );
    }
}

/// Output and errors of one call.
fn said(args: &[&str]) -> String {
    let mut command = clean(Command::new(BINARY), Path::new(env!("CARGO_MANIFEST_DIR")));
    let output = command.args(args).env("COLUMNS", "80").output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn commands() -> Vec<String> {
    use clap::CommandFactory;
    kernel_port::cli::Cli::command().get_subcommands().map(|c| c.get_name().to_owned()).collect()
}

#[test]
fn help_is_as_kept() {
    let mut all = format!("$ kernel-port -h\n{}\n$ kernel-port --help\n{}", said(&["-h"]), said(&["--help"]));
    for name in commands() {
        let _ = write!(all, "\n$ kernel-port {name} --help\n{}", said(&[&name, "--help"]));
    }
    let wide: Vec<&str> =
        all.lines().filter(|line| line.chars().count() > 80 && !line.starts_with("  kernel-port ")).collect();
    assert!(wide.is_empty(), "{wide:#?}");
    is_as_kept("help.txt", &all);
}

#[test]
fn the_reference_is_as_kept() {
    let mut all = format!("$ kernel-port ops\n{}", said(&["ops"]));
    for spec in kernel_port::ops::TABLE {
        let _ = write!(all, "\n$ kernel-port ops {}\n{}", spec.name, said(&["ops", spec.name]));
    }
    is_as_kept("ops.txt", &all);
    let mut all = format!("$ kernel-port explain\n{}", said(&["explain"]));
    for story in kernel_port::report::stories::STORIES {
        let _ = write!(all, "\n$ kernel-port explain {}\n{}", story.id, said(&["explain", story.id]));
    }
    for rule in kernel_port::check::RULES {
        let _ = write!(all, "\n$ kernel-port explain {}\n{}", rule.id, said(&["explain", rule.id]));
    }
    is_as_kept("explain.txt", &all);
}

#[test]
fn the_man_page_is_as_kept() {
    let page = said(&["man"]);
    for name in commands().iter().filter(|name| *name != "help") {
        assert!(page.contains(&format!(".SS kernel\\-port {name}\n")), "{name}");
    }
    for spec in kernel_port::ops::TABLE {
        assert!(page.contains(&format!("\\fB{} ", spec.name)), "{}", spec.name);
    }
    is_as_kept("kernel-port.1", &page);
}

/// What bash offers after a beginning, as its own completion machinery sees it.
fn completed(words: &[&str]) -> Vec<String> {
    let (last, before) = words.split_last().unwrap();
    let script = format!(
        "source <({BINARY} completions bash); COMP_WORDS=({}); COMP_CWORD={}; \
         _kernel__port kernel-port '{last}' '{}'; echo \"${{COMPREPLY[@]}}\"",
        words.join(" "),
        before.len(),
        before.last().unwrap()
    );
    let mut command = clean(Command::new("bash"), Path::new("/"));
    let output = command.args(["-c", &script]).output().unwrap();
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).split_whitespace().map(str::to_owned).collect()
}

#[test]
fn bash_completes_commands_options_and_names() {
    assert_eq!(completed(&["kernel-port", "exp"]), ["explain"]);
    assert_eq!(completed(&["kernel-port", "--require"]), ["--require-pins"]);
    assert_eq!(completed(&["kernel-port", "ops", "rem"]), ["remap_module", "remap_strings"]);
    assert_eq!(completed(&["kernel-port", "explain", "dri"]), ["drift"]);
    assert_eq!(completed(&["kernel-port", "explain", "torch"]), ["torch-ops"]);
    // The other shells are told the commands and options only.
    assert!(said(&["completions", "zsh"]).contains("relativize_imports"));
}
