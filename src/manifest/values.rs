//! The names that `build.toml` allows, in one place: a new backend, dependency or package is one line here.

use crate::recipe::ValueError;
use crate::report::nearest;
use std::fmt;

/// What a backend may have in `build.toml`.
#[derive(PartialEq, Eq)]
pub struct Backend {
    /// As `build.toml` spells it.
    pub name: &'static str,
    /// Other names people know it by, for suggestions.
    also: &'static [&'static str],
    /// The keys that only its kernel sections have; `None` for a backend without compiled kernels.
    pub section_keys: Option<&'static [&'static str]>,
    /// The keys of its table below `general`; `None` when it has no such table.
    pub general_keys: Option<&'static [&'static str]>,
    /// What `python-depends` of that table may name.
    pub python_depends: &'static [&'static str],
}

/// The keys of `[general.cuda]`.
pub const CUDA_KEYS: &[&str] = &["minver", "maxver", "python-depends", "kernel-depends"];

const SHARED_KEYS: &[&str] = &["python-depends", "kernel-depends"];

const PLAIN: Backend =
    Backend { name: "", also: &[], section_keys: None, general_keys: None, python_depends: &[] };

/// All backends, by name.
pub static BACKENDS: &[Backend] = &[
    Backend { name: "cann", also: &["ascend", "npu"], ..PLAIN },
    Backend { name: "cpu", section_keys: Some(&[]), ..PLAIN },
    Backend {
        name: "cuda",
        also: &["nvidia", "gpu"],
        section_keys: Some(&["cuda-capabilities", "cuda-flags", "cuda-minver"]),
        general_keys: Some(CUDA_KEYS),
        python_depends: &["nvidia-cutlass-dsl"],
    },
    Backend { name: "metal", also: &["mps", "apple"], section_keys: Some(&[]), ..PLAIN },
    Backend {
        name: "neuron",
        also: &["trainium"],
        general_keys: Some(SHARED_KEYS),
        python_depends: &["nki"],
        ..PLAIN
    },
    Backend {
        name: "rocm",
        also: &["hip", "amd"],
        section_keys: Some(&["hip-flags", "rocm-archs"]),
        ..PLAIN
    },
    Backend { name: "tpu", general_keys: Some(&["python-depends"]), ..PLAIN },
    Backend {
        name: "xpu",
        also: &["sycl", "intel"],
        section_keys: Some(&["sycl-flags"]),
        general_keys: Some(SHARED_KEYS),
        python_depends: &["onednn"],
    },
];

/// What `general.python-depends` may name; the builder accepts nothing else later on.
pub static PYTHON_DEPENDS: &[&str] = &["einops", "helion", "tvm-ffi"];

/// What `depends` of a kernel section may name in release 0.17.2. The list grows.
pub static DEPENDS: &[&str] = &[
    "torch",
    "cutlass_2_10",
    "cutlass_3_5",
    "cutlass_3_6",
    "cutlass_3_8",
    "cutlass_3_9",
    "cutlass_4_0",
    "cutlass_4_4",
    "cutlass_4_5",
    "sycl_tla",
    "metal-cpp",
];

impl fmt::Debug for Backend {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Backend {
    /// Whether it can have kernel sections.
    pub fn compiles(&self) -> bool {
        self.section_keys.is_some()
    }

    /// Whether a kernel section of this backend may hold `key`, one that belongs to a single backend.
    pub fn has_section_key(&self, key: &str) -> bool {
        self.section_keys.is_some_and(|keys| keys.contains(&key))
    }

    /// `language` of edition 6.
    pub fn language(&self) -> String {
        format!("cpp-{}", self.name)
    }
}

/// The backend of that name.
///
/// # Errors
/// No backend is called so.
pub fn backend(text: &str) -> Result<&'static Backend, ValueError> {
    pick(text, BACKENDS, "backend")
}

/// The backend of a kernel section.
///
/// # Errors
/// No backend is called so, or the builder compiles nothing for it.
pub fn compiled_backend(text: &str) -> Result<&'static Backend, ValueError> {
    let names = || BACKENDS.iter().filter(|b| b.compiles());
    match backend(text) {
        Ok(backend) if backend.compiles() => Ok(backend),
        Ok(backend) => Err(ValueError::new(format!("\"{}\" has no compiled kernels", backend.name))
            .help(format!("a kernel section is for one of {}", join(names().map(|b| b.name))))),
        Err(_) => pick(text, names(), "backend of a kernel section"),
    }
}

/// The backend of a kernel section by edition 6's `language`.
///
/// # Errors
/// No language is called so.
pub fn language(text: &str) -> Result<&'static Backend, ValueError> {
    let compiled = || BACKENDS.iter().filter(|b| b.compiles());
    if let Some(found) = compiled().find(|b| b.language() == text) {
        return Ok(found);
    }
    let names: Vec<String> = compiled().map(Backend::language).collect();
    let error = ValueError::new(format!("\"{text}\" is no language of a kernel section"));
    Err(suggest(error, text, names.iter().map(String::as_str)))
}

