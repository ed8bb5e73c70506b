//! Texts that are no names: the offending part, underlined here by `^`, and the message and help.

use super::*;

/// The name, the underlined part, the message, the help.
const ROWS: &[(&str, &str, &str, &str)] = &[
    ("", "", "the name is empty", "expected one of `torch`, `torch-stable-abi`, `tvm-ffi`"),
    ("jax05-cu128-x86_64-linux", "jax05", "unknown framework `jax05`", FRAMEWORKS),
    ("torhc210-cpu-x86_64-linux", "torhc210", "unknown framework `torhc210`", NEAR_TORCH),
    ("Torch210-cpu-x86_64-linux", "Torch210", "unknown framework `Torch210`", NEAR_TORCH),
    ("torchvision-cpu", "torchvision", "unknown framework `torchvision`", FRAMEWORKS),
    ("tvm", "tvm", "unknown framework `tvm`", "did you mean `tvm-ffi`? expected"),
    ("tvm-0.1-cpu", "tvm", "unknown framework `tvm`", "did you mean `tvm-ffi`? expected"),
    ("tvm-ffix-cpu", "tvm-ffix", "unknown framework `tvm-ffix`", "did you mean `tvm-ffi`? expected"),
    (
        "torch-stable-abix-cpu",
        "torch-stable-abix",
        "unknown framework `torch-stable-abix`",
        "did you mean `torch-stable-abi`? expected",
    ),
    ("-", "", "the framework is missing", FRAMEWORKS),
    (
        "torch",
        "",
        "a backend or a version is missing after `torch-`",
        "expected one of `cann`, `cuda`, `rocm`, `xpu`, `cpu`",
    ),
    ("torch-", "", "a backend or a version is missing after `torch-`", "expected one of `cann`"),
    (
        "torch-cdua",
        "cdua",
        "unknown backend `cdua` of a Python-only variant",
        "did you mean `cuda`? expected one of",
    ),
    (
        "torch-cu128-x86_64-linux",
        "cu128",
        "unknown backend `cu128` of a Python-only variant",
        "a compiled variant begins with a version, as in `torch-2.10-...` or `torch210-...`",
    ),
    (
        "torch-cuda-x86_64-linux",
        "x86_64-linux",
        "`x86_64-linux` is too much",
        "a Python-only name ends after `torch-cuda`; a compiled one has torch's version, as in `torch-2.10-...`",
    ),
    // Versions of frameworks.
    (
        "torch2-cpu-x86_64-linux",
        "torch2",
        "`torch2` has fewer than two digits: a version needs two",
        "two digits or more",
    ),
    (
        "tvm-ffi0-cpu-x86_64-linux",
        "tvm-ffi0",
        "`tvm-ffi0` has fewer than two digits: a version needs two",
        "two digits",
    ),
    (
        "torch-stable-abi2-cpu-x86_64-linux",
        "torch-stable-abi2",
        "`torch-stable-abi2` has fewer",
        "two digits or more",
    ),
    (
        "torch21x-cpu-x86_64-linux",
        "torch21x",
        "`torch21x` is no version",
        "only digits follow the name in this notation",
    ),
    ("torch2.1.0-cpu-x86_64-linux", "torch2.1.0", "`torch2.1.0` is no version", "only digits follow"),
    (
        "torch299999999999-cpu-x86_64-linux",
        "torch299999999999",
        "the version in `torch299999999999` is too large",
        "",
    ),
    (
        "torch-stable-abi-cuda-13.0-abi3-x86_64-linux",
        "torch-stable-abi",
        "`torch-stable-abi` needs a version",
        "write `torch-stable-abi-MAJOR.MINOR`",
    ),
    ("tvm-ffi-cpu-x86_64-linux", "tvm-ffi", "`tvm-ffi` needs a version", "write `tvm-ffi-MAJOR.MINOR`"),
    ("tvm-ffi", "tvm-ffi", "`tvm-ffi` needs a version", "write `tvm-ffi-MAJOR.MINOR`"),
    ("torch-210-cpu-x86_64-linux", "210", "`210` is no version", "write `torch-MAJOR.MINOR`, with a dot"),
    (
        "torch-2.10.1-cpu-x86_64-linux",
        "2.10.1",
        "`2.10.1` is no version",
        "a version is two numbers, as in `2.10`",
    ),
    ("torch-2.-cpu-x86_64-linux", "2.", "`2.` is no version", "a version is two numbers, as in `2.10`"),
    (
        "torch-2.99999999999-cpu-x86_64-linux",
        "2.99999999999",
        "the version in `2.99999999999` is too large",
        "",
    ),
    // Tags.
    (
        "torch213-cxx14-cu128-x86_64-linux",
        "cxx14",
        "unknown tag `cxx14`",
        "did you mean `cxx11`? expected `cxx11` or `cxx98`",
    ),
    (
        "torch213-CXX11-cu128-x86_64-linux",
        "CXX11",
        "unknown tag `CXX11`",
        "did you mean `cxx11`? expected `cxx11` or `cxx98`",
    ),
    ("torch-2.13-cxx-cpu-abi3-x86_64-linux", "cxx", "unknown tag `cxx`", "expected `cxx11` or `cxx98`"),
    (
        "torch-stable-abi29-cxx11-cu130-x86_64-linux",
        "cxx11",
        "`cxx11` is out of place: only torch carries a cxx tag",
        "leave `cxx11` out",
    ),
    (
        "torch-stable-abi-2.9-cxx98-cpu-abi3-x86_64-linux",
        "cxx98",
        "`cxx98` is out of place",
        "leave `cxx98` out",
    ),
    ("tvm-ffi01-cxx11-cpu-x86_64-linux", "cxx11", "`cxx11` is out of place", "leave `cxx11` out"),
    ("torch213-cxx11-cxx11-cpu-x86_64-linux", "cxx11", "`cxx11` is out of place", "leave `cxx11` out"),
    // Backends.
    (
        "torch213",
        "",
        "the backend is missing",
        "expected one of `cpu`, `metal`, `neuron`, `tpu`, `cannDIGITS`, `cuDIGITS`",
    ),
    (
        "torch-2.13",
        "",
        "the backend is missing",
        "expected one of `cpu`, `metal`, `neuron`, `tpu`, `cann-MAJOR.MINOR`",
    ),
    ("torch213-cxx11", "", "the backend is missing", "expected one of"),
    ("torch213--x86_64-linux", "", "the backend is missing", "expected one of"),
    ("torch213-gpu-x86_64-linux", "gpu", "unknown backend `gpu`", "did you mean `xpu`? expected one of"),
    (
        "torch213-rcom72-x86_64-linux",
        "rcom72",
        "unknown backend `rcom72`",
        "did you mean `rocm`? expected one of",
    ),
    (
        "torch-2.13-roccm-7.2-abi3-x86_64-linux",
        "roccm",
        "unknown backend `roccm`",
        "did you mean `rocm`? expected one of",
    ),
    (
        "torch213-cuda130-x86_64-linux",
        "cuda130",
        "unknown backend `cuda130`",
        "CUDA is spelled `cu130` in this notation",
    ),
    (
        "torch-2.13-cu-13.0-abi3-x86_64-linux",
        "cu",
        "unknown backend `cu`",
        "CUDA is spelled `cuda-MAJOR.MINOR`",
    ),
    ("torch213-cu-x86_64-linux", "cu", "`cu` needs a version", "write the digits right behind, as in `cu90`"),
    (
        "torch213-cuda-x86_64-linux",
        "cuda",
        "`cuda` needs a version",
        "write the digits right behind, as in `cu90`",
    ),
    ("torch213-cu8-x86_64-linux", "cu8", "`cu8` has fewer than two digits", "two digits or more"),
    ("torch213-cu12a-x86_64-linux", "cu12a", "`cu12a` is no version", "only digits follow"),
    (
        "torch213-cu999999999999-x86_64-linux",
        "cu999999999999",
        "the version in `cu999999999999` is too large",
        "",
    ),
    ("torch213-cpu12-x86_64-linux", "cpu12", "`cpu12`: this backend has no version", "write `cpu`"),
    (
        "torch-2.13-metal4-abi3-aarch64-darwin",
        "metal4",
        "`metal4`: this backend has no version",
        "write `metal`",
    ),
    (
        "torch-2.13-metal-4.0-abi3-aarch64-darwin",
        "4.0",
        "`4.0`: this backend has no version",
        "write `metal` alone",
    ),
    ("torch213-cpu-4.0-x86_64-linux", "4.0", "`4.0`: this backend has no version", "write `cpu` alone"),
    ("torch-2.14-cuda-abi3-x86_64-linux", "cuda", "`cuda` needs a version", "write `cuda-MAJOR.MINOR`"),
    ("torch-2.14-xpu", "xpu", "`xpu` needs a version", "write `xpu-MAJOR.MINOR`"),
    (
        "torch-2.14-cuda-13-abi3-x86_64-linux",
        "13",
        "`13` is no version",
        "write `cuda-MAJOR.MINOR`, with a dot",
    ),
    ("torch-2.14-cuda-13.x-abi3-x86_64-linux", "13.x", "`13.x` is no version", "a version is two numbers"),
    // Python ABIs.
    (
        "torch-2.14-cuda-13.0-abi4-x86_64-linux",
        "abi4",
        "unknown Python ABI `abi4`",
        "did you mean `abi3`? expected `abi3` or `abi3t`",
    ),
    (
        "torch-2.14-cpu-cp312-x86_64-linux",
        "cp312",
        "unknown Python ABI `cp312`",
        "expected `abi3` or `abi3t`",
    ),
    (
        "torch-2.14-cpu-abi-linux",
        "abi",
        "unknown Python ABI `abi`",
        "did you mean `abi3`? expected `abi3` or `abi3t`",
    ),
    // Platform and os.
    ("torch213-cu128", "", "the platform is missing", "expected `aarch64` or `x86_64`"),
    ("torch-2.13-cpu-abi3", "", "the platform is missing", "expected `aarch64` or `x86_64`"),
    ("torch213-cu128--linux", "", "the platform is missing", "expected `aarch64` or `x86_64`"),
    ("torch213-cu128-x86.64-linux", "x86.64", "`x86.64` is no platform", "did you mean `x86_64`? expected"),
    (
        "torch213-cu128-x86_64",
        "",
        "the operating system is missing",
        "expected one of `darwin`, `linux`, `windows`",
    ),
    ("torch-2.13-cpu-abi3-x86_64", "", "the operating system is missing", "expected one of"),
    ("torch213-cu128-x86_64-", "", "the operating system is missing", "expected one of"),
    (
        "torch213-cu128-x86_64-li/nux",
        "li/nux",
        "`li/nux` is no operating system",
        "did you mean `linux`? expected",
    ),
    ("torch213-cu128-x86_64-linux-gnu", "gnu", "`gnu` is too much", "a name ends after the operating system"),
    (
        "torch213-cu128-x86_64-linux-",
        "",
        "the name goes on after its end",
        "a name ends after the operating system",
    ),
    ("torch-2.13-cpu-abi3-x86_64-linux-musl-1", "musl-1", "`musl-1` is too much", "a name ends after"),
    // Mixed notations.
    (
        "torch-2.14-cu130-abi3-x86_64-linux",
        "cu130",
        "`cu130` is in the wrong notation",
        "write `cuda-13.0` in a dotted name",
    ),
    (
        "torch-2.14-cu130-x86_64-linux",
        "cu130",
        "`cu130` is in the wrong notation",
        "write `cuda-13.0` in a dotted name",
    ),
    (
        "torch-2.14-cuda13.0-abi3-x86_64-linux",
        "cuda13.0",
        "`cuda13.0` is in the wrong notation",
        "write `cuda-13.0` in",
    ),
    (
        "torch-2.14-rocm714-abi3-x86_64-linux",
        "rocm714",
        "`rocm714` is in the wrong notation",
        "write `rocm-7.14` in",
    ),
    (
        "torch-2.14-cu8-abi3-x86_64-linux",
        "cu8",
        "`cu8` is in the wrong notation",
        "write `cuda-MAJOR.MINOR` in",
    ),
    (
        "torch2.10-cu128-x86_64-linux",
        "torch2.10",
        "`torch2.10` is in the wrong notation",
        "write `torch210` in legacy or `torch-2.10` in dotted notation",
    ),
    (
        "torch-stable-abi2.11-cu130-x86_64-linux",
        "torch-stable-abi2.11",
        "`torch-stable-abi2.11` is in the wrong notation",
        "write `torch-stable-abi211` in legacy or",
    ),
    (
        "tvm-ffi0.1-cpu-x86_64-linux",
        "tvm-ffi0.1",
        "`tvm-ffi0.1` is in the wrong notation",
        "write `tvm-ffi01` in legacy or `tvm-ffi-0.1` in",
    ),
    (
        "torch214-cuda-13.0-x86_64-linux",
        "cuda-13.0",
        "`cuda-13.0` is in the wrong notation",
        "write `cu130` here, or the whole name in dotted notation",
    ),
    (
        "torch214-cu13.0-x86_64-linux",
        "cu13.0",
        "`cu13.0` is in the wrong notation",
        "write `cu130` in legacy or `cuda-13.0` in dotted notation",
    ),
    (
        "torch214-cu130-abi3-x86_64-linux",
        "abi3",
        "`abi3` is in the wrong notation",
        "a legacy name has no Python ABI; write the whole",
    ),
    (
        "torch214-cpu-abi3t-x86_64-linux",
        "abi3t",
        "`abi3t` is in the wrong notation",
        "a legacy name has no Python ABI",
    ),
    // Other alphabets, control characters.
    ("torch２１-cpu-x86_64-linux", "torch２１", "unknown framework `torch２１`", ""),
    ("torch213-cu１２８-x86_64-linux", "cu１２８", "unknown backend `cu１２８`", ""),
    ("torch213-\u{1b}[31m-x86_64-linux", "\u{1b}[31m", "unknown backend `\\x1b[31m`", ""),
];

