//! From what was typed to a recipe and a tree: reads the recipe, builds the `--file` tree, splits `NAME=DIR`.

use super::{Format, RunArgs, Streams, exit};
use crate::git::{Checkouts, Fetching, cache_directory};
use crate::recipe::{self, BuildContext, Position, Recipe, RecipeErrors, RecipeInput, RecipeText};
use crate::report;
use crate::run::Run;
use crate::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why there is nothing to run; has been printed.
pub struct Refused(pub u8);

/// Prints a usage error.
pub fn usage(streams: &mut Streams<'_>, message: &str, help: Option<&str>) -> Refused {
    streams.error(message, help);
    Refused(exit::USAGE)
}

/// The recipe of a run, built, and where it came from.
pub struct Loaded {
    /// The recipe.
    pub recipe: Recipe,
    /// Its file, resolved; `None` for an inline one.
    pub file: Option<PathBuf>,
}

impl Loaded {
    /// The overlay directories that the recipe names.
    pub fn overlays(&self) -> Vec<PathBuf> {
        let base = self.file.as_deref().and_then(Path::parent).unwrap_or(Path::new(""));
        let overlays = self.recipe.ops.iter().filter(|op| op.spec.name == "overlay");
        overlays.filter_map(|op| op.text("from")).map(|from| base.join(from)).collect()
    }
}

/// Reads and builds the recipe.
///
/// # Errors
/// No recipe, an unreadable one, or mistakes in it; all are printed.
pub fn load_recipe(args: &RunArgs, streams: &mut Streams<'_>) -> Result<Loaded, Refused> {
    let (text, inline, base, file) = match (&args.recipe, &args.inline) {
        (Some(path), _) => {
            let (text, file) = read_recipe(path, streams)?;
            let base = file.parent().map(Path::to_path_buf).unwrap_or_default();
            (RecipeText::new(path.display().to_string(), text), false, base, Some(file))
        }
        (None, Some(text)) => {
            refuse_path(text, streams)?;
            (RecipeText::new("<inline>", text.as_str()), true, PathBuf::new(), None)
        }
        (None, None) => {
            let help =
                "kernel-port port.kdl --dir CHECKOUT --out OUT, or -e 'OP' --file PATH=TEXT to try one"
                    .to_owned();
            let here = recipes_beside(Path::new("port.kdl")).map(|here| format!("{help}; {here}"));
            return Err(usage(streams, "no recipe is given", Some(&here.unwrap_or(help))));
        }
    };
    let context = BuildContext { base, ..BuildContext::default() };
    match Recipe::build(&RecipeInput { text, inline, context }) {
        Ok(recipe) => {
            for warning in &recipe.warnings {
                let text = report::failure::recipe_warning(&recipe.text, warning, streams.err_style);
                streams.complain(text);
            }
            Ok(Loaded { recipe, file })
        }
        Err(errors) if args.format == Format::Json => {
            streams.say(crate::report::json::document(&report::json::mistakes(&errors)));
            Err(Refused(exit::USAGE))
        }
        Err(errors) => {
            streams.complain(report::failure::recipe_errors(&errors, streams.err_style));
            Err(Refused(exit::USAGE))
        }
    }
}

fn read_recipe(path: &Path, streams: &mut Streams<'_>) -> Result<(String, PathBuf), Refused> {
    let shown = path.display();
    if path.is_dir() {
        let help = format!("name the recipe in it: {}", path.join("port.kdl").display());
        return Err(usage(streams, &format!("{shown} is a directory, not a recipe"), Some(&help)));
    }
    let bytes = std::fs::read(path).map_err(|e| {
        // A single word was probably meant as a command.
        let word = path.to_str().filter(|p| !p.contains(['/', '.']));
        let help = word.map(|w| format!("if `{w}` was meant as a command: `kernel-port --help` lists them"));
        let help = help.or_else(|| recipes_beside(path));
        usage(streams, &format!("cannot read the recipe {shown}: {e}"), help.as_deref())
    })?;
    let text = String::from_utf8(bytes).map_err(|e| {
        let place = Position::of(e.as_bytes(), e.utf8_error().valid_up_to());
        usage(streams, &format!("{shown}:{place}: the recipe is not UTF-8"), Some("save it as UTF-8"))
    })?;
    // The overlay stands beside the real recipe, not beside a link to it.
    let real = std::fs::canonicalize(path)
        .map_err(|e| usage(streams, &format!("cannot resolve the recipe's path {shown}: {e}"), None))?;
    Ok((text, real))
}

