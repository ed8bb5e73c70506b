//! The same variant or another one; the order of listings; text and back.

use super::*;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

fn hash(variant: &Variant) -> u64 {
    let mut hasher = DefaultHasher::new();
    variant.hash(&mut hasher);
    hasher.finish()
}

#[test]
fn spelling_makes_no_difference() {
    for (a, b) in [
        ("torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux", "torch210-cxx11-cu128-x86_64-linux"),
        ("torch-2.10-cuda-12.8-x86_64-linux", "torch210-cu128-x86_64-linux"),
        ("torch-npu", "torch-cann"),
        ("torch213-rocm714-x86_64-linux", "torch-2.13-rocm-7.14-abi3-x86_64-linux"),
        ("torch201-cpu-x86_64-linux", "torch-2.1-cpu-abi3-x86_64-linux"),
        ("tvm-ffi01-cpu-x86_64-linux", "tvm-ffi-0.1-cpu-x86_64-linux"),
    ] {
        assert_eq!(variant(a), variant(b));
        assert_eq!(hash(&variant(a)), hash(&variant(b)), "{a} {b}");
        assert_eq!(HashSet::from([variant(a), variant(b)]).len(), 1);
    }
}

#[test]
fn every_part_makes_a_difference() {
    let base = "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux";
    for other in [
        "torch-2.10-cuda-12.8-abi3-x86_64-linux",
        "torch-2.10-cxx98-cuda-12.8-abi3-x86_64-linux",
        "torch-2.1-cxx11-cuda-12.8-abi3-x86_64-linux",
        "torch-stable-abi-2.10-cuda-12.8-abi3-x86_64-linux",
        "tvm-ffi-2.10-cuda-12.8-abi3-x86_64-linux",
        "torch-2.10-cxx11-cuda-12.9-abi3-x86_64-linux",
        "torch-2.10-cxx11-rocm-12.8-abi3-x86_64-linux",
        "torch-2.10-cxx11-cpu-abi3-x86_64-linux",
        "torch-2.10-cxx11-cuda-12.8-abi3t-x86_64-linux",
        "torch-2.10-cxx11-cuda-12.8-abi3-aarch64-linux",
        "torch-2.10-cxx11-cuda-12.8-abi3-x86_64-windows",
        "torch-cuda",
    ] {
        assert_ne!(variant(base), variant(other), "{other}");
    }
    assert_ne!(variant("torch-cuda"), variant("torch-universal"));
}

#[test]
fn listings_order_versions_by_number() {
    let sorted = [
        "torch-stable-abi-2.9-cpu-abi3-x86_64-linux",
        "torch-2.9-cpu-abi3-x86_64-linux",
        "torch-2.10-cpu-abi3-x86_64-linux",
        "torch-2.10-cuda-9.0-abi3-x86_64-linux",
        "torch-2.10-cuda-12.8-abi3-aarch64-linux",
        "torch-2.10-cuda-12.8-abi3-x86_64-linux",
        "torch-2.10-cuda-12.8-abi3t-x86_64-linux",
        "tvm-ffi-0.1-cpu-abi3-x86_64-linux",
        "torch-cuda",
    ];
    assert!(sorted.iter().map(|name| variant(name)).is_sorted_by(|a, b| a < b));
}

#[test]
fn variants_are_strings_in_json() {
    let legacy: Variant = serde_json::from_str("\"torch210-cxx11-cu128-x86_64-linux\"").unwrap();
    assert_eq!(serde_json::to_string(&legacy).unwrap(), "\"torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux\"");
    let error =
        serde_json::from_str::<Variant>("\"torch213-cxx14-cpu-x86_64-linux\"").unwrap_err().to_string();
    assert!(error.starts_with("unknown tag `cxx14`; did you mean `cxx11`?"), "{error}");
    let readings = serde_json::to_value(render::json_names(&[
        folder::Entry::new("torch-stable-abi211-cu130-x86_64-linux"),
        folder::Entry::new("torch213-cu1-x86_64-linux"),
    ]));
    assert_eq!(
        readings.unwrap(),
        serde_json::json!([
            {
                "name": "torch-stable-abi211-cu130-x86_64-linux",
                "notation": "legacy",
                "dotted": "torch-stable-abi-2.11-cuda-13.0-abi3-x86_64-linux",
                "legacy": "torch-stable-abi211-cu130-x86_64-linux",
                "framework": "torch-stable-abi",
                "framework_version": "2.11",
                "cxx": null,
                "backend": "cuda",
                "backend_version": "13.0",
                "python_abi": "abi3",
                "platform": "x86_64",
                "os": "linux",
                "doubts": []
            },
            {
                "name": "torch213-cu1-x86_64-linux",
                "error": {
                    "kind": "too-few-digits",
                    "message": "`cu1` has fewer than two digits: a version needs two",
                    "start": 9,
                    "end": 12,
                    "expected": [],
                    "nearest": null,
                    "help": "two digits or more: major and minor version without the dot"
                }
            }
        ])
    );
}
