//! Which of two variants that both fit is preferred. (The order of [`Variant`] itself is for listings.)

use super::{Arch, Framework, PythonAbi, Variant, Version};
use std::cmp::Reverse;

/// The place in the order of preference; lower is preferred. Two that fit the same system and rank the same differ in
/// spelling only.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    kind: Kind,
    stable_abi: Reverse<Option<Version>>,
    backend_minor: Reverse<u32>,
    python_abi: PythonAbi,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    StableAbi,
    Torch,
    TaggedTorch,
    TvmFfi,
    Noarch,
    Universal,
}

/// The rank of a variant.
pub fn rank(variant: &Variant) -> Rank {
    let arch = match variant {
        Variant::Arch(arch) => arch,
        Variant::Noarch(noarch) => {
            let kind = if noarch.backend_name().is_none() { Kind::Universal } else { Kind::Noarch };
            return Rank::of(kind, None, 0, PythonAbi::Abi3);
        }
    };
    let Arch { framework, backend, python_abi, .. } = arch;
    let minor = backend.version().map_or(0, |version| version.minor);
    match framework {
        Framework::TorchStableAbi(version) => Rank::of(Kind::StableAbi, Some(*version), minor, *python_abi),
        Framework::Torch { cxx: None, .. } => Rank::of(Kind::Torch, None, minor, *python_abi),
        Framework::Torch { cxx: Some(_), .. } => Rank::of(Kind::TaggedTorch, None, minor, *python_abi),
        Framework::TvmFfi(_) => Rank::of(Kind::TvmFfi, None, minor, *python_abi),
    }
}

impl Rank {
    fn of(kind: Kind, stable_abi: Option<Version>, minor: u32, python_abi: PythonAbi) -> Self {
        Self { kind, stable_abi: Reverse(stable_abi), backend_minor: Reverse(minor), python_abi }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn preferred_first() {
        let order = [
            "torch-stable-abi210-cu128-x86_64-linux",
            "torch-stable-abi210-cu126-x86_64-linux",
            "torch-stable-abi29-cu129-x86_64-linux",
            "torch210-cu128-x86_64-linux",
            "torch-2.10-cuda-12.8-abi3t-x86_64-linux",
            "torch210-cu126-x86_64-linux",
            "torch210-cxx11-cu129-x86_64-linux",
            "torch210-cxx11-cu128-x86_64-linux",
            "tvm-ffi01-cu129-x86_64-linux",
            "tvm-ffi01-cu120-x86_64-linux",
            "torch-cuda",
            "torch-universal",
        ];
        let ranks: Vec<_> = order.iter().map(|name| rank(&name.parse().unwrap())).collect();
        assert!(ranks.is_sorted_by(|a, b| a < b), "{ranks:?}");
    }
}