/// The recipes in the directory of one that is not there.
fn recipes_beside(path: &Path) -> Option<String> {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let files = std::fs::read_dir(parent).ok()?.filter_map(Result::ok).map(|entry| entry.path());
    let recipes = files.filter(|file| file.extension().is_some_and(|e| e == "kdl") && file.is_file());
    let mut names: Vec<String> = recipes
        .map(|file| path.with_file_name(file.file_name().unwrap_or_default()).display().to_string())
        .collect();
    names.sort();
    names.truncate(5);
    (!names.is_empty()).then(|| format!("recipes there: {}", report::escape::line(&names.join(", "))))
}

/// A file name after `-e` is a slip, and its text would be a strange KDL error.
fn refuse_path(text: &str, streams: &mut Streams<'_>) -> Result<(), Refused> {
    let one_word = !text.trim().is_empty() && !text.contains(['\n', ' ', '"', '=']);
    if one_word && (text.ends_with(".kdl") || Path::new(text).is_file()) {
        return Err(usage(
            streams,
            &format!("-e takes the text of a recipe, and `{text}` is a file name"),
            Some("leave out -e"),
        ));
    }
    Ok(())
}

/// With `--require-pins`, refuses ops without a pin; of those that `run` holds, what they counted is what to write.
///
/// # Errors
/// An op that is not pinned; all are printed.
pub fn refuse_unpinned(
    args: &RunArgs,
    recipe: &Recipe,
    run: Option<&Run>,
    streams: &mut Streams<'_>,
) -> Result<(), Refused> {
    if !args.require_pins {
        return Ok(());
    }
    let found = |op: usize| {
        let step = run.and_then(|run| run.steps.iter().find(|step| step.op == op));
        step.map_or(Vec::new(), |step| step.counts.iter().map(|count| (count.pin, count.found)).collect())
    };
    let errors = recipe::unpinned(recipe, found);
    if errors.is_empty() {
        return Ok(());
    }
    let errors = RecipeErrors { text: recipe.text.clone(), errors };
    if args.format == Format::Json {
        streams.say(crate::report::json::document(&report::json::mistakes(&errors)));
    } else {
        streams.complain(report::failure::unpinned(&errors, streams.err_style));
    }
    Err(Refused(exit::USAGE))
}

/// Options that make no difference to this call are mistakes, not decoration.
///
/// # Errors
/// The first such option.
pub fn refuse_idle_options(
    args: &RunArgs,
    recipe: &Recipe,
    streams: &mut Streams<'_>,
) -> Result<(), Refused> {
    let has = |names: &[&str]| recipe.ops.iter().any(|op| names.contains(&op.spec.name));
    let writes = args.out.is_some() || args.in_place;
    let idle = [
        (args.force && !writes, "--force", "it overrides the refusals of --out and --in-place"),
        (
            args.allow_dirty && !has(&["source", "vendor"]),
            "--allow-dirty",
            "no op of the recipe checks a checkout",
        ),
        (
            args.offline && !fetches(args, recipe),
            "--offline",
            "nothing would be fetched: no op needs a repository that no checkout is given for",
        ),
        (args.in_place && args.dry_run, "--in-place", "--dry-run writes nothing"),
        (
            args.format == Format::Json
                && (args.print || args.diff || args.tree || args.watch || args.verbose || args.quiet),
            "--format json",
            "it prints one document, which --print, --diff, --tree, --watch, --verbose and --quiet do not shape",
        ),
        (
            args.dry_run && args.watch && args.out.is_none(),
            "--dry-run",
            "--watch writes nothing without --out",
        ),
        (
            args.until.is_some_and(|line| recipe.ops.last().is_none_or(|op| op.line < line)),
            "--until",
            "no op of the recipe stands at or after that line",
        ),
        (args.in_place && args.dir.is_none(), "--in-place", "it changes the checkout that --dir names"),
        (args.dir.is_some() && args.recipe.is_none() && args.inline.is_none(), "--dir", "no recipe is given"),
    ];
    match idle.into_iter().find(|(idle, ..)| *idle) {
        Some((_, option, why)) => {
            Err(usage(streams, &format!("{option} makes no difference here"), Some(why)))
        }
        None => Ok(()),
    }
}

