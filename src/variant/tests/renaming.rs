//! Converting a folder's names.

use super::*;
use crate::variant::rename::{Plan, apply, existing, plan};
use std::fs;
use std::path::Path;

fn folder(directories: &[&str], files: &[&str]) -> tempfile::TempDir {
    let top = tempfile::tempdir().unwrap();
    for name in directories {
        fs::create_dir(top.path().join(name)).unwrap();
        fs::write(top.path().join(name).join("own"), name).unwrap();
    }
    for name in files {
        fs::write(top.path().join(name), "").unwrap();
    }
    top
}

fn planned(dir: &Path, to: Notation) -> Plan {
    plan(&folder::names(dir).unwrap(), &existing(dir).unwrap(), to)
}

fn listing(dir: &Path) -> Vec<String> {
    existing(dir).unwrap().into_iter().collect()
}

#[test]
fn to_dotted_and_back() {
    let names = ["torch-cuda", "torch210-cxx11-cu128-x86_64-linux", "torch29-metal-aarch64-darwin"];
    let top = folder(&names, &["README.md"]);
    let there = planned(top.path(), Notation::Dotted);
    assert_eq!(
        render::renames("build", &there, false),
        "torch210-cxx11-cu128-x86_64-linux -> torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux\n\
         torch29-metal-aarch64-darwin -> torch-2.9-metal-abi3-aarch64-darwin\n\
         would rename 2 directories in build; `--write` renames\n"
    );
    apply(top.path(), &there).unwrap();
    assert_eq!(
        listing(top.path()),
        [
            "README.md",
            "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux",
            "torch-2.9-metal-abi3-aarch64-darwin",
            "torch-cuda"
        ]
    );
    let own = top.path().join("torch-2.9-metal-abi3-aarch64-darwin/own");
    assert_eq!(fs::read_to_string(own).unwrap(), "torch29-metal-aarch64-darwin");
    apply(top.path(), &planned(top.path(), Notation::Legacy)).unwrap();
    assert_eq!(listing(top.path())[1..], names);
    let again = planned(top.path(), Notation::Legacy);
    assert_eq!((again.renames.len(), again.unchanged.len()), (0, 3));
}

#[test]
fn collisions_are_refused_before_anything_is_renamed() {
    let names = ["torch-2.10-cpu-abi3-x86_64-linux", "torch210-cpu-x86_64-linux", "torch29-cpu-x86_64-linux"];
    let top = folder(&names, &[]);
    let plan = planned(top.path(), Notation::Dotted);
    let refusal = "`torch210-cpu-x86_64-linux` would become `torch-2.10-cpu-abi3-x86_64-linux`, which is there already; \
                   delete one";
    assert_eq!(render::refusals(&plan.refusals), format!("error: {refusal}\n"));
    assert!(
        render::renames("build", &plan, false)
            .ends_with("would rename 1 directory in build, once nothing stands in the way\n")
    );
    assert_eq!(apply(top.path(), &plan), Err(refusal.to_owned()));
    assert_eq!(listing(top.path()), names);
}

#[test]
fn two_names_that_become_one_and_a_file_in_the_way() {
    let top = folder(&["torch-2.10-cpu-x86_64-linux", "torch210-cpu-x86_64-linux"], &[]);
    let plan = planned(top.path(), Notation::Dotted);
    assert_eq!(
        plan.refusals[0].to_string(),
        "`torch210-cpu-x86_64-linux` and `torch-2.10-cpu-x86_64-linux` would both become \
         `torch-2.10-cpu-abi3-x86_64-linux`; delete one"
    );
    let top = folder(&["torch-npu"], &["torch-cann"]);
    assert_eq!(planned(top.path(), Notation::Dotted).refusals.len(), 1);
}

#[test]
fn doubtful_and_unsayable_names_are_refused_and_strangers_left_alone() {
    let names = ["junk", "torch-2.10-cpu-abi3t-x86_64-linux", "torch210-cu1210-x86_64-linux"];
    let top = folder(&names, &[]);
    let dotted = planned(top.path(), Notation::Dotted);
    assert_eq!(dotted.ignored, ["junk"]);
    assert_eq!(
        dotted.refusals[0].to_string(),
        "`torch210-cu1210-x86_64-linux` reads as CUDA 121.0, which is not likely; if 12.10 is meant, write `cuda-12.10` \
         in dotted notation; rename it by hand"
    );
    let legacy = planned(top.path(), Notation::Legacy);
    assert_eq!(
        legacy.refusals[0].to_string(),
        "`torch-2.10-cpu-abi3t-x86_64-linux`: abi3t has no legacy name: a legacy name always means abi3"
    );
}

#[test]
fn a_failure_gives_the_old_names_back() {
    let top = folder(&["torch210-cpu-x86_64-linux", "torch211-cpu-x86_64-linux"], &[]);
    let plan = planned(top.path(), Notation::Dotted);
    // An empty directory, which a plain rename would replace, appears after the plan was made.
    fs::create_dir(top.path().join("torch-2.11-cpu-abi3-x86_64-linux")).unwrap();
    let message = apply(top.path(), &plan).unwrap_err();
    let start = "cannot rename `torch211-cpu-x86_64-linux` to `torch-2.11-cpu-abi3-x86_64-linux`: ";
    assert!(message.starts_with(start), "{message}");
    assert_eq!(
        listing(top.path()),
        ["torch-2.11-cpu-abi3-x86_64-linux", "torch210-cpu-x86_64-linux", "torch211-cpu-x86_64-linux"]
    );
}
