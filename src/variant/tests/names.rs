//! What names mean: the table of the rules, and many more.

use super::*;

#[test]
fn table_of_the_rules() {
    let rows = [
        ("torch29-cxx98-cu126-aarch64-linux", "torch 2.9 cxx98, CUDA 12.6, abi3, aarch64 linux (legacy)"),
        ("torch213-metal-aarch64-darwin", "torch 2.13, Metal, abi3, aarch64 darwin (legacy)"),
        ("torch213-cxx11-rocm714-x86_64-linux", "torch 2.13 cxx11, ROCm 7.14, abi3, x86_64 linux (legacy)"),
        (
            "torch213-cxx11-rocm7-x86_64-linux",
            "error: `rocm7` has fewer than two digits: a version needs two",
        ),
        ("torch213-cxx11-cu1210-x86_64-linux", "torch 2.13 cxx11, CUDA 121.0, abi3, x86_64 linux (legacy)"),
        ("torch-stable-abi211-cu130-x86_64-linux", "stable ABI 2.11, CUDA 13.0, abi3, x86_64 linux (legacy)"),
        (
            "torch-stable-abi29-cxx11-cu130-x86_64-linux",
            "error: `cxx11` is out of place: only torch carries a cxx tag",
        ),
        ("tvm-ffi010-cpu-x86_64-linux", "tvm-ffi 0.10, CPU, abi3, x86_64 linux (legacy)"),
        ("torch-2.14-rocm-7.2-abi3-x86_64-linux", "torch 2.14, ROCm 7.2, abi3, x86_64 linux (dotted)"),
        ("torch-2.14-cuda-13.0-abi3t-x86_64-linux", "torch 2.14, CUDA 13.0, abi3t, x86_64 linux (dotted)"),
        ("torch-2.14-cuda-abi3-x86_64-linux", "error: `cuda` needs a version"),
        ("torch-2.14-cuda-13.0-abi4-x86_64-linux", "error: unknown Python ABI `abi4`"),
        ("torch213-cxx14-cu128-x86_64-linux", "error: unknown tag `cxx14`"),
        ("jax05-cu128-x86_64-linux", "error: unknown framework `jax05`"),
    ];
    for (name, expected) in rows {
        assert_eq!(meaning(name), expected, "{name}");
    }
    let doubtful = parse("torch213-cxx11-cu1210-x86_64-linux").unwrap();
    let doubts: Vec<_> =
        doubts("torch213-cxx11-cu1210-x86_64-linux", &doubtful).iter().map(ToString::to_string).collect();
    assert_eq!(
        doubts,
        [
            "reads as CUDA 121.0, which is not likely; if 12.10 is meant, write `cuda-12.10` in dotted notation"
        ]
    );
}

#[test]
fn rocm714_alone_is_the_exception() {
    for (digits, title) in [
        ("714", "ROCm 7.14"),
        ("715", "ROCm 71.5"),
        ("713", "ROCm 71.3"),
        ("0714", "ROCm 71.4"),
        ("7140", "ROCm 714.0"),
        ("72", "ROCm 7.2"),
    ] {
        let name = format!("torch213-rocm{digits}-x86_64-linux");
        assert_eq!(meaning(&name), format!("torch 2.13, {title}, abi3, x86_64 linux (legacy)"));
    }
    assert_eq!(meaning("torch213-cu714-x86_64-linux"), "torch 2.13, CUDA 71.4, abi3, x86_64 linux (legacy)");
}

