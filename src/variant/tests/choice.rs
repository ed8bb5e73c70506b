//! Choosing for a system, rule by rule.

use super::*;
use crate::variant::resolve::{Directory, Verdict, check, choose};

const SYSTEM: &str = "torch=2.10,tvm-ffi=0.1,cuda=12.8,cxx11=true,cpu=x86_64,os=linux";

/// Changes one key of [`SYSTEM`] to another text.
fn system(from: &str, to: &str) -> System {
    assert!(SYSTEM.contains(from));
    SYSTEM.replace(from, to).parse().unwrap()
}

/// `fits`, or why not.
fn verdict(system: &System, name: &str) -> String {
    check(system, &variant(name)).map_or_else(|reason| reason.to_string(), |()| "fits".to_owned())
}

#[test]
fn rule_by_rule() {
    let usual = system("", "");
    for (name, expected) in [
        ("torch210-cxx11-cu128-x86_64-linux", "fits"),
        ("torch-2.10-cuda-12.8-abi3-x86_64-linux", "fits"),
        ("torch210-cu128-aarch64-linux", "for the CPU aarch64, the system's is x86_64"),
        ("torch210-cu128-x86_64-windows", "for windows, the system is linux"),
        ("torch29-cu128-x86_64-linux", "for torch 2.9, the system has 2.10"),
        ("torch211-cu128-x86_64-linux", "for torch 2.11, the system has 2.10"),
        ("torch210-cxx98-cu128-x86_64-linux", "for a torch with cxx98, the system's has cxx11"),
        ("torch-stable-abi29-cu128-x86_64-linux", "fits"),
        ("torch-stable-abi210-cu128-x86_64-linux", "fits"),
        (
            "torch-stable-abi211-cu128-x86_64-linux",
            "for the stable ABI 2.11, which is newer than the system's torch 2.10",
        ),
        ("tvm-ffi01-cu128-x86_64-linux", "fits"),
        ("tvm-ffi02-cu128-x86_64-linux", "for tvm-ffi 0.2, the system has 0.1"),
        ("torch210-cu126-x86_64-linux", "fits"),
        ("torch210-cu129-x86_64-linux", "for CUDA 12.9, which is newer than the system's 12.8"),
        ("torch210-cu118-x86_64-linux", "for CUDA 11.8, the system has 12.8: the major versions differ"),
        ("torch210-cu130-x86_64-linux", "for CUDA 13.0, the system has 12.8: the major versions differ"),
        ("torch210-rocm70-x86_64-linux", "for ROCm 7.0, the system has CUDA 12.8"),
        ("torch210-cpu-x86_64-linux", "for CPU, the system has CUDA 12.8"),
        ("torch-2.10-cuda-12.8-abi3t-x86_64-linux", "fits"),
        ("torch-cuda", "fits"),
        ("torch-universal", "fits"),
        ("torch-rocm", "for rocm, the system has cuda"),
        ("torch-npu", "for cann, the system has cuda"),
    ] {
        assert_eq!(verdict(&usual, name), expected, "{name}");
    }
}

#[test]
fn systems_without_torch_or_tag() {
    let bare = system("torch=2.10,tvm-ffi=0.1,", "");
    assert_eq!(verdict(&bare, "torch210-cu128-x86_64-linux"), "for torch 2.10, the system has no torch");
    assert_eq!(
        verdict(&bare, "torch-stable-abi210-cu128-x86_64-linux"),
        "for the stable ABI 2.10, the system has no torch"
    );
    assert_eq!(verdict(&bare, "tvm-ffi01-cu128-x86_64-linux"), "for tvm-ffi 0.1, the system has none");
    let untagged = system("cxx11=true,", "");
    assert_eq!(
        verdict(&untagged, "torch210-cxx11-cu128-x86_64-linux"),
        "for a torch with cxx11, the system's is not known"
    );
    assert_eq!(verdict(&untagged, "torch210-cu128-x86_64-linux"), "fits");
    let old = system("cxx11=true", "cxx11=false");
    assert_eq!(verdict(&old, "torch210-cxx98-cu128-x86_64-linux"), "fits");
}

#[test]
fn other_backends_need_the_same_version() {
    let rocm = system("cuda=12.8", "rocm=7.14");
    assert_eq!(verdict(&rocm, "torch210-rocm714-x86_64-linux"), "fits");
    assert_eq!(verdict(&rocm, "torch210-rocm70-x86_64-linux"), "for ROCm 7.0, the system has ROCm 7.14");
    let xpu = system("cuda=12.8", "xpu=2025.3");
    assert_eq!(verdict(&xpu, "torch210-xpu20253-x86_64-linux"), "fits");
    assert_eq!(verdict(&xpu, "torch210-xpu20252-x86_64-linux"), "for XPU 2025.2, the system has XPU 2025.3");
    let cann = system("cuda=12.8", "cann=8.1");
    assert_eq!(verdict(&cann, "torch-npu"), "fits");
    assert_eq!(verdict(&cann, "torch-cann"), "fits");
}

