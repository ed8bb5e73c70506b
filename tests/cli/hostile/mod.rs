//! Hostile input: a recipe, an upstream tree, an overlay and a repository may all come from a stranger. Whatever they hold,
//! nothing outside the output changes, nothing of theirs runs, the program ends in time with a documented status, and
//! what it prints cannot drive a terminal.

mod arena;
mod fetched;
mod git;
mod links;
mod names;
mod paths;
mod python;
mod recipes;

use arena::{Case, withstands};

#[test]
fn the_corpus_is_large() {
    let tables = [
        fetched::ADDRESSES,
        git::CONFIGURATION,
        git::LAYOUT,
        git::OBJECTS,
        links::INPUTS,
        links::OUTPUTS,
        names::NAMES,
        paths::ARGUMENTS,
        paths::COMMAND_LINE,
        python::FILES,
        recipes::SHAPES,
        recipes::VALUES,
    ];
    assert!(tables.iter().map(|table| table.len()).sum::<usize>() >= 150);
}
