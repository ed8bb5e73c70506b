//! The whole ports under `examples/`: run and compared byte for byte.

use crate::harness::Port;
use std::path::Path;

fn example(name: &str) -> Port {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples").join(name);
    Port::new()
        .sh(&format!("cp -r {0}/upstream {0}/overlay {0}/port.kdl {0}/expected .", directory.display()))
        .args(["port.kdl", "--dir", "upstream", "--require-pins"])
}

#[test]
fn each_example_gives_exactly_what_is_expected() {
    for name in ["relu-aot", "relu-jit"] {
        let ran = example(name).args(["--out", "out"]).run().succeeds();
        assert_eq!(ran.port.tree("out"), ran.port.tree("expected"), "{name}");
        let check = example(name).args(["--out", "expected", "--check"]).run().succeeds();
        assert!(check.done.out.ends_with("expected is what the recipe makes\n"));
    }
}

#[test]
fn a_new_upstream_file_does_not_get_through() {
    let ran =
        example("relu-aot").sh("echo > upstream/csrc/new.cu").args(["--out", "out"]).run().fails_with(1);
    ran.mentions("expected exactly 12 files but found 13").mentions("  csrc/new.cu\n");
}
