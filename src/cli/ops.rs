//! `kernel-port ops`: the reference of the ops, with examples that are run on the spot.

use super::{Format, Streams, exit, run};
use crate::ops::{self, Example, TABLE};
use crate::report::{Style, json, nearest, reference};
use clap::Args;
use std::rc::Rc;

/// The arguments of `ops`.
#[derive(Debug, Clone, Default, Args)]
pub struct OpsArgs {
    /// The op to show in full
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print text, or the whole table as one JSON document
    #[arg(
        long,
        value_name = "FORMAT",
        default_value = "text",
        hide_default_value = true,
        conflicts_with = "name"
    )]
    pub format: Format,
}

/// Prints the table, or one op.
pub fn main(args: &OpsArgs, streams: &mut Streams<'_>) -> u8 {
    if args.format == Format::Json {
        streams.say(crate::report::json::document(&json::ops()));
        return exit::DONE;
    }
    let Some(name) = &args.name else {
        let text = reference::table(streams.out_style);
        streams.say(text);
        return exit::DONE;
    };
    let Some(spec) = ops::find(name) else {
        let near = nearest::one(name, TABLE.iter().map(|s| s.name));
        let help = near.map_or("`kernel-port ops` lists them".to_owned(), |n| format!("did you mean `{n}`?"));
        streams.error(&format!("there is no op `{name}`"), Some(&help));
        return exit::USAGE;
    };
    let text = reference::op(spec, streams.out_style, |example| example_output(example, false));
    streams.say(text);
    exit::DONE
}

/// What the example's command prints, both streams in order; with `--dry-run` if `dry`.
pub fn example_output(example: &Example, dry: bool) -> String {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let mut streams = Streams {
        out: &mut out,
        err: &mut err,
        out_style: Style::PLAIN,
        err_style: Style::PLAIN,
        terminal: false,
        closed: Rc::default(),
    };
    let files = example.files.iter().map(|(path, text)| format!("{path}={text}")).collect();
    let args =
        super::RunArgs { inline: Some(example.recipe.to_owned()), files, dry_run: dry, ..Default::default() };
    run(&args, &mut streams);
    err.extend(out);
    String::from_utf8_lossy(&err).into_owned()
}
