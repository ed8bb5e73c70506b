//! The ops: one file each, and this table. What an op is called, takes, prints and fails on is data here, for the
//! runner, the reference and completion alike.

mod named_strings;
mod near_modules;
pub(crate) mod nearest_text;
mod operator_names;
mod order;
mod plan;
pub(crate) mod select;
#[cfg(test)]
#[allow(dead_code)]
pub(crate) mod testing;

mod allow;
mod convert_import;
mod copy;
mod delete;
mod ensure_import;
mod ensure_init;
mod expect;
mod fields;
#[cfg(test)]
mod import_properties;
#[cfg(test)]
mod import_table;
#[cfg(test)]
mod import_tests;
mod kernel;
mod kernelize_imports;
#[cfg(test)]
mod kernelize_tests;
mod manifest;
mod manifest_args;
#[cfg(test)]
mod manifest_tests;
mod mark_tests;
mod moving;
mod overlay;
pub(crate) mod prefix_torch_ops;
#[cfg(test)]
mod prefix_torch_ops_tests;
mod prune;
mod python_files;
#[cfg(test)]
mod python_op_properties;
mod relative_targets;
mod relativize_imports;
mod remap_module;
pub(crate) mod remap_strings;
mod rename;
mod replace;
mod sections;
mod source;
mod strip_suffix;
mod unloaded_modules;
mod vendor;
mod write;

pub use order::check_order;
pub use plan::{Context, Count, Evidence, Failure, FailureKind, Note, Plan, Record};

use crate::recipe::{ArgSpec, ArgType, Args, BuiltOp, RecipeError};

/// An op with its arguments read. It looks at the tree and says what it would do; the runner does it.
pub trait Op: Send + Sync {
    /// What the op would change, what it counted, and the evidence. Changes nothing.
    ///
    /// # Errors
    /// Why the op does not apply to this tree. A number that differs from a pin is no error here: the plan says
    /// what was found, and the runner compares.
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure>;

    /// What is odd in the arguments, but allowed.
    fn warnings(&self, _built: &BuiltOp) -> Vec<RecipeError> {
        Vec::new()
    }
}

/// Reads the arguments of a node. `None` when one is missing or wrong, which `Args` has noted.
pub type Build = fn(&mut Args<'_>) -> Option<Box<dyn Op>>;

/// A runnable example: an inline recipe and the files it runs on.
#[derive(Debug, Clone, Copy)]
pub struct Example {
    /// The text of `-e`.
    pub recipe: &'static str,
    /// `--file` arguments, path and content.
    pub files: &'static [(&'static str, &'static str)],
}

/// What an op works on: how the reference orders the ops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    /// Where upstream stands, and what is accepted.
    Pins,
    /// Which files there are, and where.
    Tree,
    /// Any text.
    Text,
    /// Python.
    Python,
    /// `build.toml`.
    Manifest,
}

impl Group {
    /// All, in the order of the reference.
    pub const ALL: [Self; 5] = [Self::Pins, Self::Tree, Self::Text, Self::Python, Self::Manifest];

    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Self::Pins => "Pins and guards",
            Self::Tree => "Files",
            Self::Text => "Text",
            Self::Python => "Python",
            Self::Manifest => "The manifest",
        }
    }

    /// Its ops, by name.
    pub fn ops(self) -> impl Iterator<Item = &'static OpSpec> {
        TABLE.iter().filter(move |spec| spec.group == self)
    }
}

/// Everything about an op that is not code.
#[derive(Debug, Clone, Copy)]
pub struct OpSpec {
    /// The node's name.
    pub name: &'static str,
    /// What it works on.
    pub group: Group,
    /// One line: what it does.
    pub summary: &'static str,
    /// Its arguments.
    pub args: &'static [ArgSpec],
    /// What may be relied on when it succeeds.
    pub guarantees: &'static [&'static str],
    /// When it fails, besides a pin that does not match.
    pub failures: &'static [&'static str],
    /// An example that runs as it stands; `None` where a checkout is needed.
    pub example: Option<Example>,
    /// The constructor.
    pub build: Build,
}

impl OpSpec {
    /// The names of its pins.
    pub fn pins(&self) -> impl Iterator<Item = &'static str> {
        self.args.iter().filter(|a| a.ty == ArgType::Pin).map(|a| a.name)
    }
}

/// All ops, by name.
pub static TABLE: &[OpSpec] = &[
    allow::SPEC,
    convert_import::SPEC,
    copy::SPEC,
    delete::SPEC,
    ensure_import::SPEC,
    ensure_init::SPEC,
    expect::SPEC,
    kernel::SPEC,
    kernelize_imports::SPEC,
    manifest::SPEC,
    mark_tests::SPEC,
    moving::SPEC,
    overlay::SPEC,
    prefix_torch_ops::SPEC,
    prune::SPEC,
    relativize_imports::SPEC,
    remap_module::SPEC,
    remap_strings::SPEC,
    rename::SPEC,
    replace::SPEC,
    source::SPEC,
    strip_suffix::SPEC,
    vendor::SPEC,
    write::SPEC,
];

/// The op of that name.
pub fn find(name: &str) -> Option<&'static OpSpec> {
    TABLE.iter().find(|spec| spec.name == name)
}

#[cfg(test)]
mod tests {
    use super::TABLE;

    #[test]
    fn the_table_is_sorted_and_complete() {
        assert!(TABLE.is_sorted_by_key(|s| s.name));
        for spec in TABLE {
            assert!(!spec.summary.is_empty() && !spec.summary.ends_with('.'), "{}", spec.name);
            assert!(!spec.failures.is_empty(), "{}", spec.name);
        }
    }
}
