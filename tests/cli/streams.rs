//! Pipes that close, disks that are full, colour, quiet and verbose.

use crate::harness::{BINARY, Port, clean};
use std::process::Command;

#[test]
fn a_closed_pipe_ends_quietly() {
    let port = Port::new()
        .on_disk("r.kdl", format!("recipe version=1\n{}", "expect in=\"a\" files=1\n".repeat(20_000)));
    let script = format!("{BINARY} r.kdl --file a=x | head -1; echo ${{PIPESTATUS[0]}}");
    let output = clean(Command::new("bash"), &port.path("")).args(["-c", &script]).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stdout), "[line     2] expect  1 file, as expected\n0\n");
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
}

#[test]
fn a_full_disk_behind_standard_output_is_reported() {
    let port = Port::new();
    let script = format!("{BINARY} -e 'expect in=\"a\" files=1' --file a=x > /dev/full");
    let output = clean(Command::new("bash"), &port.path("")).args(["-c", &script]).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(String::from_utf8_lossy(&output.stderr).starts_with("error: cannot write to standard output: "));
}

#[test]
fn colour_is_sent_only_where_it_is_wanted() {
    let port = || Port::inline("delete in=\"b\" files=1").file("a", "").file("b", "");
    assert!(!port().run().succeeds().done.out.contains('\x1b'));
    assert!(port().args(["--color", "always"]).run().succeeds().done.out.contains("\x1b[31mD b\x1b[0m"));
    assert!(port().env("CLICOLOR_FORCE", "1").run().succeeds().done.out.contains('\x1b'));
    assert!(
        !port().env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1").run().succeeds().done.out.contains('\x1b')
    );
}

#[test]
fn quiet_prints_nothing_and_verbose_prints_the_evidence() {
    let port =
        || Port::inline("replace in=\"*\" find=\"x\" with=\"y\" count=2").file("a", "x\n").file("b", "\nx\n");
    port().arg("--quiet").run().succeeds().prints("");
    port().args(["--verbose", "--dry-run"]).run().succeeds().prints(
        "[line   1] replace  2 replacements in 2 files\n  a:1:1  x\n  b:2:1  x\n  a\n  b\nM a\nM b\n",
    );
}

/// What a terminal of 60 columns shows.
fn on_a_terminal(env: &str) -> String {
    let port =
        Port::inline("delete in=\"a\"").upstream("a", "1").upstream("b", "2").dir().args(["--out", "o"]);
    let call = format!("stty cols 60; {env} {BINARY} -e 'delete in=\"a\"' --dir up --out o");
    let mut command = clean(Command::new("script"), &port.path(""));
    // The record that `script` keeps is of no use; what it prints is what was seen.
    let output = command.args(["-qec", &call, "/dev/null"]).env("TERM", "xterm").output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    String::from_utf8_lossy(&output.stdout).replace('\r', "")
}

#[test]
fn a_terminal_gets_colour_and_a_summary_and_a_log_gets_neither() {
    let text = on_a_terminal("");
    assert!(text.contains("\x1b[31mD a\x1b[0m\n"), "{text:?}");
    let last = text.lines().last().unwrap();
    assert!(last.starts_with("1 op: 1 deleted; ") && last.ends_with(" s"), "{text:?}");
    let plain = on_a_terminal("NO_COLOR=1");
    assert!(plain.contains("\nD a\n") && !plain.contains('\x1b'), "{plain:?}");

    let port =
        || Port::inline("delete in=\"a\"").upstream("a", "1").upstream("b", "2").dir().args(["--out", "o"]);
    let log = port().run().succeeds();
    assert!(!log.done.out.contains("1 op:") && !log.done.out.contains('\x1b'), "{}", log.done.out);
    assert!(port().env("CLICOLOR_FORCE", "1").run().succeeds().done.out.contains("\x1b[31mD a\x1b[0m\n"));
    // A script that only wants to know whether it worked.
    port().arg("--quiet").run().succeeds().prints("");
}
