//! `kernel-port check`: proves that committed ports are what their recipes make. Finds the recipes, reads pinned sources
//! from clones at hand, the cache or the network, and compares.

use super::input::{self, Loaded};
use super::{Format, Streams, exit};
use crate::check::{self as rules, Input};
use crate::git::{Checkouts, Clones, Fetching};
use crate::ops::Failure;
use crate::output::{self, Origins};
use crate::parallel;
use crate::recipe::{BuildContext, CommitSha, Recipe, RecipeInput, RecipeText};
use crate::report::{Color, Style, diff, failure, findings, plural};
use crate::run::{self, Mode, Run};
use crate::workspace::{Workspace, load};
use clap::Args;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;
use walkdir::WalkDir;

const LAYOUTS: &str = "\
The output of a recipe is looked for in
  KERNEL/src       for KERNEL/port/port.kdl
  KERNEL           for .ports/KERNEL/port.kdl
  expected/        beside the recipe, otherwise

Examples:
  kernel-port check .
  kernel-port check . --changed-since origin/main --diff

Exit status:
  0  all ports are what their recipes make
  1  a recipe does not apply, or the final checks fail
  2  bad usage, or a recipe with mistakes
  3  a source is not to be had
  4  an output differs
  5  an output cannot be read";

/// The arguments of `check`.
#[derive(Debug, Clone, Args)]
#[command(after_help = LAYOUTS)]
pub struct CheckArgs {
    /// Directories to look for port.kdl files in
    #[arg(value_name = "DIR", default_value = ".")]
    pub directories: Vec<PathBuf>,
    /// A clone of a source, or a directory of clones (repeatable); what no clone has is fetched into the cache
    #[arg(long, value_name = "DIR")]
    pub clones: Vec<PathBuf>,
    /// Fetch nothing: clones and the cache only
    #[arg(long)]
    pub offline: bool,
    /// Only ports whose recipe, overlay or output changed since this revision
    #[arg(long, value_name = "REV")]
    pub changed_since: Option<String>,
    /// Show how outputs differ, as patches
    #[arg(long, conflicts_with = "format")]
    pub diff: bool,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub format: Format,
}

/// A recipe and where its output is committed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Port {
    recipe: PathBuf,
    out: PathBuf,
}

/// What became of one port.
struct Outcome {
    status: u8,
    word: String,
    details: String,
}

/// Checks each port and sums up.
pub fn main(args: &CheckArgs, streams: &mut Streams<'_>) -> u8 {
    let mut ports: Vec<Port> = args.directories.iter().flat_map(|d| find(d)).collect();
    ports.sort();
    ports.dedup();
    if ports.is_empty() {
        let help =
            "the layouts are KERNEL/port/port.kdl with KERNEL/src, and .ports/KERNEL/port.kdl with KERNEL";
        streams.error("there is no port.kdl below the given directories", Some(help));
        return exit::USAGE;
    }
    if let Some(revision) = &args.changed_since {
        match changed(&ports, revision) {
            Ok(kept) => ports = kept,
            Err(message) => {
                streams.error(&message, Some("name a revision of the repository that holds the ports"));
                return exit::USAGE;
            }
        }
        if ports.is_empty() {
            streams.say(format!("no port changed since {revision}\n"));
            return exit::DONE;
        }
    }
    let sources = Sources { clones: Clones::new(&args.clones), offline: args.offline };
    let style = streams.err_style;
    let outcomes = parallel::map(&ports, Duration::ZERO, |port| check(port, &sources, args.diff, style));
    let bad = outcomes.iter().map(|o| o.status).filter(|s| *s != exit::DONE);
    let status =
        bad.max_by_key(|status| if *status == exit::DIFFERS { 0 } else { *status + 1 }).unwrap_or(exit::DONE);
    if args.format == Format::Json {
        let ports = ports.iter().zip(&outcomes).map(|(port, outcome)| {
            json!({
                "recipe": port.recipe.display().to_string(),
                "output": port.out.display().to_string(),
                "status": outcome.status,
                "result": outcome.word,
                "details": outcome.details.lines().map(str::trim).collect::<Vec<_>>(),
            })
        });
        let ports: Vec<_> = ports.collect();
        let document = json!({ "format": 1, "command": "check", "status": status, "ports": ports });
        streams.say(crate::report::json::document(&document));
        return status;
    }
    let width = ports.iter().map(|p| p.recipe.display().to_string().len()).max().unwrap_or(0);
    for (port, outcome) in ports.iter().zip(&outcomes) {
        let color = if outcome.status == exit::DONE { Color::Added } else { Color::Error };
        let word = streams.out_style.paint(color, &outcome.word);
        streams.say(format!("{:<width$}  {word}\n", port.recipe.display().to_string()));
        streams.complain(&outcome.details);
    }
    let good = outcomes.iter().filter(|o| o.status == exit::DONE).count();
    let verb = if good == 1 { "is what its recipe makes" } else { "are what their recipes make" };
    streams.say(format!("{good} of {} {verb}\n", plural(outcomes.len(), ("port", "ports"))));
    status
}

