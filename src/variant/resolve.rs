//! Choosing a variant for a system, as clients do. Every variant that is not chosen keeps the reason.

use super::order::rank;
use super::{
    Arch, Backend, CxxAbi, Framework, NameError, NoarchBackend, PythonAbi, System, Variant, Version, parse,
};
use serde::{Serialize, Serializer};
use std::fmt;

/// A directory that is searched, or names without one.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Directory {
    /// How it is called in messages; empty for names without one.
    pub label: String,
    /// The names in it.
    pub names: Vec<String>,
}

/// What became of all names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Choice {
    /// The chosen one, then the others that fit, the preferred first, then the rejected as they were given.
    pub decisions: Vec<Decision>,
}

/// What became of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Decision {
    /// The directory's label.
    pub directory: String,
    /// As given.
    pub name: String,
    /// Chosen, or why not.
    pub verdict: Verdict,
}

/// Chosen, or why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// This one is loaded.
    Chosen,
    /// It fits, and another one is preferred.
    Fits(Behind),
    /// It does not fit.
    Rejected(Reason),
}

/// Why one that fits is not chosen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Behind {
    /// This name of the same directory is preferred.
    Preferred(String),
    /// The same variant is there under this name.
    Same(String),
    /// This directory is searched first.
    Directory(String),
}

/// Why a variant does not fit. `wanted` is the variant's, `has` the system's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// It is no variant name.
    Name(NameError),
    /// Another CPU.
    Cpu(String, String),
    /// Another operating system.
    Os(String, String),
    /// A free-threaded Python needs abi3t.
    Python(PythonAbi),
    /// Another torch version, or none.
    Torch(Version, Option<Version>),
    /// A stable ABI newer than torch, or no torch.
    StableAbi(Version, Option<Version>),
    /// Another cxx tag.
    Cxx(CxxAbi, Option<CxxAbi>),
    /// Another tvm-ffi version, or none.
    TvmFfi(Version, Option<Version>),
    /// Another CUDA major version.
    CudaMajor(Version, Version),
    /// A newer CUDA minor version.
    CudaMinor(Version, Version),
    /// Another backend, or another version of it.
    Backend(Backend, Backend),
    /// A Python-only variant of another backend.
    Noarch(NoarchBackend, &'static str),
    /// Metal kernels need macOS 26.0.
    Macos(Version),
}

/// Metal kernels are built for this macOS and newer ones.
const METAL_MACOS: Version = Version::new(26, 0);

impl Choice {
    /// The chosen one.
    pub fn chosen(&self) -> Option<&Decision> {
        self.decisions.first().filter(|decision| decision.verdict == Verdict::Chosen)
    }
}

/// Searches the directories in their order; the first one with a variant that fits decides, as clients do. Of two names
/// for the same variant the first given is chosen.
pub fn choose(system: &System, directories: &[Directory]) -> Choice {
    let mut decisions = Vec::new();
    let mut rejected = Vec::new();
    let mut winner: Option<&Directory> = None;
    for directory in directories {
        let decision = |name: &str, verdict| Decision {
            directory: directory.label.clone(),
            name: name.to_owned(),
            verdict,
        };
        let mut fits: Vec<(&str, Variant)> = Vec::new();
        for name in &directory.names {
            match fit(system, name) {
                Ok(variant) => fits.push((name, variant)),
                Err(reason) => rejected.push(decision(name, Verdict::Rejected(reason))),
            }
        }
        fits.sort_by_key(|(_, variant)| rank(variant));
        for (at, (name, variant)) in fits.iter().enumerate() {
            let before = fits.get(..at).unwrap_or_default();
            let verdict = match (winner, before.first()) {
                (Some(first), _) => Verdict::Fits(Behind::Directory(first.label.clone())),
                (None, None) => Verdict::Chosen,
                (None, Some((best, _))) => {
                    let same = before.iter().find(|(_, other)| other == variant);
                    Verdict::Fits(match same {
                        Some((other, _)) => Behind::Same((*other).to_owned()),
                        None => Behind::Preferred((*best).to_owned()),
                    })
                }
            };
            decisions.push(decision(name, verdict));
        }
        if !fits.is_empty() {
            winner.get_or_insert(directory);
        }
    }
    decisions.append(&mut rejected);
    Choice { decisions }
}

fn fit(system: &System, name: &str) -> Result<Variant, Reason> {
    let variant = parse(name).map_err(Reason::Name)?.variant;
    check(system, &variant)?;
    Ok(variant)
}

/// Whether the variant runs on the system. A Python with the global lock may take an abi3t variant, since abi3t loads
/// into both; abi3 is preferred there.
///
/// # Errors
/// The first thing that does not fit.
pub fn check(system: &System, variant: &Variant) -> Result<(), Reason> {
    match variant {
        Variant::Arch(arch) => {
            machine(system, arch)?;
            framework(system, arch.framework)?;
            backend(system, arch.backend)
        }
        Variant::Noarch(noarch) => match noarch.backend_name() {
            Some(name) if name != system.backend.name() => {
                Err(Reason::Noarch(*noarch, system.backend.name()))
            }
            _ => Ok(()),
        },
    }
}

