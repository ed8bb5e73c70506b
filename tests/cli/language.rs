//! The recipe language, as its messages show it.

use crate::harness::Port;

#[test]
fn all_mistakes_of_a_recipe_are_reported_together() {
    Port::inline("delete inn=\"a\"\nmoov from=\"a\"\nexpect in=\"[\" files=1\nreplace in=\"a\" find=\"x\"")
        .file("a", "x")
        .run()
        .fails_with(2)
        .prints("")
        .mentions("error: <inline>:1:8: delete: unknown argument `inn`\n")
        .mentions("  help: did you mean `in`?\n")
        .mentions("error: <inline>:2:1: unknown op `moov`\n")
        .mentions("  help: did you mean `move`?\n")
        .mentions("error: <inline>:3:11: expect: in= \"[\" is not a glob")
        .mentions("error: <inline>:4:1: replace: missing argument `with`\n")
        .mentions("4 mistakes in <inline>; nothing was run\n");
}

#[test]
fn shapes_without_a_meaning_are_rejected() {
    for (recipe, message) in [
        ("delete \"a\"", "<inline>:1:8: delete: positional argument \"a\""),
        ("delete in=\"a\" {}", "delete: an op takes no children block"),
        ("(x)delete in=\"a\"", "<inline>:1:2: delete: an op takes no type annotation"),
        ("delete in=(x)\"a\"", "<inline>:1:12: delete: in= takes no type annotation"),
        ("delete in=#null", "<inline>:1:11: delete: in= is #null"),
        ("expect in=\"a\" files=1.5", "<inline>:1:21: expect: files= is a number with a fraction"),
        ("delete in=\"a\" in=\"b\"", "<inline>:1:15: delete: in= is given twice"),
        ("replace in=\"a\" find=#true with=\"b\"", "replace: find= must be a string, but #true is a boolean"),
        ("expect in=\"a\" files=\"1\"", "expect: files= must be an integer, but \"1\" is a string"),
        ("expect in=\"a\" files=-1", "expect: files= is -1, but must be 0 or more"),
        (
            "expect in=\"a\" files=99999999999999999999999",
            "expect: files= is 99999999999999999999999, which is too large",
        ),
    ] {
        Port::inline(recipe).file("a", "x").run().fails_with(2).mentions(message);
    }
}

#[test]
fn a_recipe_file_begins_with_its_header() {
    for (recipe, message) in [
        ("delete in=\"a\"\n", "error: port.kdl:1:1: the header is missing\n"),
        ("\n\nrecipe\n", "error: port.kdl:3:1: recipe: the header gives no version\n"),
        (
            "recipe version=2\n",
            "error: port.kdl:1:16: recipe: version 2 is not known; this build reads version 1\n",
        ),
        (
            "recipe version=0\n",
            "error: port.kdl:1:16: recipe: version 0 is not known; this build reads version 1\n",
        ),
        ("delete in=\"a\"\nrecipe version=1\n", "error: port.kdl:2:1: the header stands after an op\n"),
        ("recipe version=1\nrecipe version=1\n", "error: port.kdl:2:1: a second header\n"),
        ("recipe 1\n", "positional argument 1"),
    ] {
        Port::new().recipe(recipe).file("a", "x").run().fails_with(2).mentions(message);
    }
    let header = "// a comment may stand before it\nrecipe version=1\n";
    Port::new().recipe(&format!("{header}delete in=\"a\"")).file("a", "").file("b", "").run().succeeds();
}

#[test]
fn comments_slashdash_and_continuations_work_in_crlf_files_with_a_mark() {
    let recipe =
        "\u{feff}/-delete in=\"zz\"\r\nexpect in=\"a\" /-find=\"q\" files=1; expect in=\"a\" \\\r\n  files=1";
    let expected = "[line   2] expect  1 file, as expected\n[line   2] expect  1 file, as expected\nno changes\n==> a\nx\n\\ No newline at end of file\n";
    Port::inline(recipe).file("a", "x").run().succeeds().prints(expected);
}

#[test]
fn a_recipe_without_ops_is_warned_about() {
    Port::new()
        .recipe("recipe version=1\n")
        .file("a", "x")
        .run()
        .passes()
        .mentions("warning: port.kdl:1:1: the recipe has no ops");
}

#[test]
fn absurd_recipes_are_errors_not_crashes() {
    for text in ["a {".repeat(10_000), "/*".repeat(100_000), "a {".repeat(1_000)] {
        let recipe = format!("recipe version=1\n{text}");
        let ran =
            Port::new().recipe(&recipe).file("a", "x").run().fails_with(2).mentions("nested too deeply");
        assert!(ran.done.err.len() < 2_000, "{}", ran.done.err.len());
    }
    let large = format!("recipe version=1\n//{}", "x".repeat(1 << 20));
    Port::new().recipe(&large).file("a", "x").run().fails_with(2).mentions("at most 1048576 are read");
}

#[test]
fn five_thousand_ops_are_fine() {
    let recipe = format!("recipe version=1\n{}", "expect in=\"a\" files=1\n".repeat(5_000));
    Port::new().recipe(&recipe).file("a", "x").run().succeeds();
}

#[test]
fn a_recipe_that_cannot_be_read_says_why() {
    Port::new()
        .on_disk("r.kdl", b"recipe version=1\n// caf\xe9\n")
        .arg("r.kdl")
        .file("a", "")
        .run()
        .fails_with(2)
        .mentions("error: r.kdl:2:7: the recipe is not UTF-8\n");
    Port::new()
        .on_disk("d/x", "")
        .arg("d")
        .file("a", "")
        .run()
        .fails_with(2)
        .mentions("d is a directory, not a recipe");
    Port::new().arg("nope.kdl").file("a", "").run().fails_with(2).mentions("cannot read the recipe nope.kdl");
    Port::inline("port.kdl").file("a", "").run().fails_with(2).mentions("`port.kdl` is a file name");
}
