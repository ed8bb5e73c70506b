//! `build.toml`: the model of the file, the tables of allowed values, and the writer.

/// The file the manifest op writes.
pub const FILE_NAME: &str = "build.toml";

/// One `[kernel.<name>]` section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelSection {
    /// The name after `kernel.`.
    pub name: String,
}