/// A package of `general.python-depends`, or of a backend's own list.
///
/// # Errors
/// The builder knows no such package there; says so when another list has it.
pub fn python_depend(text: &str, of: Option<&Backend>) -> Result<(), ValueError> {
    let known = of.map_or(PYTHON_DEPENDS, |backend| backend.python_depends);
    if known.contains(&text) {
        return Ok(());
    }
    let error = ValueError::new(format!("\"{text}\" is no Python package that the builder provides here"));
    if of.is_some() && PYTHON_DEPENDS.contains(&text) {
        return Err(error.help(format!("{text} is for every backend: python_depends=\"{text}\"")));
    }
    if let Some(owner) = BACKENDS.iter().find(|b| b.python_depends.contains(&text)) {
        let name = owner.name;
        return Err(error.help(format!("{text} belongs to {name}: {name}_python_depends=\"{text}\"")));
    }
    Err(suggest(error, text, known.iter().copied()))
}

/// A library of a kernel section's `depends`.
///
/// # Errors
/// Release 0.17.2 knows no such library. A warning where recipes are read: the list grows.
pub fn depend(text: &str) -> Result<(), ValueError> {
    if DEPENDS.contains(&text) {
        return Ok(());
    }
    let error = ValueError::new(format!("\"{text}\" is no dependency that kernel-builder 0.17.2 knows"));
    Err(suggest(error, text, DEPENDS.iter().copied()))
}

fn pick<'b>(
    text: &str,
    among: impl IntoIterator<Item = &'b Backend, IntoIter: Clone>,
    noun: &str,
) -> Result<&'b Backend, ValueError> {
    let among = among.into_iter();
    if let Some(found) = among.clone().find(|b| b.name == text) {
        return Ok(found);
    }
    let error = ValueError::new(format!("\"{text}\" is no {noun}"));
    if let Some(meant) = among.clone().find(|b| b.also.contains(&text.to_lowercase().as_str())) {
        return Err(error.help(format!("did you mean \"{}\"?", meant.name)));
    }
    Err(suggest(error, text, among.map(|b| b.name)))
}

/// The nearest name and all that are allowed.
pub(super) fn suggest<'a>(
    error: ValueError,
    text: &str,
    allowed: impl Iterator<Item = &'a str> + Clone,
) -> ValueError {
    let list = match allowed.clone().count() {
        0 => "nothing is known there".to_owned(),
        1 => format!("allowed: {}", join(allowed.clone())),
        _ => format!("one of {}", join(allowed.clone())),
    };
    match nearest::one(text, allowed) {
        Some(near) => error.help(format!("did you mean \"{near}\"? {list}")),
        None => error.help(list),
    }
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(error: ValueError) -> String {
        format!("{} ({})", error.message, error.help.unwrap_or_default())
    }

    #[test]
    fn tables_are_sorted_and_every_name_is_found() {
        assert!(BACKENDS.is_sorted_by_key(|b| b.name));
        for known in BACKENDS {
            assert_eq!(backend(known.name).unwrap().name, known.name);
            assert_eq!(compiled_backend(known.name).is_ok(), known.compiles());
        }
        assert_eq!(backend("cuda").unwrap().language(), "cpp-cuda");
    }

    #[test]
    fn unknown_backends_get_the_nearest_or_the_name_meant() {
        let all = "one of cann, cpu, cuda, metal, neuron, rocm, tpu, xpu";
        let refused = |text| refusal(backend(text).unwrap_err());
        assert_eq!(refused("cudaa"), format!(r#""cudaa" is no backend (did you mean "cuda"? {all})"#));
        assert_eq!(refused("hip"), r#""hip" is no backend (did you mean "rocm"?)"#);
        assert_eq!(refused("MPS"), r#""MPS" is no backend (did you mean "metal"?)"#);
        assert_eq!(refused("vulkan"), format!(r#""vulkan" is no backend ({all})"#));
        assert_eq!(refused("CUDA"), format!(r#""CUDA" is no backend (did you mean "cuda"? {all})"#));
        assert_eq!(
            refusal(compiled_backend("tpu").unwrap_err()),
            r#""tpu" has no compiled kernels (a kernel section is for one of cpu, cuda, metal, rocm, xpu)"#
        );
    }

    #[test]
    fn python_packages_are_known_by_list() {
        let cuda = backend("cuda").unwrap();
        assert!(python_depend("einops", None).is_ok());
        assert!(python_depend("nvidia-cutlass-dsl", Some(cuda)).is_ok());
        let refused = |text, of| refusal(python_depend(text, of).unwrap_err());
        assert!(refused("nki", None).ends_with(r#"(nki belongs to neuron: neuron_python_depends="nki")"#));
        assert!(
            refused("einops", Some(cuda))
                .ends_with(r#"(einops is for every backend: python_depends="einops")"#)
        );
        assert!(
            refused("einop", None).ends_with(r#"(did you mean "einops"? one of einops, helion, tvm-ffi)"#)
        );
    }

    #[test]
    fn unknown_libraries_get_the_nearest() {
        assert!(depend("metal-cpp").is_ok());
        let refused = refusal(depend("cutlass_4_1").unwrap_err());
        assert!(refused.contains(r#"did you mean "cutlass_"#), "{refused}");
    }
}
