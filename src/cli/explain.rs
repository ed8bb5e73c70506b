//! `kernel-port explain`: the longer story of an error, of a rule of the final checks, or of an op.

use super::{OpsArgs, Streams, exit, ops};
use crate::report::{findings, nearest, stories};
use crate::{check, ops as table};
use clap::Args;

/// The arguments of `explain`.
#[derive(Debug, Clone, Args)]
#[command(after_help = "Examples:\n  kernel-port explain drift\n  kernel-port explain absolute-import")]
pub struct ExplainArgs {
    /// A kind of error, a rule of the final checks, or an op; without it, errors and rules are listed
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
}

/// Prints the errors and rules, one of them, or an op.
pub fn main(args: &ExplainArgs, streams: &mut Streams<'_>) -> u8 {
    let Some(name) = &args.name else {
        let (errors, rules) = (stories::table(streams.out_style), findings::table(streams.out_style));
        streams
            .say(format!("Errors, with their exit status\n\n{errors}\nRules of the final checks\n\n{rules}"));
        return exit::DONE;
    };
    if let Some(story) = stories::find(name) {
        let text = stories::text(story, streams.out_style);
        streams.say(text);
        return exit::DONE;
    }
    if let Some(rule) = check::find(name) {
        let text = findings::story(rule, streams.out_style);
        streams.say(text);
        return exit::DONE;
    }
    if table::find(name).is_some() {
        return ops::main(&OpsArgs { name: Some(name.clone()), ..OpsArgs::default() }, streams);
    }
    let known = stories::STORIES.iter().map(|story| story.id);
    let known = known.chain(check::RULES.iter().map(|r| r.id)).chain(table::TABLE.iter().map(|s| s.name));
    let help = nearest::one(name, known)
        .map_or("`kernel-port explain` lists errors and rules, `kernel-port ops` the ops".to_owned(), |n| {
            format!("did you mean `{n}`?")
        });
    streams.error(&format!("there is no error, rule or op `{name}`"), Some(&help));
    exit::USAGE
}
