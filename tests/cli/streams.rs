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