/// Each legacy name, its dotted form and what both mean.
#[test]
fn names_of_all_shapes() {
    let frameworks = [
        ("torch210", "torch-2.10", "torch 2.10"),
        ("torch29-cxx98", "torch-2.9-cxx98", "torch 2.9 cxx98"),
        ("torch28-cxx11", "torch-2.8-cxx11", "torch 2.8 cxx11"),
        ("torch30", "torch-3.0", "torch 3.0"),
        ("torch-stable-abi211", "torch-stable-abi-2.11", "stable ABI 2.11"),
        ("tvm-ffi01", "tvm-ffi-0.1", "tvm-ffi 0.1"),
        ("tvm-ffi110", "tvm-ffi-1.10", "tvm-ffi 1.10"),
    ];
    let backends = [
        ("cpu", "cpu", "CPU"),
        ("metal", "metal", "Metal"),
        ("neuron", "neuron", "Neuron"),
        ("tpu", "tpu", "TPU"),
        ("cu118", "cuda-11.8", "CUDA 11.8"),
        ("cu128", "cuda-12.8", "CUDA 12.8"),
        ("cu130", "cuda-13.0", "CUDA 13.0"),
        ("cu90", "cuda-9.0", "CUDA 9.0"),
        ("rocm63", "rocm-6.3", "ROCm 6.3"),
        ("rocm70", "rocm-7.0", "ROCm 7.0"),
        ("rocm714", "rocm-7.14", "ROCm 7.14"),
        ("xpu20252", "xpu-2025.2", "XPU 2025.2"),
        ("xpu20253", "xpu-2025.3", "XPU 2025.3"),
        ("cann81", "cann-8.1", "CANN 8.1"),
    ];
    let machines = [("x86_64", "linux"), ("aarch64", "linux"), ("aarch64", "darwin"), ("x86_64", "windows")];
    let mut seen = 0;
    for (legacy_framework, dotted_framework, framework) in frameworks {
        for (legacy_backend, dotted_backend, backend) in backends {
            for (platform, os) in machines {
                let legacy = format!("{legacy_framework}-{legacy_backend}-{platform}-{os}");
                let dotted = format!("{dotted_framework}-{dotted_backend}-abi3-{platform}-{os}");
                let meant = format!("{framework}, {backend}, abi3, {platform} {os}");
                assert_eq!(meaning(&legacy), format!("{meant} (legacy)"), "{legacy}");
                assert_eq!(meaning(&dotted), format!("{meant} (dotted)"), "{dotted}");
                assert_eq!(variant(&legacy), variant(&dotted));
                assert_eq!(variant(&legacy).dotted(), dotted);
                assert_eq!(variant(&dotted).legacy(), Ok(legacy));
                seen += 2;
            }
        }
    }
    assert_eq!(seen, 784);
}

#[test]
fn python_only_names() {
    for backend in ["cpu", "cuda", "metal", "neuron", "rocm", "tpu", "xpu", "cann", "universal"] {
        let name = format!("torch-{backend}");
        assert_eq!(meaning(&name), format!("Python only, {backend} (both)"));
        assert_eq!(variant(&name).dotted(), name);
        assert_eq!(variant(&name).legacy(), Ok(name));
    }
    assert_eq!(meaning("torch-npu"), "Python only, cann (legacy)");
    assert_eq!(variant("torch-npu"), variant("torch-cann"));
    assert_eq!(variant("torch-npu").dotted(), "torch-cann");
}

#[test]
fn torch_npu_stays_when_legacy_is_asked_for() {
    let reading = parse("torch-npu").unwrap();
    assert_eq!(convert("torch-npu", &reading, Notation::Legacy).unwrap(), "torch-npu");
    assert_eq!(convert("torch-npu", &reading, Notation::Dotted).unwrap(), "torch-cann");
}

#[test]
fn a_missing_python_abi_is_read_and_always_written() {
    for (name, written) in [
        ("torch-2.10-cuda-12.8-x86_64-linux", "torch-2.10-cuda-12.8-abi3-x86_64-linux"),
        ("torch-2.10-cxx11-cpu-aarch64-linux", "torch-2.10-cxx11-cpu-abi3-aarch64-linux"),
        ("torch-stable-abi-2.11-rocm-7.1-x86_64-linux", "torch-stable-abi-2.11-rocm-7.1-abi3-x86_64-linux"),
        ("tvm-ffi-0.1-metal-aarch64-darwin", "tvm-ffi-0.1-metal-abi3-aarch64-darwin"),
    ] {
        assert_eq!(variant(name).dotted(), written);
        assert_eq!(parse(name).unwrap().notation, Some(Notation::Dotted));
    }
}

