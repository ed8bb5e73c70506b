//! From a meaning to its name. The dotted notation can say everything, the legacy one cannot.

use super::{Arch, Backend, Framework, Notation, PythonAbi, Reading, Variant, Version, parse};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use std::fmt;

/// Why a variant has no legacy name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LegacyError {
    /// A legacy name always means abi3.
    PythonAbi(PythonAbi),
    /// Without the dot, the framework's version would be read as another one.
    FrameworkVersion {
        /// What it is called.
        framework: Framework,
        /// What would be written.
        written: String,
    },
    /// Without the dot, the backend's version would be read as another one.
    BackendVersion {
        /// What it is.
        backend: Backend,
        /// What would be written.
        written: String,
        /// What that means.
        read: Option<Version>,
    },
}

impl fmt::Display for LegacyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let no_name = "has no legacy name";
        match self {
            Self::PythonAbi(abi) => write!(f, "{} {no_name}: a legacy name always means abi3", abi.as_str()),
            Self::FrameworkVersion { framework, written } => write!(
                f,
                "{} {} {no_name}: `{written}` is read with one digit before the dot",
                framework.title(),
                framework.version()
            ),
            Self::BackendVersion { backend, written, read } => {
                write!(f, "{} {no_name}: `{written}` is read as ", backend.title())?;
                match read {
                    Some(version) => write!(f, "{version}"),
                    None => f.write_str("something else"),
                }
            }
        }
    }
}

impl std::error::Error for LegacyError {}

impl Variant {
    /// The name in dotted notation.
    pub fn dotted(&self) -> String {
        self.to_string()
    }

    /// The name in legacy notation.
    ///
    /// # Errors
    /// When reading that name would give another variant.
    pub fn legacy(&self) -> Result<String, LegacyError> {
        let arch = match self {
            Self::Arch(arch) => arch,
            Self::Noarch(_) => return Ok(self.to_string()),
        };
        if arch.python_abi != PythonAbi::Abi3 {
            return Err(LegacyError::PythonAbi(arch.python_abi));
        }
        let backend = legacy_backend(arch.backend)?;
        let framework = legacy_framework(arch.framework)?;
        Ok(format!("{framework}-{backend}-{}-{}", arch.platform, arch.os))
    }

    /// The name in `notation`.
    ///
    /// # Errors
    /// See [`Self::legacy`].
    pub fn print(&self, notation: Notation) -> Result<String, LegacyError> {
        match notation {
            Notation::Dotted => Ok(self.dotted()),
            Notation::Legacy => self.legacy(),
        }
    }
}

/// The name that `text`, read as `reading`, has in `notation`. `torch-npu` stays as it is when legacy is asked for:
/// the clients that know only that notation look for it.
///
/// # Errors
/// See [`Variant::legacy`].
pub fn convert(text: &str, reading: &Reading, notation: Notation) -> Result<String, LegacyError> {
    match (&reading.variant, reading.notation, notation) {
        (Variant::Noarch(_), Some(Notation::Legacy), Notation::Legacy) => Ok(text.to_owned()),
        (variant, _, notation) => variant.print(notation),
    }
}

fn digits(version: Version) -> String {
    format!("{}{}", version.major, version.minor)
}

fn legacy_framework(framework: Framework) -> Result<String, LegacyError> {
    let version = framework.version();
    let written = format!("{}{}", framework.name(), digits(version));
    if version.major > 9 {
        return Err(LegacyError::FrameworkVersion { framework, written });
    }
    Ok(match framework.cxx() {
        Some(tag) => format!("{written}-{}", tag.as_str()),
        None => written,
    })
}

fn legacy_backend(backend: Backend) -> Result<String, LegacyError> {
    let (Some(spec), Some(version)) = (backend.spec(), backend.version()) else {
        return Ok(backend.name().to_owned());
    };
    let written = format!("{}{}", spec.legacy, digits(version));
    // The reader decides, so that its exceptions count here too.
    let read = match parse(&format!("torch20-{written}-x86_64-linux")) {
        Ok(Reading { variant: Variant::Arch(Arch { backend, .. }), .. }) => backend.version(),
        _ => None,
    };
    if read == Some(version) {
        Ok(written)
    } else {
        Err(LegacyError::BackendVersion { backend, written, read })
    }
}

impl fmt::Display for Variant {
    /// In dotted notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let arch = match self {
            Self::Arch(arch) => arch,
            Self::Noarch(noarch) => return write!(f, "torch-{}", noarch.as_str()),
        };
        write!(f, "{}-{}", arch.framework.name(), arch.framework.version())?;
        if let Some(tag) = arch.framework.cxx() {
            write!(f, "-{}", tag.as_str())?;
        }
        write!(f, "-{}", arch.backend)?;
        write!(f, "-{}-{}-{}", arch.python_abi.as_str(), arch.platform, arch.os)
    }
}

impl fmt::Display for Backend {
    /// In dotted notation: `cuda-12.8`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())?;
        self.version().map_or(Ok(()), |version| write!(f, "-{version}"))
    }
}

impl Serialize for Variant {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Variant {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        text.parse().map_err(|error: super::NameError| match error.help() {
            Some(help) => de::Error::custom(format_args!("{error}; {help}")),
            None => de::Error::custom(error),
        })
    }
}