/// Whether a pinned repository has no checkout on the command line.
fn fetches(args: &RunArgs, recipe: &Recipe) -> bool {
    let given = |name: &str| args.vendors.iter().any(|v| v.split_once('=').is_some_and(|(n, _)| n == name));
    recipe.ops.iter().any(|op| match op.spec.name {
        "source" => args.dir.is_none(),
        "vendor" => !op.text("name").is_some_and(given),
        _ => false,
    })
}

/// The tree that `--file` describes.
///
/// # Errors
/// A path that no tree can hold, or one given twice.
pub fn typed_files(files: &[String], streams: &mut Streams<'_>) -> Result<Workspace, Refused> {
    let mut tree: BTreeMap<RepoPath, Entry> = BTreeMap::new();
    for argument in files {
        let Some((path, text)) = argument.split_once('=') else {
            let message = format!("--file {argument}: there is no `=` between path and text");
            return Err(usage(
                streams,
                &message,
                Some("--file 'a.py=import os'; an empty file is --file a.py="),
            ));
        };
        let typed = RepoPath::typed(path).map_err(|e| {
            usage(streams, &format!("--file: the path `{}` {e}", report::escape::line(path)), None)
        })?;
        if let Some(other) = text.strip_prefix('@').filter(|t| !t.is_empty() && Path::new(t).is_file()) {
            streams.warn(&format!(
                "--file {path}=@{other}: the text is taken as it stands, the file is not read"
            ));
        }
        let (key, entry) = Entry::upstream(typed.clone(), Content::from(text), Mode::File);
        if tree.insert(key, entry).is_some() {
            return Err(usage(streams, &format!("--file: `{typed}` is given twice"), None));
        }
    }
    for path in tree.keys() {
        if let Some(file) = path.ancestors().find(|above| tree.contains_key(above)) {
            let message = format!("--file: `{file}` is a file, but `{path}` needs a directory there");
            return Err(usage(streams, &message, None));
        }
    }
    Ok(Workspace::new(tree).as_trial())
}

/// Where fetched sources are kept.
pub fn cache() -> Option<PathBuf> {
    cache_directory(|name| std::env::var_os(name).map(PathBuf::from))
}

/// The checkouts that `--dir` and `--vendor` name.
///
/// # Errors
/// A `--vendor` without `=`, twice the same name, or one that no op names.
pub fn checkouts(args: &RunArgs, recipe: &Recipe, streams: &mut Streams<'_>) -> Result<Checkouts, Refused> {
    let mut vendors = BTreeMap::new();
    for argument in &args.vendors {
        let Some((name, directory)) =
            argument.split_once('=').filter(|(n, d)| !n.is_empty() && !d.is_empty())
        else {
            let message = format!("--vendor {argument}: must be NAME=DIR");
            return Err(usage(streams, &message, Some("NAME is the name= of a vendor op")));
        };
        if vendors.insert(name.to_owned(), PathBuf::from(directory)).is_some() {
            return Err(usage(streams, &format!("--vendor {name}= is given twice"), None));
        }
    }
    for name in vendors.keys() {
        refuse_unknown_vendor("--vendor", name, recipe, streams)?;
    }
    let mut checkouts = Checkouts::new(args.dir.clone(), vendors, args.allow_dirty);
    checkouts.fetching = Fetching {
        cache: cache(),
        offline: args.offline,
        progress: (!args.quiet).then(report::progress::on_terminal).flatten(),
    };
    Ok(checkouts)
}

/// A `NAME=` that no vendor op has is a slip.
///
/// # Errors
/// That it is, with the nearest name.
pub fn refuse_unknown_vendor(
    option: &str,
    name: &str,
    recipe: &Recipe,
    streams: &mut Streams<'_>,
) -> Result<(), Refused> {
    let vendors = recipe.ops.iter().filter(|op| op.spec.name == "vendor");
    let named: Vec<&str> = vendors.filter_map(|op| op.text("name")).collect();
    if named.contains(&name) {
        return Ok(());
    }
    let help = match report::nearest::one(name, named.iter().copied()) {
        Some(near) => format!("did you mean {near}?"),
        None if named.is_empty() => "the recipe vendors nothing".to_owned(),
        None => format!("the recipe vendors {}", named.join(", ")),
    };
    Err(usage(streams, &format!("{option} {name}=: no vendor op has this name"), Some(&help)))
}
