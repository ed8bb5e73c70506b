//! Ports GPU kernel repositories to the kernel-builder layout. A recipe is read into typed ops ([`recipe`], [`ops`]),
//! run over a tree in memory ([`workspace`], [`run`]), checked ([`check`]), and written out in one step ([`output`]).
//!
//! The library never prints and never exits; [`report`] renders what happened, and the binary prints it.
// Tests say what they expect by panicking.
#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used))]

pub mod check;
pub mod cli;
pub mod git;
pub mod manifest;
pub mod ops;
pub mod output;
mod parallel;
pub mod python;
pub mod recipe;
pub mod repin;
pub mod report;
pub mod run;
pub mod variant;
pub mod workspace;
