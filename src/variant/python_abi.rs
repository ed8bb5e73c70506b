//! The Python ABIs a compiled variant can be built for.

/// A stable Python ABI.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum PythonAbi {
    /// Python with the global lock. What every legacy name means.
    #[default]
    Abi3,
    /// Also free-threaded Python.
    Abi3t,
}

impl PythonAbi {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Abi3, Self::Abi3t];

    /// As it stands in a name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Abi3 => "abi3",
            Self::Abi3t => "abi3t",
        }
    }

    /// The ABI that is written so.
    pub fn from_name(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|abi| abi.as_str() == text)
    }
}
