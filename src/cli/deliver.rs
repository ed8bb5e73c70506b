//! Where a finished tree goes: to `--out`, into the checkout, into a comparison, or nowhere.

use super::input::Loaded;
use super::{RunArgs, exit};
use crate::git::Checkout;
use crate::output::{self, Difference, ErrorKind, Origins, OutputError, Protected, Recovered, Target};
use crate::report::plural;
use crate::run::Run;
use crate::workspace::Workspace;
use serde_json::{Value, json};
use std::path::Path;

/// What became of the tree.
#[derive(Debug, Default)]
pub struct Delivered {
    /// How many files were written and their tree hash.
    pub written: Option<(usize, String)>,
    /// What a reader should know besides.
    pub notes: Vec<String>,
    /// The last line of the run.
    pub ending: String,
    /// Where `--check` found the output to differ.
    pub differences: Vec<Difference>,
    /// The tree with its changes against what stands in `--out`, when those are wanted.
    pub against: Option<Workspace>,
}

/// The exit status of an output error.
pub fn exit_status(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Usage => exit::USAGE,
        ErrorKind::Tree => exit::DOES_NOT_APPLY,
        ErrorKind::Refused | ErrorKind::Write => exit::OUTPUT,
    }
}

/// What `--out` means, and that it overlaps nothing of value.
///
/// # Errors
/// A place that can be no output.
pub fn target(out: &Path, args: &RunArgs, loaded: &Loaded) -> Result<Target, OutputError> {
    let mut protected = output::surroundings();
    if let Some(directory) = &args.dir {
        protected.push(Protected::tree("--dir", directory));
    }
    for vendor in &args.vendors {
        if let Some((name, directory)) = vendor.split_once('=') {
            protected.push(Protected::tree(format!("the checkout of {name}"), directory));
        }
    }
    if let Some(cache) = super::input::cache() {
        protected.push(Protected::tree("the cache", cache));
    }
    if let Some(recipe) = &loaded.file {
        protected.push(Protected::place("the recipe", recipe));
    }
    for overlay in loaded.overlays() {
        protected.push(Protected::tree("the overlay", overlay));
    }
    output::guard(out, &protected)
}

/// Writes or compares, as the arguments say.
///
/// # Errors
/// A tree that may not be written, or a place that cannot be.
pub fn deliver(
    args: &RunArgs,
    loaded: &Loaded,
    run: &Run,
    target: Option<&Target>,
) -> Result<Delivered, OutputError> {
    if let (true, Some(directory)) = (args.in_place, &args.dir) {
        return in_place(args, loaded, run, directory);
    }
    let Some(target) = target else {
        let ending = match (&args.dir, args.dry_run || args.until.is_some()) {
            (Some(_), false) => {
                "preview: nothing was written; --out DIR writes the tree, --in-place changes the checkout\n"
            }
            (None, false) if args.files.is_empty() => {
                "preview: nothing was written; --out DIR writes the tree\n"
            }
            _ => "",
        };
        return Ok(Delivered { ending: ending.to_owned(), ..Delivered::default() });
    };
    // A comparison with a tree that can never be written would end in "write it".
    output::check_tree(&run.workspace)?;
    let out = &target.path;
    if args.dry_run {
        let against = Some(output::against(out, &run.workspace)?);
        let ending =
            format!("nothing was written; these are the changes against {}\n", target.typed.display());
        return Ok(Delivered { against, ending, ..Delivered::default() });
    }
    let origins = origins(loaded, run)?;
    if args.check {
        let differences = output::compare(out, &run.workspace, &origins)?;
        let against =
            if args.diff || args.verbose { Some(output::against(out, &run.workspace)?) } else { None };
        let same = format!("{} is what the recipe makes\n", target.typed.display());
        let ending = if differences.is_empty() { same } else { String::new() };
        return Ok(Delivered { differences, against, ending, ..Delivered::default() });
    }
    let written = output::write(target, &run.workspace, &origins, args.force)?;
    let files = plural(written.files, ("file", "files"));
    let ending = format!("wrote {files} to {}\ntree {}\n", target.typed.display(), written.tree);
    let hash = Some((written.files, written.tree));
    Ok(Delivered { written: hash, notes: written.notes, ending, ..Delivered::default() })
}

fn in_place(args: &RunArgs, loaded: &Loaded, run: &Run, directory: &Path) -> Result<Delivered, OutputError> {
    // Files that the port removes or rewrites, and git may not know.
    let set = run.workspace.changes();
    let changed = set.files.iter().filter_map(|change| change.old.map(|(path, _)| path));
    let state = match Checkout::open(directory).and_then(|checkout| checkout.irrecoverable(changed)) {
        Ok(dirty) if dirty.is_empty() => output::GitState::Clean,
        Ok(dirty) => {
            output::GitState::Dirty(dirty.iter().map(|e| format!("{}  {}", e.path, e.text)).collect())
        }
        Err(_) => output::GitState::NoCheckout,
    };
    let mut protected = loaded.overlays();
    protected.extend(loaded.file.clone());
    let origins = origins(loaded, run)?;
    let written = output::in_place(directory, &run.workspace, &origins, &state, &protected, args.force)?;
    let files = plural(written.files, ("file", "files"));
    let ending = format!("{} holds the port, {files}\ntree {}\n", directory.display(), written.tree);
    let hash = Some((written.files, written.tree));
    Ok(Delivered { written: hash, notes: written.notes, ending, ..Delivered::default() })
}

/// What became of the tree, for programs.
pub fn as_json(delivered: &Delivered, target: Option<&Target>) -> Value {
    let differences: Vec<String> = delivered.differences.iter().map(ToString::to_string).collect();
    json!({
        "path": target.map(|t| t.typed.display().to_string()),
        "files": delivered.written.as_ref().map(|(files, _)| files),
        "tree": delivered.written.as_ref().map(|(_, tree)| tree),
        "differences": differences,
    })
}

/// Why nothing was written, for programs.
pub fn refusal_as_json(error: &OutputError, target: Option<&Target>) -> Value {
    json!({
        "path": target.map(|t| t.typed.display().to_string()),
        "error": { "message": error.message, "details": error.details, "help": error.help },
    })
}

/// Finishes or undoes what an interrupted run with `--in-place` left, before the directory is read.
///
/// # Errors
/// The directory cannot be read or changed.
pub fn recover(directory: &Path) -> Result<Option<&'static str>, OutputError> {
    Ok(match output::recover(directory)? {
        Recovered::Nothing => None,
        Recovered::Finished => Some("finished what an interrupted run had begun"),
        Recovered::Undone => Some("removed what an interrupted run had left"),
    })
}

/// With `--partial`: the tree before the first op that does not apply, marked with its failure.
///
/// # Errors
/// As [`deliver`].
pub fn partial(args: &RunArgs, loaded: &Loaded, run: &Run, target: &Target) -> Result<String, OutputError> {
    let (Some(before), Some(first)) = (&run.before_drift, run.drift.first()) else {
        return Ok(String::new());
    };
    let op = &loaded.recipe.ops[first.op];
    let failed = format!("recipe line {}: {}: {}", op.line, op.spec.name, first.failure.message);
    let written = output::partial(target, before, &failed, args.force)?;
    let files = plural(written.files, ("file", "files"));
    Ok(format!("wrote the tree before line {}, {files}, to {}\n", op.line, target.typed.display()))
}

fn origins(loaded: &Loaded, run: &Run) -> Result<Origins, OutputError> {
    Origins::new(loaded.recipe.version, loaded.recipe.text.text().as_bytes(), &run.records)
}
