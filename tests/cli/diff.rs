//! `--diff`: the patch is complete, and `git apply` takes it.

use crate::harness::Port;

const MANY_CHANGES: &str = r##"
move from="a.txt" to="b.txt"
move from="b.txt" to="dir with blank/c.txt"
replace in="dir with blank/c.txt" find="2" with="two" count=1
replace in="bin" find="x" with="yy" count=1
replace in="café.txt" find="é" with="e" count=1
replace in="run.sh" find="echo" with="printf" count=1
move from="run.sh" to="tools/run.sh"
delete in="gone/**"
write to="new/empty" text=""
write to="new/no-newline" text="x"
copy from="kept" to="copied"
"##;

fn port() -> Port {
    Port::inline(MANY_CHANGES)
        .upstream("a.txt", "1\n2\n3")
        .upstream("bin", b"\x00\x01x\xff")
        .upstream("café.txt", "é\r\nlone\rcr\n")
        .upstream("run.sh", "#!/bin/sh\necho\n")
        .upstream("gone/a", "a\n")
        .upstream("gone/bin", b"\0")
        .upstream("kept", "kept\n")
        .sh("chmod 755 up/run.sh; ln -s kept up/link")
        .dir()
}

#[test]
fn git_apply_gives_the_same_tree() {
    let patched = port().arg("--diff").run().passes();
    std::fs::write(patched.port.path("p.diff"), &patched.done.out).unwrap();
    let binary_safe =
        patched.port.sh("cp -a up t; cd t; git init -q; git add -A; git apply --index ../p.diff; \
         git -c core.quotePath=off ls-files -s | cut -c1-6,50- | sort > ../list");
    let list = std::fs::read_to_string(binary_safe.path("list")).unwrap();
    assert_eq!(
        list.replace('\t', " "),
        "100644 bin\n100644 café.txt\n100644 copied\n100644 dir with blank/c.txt\n100644 kept\n100644 new/empty\n\
         100644 new/no-newline\n100755 tools/run.sh\n120000 link\n"
    );
    let read = |path: &str| std::fs::read(binary_safe.path("t").join(path)).unwrap();
    assert_eq!(read("bin"), b"\x00\x01yy\xff");
    assert_eq!(read("café.txt"), "e\r\nlone\rcr\n".as_bytes());
    assert_eq!(read("dir with blank/c.txt"), b"1\ntwo\n3");
    assert_eq!(read("new/no-newline"), b"x");
}

#[test]
fn standard_output_is_the_patch_and_nothing_else() {
    let ran =
        Port::inline("replace in=\"a\" find=\"x\" with=\"y\" count=1").file("a", "x\n").arg("--diff").run();
    ran.fails_with(0)
        .prints("diff --git a/a b/a\n--- a/a\n+++ b/a\n@@ -1 +1 @@\n-x\n+y\n")
        .complains("[line   1] replace  1 replacement in 1 file\nM a\n");
}

#[test]
fn a_file_moved_twice_is_one_rename_from_its_first_path() {
    let ran = Port::inline("move from=\"a\" to=\"b\"\nmove from=\"b\" to=\"c\"")
        .file("a", "x\n")
        .arg("--diff")
        .run();
    ran.passes().prints("diff --git a/a b/c\nsimilarity index 100%\nrename from a\nrename to c\n");
}