const FRAMEWORKS: &str = "expected one of `torch`, `torch-stable-abi`, `tvm-ffi`";
const NEAR_TORCH: &str = "did you mean `torch`? expected one of `torch`, `torch-stable-abi`, `tvm-ffi`";

#[test]
fn errors_point_at_the_offending_part() {
    for (name, part, message, help) in ROWS {
        let error = parse(name).expect_err(name);
        assert_eq!(name.get(error.span.clone()), Some(*part), "{name}: {error}");
        assert!(error.to_string().starts_with(message), "{name}: {error}");
        let shown = error.help().unwrap_or_default();
        assert!(shown.starts_with(help), "{name}: {shown}");
    }
}

#[test]
fn the_second_tag_is_the_offending_one() {
    assert_eq!(parse("torch213-cxx11-cxx11-cpu-x86_64-linux").unwrap_err().span, 15..20);
}

#[test]
fn what_is_missing_is_missing_at_the_end() {
    assert_eq!(parse("torch213-cu128").unwrap_err().span, 14..14);
    assert_eq!(parse("torch").unwrap_err().span, 5..5);
    assert_eq!(parse("torch213-cu128--linux").unwrap_err().span, 15..15);
}

#[test]
fn names_are_as_long_as_file_names() {
    let long = format!("torch213-cpu-{}-linux", "x".repeat(300));
    assert_eq!(parse(&long).unwrap_err().kind, NameErrorKind::TooLong);
    let word = |length: usize| format!("torch213-cpu-{}-linux", "x".repeat(length));
    assert!(parse(&word(32)).is_ok());
    assert_eq!(parse(&word(33)).unwrap_err().kind, NameErrorKind::Platform);
}

#[test]
fn errors_are_drawn_with_a_line_below() {
    let name = "torch213-cdua130-x86_64-linux";
    let expected = "\
error: unknown backend `cdua130`
  torch213-cdua130-x86_64-linux
           ^^^^^^^
";
    assert!(render::name_error(name, &parse(name).unwrap_err()).starts_with(expected));
    let escaped = "torch213-\u{1b}-x86_64-linux";
    let expected = "\
error: unknown backend `\\x1b`
  torch213-\\x1b-x86_64-linux
           ^^^^
";
    assert!(render::name_error(escaped, &parse(escaped).unwrap_err()).starts_with(expected));
}