#[test]
fn free_threaded_python_needs_abi3t() {
    let free = system("cpu=", "python=abi3t,cpu=");
    let reason = "built for abi3, a free-threaded Python needs abi3t";
    assert_eq!(verdict(&free, "torch210-cu128-x86_64-linux"), reason);
    assert_eq!(verdict(&free, "torch-2.10-cuda-12.8-abi3-x86_64-linux"), reason);
    assert_eq!(verdict(&free, "torch-2.10-cuda-12.8-abi3t-x86_64-linux"), "fits");
    assert_eq!(verdict(&free, "torch-cuda"), "fits");
}

#[test]
fn arm64_is_aarch64_and_amd64_is_x86_64() {
    let mac: System = "torch=2.10,backend=metal,cpu=arm64,os=darwin,macos=26.1".parse().unwrap();
    assert_eq!(verdict(&mac, "torch210-metal-aarch64-darwin"), "fits");
    let windows: System = "torch=2.10,backend=cpu,cpu=AMD64,os=windows".parse().unwrap();
    assert_eq!(verdict(&windows, "torch210-cpu-x86_64-windows"), "fits");
}

#[test]
fn metal_needs_macos_26_when_the_version_is_known() {
    let mac = |more: &str| -> System {
        format!("torch=2.10,backend=metal,cpu=arm64,os=darwin{more}").parse().unwrap()
    };
    let name = "torch210-metal-aarch64-darwin";
    assert_eq!(verdict(&mac(",macos=15.6"), name), "Metal kernels need macOS 26.0, the system has 15.6");
    assert_eq!(verdict(&mac(",macos=26"), name), "fits");
    assert_eq!(verdict(&mac(""), name), "fits");
}

fn directory(label: &str, names: &[&str]) -> Directory {
    Directory { label: label.to_owned(), names: names.iter().map(|name| (*name).to_owned()).collect() }
}

fn shown(system: &System, directories: &[Directory]) -> Vec<String> {
    render::choice(&choose(system, directories))
        .lines()
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn the_preferred_first_and_every_reason_kept() {
    let names = [
        "torch-universal",
        "torch-rocm",
        "torch-cuda",
        "tvm-ffi01-cu128-x86_64-linux",
        "torch210-cxx11-cu128-x86_64-linux",
        "torch210-cu126-x86_64-linux",
        "torch210-cu128-x86_64-linux",
        "torch-2.10-cuda-12.8-abi3-x86_64-linux",
        "torch-stable-abi29-cu128-x86_64-linux",
        "torch-stable-abi210-cu120-x86_64-linux",
        "torch-stable-abi210-cu126-x86_64-linux",
        "torch210-cu9-x86_64-linux",
    ];
    let best = "fits, but `torch-stable-abi210-cu126-x86_64-linux` is preferred";
    assert_eq!(
        shown(&system("", ""), &[directory("", &names)]),
        [
            "torch-stable-abi210-cu126-x86_64-linux chosen".to_owned(),
            format!("torch-stable-abi210-cu120-x86_64-linux {best}"),
            format!("torch-stable-abi29-cu128-x86_64-linux {best}"),
            format!("torch210-cu128-x86_64-linux {best}"),
            "torch-2.10-cuda-12.8-abi3-x86_64-linux fits, but `torch210-cu128-x86_64-linux` is the same variant"
                .to_owned(),
            format!("torch210-cu126-x86_64-linux {best}"),
            format!("torch210-cxx11-cu128-x86_64-linux {best}"),
            format!("tvm-ffi01-cu128-x86_64-linux {best}"),
            format!("torch-cuda {best}"),
            format!("torch-universal {best}"),
            "torch-rocm for rocm, the system has cuda".to_owned(),
            "torch210-cu9-x86_64-linux no variant name: `cu9` has fewer than two digits: a version needs two".to_owned(),
        ]
    );
}

#[test]
fn reasons_of_all_searched_directories_are_kept() {
    let directories = [
        directory("a", &["torch29-cu128-x86_64-linux", "torch-rocm"]),
        directory("b", &["torch-universal"]),
        directory("c", &["torch210-cu128-x86_64-linux", "torch210-cu130-x86_64-linux"]),
    ];
    assert_eq!(
        shown(&system("", ""), &directories),
        [
            "b/torch-universal chosen",
            "c/torch210-cu128-x86_64-linux fits, but `b` is searched first",
            "a/torch29-cu128-x86_64-linux for torch 2.9, the system has 2.10",
            "a/torch-rocm for rocm, the system has cuda",
            "c/torch210-cu130-x86_64-linux for CUDA 13.0, the system has 12.8: the major versions differ",
        ]
    );
}

#[test]
fn when_nothing_fits_all_reasons_are_there() {
    let directories = [directory("a", &["torch-rocm"]), directory("a", &["torch-cpu"]), directory("b", &[])];
    let choice = choose(&system("", ""), &directories);
    assert_eq!(choice.chosen(), None);
    assert_eq!(choice.decisions.len(), 2);
    assert!(choice.decisions.iter().all(|d| matches!(d.verdict, Verdict::Rejected(_))));
}

#[test]
fn abi3_is_preferred_to_abi3t_where_both_fit() {
    let names = ["torch-2.10-cuda-12.8-abi3t-x86_64-linux", "torch-2.10-cuda-12.8-abi3-x86_64-linux"];
    let choice = choose(&system("", ""), &[directory("", &names)]);
    assert_eq!(choice.chosen().unwrap().name, names[1]);
}
