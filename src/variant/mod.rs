//! Build variant names: what a directory below `build/` says about the system it runs on, in the legacy notation
//! (`torch210-cxx11-cu128-x86_64-linux`) and the dotted one (`torch-2.10-cxx11-cuda-12.8-abi3-x86_64-linux`).
//!
//! [`parse`] reads either, [`Variant::dotted`] and [`Variant::legacy`] write, [`resolve`] chooses for a system,
//! [`folder`] checks a `build/` directory and [`rename`] converts one. Only [`folder`] and [`rename`] touch the disk.

mod backend;
mod build_toml;
mod dotted;
mod doubt;
mod error;
pub mod folder;
mod framework;
mod legacy;
mod open;
pub mod order;
mod parse;
mod print;
mod python_abi;
pub mod rename;
pub mod render;
pub mod resolve;
mod system;
#[cfg(test)]
mod tests;
mod tokens;
mod version;

pub use backend::{Backend, NoarchBackend, PLAIN, VERSIONED, VersionedBackend, backend_names};
pub use build_toml::{Declared, declared};
pub use doubt::{Doubt, doubts};
pub use error::{NameError, NameErrorKind};
pub use framework::{CxxAbi, Framework};
pub use open::{Os, Platform};
pub use parse::parse;
pub use print::{LegacyError, convert};
pub use python_abi::PythonAbi;
pub use system::{System, SystemError};
pub use version::Version;

use serde::Serialize;

/// What a variant name means. Equality, hash and order are those of the meaning, never of the spelling.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Variant {
    /// Compiled code for one system.
    Arch(Arch),
    /// Python only, for one backend or all.
    Noarch(NoarchBackend),
}

/// The parts of a compiled variant.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Arch {
    /// What loads it, with its version and cxx tag.
    pub framework: Framework,
    /// What it runs on, with its version.
    pub backend: Backend,
    /// The Python ABI it was built for.
    pub python_abi: PythonAbi,
    /// The CPU.
    pub platform: Platform,
    /// The operating system.
    pub os: Os,
}

/// One of the two ways to write a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub enum Notation {
    /// With dots and a Python ABI: `torch-2.10-cuda-12.8-abi3-x86_64-linux`.
    Dotted,
    /// Digits only: `torch210-cu128-x86_64-linux`.
    Legacy,
}

/// A name as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reading {
    /// What it means.
    pub variant: Variant,
    /// How it was written; none for Python-only names that are the same in both notations.
    pub notation: Option<Notation>,
}

impl Variant {
    /// The name of the backend, as `build.toml` writes it; none for `torch-universal`.
    pub fn backend_name(&self) -> Option<&'static str> {
        match self {
            Self::Arch(arch) => Some(arch.backend.name()),
            Self::Noarch(noarch) => noarch.backend_name(),
        }
    }
}
