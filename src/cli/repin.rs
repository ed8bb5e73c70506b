//! `kernel-port repin`: what a new upstream commit means for a recipe, and with `--write` the recipe for it. Both commits
//! are read from the object database; no work tree is touched, and none needs to be clean.

use super::input::{self, Refused};
use super::{Format, RunArgs, Streams, exit};
use crate::check::{self, Input};
use crate::git::history::{Between, History, HistoryError};
use crate::git::{Checkouts, cached_history};
use crate::recipe::{CommitSha, Recipe};
use crate::repin::{Bump, HiddenDrift, Sides};
use crate::report::{findings, findings_json, json, review};
use crate::run::Run;
use crate::workspace::{Directory, RepoPath, Workspace};
use clap::Args;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  kernel-port repin port.kdl --to v2
  kernel-port repin port.kdl --to v2 --write

Exit status:
  0  reviewed; with --write, written
  1  an op needs a change that no number makes, or the final checks fail
  2  bad usage, or a recipe with mistakes
  3  a commit or a repository is not to be had
  5  the recipe could not be written";

/// The arguments of `repin`.
#[derive(Debug, Clone, Args)]
#[command(after_help = EXAMPLES)]
pub struct RepinArgs {
    /// The recipe to re-pin
    #[arg(value_name = "RECIPE")]
    pub recipe: PathBuf,
    /// A repository that has both commits; its work tree is not touched [default: a clone in the cache]
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// The new commit: a tag, branch or commit id [default: HEAD, or no change with --vendor-to]
    #[arg(long, value_name = "REV")]
    pub to: Option<String>,
    /// A repository of what the recipe vendors, as --dir is one of the source (repeatable)
    #[arg(long = "vendor", value_name = "NAME=DIR")]
    pub vendors: Vec<String>,
    /// The new commit of what the recipe vendors (repeatable)
    #[arg(long = "vendor-to", value_name = "NAME=REV")]
    pub vendor_to: Vec<String>,
    /// Use the cache only, never the network
    #[arg(long)]
    pub offline: bool,
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
    let run_args = RunArgs {
        recipe: Some(args.recipe.clone()),
        vendors: args.vendors.clone(),
        offline: args.offline,
        ..RunArgs::default()
    };
    let loaded = input::load_recipe(&run_args, streams)?;
    let recipe = &loaded.recipe;
    let checkouts = input::checkouts(&run_args, recipe, streams)?;
    let revisions = revisions(args, recipe, streams)?;
    let Some(pin) = pins(recipe).find(|pin| pin.vendor.is_none()) else {
        let help = "add one: it says which commit the port is made from";
        return Err(input::usage(streams, "the recipe has no source op to re-pin", Some(help)));
    };
    let keep_source = args.to.is_none() && !revisions.is_empty();
    let to = (!keep_source).then(|| args.to.as_deref().unwrap_or("HEAD"));
    let told = |error: HistoryError| {
        streams.error(&error.message, error.help.as_deref());
        Refused(exit::SOURCE)
    };
    let (histories, sides, mut bumps) =
        both_sides(args, recipe, &checkouts, pin, (to, &revisions)).map_err(told)?;
    refuse_red(recipe, &sides.before, streams)?;
    for (bump, history) in bumps.iter_mut().zip(&histories) {
        let ported = match bump.vendor {
            None => sides.ported(),
            Some(_) => vendored(recipe, bump, history),
        };
        bump.between = history.between(&bump.old.0, &bump.new.0, &ported).map_err(|error| {
            streams.error(&error.message, error.help.as_deref());
            Refused(exit::SOURCE)
        })?;
    }
    let review = sides.review(recipe, bumps);
    let diff = |hidden: &HiddenDrift| {
        let bump = &review.bumps[hidden.bump];
        histories[hidden.bump].file_diff(&bump.old.0, &bump.new.0, &hidden.upstream)
    };
    let text = review::text(recipe, &review, diff, streams.out_style);
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

/// `--vendor-to`, by name.
fn revisions<'a>(
    args: &'a RepinArgs,
    recipe: &Recipe,
    streams: &mut Streams<'_>,
) -> Result<BTreeMap<&'a str, &'a str>, Refused> {
    let mut revisions = BTreeMap::new();
    for argument in &args.vendor_to {
        let Some((name, revision)) = argument.split_once('=').filter(|(n, r)| !n.is_empty() && !r.is_empty())
        else {
            let message = format!("--vendor-to {argument}: must be NAME=REV");
            return Err(input::usage(streams, &message, Some("NAME is the name= of a vendor op")));
        };
        input::refuse_unknown_vendor("--vendor-to", name, recipe, streams)?;
        if revisions.insert(name, revision).is_some() {
            return Err(input::usage(streams, &format!("--vendor-to {name}= is given twice"), None));
        }
    }
    Ok(revisions)
}

