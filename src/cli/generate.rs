//! `completions` and `man`: generated from the command line's own definitions, into memory first, as the generators
//! panic when the stream they write to is closed.

use super::args::{Cli, CompletionsArgs};
use super::{Streams, exit};
use crate::report::reference;
use clap::CommandFactory;

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs, streams: &mut Streams<'_>) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Cli::command(), "kernel-port", &mut script);
    streams.say(String::from_utf8_lossy(&script));
    exit::DONE
}

/// Prints the man page, the ops at its end.
pub fn man(streams: &mut Streams<'_>) -> u8 {
    let mut page = Vec::new();
    if let Err(error) = clap_mangen::Man::new(Cli::command()).render(&mut page) {
        streams.error(&format!("cannot render the man page: {error}"), None);
        return exit::OUTPUT;
    }
    let mut text = String::from_utf8_lossy(&page).into_owned();
    text.push_str(&reference::roff());
    streams.say(text);
    exit::DONE
}
