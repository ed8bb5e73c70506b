//! `--file`: a tree from the command line.

use crate::harness::Port;

#[test]
fn paths_are_normalised_and_those_that_leave_the_tree_refused() {
    Port::inline("expect in=\"**\" files=1").file("./a", "1").run().succeeds();
    for (path, message) in [
        ("../x", "the path `../x` holds `..`"),
        ("/etc/x", "the path `/etc/x` is absolute"),
        ("a//b", "the path `a//b` holds an empty component"),
        (".git/config", "the path `.git/config` holds a `.git` component"),
        ("", "the path `` is empty"),
    ] {
        Port::inline("expect in=\"**\" files=1").file(path, "1").run().fails_with(2).mentions(message);
    }
}

#[test]
fn the_same_path_twice_and_a_file_as_directory_are_usage_errors() {
    let port = Port::inline("expect in=\"**\" files=1");
    port.file("a", "1").file("./a", "2").run().fails_with(2).mentions("--file: `a` is given twice");
    let port = Port::inline("expect in=\"**\" files=1");
    port.file("a", "1")
        .file("a/b", "2")
        .run()
        .fails_with(2)
        .mentions("`a` is a file, but `a/b` needs a directory");
    Port::inline("expect in=\"**\" files=1")
        .args(["--file", "a"])
        .run()
        .fails_with(2)
        .mentions("there is no `=`");
}

#[test]
fn what_a_file_ends_in_can_be_seen() {
    Port::inline("expect in=\"*\" files=3").file("a", "").file("b", "\n").file("c", "x").run().succeeds().prints(
        "[line   1] expect  3 files, as expected\nno changes\n==> a (empty)\n==> b\n\n==> c\nx\n\\ No newline at end of file\n",
    );
}
