//! `kernel-port repin`: what a new upstream commit means for a recipe, and with `--write` the recipe for it. Both commits
//! are read from the object database; no work tree is touched, and none needs to be clean.

use super::input::{self, Refused};
use super::{Format, RunArgs, Streams, exit};
use crate::check::{self, Input};
use crate::git::Checkouts;
use crate::git::history::{History, HistoryError};
use crate::recipe::CommitSha;
use crate::repin::Sides;
use crate::report::{findings, findings_json, json, review};
use crate::run::Run;
use clap::Args;
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

/// The arguments of `repin`.
#[derive(Debug, Clone, Args)]
pub struct RepinArgs {
    /// The recipe to re-pin
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// A repository that has both commits; its work tree is not touched
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// The new commit: a tag, branch or commit id
    #[arg(long, value_name = "REV", default_value = "HEAD")]
    pub to: String,
    /// The checkout of a vendored repository, at its pinned commit (repeatable)
    #[arg(long = "vendor", value_name = "NAME=DIR")]
    pub vendors: Vec<String>,
    /// Write the new commit and numbers into the recipe
    #[arg(long)]
    pub write: bool,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub format: Format,
}

/// Reviews, and with `--write` edits the recipe.
pub fn main(args: &RepinArgs, streams: &mut Streams<'_>) -> u8 {
    repin(args, streams).unwrap_or_else(|Refused(status)| status)
}

fn repin(args: &RepinArgs, streams: &mut Streams<'_>) -> Result<u8, Refused> {
    let run_args =
        RunArgs { recipe: Some(args.recipe.clone()), vendors: args.vendors.clone(), ..RunArgs::default() };
    let loaded = input::load_recipe(&run_args, streams)?;
    let recipe = &loaded.recipe;
    let Some(source) = recipe.ops.iter().find(|op| op.spec.name == "source") else {
        let help = "add one: it says which commit the port is made from";
        return Err(input::usage(streams, "the recipe has no source op to re-pin", Some(help)));
    };
    let pinned = source.text("commit").and_then(|text| CommitSha::new(text).ok());
    let Some(old) = pinned else { return Err(input::usage(streams, "the source op has no commit", None)) };
    let mut source_error = |error: HistoryError| {
        streams.error(&error.message, error.help.as_deref());
        Refused(exit::SOURCE)
    };
    let history = History::open(&args.dir).map_err(&mut source_error)?;
    let new = history.resolve(&args.to).map_err(&mut source_error)?;
    let trees = [&old, &new].map(|commit| history.workspace(commit));
    let [old_tree, new_tree] = trees;
    let (old_tree, new_tree) = (old_tree.map_err(&mut source_error)?, new_tree.map_err(&mut source_error)?);
    let checkouts: Checkouts = input::checkouts(&run_args, recipe, streams)?;
    let sides = Sides::run(recipe, (old.clone(), old_tree), (new.clone(), new_tree), &checkouts);
    refuse_red(recipe, &sides.before, streams)?;
    let between = history.between(&old, &new, &sides.ported());
    let between = between.map_err(|error| {
        streams.error(&error.message, error.help.as_deref());
        Refused(exit::SOURCE)
    })?;
    let review = sides.review(recipe, between);
    let (old_tag, new_tag) = (history.tag_of(&old), history.tag_of(&new));
    let diff = |hidden: &crate::repin::HiddenDrift| history.file_diff(&old, &new, &hidden.upstream);
    let names = (old_tag.as_deref(), new_tag.as_deref());
    let text = review::text(recipe, &review, names, diff, streams.out_style);
    let json_wanted = args.format == Format::Json;
    let say = |streams: &mut Streams<'_>, text: &str| {
        if !json_wanted {
            streams.say(text);
        }
    };
    say(streams, &text);
    // A number cannot mend what the final checks find at the new commit; better to know now.
    let checked =
        check::run(&Input::new(&sides.after.workspace, &sides.after.records), &sides.after.records, false);
    let findings = findings::text(&checked, false, Some("a run at the new commit"), streams.out_style)
        .replace("; nothing was written", " at the new commit");
    if !findings.is_empty() {
        say(streams, &format!("\n{findings}"));
    }
    let done = if checked.fails(false) { exit::DOES_NOT_APPLY } else { exit::DONE };
    let Some(edited) = review.edited(recipe) else {
        say(streams, "\nthe recipe needs a hand edit at the lines above, then run this again\n");
        print_json(json_wanted, recipe, &review, &checked, exit::DOES_NOT_APPLY, streams);
        return Ok(exit::DOES_NOT_APPLY);
    };
    if !args.write {
        say(streams, "\n--write puts the new commit and numbers into the recipe\n");
        print_json(json_wanted, recipe, &review, &checked, done, streams);
        return Ok(done);
    }
    let path = loaded.file.as_deref().unwrap_or(&args.recipe);
    write_whole(path, &edited).map_err(|error| {
        streams.error(&format!("cannot write {}: {error}", path.display()), None);
        Refused(exit::OUTPUT)
    })?;
    say(streams, &format!("\nwrote {}\n", args.recipe.display()));
    print_json(json_wanted, recipe, &review, &checked, done, streams);
    Ok(done)
}

fn print_json(
    wanted: bool,
    recipe: &crate::recipe::Recipe,
    review: &crate::repin::Review<'_>,
    checked: &check::Report,
    status: u8,
    streams: &mut Streams<'_>,
) {
    if wanted {
        let mut document = json::review(recipe, review, status);
        document["checks"] = findings_json::json(checked);
        streams.say(format!("{document:#}\n"));
    }
}

/// A recipe that does not fit the commit it pins cannot be compared with anything.
fn refuse_red(
    recipe: &crate::recipe::Recipe,
    before: &Run,
    streams: &mut Streams<'_>,
) -> Result<(), Refused> {
    if before.drift.is_empty() {
        return Ok(());
    }
    let text = crate::report::failure::drift(recipe, &before.drift, false, streams.err_style);
    streams.complain(text);
    streams.error("the recipe does not apply at the commit it pins", Some("make it green there first"));
    Err(Refused(exit::DOES_NOT_APPLY))
}

/// Replaces a file as a whole, keeping its mode.
fn write_whole(path: &Path, text: &str) -> io::Result<()> {
    let directory = path.parent().unwrap_or(Path::new("."));
    let mode = fs::metadata(path)?.permissions().mode();
    let mut file = tempfile::NamedTempFile::new_in(directory)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(fs::Permissions::from_mode(mode))?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    Ok(())
}
