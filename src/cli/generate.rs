//! `completions` and `man`: generated from the command line's own definitions, into memory first, as the generators
//! panic when the stream they write to is closed.

use super::args::{Cli, CompletionsArgs};
use super::{Streams, exit};
use crate::check::RULES;
use crate::ops::TABLE;
use crate::report::reference;
use crate::report::stories::STORIES;
use clap::CommandFactory;
use clap::builder::PossibleValuesParser;
use clap_mangen::Man;
use std::collections::BTreeSet;
use std::io;

/// Prints a completion script.
pub fn completions(args: &CompletionsArgs, streams: &mut Streams<'_>) -> u8 {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_names(), "kernel-port", &mut script);
    // For a program with a hyphen in its name, clap_complete 4.6 sets one spelling of a subcommand and asks for another:
    // bash would complete no option or name behind a subcommand.
    streams.say(String::from_utf8_lossy(&script).replace("kernel__subcmd__port", "kernel__port"));
    exit::DONE
}

/// The command line with the names that `ops` and `explain` take. Only shells are told: a misspelt name gets an error of
/// its own.
fn with_names() -> clap::Command {
    let ops = || TABLE.iter().map(|spec| spec.name);
    let stories = STORIES.iter().map(|story| story.id).chain(RULES.iter().map(|rule| rule.id));
    let all: BTreeSet<&str> = stories.chain(ops()).collect();
    let name = |arg: clap::Arg, names: Vec<&'static str>| arg.value_parser(PossibleValuesParser::new(names));
    Cli::command()
        .mut_subcommand("ops", |ops_command| ops_command.mut_arg("name", |arg| name(arg, ops().collect())))
        .mut_subcommand("explain", |explain| {
            explain.mut_arg("name", |arg| name(arg, all.into_iter().collect()))
        })
}

/// Prints the man page: the options, each command with its own, the ops.
pub fn man(streams: &mut Streams<'_>) -> u8 {
    match page() {
        Ok(text) => {
            streams.say(text);
            exit::DONE
        }
        Err(error) => {
            streams.error(&format!("cannot render the man page: {error}"), None);
            exit::OUTPUT
        }
    }
}

fn page() -> io::Result<String> {
    let mut cli = Cli::command();
    cli.build();
    let page = Man::new(cli.clone());
    let mut out = Vec::new();
    page.render_title(&mut out)?;
    page.render_name_section(&mut out)?;
    page.render_synopsis_section(&mut out)?;
    page.render_description_section(&mut out)?;
    let mut text = String::from_utf8_lossy(&out).into_owned();
    let mut out = Vec::new();
    page.render_options_section(&mut out)?;
    // The groups of options are parts of that section.
    let options = String::from_utf8_lossy(&out).replace("\n.SH ", "\n.SS ");
    text.push_str(&options);
    text.push_str(".SH COMMANDS\n");
    for command in cli.get_subcommands().filter(|command| command.get_name() != "help") {
        let mut out = Vec::new();
        Man::new(command.clone()).render_options_section(&mut out)?;
        // A page for each command would be found by nobody; their options stand here, under their names.
        let options = String::from_utf8_lossy(&out).replacen(".SH OPTIONS\n", "", 1);
        let name = command.get_name();
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        let about = about.replace('-', "\\-");
        text.push_str(&format!(".SS kernel\\-port {name}\n{about}\n{options}"));
    }
    text.push_str(&reference::roff());
    let mut out = Vec::new();
    page.render_extra_section(&mut out)?;
    let extra = String::from_utf8_lossy(&out);
    text.push_str(&extra.replacen(".SH EXTRA", ".SH EXAMPLES AND EXIT STATUS", 1));
    Ok(text)
}
