//! `build.toml`: the model of the file, the tables of allowed values, and the writer.

/// One `[kernel.<name>]` section.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct KernelSection {
    /// The name after `kernel.`.
    pub name: String,
}
