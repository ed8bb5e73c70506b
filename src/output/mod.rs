//! Writes the ported tree: atomically, with provenance, and never over what somebody else wrote.
//!
//! [`guard`] decides whether `--out` is a place that may be written at all, [`previous`] looks at what is there,
//! [`write()`] builds the new tree beside it and swaps the two, [`compare`] tells how it differs from what a run would
//! write. Nothing here changes the tree in memory, and nothing is removed before its successor is complete on disk.

mod compare;
mod error;
mod guard;
mod hash;
mod in_place;
#[cfg(test)]
mod in_place_tests;
mod inside;
mod journal;
mod lock;
mod materialise;
mod partial;
mod place;
mod previous;
mod provenance;
mod quote;
mod reader;
mod remove;
mod reuse;
mod rules;
mod staging;
mod survey;
mod swap;
mod syscalls;
mod write;

#[cfg(test)]
mod testing;

pub use compare::{Difference, DifferenceKind, against, compare};
pub use error::{ErrorKind, OutputError};
pub use guard::{Protected, Reach, Target, guard, surroundings};
pub use hash::{TreeHasher, bytes_hash, tree_hash};
pub use in_place::{GitState, in_place};
pub use journal::{Recovered, recover};
pub use partial::partial;
pub use previous::{Previous, previous};
pub use provenance::{Origins, Provenance, SourcePin};
pub use rules::check as check_tree;
pub use write::{Written, write};

/// The name of the provenance file, at the top of an output.
pub const PROVENANCE: &str = "port-provenance.json";
/// Its name in outputs of older tools: recognised, no longer written.
pub const OLD_PROVENANCE: &str = ".port-provenance.json";
/// Marks a tree that `--partial` wrote.
pub const PARTIAL: &str = ".port-partial";
/// Where a change of a directory in place is prepared, inside that directory.
pub const JOURNAL: &str = ".kernel-port-journal";

/// The names at the top of a tree that are this program's own.
pub const RESERVED: [&str; 4] = [PROVENANCE, OLD_PROVENANCE, PARTIAL, JOURNAL];