/// The recipes at or below a path.
pub fn recipes(directory: &Path) -> Vec<PathBuf> {
    let walk = WalkDir::new(directory).follow_links(false).into_iter();
    let entries = walk.filter_entry(|e| e.file_name() != ".git" && e.file_name() != "target").flatten();
    let named = |e: &walkdir::DirEntry| e.depth() == 0 || e.file_name() == "port.kdl";
    entries.filter(|e| e.file_type().is_file() && named(e)).map(walkdir::DirEntry::into_path).collect()
}

/// The ports below a directory, in the two layouts in use.
fn find(directory: &Path) -> Vec<Port> {
    let port = |recipe: PathBuf| Some(Port { out: output_of(&recipe)?, recipe });
    recipes(directory).into_iter().filter_map(port).collect()
}

/// `KERNEL/port/port.kdl` -> `KERNEL/src`; `.ports/KERNEL/port.kdl` -> `KERNEL`; `expected/` beside the recipe, as the
/// examples have it.
fn output_of(recipe: &Path) -> Option<PathBuf> {
    let directory = recipe.parent()?;
    let name = directory.file_name();
    if name.is_some_and(|n| n == "port") {
        return Some(directory.parent()?.join("src"));
    }
    let above = directory.parent()?;
    if above.file_name().is_some_and(|n| n == ".ports") {
        return Some(above.parent().unwrap_or(Path::new("")).join(name?));
    }
    let expected = directory.join("expected");
    expected.is_dir().then_some(expected)
}

/// The ports with a file that differs from a revision, untracked files included.
fn changed(ports: &[Port], revision: &str) -> Result<Vec<Port>, String> {
    let first = ports.first().and_then(|p| fs::canonicalize(&p.recipe).ok()).ok_or("a recipe vanished")?;
    let git = |e: git2::Error| format!("--changed-since {revision}: {}", e.message());
    let repository = git2::Repository::discover(&first).map_err(git)?;
    let top = repository.workdir().ok_or("the ports are in a bare repository")?;
    let top = fs::canonicalize(top).map_err(|e| e.to_string())?;
    let tree = repository.revparse_single(revision).and_then(|o| o.peel_to_tree()).map_err(git)?;
    let mut options = git2::DiffOptions::new();
    options.include_untracked(true).recurse_untracked_dirs(true);
    let diff = repository.diff_tree_to_workdir_with_index(Some(&tree), Some(&mut options)).map_err(git)?;
    let paths: Vec<PathBuf> = diff
        .deltas()
        .flat_map(|delta| {
            [delta.old_file().path().map(Path::to_path_buf), delta.new_file().path().map(Path::to_path_buf)]
        })
        .flatten()
        .map(|path| top.join(path))
        .collect();
    let touches = |port: &&Port| {
        let recipe = fs::canonicalize(&port.recipe).unwrap_or_else(|_| port.recipe.clone());
        let beside = recipe.parent().map(Path::to_path_buf).unwrap_or_default();
        let out = fs::canonicalize(&port.out).unwrap_or_else(|_| port.out.clone());
        paths.iter().any(|path| path.starts_with(&beside) || path.starts_with(&out))
    };
    Ok(ports.iter().filter(touches).cloned().collect())
}

