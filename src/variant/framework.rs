//! The frameworks that load a compiled kernel, and the cxx tag that torch alone carries.

use super::Version;

/// What loads a compiled variant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Framework {
    /// torch's stable ABI: loads into this torch version and every newer one.
    TorchStableAbi(Version),
    /// One torch version.
    Torch {
        /// The version.
        version: Version,
        /// The tag, when the name carries one. None is not the same as cxx11.
        cxx: Option<CxxAbi>,
    },
    /// One tvm-ffi version.
    TvmFfi(Version),
}

/// Which C++ string layout torch was built with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum CxxAbi {
    /// The new one.
    Cxx11,
    /// The old one.
    Cxx98,
}

impl CxxAbi {
    /// All tags.
    pub const ALL: [Self; 2] = [Self::Cxx11, Self::Cxx98];

    /// As it stands in a name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Cxx11 => "cxx11",
            Self::Cxx98 => "cxx98",
        }
    }

    /// The tag that is written so.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|tag| tag.as_str() == text)
    }
}

impl Framework {
    /// The names of the frameworks, as both notations begin.
    pub const NAMES: [&'static str; 3] = ["torch", "torch-stable-abi", "tvm-ffi"];

    /// The name without version.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Torch { .. } => "torch",
            Self::TorchStableAbi(_) => "torch-stable-abi",
            Self::TvmFfi(_) => "tvm-ffi",
        }
    }

    /// In words, for a sentence.
    pub fn title(&self) -> &'static str {
        match self {
            Self::Torch { .. } => "torch",
            Self::TorchStableAbi(_) => "stable ABI",
            Self::TvmFfi(_) => "tvm-ffi",
        }
    }

    /// The version.
    pub fn version(&self) -> Version {
        match self {
            Self::Torch { version, .. } | Self::TorchStableAbi(version) | Self::TvmFfi(version) => *version,
        }
    }

    /// The cxx tag, when there is one.
    pub fn cxx(&self) -> Option<CxxAbi> {
        match self {
            Self::Torch { cxx, .. } => *cxx,
            _ => None,
        }
    }
}
