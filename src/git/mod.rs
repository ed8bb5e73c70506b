//! Checkouts, object databases and the cache: what a pinned commit tracks, read exactly and without running anything that a
//! repository configures.

mod address;
mod cache;
mod checkout;
mod checkouts;
mod clones;
mod config;
mod convert;
mod fetch;
pub mod history;
mod ignored;
mod index;
mod judge;
mod layout;
mod lfs;
mod objects;
mod remote;
mod sourced;
mod stat;
mod status;
mod trees;
mod url;
mod work_tree;
mod written_tree;

pub use cache::{Fetching, Progress, cache_directory, history as cached_history};
pub use checkout::Checkout;
pub use checkouts::Checkouts;
pub use clones::Clones;
pub use sourced::Sourced;
pub use url::same_repository;
