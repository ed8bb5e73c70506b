//! Checkouts and object trees: what a pinned commit tracks, read exactly and without running anything.

pub mod history;
mod objects;

use std::collections::BTreeMap;
use std::path::PathBuf;

/// The checkouts that the command line gave.
#[derive(Debug, Clone, Default)]
pub struct Checkouts {
    /// `--dir`.
    pub source: Option<PathBuf>,
    /// `--vendor NAME=DIR`.
    pub vendors: BTreeMap<String, PathBuf>,
    /// `--allow-dirty`.
    pub allow_dirty: bool,
}
