//! `kernel-port outdated`: how far each recipe's pin is behind its source. Reads clones; the network only with `--fetch`.

use super::check::recipes;
use super::{Format, Streams, exit};
use crate::git::history::History;
use crate::git::{Clones, Fetching, cached_history};
use crate::recipe::{BuildContext, CommitSha, Recipe, RecipeInput, RecipeText};
use crate::repin::ported_paths;
use crate::report::{Color, plural};
use clap::Args;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The arguments of `outdated`.
#[derive(Debug, Clone, Args)]
pub struct OutdatedArgs {
    /// Directories to look for port.kdl files in, or recipes
    #[arg(value_name = "DIR", default_value = ".")]
    pub directories: Vec<PathBuf>,
    /// A clone of a source, or a directory of clones (repeatable) [default: clones in the cache]
    #[arg(long, value_name = "DIR")]
    pub clones: Vec<PathBuf>,
    /// Fetch first: in each clone, and what the cache has
    #[arg(long)]
    pub fetch: bool,
    /// Print text, or one JSON document
    #[arg(long, value_name = "FORMAT", default_value = "text", hide_default_value = true)]
    pub format: Format,
}

/// How far one recipe is behind.
#[derive(Debug, Default)]
struct State {
    recipe: String,
    pin: Option<String>,
    pin_tag: Option<String>,
    newest_tag: Option<String>,
    head: Option<String>,
    behind: Option<usize>,
    touching: Option<usize>,
    problem: Option<String>,
}

/// Lists the recipes and how far they are behind.
pub fn main(args: &OutdatedArgs, streams: &mut Streams<'_>) -> u8 {
    let mut found: Vec<PathBuf> = args.directories.iter().flat_map(|d| recipes(d)).collect();
    found.sort();
    found.dedup();
    if found.is_empty() {
        streams.error("there is no port.kdl below the given directories", None);
        return exit::USAGE;
    }
    let clones = Clones::new(&args.clones);
    if args.fetch {
        for clone in clones.all() {
            fetch(clone, streams);
        }
    }
    let fetching = Fetching {
        cache: super::input::cache(),
        offline: !args.fetch,
        progress: crate::report::progress::on_terminal(),
    };
    let states: Vec<State> = found.iter().map(|recipe| look(recipe, &clones, &fetching)).collect();
    if args.format == Format::Json {
        let ports: Vec<Value> = states.iter().map(as_json).collect();
        let document = json!({ "format": 1, "command": "outdated", "status": 0, "ports": ports });
        streams.say(crate::report::json::document(&document));
        return exit::DONE;
    }
    let width = states.iter().map(|s| s.recipe.len()).max().unwrap_or(0);
    for state in &states {
        let text = describe(state);
        let color = match (state.behind, &state.problem) {
            (Some(0), _) => Color::Added,
            (_, Some(_)) => Color::Error,
            _ => Color::Warning,
        };
        streams.say(format!("{:<width$}  {}\n", state.recipe, streams.out_style.paint(color, &text)));
    }
    exit::DONE
}

fn describe(state: &State) -> String {
    if let Some(problem) = &state.problem {
        return problem.clone();
    }
    let named = |id: &Option<String>, tag: &Option<String>| match (id, tag) {
        (Some(id), Some(tag)) => format!("{id} ({tag})"),
        (Some(id), None) => id.clone(),
        (None, tag) => tag.clone().unwrap_or_default(),
    };
    let pin = named(&state.pin, &state.pin_tag);
    match (state.behind, state.touching) {
        (Some(0), _) => format!("{pin}, up to date"),
        (Some(behind), Some(touching)) => {
            let newest = named(&state.head, &state.newest_tag);
            let touching = plural(touching, ("touches", "touch"));
            format!("{pin}, {behind} behind {newest}, {touching} ported files")
        }
        _ => pin,
    }
}

fn as_json(state: &State) -> Value {
    json!({
        "recipe": state.recipe,
        "pin": state.pin,
        "pin_tag": state.pin_tag,
        "newest_tag": state.newest_tag,
        "head": state.head,
        "behind": state.behind,
        "touching": state.touching,
        "problem": state.problem,
    })
}

fn look(path: &Path, clones: &Clones, fetching: &Fetching) -> State {
    let mut state = State { recipe: path.display().to_string(), ..State::default() };
    state.problem = examine(path, clones, fetching, &mut state).err();
    state
}

/// Compares the pin with the newest tag, or with HEAD where there is no tag.
fn examine(path: &Path, clones: &Clones, fetching: &Fetching, state: &mut State) -> Result<(), String> {
    let text = fs::read_to_string(path).map_err(|e| format!("cannot be read: {e}"))?;
    let base = path.parent().map(Path::to_path_buf).unwrap_or_default();
    let input = RecipeInput {
        text: RecipeText::new(path.display().to_string(), text),
        inline: false,
        context: BuildContext { base, ..BuildContext::default() },
    };
    let recipe = Recipe::build(&input).map_err(|_| "has mistakes: run it to see them".to_owned())?;
    let source = recipe.ops.iter().find(|op| op.spec.name == "source").ok_or("has no source op")?;
    let (repo, commit) = (source.text("repo").unwrap_or_default(), source.text("commit").unwrap_or_default());
    let pin = CommitSha::new(commit).map_err(|e| e.message)?;
    state.pin = Some(pin.short().to_owned());
    let (history, tree) = match clones.tree(repo, &pin) {
        Some((clone, tree)) => (History::open(&clone).map_err(|e| e.message)?, tree),
        None => {
            let cached =
                cached_history(fetching, repo, &pin, true).map_err(|failure| match fetching.offline {
                    true => {
                        format!(
                            "neither a clone nor the cache has {} of {repo}: --fetch gets it",
                            pin.short()
                        )
                    }
                    false => failure.message,
                })?;
            let history = History::open(&cached).map_err(|e| e.message)?;
            let tree = history.workspace(&pin).map_err(|e| e.message)?;
            (history, tree)
        }
    };
    state.pin_tag = history.tag_of(&pin);
    let newest = history.newest_tag();
    let head = match &newest {
        Some((_, commit)) => commit.clone(),
        None => history.resolve("HEAD").map_err(|e| e.message)?,
    };
    state.newest_tag = newest.map(|(name, _)| name);
    state.head = Some(head.short().to_owned());
    // A file that only the new commit has matters as well, as it does to `repin`.
    let mut ported = ported_paths(&recipe, tree);
    if head != pin {
        ported.append(&mut ported_paths(&recipe, history.workspace(&head).map_err(|e| e.message)?));
    }
    let between = history.between(&pin, &head, &ported).map_err(|e| e.message)?;
    state.behind = Some(between.commits);
    state.touching = Some(between.touching.len());
    Ok(())
}

/// The user's own git fetches: it knows the credentials.
fn fetch(clone: &Path, streams: &mut Streams<'_>) {
    let status = Command::new("git").arg("-C").arg(clone).args(["fetch", "--quiet", "--tags"]).status();
    if !status.is_ok_and(|s| s.success()) {
        streams.warn(&format!("`git fetch` failed in {}; its commits may be old", clone.display()));
    }
}
