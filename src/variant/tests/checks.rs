//! What a folder's names mean together.

use super::*;
use crate::variant::folder::{Entry, Place, check, inspect};
use std::fs;

fn findings(names: &[&str], manifest: Option<&str>) -> Vec<String> {
    let entries: Vec<_> = names.iter().map(|name| Entry::new(*name)).collect();
    let manifest = manifest.map(|text| declared(text).unwrap());
    render::findings(&check(&entries, manifest.as_ref())).lines().map(str::to_owned).collect()
}

const BOTH: &str = "[general]\nbackends = [\"cuda\", \"rocm\"]\n";

#[test]
fn a_fine_folder_has_no_findings() {
    let names = ["torch210-cxx11-cu128-x86_64-linux", "torch210-cxx11-rocm70-x86_64-linux"];
    assert_eq!(findings(&names, Some(BOTH)), Vec::<String>::new());
    assert_eq!(findings(&names, None), Vec::<String>::new());
    assert_eq!(findings(&["torch-universal"], Some(BOTH)), Vec::<String>::new());
    assert_eq!(findings(&["torch-npu"], Some("[general]\nbackends = [\"cann\"]\n")), Vec::<String>::new());
}

#[test]
fn declared_backends_have_variants_and_no_others_do() {
    let names = ["torch210-cxx11-cu128-x86_64-linux", "torch210-metal-aarch64-darwin", "torch-xpu"];
    assert_eq!(
        findings(&names, Some(BOTH)),
        [
            "warning: build.toml declares `rocm`, and no variant is for it",
            "error: `torch210-metal-aarch64-darwin` is for `metal`, which build.toml does not declare",
            "error: `torch-xpu` is for `xpu`, which build.toml does not declare",
        ]
    );
    assert_eq!(findings(&names, None), Vec::<String>::new());
    assert_eq!(findings(&names, Some("[general]\nname = \"a\"\n")), Vec::<String>::new());
}

#[test]
fn the_same_variant_twice() {
    let names = ["torch-2.10-cuda-12.8-abi3-x86_64-linux", "torch210-cu128-x86_64-linux"];
    assert_eq!(
        findings(&names, None)[0],
        "error: `torch-2.10-cuda-12.8-abi3-x86_64-linux` and `torch210-cu128-x86_64-linux` are the same variant in two \
         notations"
    );
    assert_eq!(
        findings(&["torch201-cpu-x86_64-linux", "torch21-cpu-x86_64-linux"], None)[0],
        "error: `torch201-cpu-x86_64-linux` and `torch21-cpu-x86_64-linux` are the same variant spelled in two ways"
    );
}

#[test]
fn ambiguous_versions_and_older_clients() {
    let names = [
        "torch-2.10-cpu-abi3-x86_64-linux",
        "torch-2.11-cpu-abi3-x86_64-linux",
        "torch-stable-abi-2.11-cpu-abi3-x86_64-linux",
        "torch210-cu1210-x86_64-linux",
        "torch210-gpu-x86_64-linux",
    ];
    let older = "clients that know only legacy names (kernels 0.17.2 and before)";
    let found = findings(&names, None);
    assert!(found[0].starts_with(
        "error: `torch210-gpu-x86_64-linux` is no variant name: unknown backend `gpu`; did you"
    ));
    assert_eq!(
        found[1..],
        [
            "warning: `torch210-cu1210-x86_64-linux` reads as CUDA 121.0, which is not likely; if 12.10 is meant, write \
             `cuda-12.10` in dotted notation"
                .to_owned(),
            format!("warning: `torch-stable-abi-2.11-cpu-abi3-x86_64-linux`: {older} cannot read it and never select it"),
            format!(
                "warning: `torch-2.10-cpu-abi3-x86_64-linux` and 1 more: {older} take it for a Python-only variant and \
                 never select it"
            ),
        ]
    );
}

#[test]
fn directories_count_and_files_do_not() {
    let top = tempfile::tempdir().unwrap();
    let build = top.path().join("build");
    for name in ["torch-cuda", ".git", "__pycache__", "junk"] {
        fs::create_dir_all(build.join(name)).unwrap();
    }
    fs::write(build.join("torch-rocm"), "").unwrap();
    let report = inspect(&build, Some(&declared(BOTH).unwrap())).unwrap();
    assert_eq!(report.entries.iter().map(|e| e.name.as_str()).collect::<Vec<_>>(), ["junk", "torch-cuda"]);
    let kinds: Vec<_> = report.findings.iter().map(|f| f.kind).collect();
    assert_eq!(kinds, ["no-variant", "backend-without-variant"]);
    assert!(inspect(&build.join("nothing"), None).is_err());
}

#[test]
fn a_repository_or_its_build_folder() {
    let top = tempfile::tempdir().unwrap();
    let (root, build) = (top.path(), top.path().join("build"));
    fs::create_dir(&build).unwrap();
    let place = Place { build: build.clone(), build_toml: root.join("build.toml") };
    assert_eq!(Place::of(root), place);
    assert_eq!(Place::of(&build), place);
    fs::remove_dir(&build).unwrap();
    fs::write(root.join("build.toml"), "").unwrap();
    assert_eq!(Place::of(root), place);
    assert_eq!(
        Place::of(std::path::Path::new("/nowhere/..")).build_toml.to_str(),
        Some("/nowhere/../../build.toml")
    );
}