/// A pinned repository of the recipe.
struct Pinned<'r> {
    vendor: Option<&'r str>,
    repo: &'r str,
    commit: CommitSha,
}

/// The pinned repositories, each once.
fn pins(recipe: &Recipe) -> impl Iterator<Item = Pinned<'_>> {
    let mut seen = BTreeSet::new();
    let pinned = recipe.ops.iter().filter(|op| matches!(op.spec.name, "source" | "vendor"));
    pinned.filter_map(move |op| {
        let vendor = (op.spec.name == "vendor").then(|| op.text("name")).flatten();
        let commit = CommitSha::new(op.text("commit")?).ok()?;
        seen.insert(vendor).then_some(Pinned { vendor, repo: op.text("repo")?, commit })
    })
}

/// Opens the histories, runs the recipe on both sides, and says which commits those are; what lies between is not filled
/// in yet. The histories are in the order of the bumps.
fn both_sides(
    args: &RepinArgs,
    recipe: &Recipe,
    checkouts: &Checkouts,
    source: Pinned<'_>,
    (to, revisions): (Option<&str>, &BTreeMap<&str, &str>),
) -> Result<(Vec<History>, Sides, Vec<Bump>), HistoryError> {
    let (mut histories, mut bumps) = (Vec::new(), Vec::new());
    let mut open = |directory: Option<&Path>, pin: &Pinned<'_>, to: Option<&str>| {
        let cached;
        let directory = match directory {
            Some(directory) => directory,
            None => {
                cached = cached_history(&checkouts.fetching, pin.repo, &pin.commit, to.is_some())?;
                &cached
            }
        };
        let history = History::open(directory)?;
        let new = to.map_or_else(|| Ok(pin.commit.clone()), |to| history.resolve(to))?;
        let trees = [history.workspace(&pin.commit)?, history.workspace(&new)?];
        let named = |commit: CommitSha| (commit.clone(), history.tag_of(&commit));
        let bump = Bump {
            vendor: pin.vendor.map(str::to_owned),
            old: named(pin.commit.clone()),
            new: named(new),
            between: Between::default(),
        };
        histories.push(history);
        bumps.push(bump);
        Ok::<_, HistoryError>(trees)
    };
    let sources = open(args.dir.as_deref(), &source, to)?;
    let before = checkouts.unopened();
    let after = checkouts.unopened();
    for pin in pins(recipe) {
        let Some(name) = pin.vendor else { continue };
        let (directory, to) = (checkouts.vendors.get(name), revisions.get(name).copied());
        if directory.is_none() && to.is_none() {
            continue;
        }
        let directory = directory.map(PathBuf::as_path);
        let [old, new] = open(directory, &pin, to)?;
        // Both sides ask for the commit that the recipe names.
        before.seed(directory, pin.repo, &pin.commit, old);
        after.seed(directory, pin.repo, &pin.commit, new);
    }
    let sides = Sides::run(recipe, sources, [&before, &after]);
    Ok((histories, sides, bumps))
}

/// The files of a vendored repository that the recipe copies, at either commit.
fn vendored(recipe: &Recipe, bump: &Bump, history: &History) -> BTreeSet<RepoPath> {
    let trees = [&bump.old.0, &bump.new.0].map(|commit| history.workspace(commit).unwrap_or_default());
    let directories = bump.ops(recipe).filter_map(|(_, op)| Directory::typed(op.text("path")?).ok());
    let files = |directory: Directory| {
        let below = |tree: &Workspace| tree.below(&directory).map(|(p, _)| p.clone()).collect::<Vec<_>>();
        trees.iter().flat_map(below).collect::<Vec<_>>()
    };
    directories.flat_map(files).collect()
}

fn print_json(
    wanted: bool,
    recipe: &Recipe,
    review: &crate::repin::Review<'_>,
    checked: &check::Report,
    status: u8,
    streams: &mut Streams<'_>,
) {
    if wanted {
        let mut document = json::review(recipe, review, status);
        document["checks"] = findings_json::json(checked);
        streams.say(json::document(&document));
    }
}

/// A recipe that does not fit the commit it pins cannot be compared with anything.
fn refuse_red(recipe: &Recipe, before: &Run, streams: &mut Streams<'_>) -> Result<(), Refused> {
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
