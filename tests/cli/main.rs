//! The real program, from the outside: one file a feature.
#![allow(clippy::unwrap_used, clippy::expect_used, missing_docs)]

mod harness;
mod hostile;

mod authoring;
mod checkouts;
mod diff;
mod documents;
mod errors;
mod examples;
mod fetch;
mod files;
mod json;
mod language;
mod output;
mod repin;
mod repin_sources;
mod snapshots;
mod source;
mod streams;
