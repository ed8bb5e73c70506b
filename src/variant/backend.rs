//! The backends, in two small tables: those whose version is part of the name, and those without one.

use super::Version;
use std::ops::RangeInclusive;

/// A backend whose version is part of the name.
#[derive(Debug)]
pub struct VersionedBackend {
    /// In dotted names and in `build.toml`.
    pub name: &'static str,
    /// In legacy names, right before the digits.
    pub legacy: &'static str,
    /// In a sentence.
    pub title: &'static str,
    /// Major versions that exist or may soon.
    pub majors: RangeInclusive<u32>,
    /// The highest minor version that is believable.
    pub max_minor: u32,
    /// Legacy digits that do not split before the last one.
    pub exceptions: &'static [(&'static str, Version)],
}

/// The backends with a version. Sorted by name.
pub static VERSIONED: &[VersionedBackend] = &[
    VersionedBackend {
        name: "cann",
        legacy: "cann",
        title: "CANN",
        majors: 5..=29,
        max_minor: 19,
        exceptions: &[],
    },
    VersionedBackend {
        name: "cuda",
        legacy: "cu",
        title: "CUDA",
        majors: 9..=29,
        max_minor: 19,
        exceptions: &[],
    },
    VersionedBackend {
        name: "rocm",
        legacy: "rocm",
        title: "ROCm",
        majors: 4..=19,
        max_minor: 29,
        // Released as 7.14; by the rule it would be 71.4.
        exceptions: &[("714", Version::new(7, 14))],
    },
    VersionedBackend {
        name: "xpu",
        legacy: "xpu",
        title: "XPU",
        majors: 2023..=2099,
        max_minor: 19,
        exceptions: &[],
    },
];

/// The backends without a version, with their titles. Sorted by name.
pub static PLAIN: &[(&str, &str)] =
    &[("cpu", "CPU"), ("metal", "Metal"), ("neuron", "Neuron"), ("tpu", "TPU")];

/// What Python-only variants for every backend are called.
const UNIVERSAL: &str = "universal";
/// Python-only names that mean another one.
const NOARCH_ALIASES: &[(&str, &str)] = &[("npu", "cann")];

/// Every backend's name.
pub fn backend_names() -> impl Iterator<Item = &'static str> + Clone {
    VERSIONED.iter().map(|b| b.name).chain(PLAIN.iter().map(|(name, _)| *name))
}

/// A backend with its version, if it has one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Backend {
    name: &'static str,
    version: Option<Version>,
}

impl Backend {
    /// The backend without a version that has this name.
    pub fn plain(name: &str) -> Option<Self> {
        PLAIN.iter().find(|(known, _)| *known == name).map(|(name, _)| Self { name, version: None })
    }

    /// This version of the backend that has this name.
    pub fn versioned(name: &str, version: Version) -> Option<Self> {
        VERSIONED.iter().find(|b| b.name == name).map(|b| b.at(version))
    }

    /// As in dotted names and in `build.toml`.
    pub fn name(self) -> &'static str {
        self.name
    }

    /// The version; none for backends without one.
    pub fn version(self) -> Option<Version> {
        self.version
    }

    /// Its line in the table, when it is versioned.
    pub fn spec(self) -> Option<&'static VersionedBackend> {
        VERSIONED.iter().find(|b| b.name == self.name)
    }

    /// `CUDA 12.8`, `Metal`.
    pub fn title(self) -> String {
        let plain =
            || PLAIN.iter().find(|(name, _)| *name == self.name).map_or(self.name, |(_, title)| title);
        match self.version {
            Some(version) => format!("{} {version}", self.spec().map_or(self.name, |b| b.title)),
            None => plain().to_owned(),
        }
    }
}

impl VersionedBackend {
    /// This backend at a version.
    pub const fn at(&self, version: Version) -> Backend {
        Backend { name: self.name, version: Some(version) }
    }

    /// Whether such a version exists or may soon.
    pub fn is_plausible(&self, version: Version) -> bool {
        self.majors.contains(&version.major) && version.minor <= self.max_minor
    }
}

/// What a Python-only variant is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NoarchBackend(&'static str);

impl NoarchBackend {
    /// For every backend.
    pub const UNIVERSAL: Self = Self(UNIVERSAL);

    /// The word after `torch-`; `npu` is read as `cann`.
    pub fn from_name(text: &str) -> Option<Self> {
        let text = NOARCH_ALIASES.iter().find(|(alias, _)| *alias == text).map_or(text, |(_, name)| name);
        Self::names().find(|name| *name == text).map(Self)
    }

    /// The words that are written.
    pub fn names() -> impl Iterator<Item = &'static str> + Clone {
        backend_names().chain([UNIVERSAL])
    }

    /// The words that are read and not written.
    pub(super) fn is_alias(text: &str) -> bool {
        NOARCH_ALIASES.iter().any(|(alias, _)| *alias == text)
    }

    /// The word after `torch-`.
    pub fn as_str(self) -> &'static str {
        self.0
    }

    /// The backend; none when it is for all.
    pub fn backend_name(self) -> Option<&'static str> {
        (self != Self::UNIVERSAL).then_some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted_and_disjoint() {
        assert!(VERSIONED.is_sorted_by_key(|b| b.name) && PLAIN.is_sorted());
        let mut names: Vec<_> = backend_names().collect();
        names.sort_unstable();
        assert_eq!(names, ["cann", "cpu", "cuda", "metal", "neuron", "rocm", "tpu", "xpu"]);
    }

    #[test]
    fn versions_belong_to_versioned_backends_only() {
        assert_eq!(Backend::plain("cuda"), None);
        assert_eq!(Backend::versioned("cpu", Version::new(1, 0)), None);
        assert_eq!(Backend::versioned("cuda", Version::new(12, 8)).unwrap().title(), "CUDA 12.8");
        assert_eq!(Backend::plain("metal").unwrap().title(), "Metal");
    }

    #[test]
    fn npu_is_cann() {
        assert_eq!(NoarchBackend::from_name("npu"), NoarchBackend::from_name("cann"));
        assert_eq!(NoarchBackend::from_name("npu").unwrap().as_str(), "cann");
        assert_eq!(NoarchBackend::from_name("universal"), Some(NoarchBackend::UNIVERSAL));
    }
}