#[test]
fn what_legacy_cannot_say() {
    for (name, why) in [
        (
            "torch-2.14-cuda-13.0-abi3t-x86_64-linux",
            "abi3t has no legacy name: a legacy name always means abi3",
        ),
        (
            "torch-12.1-cuda-13.0-abi3-x86_64-linux",
            "torch 12.1 has no legacy name: `torch121` is read with one digit before the dot",
        ),
        (
            "tvm-ffi-10.1-cpu-abi3-x86_64-linux",
            "tvm-ffi 10.1 has no legacy name: `tvm-ffi101` is read with one digit before the dot",
        ),
        (
            "torch-stable-abi-10.0-cpu-abi3-x86_64-linux",
            "stable ABI 10.0 has no legacy name: `torch-stable-abi100` is read with one digit before the dot",
        ),
        (
            "torch-2.14-cuda-12.10-abi3-x86_64-linux",
            "CUDA 12.10 has no legacy name: `cu1210` is read as 121.0",
        ),
        ("torch-2.14-rocm-7.15-abi3-x86_64-linux", "ROCm 7.15 has no legacy name: `rocm715` is read as 71.5"),
        ("torch-2.14-rocm-71.4-abi3-x86_64-linux", "ROCm 71.4 has no legacy name: `rocm714` is read as 7.14"),
        (
            "torch-2.14-cuda-4294967295.10-abi3-x86_64-linux",
            "CUDA 4294967295.10 has no legacy name: `cu429496729510` is read as something else",
        ),
    ] {
        assert_eq!(variant(name).legacy().unwrap_err().to_string(), why, "{name}");
    }
    assert_eq!(
        variant("torch-2.14-rocm-7.14-abi3-x86_64-linux").legacy().unwrap(),
        "torch214-rocm714-x86_64-linux"
    );
}

#[test]
fn oddities_of_names() {
    let older = "clients that know only legacy names (kernels 0.17.2 and before)";
    let never = format!("{older} take it for a Python-only variant and never select it");
    for (name, expected) in [
        ("torch210-cxx11-cu128-x86_64-linux", vec![]),
        ("torch-cuda", vec![]),
        ("torch-npu", vec![]),
        ("torch-cann", vec![format!("{older} look for `torch-npu` instead")]),
        ("torch-2.10-cuda-12.8-abi3-x86_64-linux", vec![never.clone()]),
        (
            "torch-2.10-cuda-12.8-x86_64-linux",
            vec![
                "is written `torch-2.10-cuda-12.8-abi3-x86_64-linux`; clients look for that directory".to_owned(),
                never.clone(),
            ],
        ),
        (
            "torch-stable-abi-2.10-cuda-12.8-abi3-x86_64-linux",
            vec![format!("{older} cannot read it and never select it")],
        ),
        ("tvm-ffi-0.1-cpu-abi3-x86_64-linux", vec![format!("{older} cannot read it and never select it")]),
        (
            "torch201-cpu-x86_64-linux",
            vec!["is written `torch21-cpu-x86_64-linux`; clients look for that directory".to_owned()],
        ),
        ("torch210-cpu-arm64-darwin", vec!["clients know no platform `arm64`; did you mean `aarch64`?".to_owned()]),
        ("torch210-cpu-x86_46-linux", vec!["clients know no platform `x86_46`; did you mean `x86_64`?".to_owned()]),
        ("torch210-cpu-riscv64-linux", vec!["clients know no platform `riscv64`".to_owned()]),
        (
            "torch210-cpu-x86_64-macos",
            vec!["clients know no operating system `macos`; did you mean `darwin`?".to_owned()],
        ),
        (
            "torch213-rocm715-x86_64-linux",
            vec![
                "reads as ROCm 71.5, which is not likely; if 7.15 is meant, write `rocm-7.15` in dotted notation"
                    .to_owned(),
            ],
        ),
        ("torch210-cu1288-x86_64-linux", vec!["reads as CUDA 128.8, which is not likely".to_owned()]),
        (
            "torch-2.10-cuda-121.0-abi3-x86_64-linux",
            vec!["reads as CUDA 121.0, which is not likely".to_owned(), never.clone()],
        ),
        ("torch2100-cpu-x86_64-linux", vec!["reads as torch 2.100, which is not likely".to_owned()]),
        ("torch92-cpu-x86_64-linux", vec!["reads as torch 9.2, which is not likely".to_owned()]),
    ] {
        let shown: Vec<_> = doubts(name, &parse(name).unwrap()).iter().map(ToString::to_string).collect();
        assert_eq!(shown, expected, "{name}");
    }
}