fn check(port: &Port, sources: &Sources, show: bool, style: Style) -> Outcome {
    let fail = |status: u8, word: &str, details: String| Outcome { status, word: word.to_owned(), details };
    let text = match fs::read_to_string(&port.recipe) {
        Ok(text) => text,
        Err(error) => return fail(exit::USAGE, "cannot be read", format!("  {error}\n")),
    };
    let base = port.recipe.parent().map(Path::to_path_buf).unwrap_or_default();
    let input = RecipeInput {
        text: RecipeText::new(port.recipe.display().to_string(), text.as_str()),
        inline: false,
        context: BuildContext { base, ..BuildContext::default() },
    };
    let recipe = match Recipe::build(&input) {
        Ok(recipe) => recipe,
        Err(errors) => return fail(exit::USAGE, "has mistakes", failure::recipe_errors(&errors, style)),
    };
    let loaded = Loaded { recipe, file: Some(port.recipe.clone()) };
    let run = match sourced_run(&loaded, sources) {
        Ok(run) => run,
        Err(failure) => {
            let hints = failure.hints.iter().map(|h| style.help(h)).collect::<String>();
            return fail(exit::SOURCE, "has no source", format!("  {}\n{hints}", failure.message));
        }
    };
    if let Some(first) = run.drift.first() {
        let mut details = failure::drift(&loaded.recipe, &run.drift, false, style);
        let status = failure::exit_status(first.failure.kind);
        if status == exit::SOURCE {
            details.push_str("  help: --clones DIR names a clone, or a directory of clones\n");
            return fail(status, "has no source", details);
        }
        return fail(status, "does not apply", details);
    }
    let checked = rules::run(&Input::new(&run.workspace, &run.records), &run.records, false);
    if checked.fails(false) {
        return fail(
            exit::DOES_NOT_APPLY,
            "fails the final checks",
            findings::text(&checked, false, Some("a run"), style),
        );
    }
    let compared = Origins::new(loaded.recipe.version, text.as_bytes(), &run.records)
        .and_then(|origins| output::compare(&port.out, &run.workspace, &origins));
    match compared {
        Err(error) => fail(exit::OUTPUT, "cannot be compared", format!("  {}\n", error.message)),
        Ok(differences) if differences.is_empty() => fail(exit::DONE, "ok", String::new()),
        Ok(differences) => {
            let mut details: String = differences.iter().map(|d| format!("  {d}\n")).collect();
            if show {
                details.push_str(&patch(&port.out, &run.workspace, style));
            }
            let word = plural(differences.len(), ("difference", "differences"));
            fail(exit::DIFFERS, &word, details)
        }
    }
}

fn patch(out: &Path, workspace: &Workspace, style: Style) -> String {
    let mut text = Vec::new();
    match output::against(out, workspace) {
        Ok(against) => drop(diff::patch(&against.changes(), &mut text, true, style)),
        Err(error) => text.extend_from_slice(error.message.as_bytes()),
    }
    String::from_utf8_lossy(&text).into_owned()
}

/// Where sources are looked for.
struct Sources {
    clones: Clones,
    offline: bool,
}

/// Runs a recipe on its pinned sources, read from clones, the cache, or the network; without a `source` op on `upstream/` beside the recipe.
fn sourced_run(loaded: &Loaded, sources: &Sources) -> Result<Run, Failure> {
    let mut vendors = BTreeMap::new();
    let mut seeds = Vec::new();
    let mut source = None;
    let mut pinned = false;
    for op in loaded.recipe.ops.iter().filter(|op| matches!(op.spec.name, "source" | "vendor")) {
        let (Some(repo), Some(commit)) = (op.text("repo"), op.text("commit")) else { continue };
        let Ok(commit) = CommitSha::new(commit) else { continue };
        pinned |= op.spec.name == "source";
        // What no clone has, the op itself looks for.
        let Some((path, tree)) = sources.clones.tree(repo, &commit) else { continue };
        match op.text("name") {
            Some(name) => drop(vendors.insert(name.to_owned(), path.clone())),
            None => source = Some(path.clone()),
        }
        seeds.push((path, repo.to_owned(), commit, tree));
    }
    let tree = match (pinned, loaded.file.as_deref().and_then(Path::parent)) {
        (false, Some(beside)) if beside.join("upstream").is_dir() => {
            load::directory(&beside.join("upstream"))?.0
        }
        (false, _) => {
            let failure = Failure::new(crate::ops::FailureKind::Source, "the recipe has no source op");
            return Err(failure.hint("pin the upstream with: source repo=\"...\" commit=\"...\""));
        }
        _ => Workspace::default(),
    };
    let mut checkouts = Checkouts::new(source, vendors, false);
    checkouts.fetching = Fetching { cache: input::cache(), offline: sources.offline, progress: None };
    for (path, repo, commit, tree) in seeds {
        checkouts.seed(Some(&path), &repo, &commit, tree);
    }
    Ok(run::run(&loaded.recipe, usize::MAX, tree, &checkouts, Mode::Measure))
}
