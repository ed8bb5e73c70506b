//! `build.toml`: the model of the file, the tables of allowed values, the rules across its tables, the writer and the
//! lenient reader. Knows nothing of trees: whether a path that the file names is there is not its business.

mod git_url;
mod model;
mod read;
#[cfg(test)]
mod read_tests;
mod reader;
mod rules;
mod shapes;
mod values;
mod write;

pub use git_url::git_url;
pub use model::{
    BackendTable, Framework, General, KernelDepend, KernelRevision, KernelSection, Model, Noarch, StableAbi,
    Torch, TvmFfi,
};
pub use read::{Problem, Reading, read};
pub use rules::{Breach, SectionBreach, check as check_rules, check_sections};
pub use shapes::{
    branch, capability, edition, extension, flag, include_directory, kernel_depend, kernel_name, license,
    repo_id, rocm_arch, section_name, stable_abi_entry, toolkit_version, version_number,
};
pub use values::{
    BACKENDS, Backend, CUDA_KEYS, DEPENDS, PYTHON_DEPENDS, backend, compiled_backend, depend, python_depend,
};
pub use write::write;

/// The file at the top of the tree that the builder reads. It is always generated.
pub const FILE_NAME: &str = "build.toml";