fn machine(system: &System, arch: &Arch) -> Result<(), Reason> {
    if arch.platform != system.cpu {
        return Err(Reason::Cpu(arch.platform.to_string(), system.cpu.to_string()));
    }
    if arch.os != system.os {
        return Err(Reason::Os(arch.os.to_string(), system.os.to_string()));
    }
    match (system.python, arch.python_abi) {
        (PythonAbi::Abi3t, PythonAbi::Abi3) => Err(Reason::Python(arch.python_abi)),
        _ => Ok(()),
    }
}

fn framework(system: &System, framework: Framework) -> Result<(), Reason> {
    match framework {
        Framework::Torch { version, cxx } => {
            if system.torch != Some(version) {
                return Err(Reason::Torch(version, system.torch));
            }
            match cxx {
                Some(tag) if system.cxx != Some(tag) => Err(Reason::Cxx(tag, system.cxx)),
                _ => Ok(()),
            }
        }
        Framework::TorchStableAbi(version) => match system.torch {
            Some(torch) if version <= torch => Ok(()),
            torch => Err(Reason::StableAbi(version, torch)),
        },
        Framework::TvmFfi(version) if system.tvm_ffi == Some(version) => Ok(()),
        Framework::TvmFfi(version) => Err(Reason::TvmFfi(version, system.tvm_ffi)),
    }
}

fn backend(system: &System, wanted: Backend) -> Result<(), Reason> {
    let has = system.backend;
    if let ("cuda", "cuda", Some(wanted), Some(has)) =
        (wanted.name(), has.name(), wanted.version(), has.version())
    {
        return match () {
            () if wanted.major != has.major => Err(Reason::CudaMajor(wanted, has)),
            () if wanted.minor > has.minor => Err(Reason::CudaMinor(wanted, has)),
            () => Ok(()),
        };
    }
    if wanted != has {
        return Err(Reason::Backend(wanted, has));
    }
    match system.macos {
        Some(macos) if wanted.name() == "metal" && macos < METAL_MACOS => Err(Reason::Macos(macos)),
        _ => Ok(()),
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let no_torch = "the system has no torch";
        match self {
            Self::Name(error) => write!(f, "no variant name: {error}"),
            Self::Cpu(wanted, has) => write!(f, "for the CPU {wanted}, the system's is {has}"),
            Self::Os(wanted, has) => write!(f, "for {wanted}, the system is {has}"),
            Self::Python(abi) => write!(f, "built for {}, a free-threaded Python needs abi3t", abi.as_str()),
            Self::Torch(wanted, None) => write!(f, "for torch {wanted}, {no_torch}"),
            Self::Torch(wanted, Some(has)) => write!(f, "for torch {wanted}, the system has {has}"),
            Self::StableAbi(wanted, None) => write!(f, "for the stable ABI {wanted}, {no_torch}"),
            Self::StableAbi(wanted, Some(has)) => {
                write!(f, "for the stable ABI {wanted}, which is newer than the system's torch {has}")
            }
            Self::Cxx(wanted, None) => {
                write!(f, "for a torch with {}, the system's is not known", wanted.as_str())
            }
            Self::Cxx(wanted, Some(has)) => {
                write!(f, "for a torch with {}, the system's has {}", wanted.as_str(), has.as_str())
            }
            Self::TvmFfi(wanted, None) => write!(f, "for tvm-ffi {wanted}, the system has none"),
            Self::TvmFfi(wanted, Some(has)) => write!(f, "for tvm-ffi {wanted}, the system has {has}"),
            Self::CudaMajor(wanted, has) => {
                write!(f, "for CUDA {wanted}, the system has {has}: the major versions differ")
            }
            Self::CudaMinor(wanted, has) => {
                write!(f, "for CUDA {wanted}, which is newer than the system's {has}")
            }
            Self::Backend(wanted, has) => write!(f, "for {}, the system has {}", wanted.title(), has.title()),
            Self::Noarch(wanted, has) => write!(f, "for {}, the system has {has}", wanted.as_str()),
            Self::Macos(has) => write!(f, "Metal kernels need macOS {METAL_MACOS}, the system has {has}"),
        }
    }
}

impl fmt::Display for Behind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (why, name) = match self {
            Self::Preferred(name) => ("is preferred", name),
            Self::Same(name) => ("is the same variant", name),
            Self::Directory(name) => ("is searched first", name),
        };
        write!(f, "fits, but `{}` {why}", crate::report::escape::line(name))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Chosen => f.write_str("chosen"),
            Self::Fits(behind) => behind.fmt(f),
            Self::Rejected(reason) => reason.fmt(f),
        }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let kind = match self {
            Self::Chosen => "chosen",
            Self::Fits(_) => "fits",
            Self::Rejected(_) => "rejected",
        };
        let mut out = serializer.serialize_struct("Verdict", 2)?;
        out.serialize_field("kind", kind)?;
        out.serialize_field("reason", &(*self != Self::Chosen).then(|| self.to_string()))?;
        out.end()
    }
}
