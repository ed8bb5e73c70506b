//! What is odd about a name that can be read: versions that cannot be meant, words that no client looks for, and what
//! clients that know only the legacy notation make of it.

use super::{Arch, Backend, Framework, Notation, Os, Platform, Reading, Variant, Version, convert};
use crate::report::nearest;
use serde::{Serialize, Serializer};
use std::fmt;

/// One oddity of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Doubt {
    /// A backend version that does not exist.
    BackendVersion {
        /// As read.
        backend: Backend,
        /// What the legacy digits may mean instead.
        instead: Option<Version>,
    },
    /// A framework version that does not exist.
    FrameworkVersion(Framework),
    /// A CPU that no client looks for.
    Platform(Platform),
    /// An operating system that no client looks for.
    Os(Os),
    /// Not spelled as it is written: clients look for a directory of the other name.
    Spelling {
        /// How it is written.
        canonical: String,
    },
    /// A dotted name, for a client that knows only the legacy notation.
    OlderClient(OlderClient),
}

/// What a client that knows only the legacy notation (kernels 0.17.2 and before) does with a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OlderClient {
    /// Takes it for a Python-only variant of a backend that no system has.
    PythonOnly,
    /// Cannot read it.
    Unreadable,
    /// Looks for `torch-npu` instead.
    Npu,
}

impl Doubt {
    /// A short word for the kind, in JSON.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::BackendVersion { instead: Some(_), .. } => "ambiguous-version",
            Self::BackendVersion { .. } | Self::FrameworkVersion(_) => "implausible-version",
            Self::Platform(_) => "unknown-platform",
            Self::Os(_) => "unknown-os",
            Self::Spelling { .. } => "spelling",
            Self::OlderClient(_) => "older-client",
        }
    }

    /// Whether the name may mean something else than what was read.
    pub fn is_about_meaning(&self) -> bool {
        matches!(self, Self::BackendVersion { .. } | Self::FrameworkVersion(_))
    }
}

/// All that is odd about `text`, which was read as `reading`.
pub fn doubts(text: &str, reading: &Reading) -> Vec<Doubt> {
    let mut doubts = Vec::new();
    if let Variant::Arch(arch) = &reading.variant {
        versions(arch, reading.notation, &mut doubts);
        if !arch.platform.is_known() {
            doubts.push(Doubt::Platform(arch.platform.clone()));
        }
        if !arch.os.is_known() {
            doubts.push(Doubt::Os(arch.os.clone()));
        }
    }
    let canonical = reading.notation.and_then(|notation| convert(text, reading, notation).ok());
    doubts.extend(canonical.filter(|c| c != text).map(|canonical| Doubt::Spelling { canonical }));
    doubts.extend(older_client(reading).map(Doubt::OlderClient));
    doubts
}

fn versions(arch: &Arch, notation: Option<Notation>, doubts: &mut Vec<Doubt>) {
    let version = arch.framework.version();
    let plausible = match arch.framework {
        Framework::TvmFfi(_) => version.major <= 4 && version.minor <= 99,
        Framework::Torch { .. } | Framework::TorchStableAbi(_) => {
            (1..=4).contains(&version.major) && version.minor <= 49
        }
    };
    if !plausible {
        doubts.push(Doubt::FrameworkVersion(arch.framework));
    }
    if let (Some(spec), Some(version)) = (arch.backend.spec(), arch.backend.version())
        && !spec.is_plausible(version)
    {
        let digits = format!("{}{}", version.major, version.minor);
        let splits = (1..digits.len()).rev().filter_map(|split| Version::from_digits(&digits, split).ok());
        let other = splits.into_iter().find(|other| *other != version && spec.is_plausible(*other));
        let instead = other.filter(|_| notation == Some(Notation::Legacy));
        doubts.push(Doubt::BackendVersion { backend: arch.backend, instead });
    }
}

fn older_client(reading: &Reading) -> Option<OlderClient> {
    match (&reading.variant, reading.notation) {
        (Variant::Arch(arch), Some(Notation::Dotted)) => Some(match arch.framework {
            Framework::Torch { .. } => OlderClient::PythonOnly,
            Framework::TorchStableAbi(_) | Framework::TvmFfi(_) => OlderClient::Unreadable,
        }),
        (Variant::Noarch(noarch), None) if noarch.as_str() == "cann" => Some(OlderClient::Npu),
        _ => None,
    }
}

impl fmt::Display for Doubt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BackendVersion { backend, instead } => {
                write!(f, "reads as {}, which is not likely", backend.title())?;
                instead.map_or(Ok(()), |v| {
                    write!(f, "; if {v} is meant, write `{}-{v}` in dotted notation", backend.name())
                })
            }
            Self::FrameworkVersion(framework) => {
                write!(f, "reads as {} {}, which is not likely", framework.title(), framework.version())
            }
            Self::Platform(platform) => {
                unknown(f, "platform", platform.as_str(), Platform::alias(platform.as_str()), Platform::KNOWN)
            }
            Self::Os(os) => unknown(f, "operating system", os.as_str(), Os::alias(os.as_str()), Os::KNOWN),
            Self::Spelling { canonical } => {
                write!(f, "is written `{canonical}`; clients look for that directory")
            }
            Self::OlderClient(client) => client.fmt(f),
        }
    }
}

impl fmt::Display for OlderClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::PythonOnly => {
                "clients that know only legacy names (kernels 0.17.2 and before) take it for a Python-only variant and \
                 never select it"
            }
            Self::Unreadable => {
                "clients that know only legacy names (kernels 0.17.2 and before) cannot read it and never select it"
            }
            Self::Npu => "clients that know only legacy names (kernels 0.17.2 and before) look for `torch-npu` instead",
        })
    }
}

fn unknown(
    f: &mut fmt::Formatter<'_>,
    what: &str,
    word: &str,
    alias: Option<&'static str>,
    known: &'static [&'static str],
) -> fmt::Result {
    write!(f, "clients know no {what} `{word}`")?;
    match alias.or_else(|| nearest::one(word, known.iter().copied())) {
        Some(near) => write!(f, "; did you mean `{near}`?"),
        None => Ok(()),
    }
}

impl Serialize for Doubt {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("Doubt", 2)?;
        out.serialize_field("kind", self.kind())?;
        out.serialize_field("message", &self.to_string())?;
        out.end()
    }
}
