//! Decides which directory `--out` means, and whether it may be written at all. Looks only; creates nothing.

use super::error::{ErrorKind, OutputError, shown};
use super::syscalls::{Identity, identity};
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Component, Path, PathBuf};

/// How far the protection of a place reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// The output may neither hold it nor lie in it: a checkout, an overlay.
    Whole,
    /// The output may not be or hold it, but may lie below: the recipe, the current directory, the home.
    Itself,
}

/// A place that an output may not replace.
#[derive(Debug, Clone)]
pub struct Protected {
    /// What it is, as messages call it: `the overlay`, `--dir`.
    pub what: String,
    /// Where it is.
    pub path: PathBuf,
    /// How far the protection reaches.
    pub reach: Reach,
}

impl Protected {
    /// A tree: nothing may be written into it.
    pub fn tree(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { what: what.into(), path: path.into(), reach: Reach::Whole }
    }

    /// A place that must stay: the output may lie below it.
    pub fn place(what: impl Into<String>, path: impl Into<PathBuf>) -> Self {
        Self { what: what.into(), path: path.into(), reach: Reach::Itself }
    }
}

/// The current directory and the user's home, which no output may replace.
pub fn surroundings() -> Vec<Protected> {
    let current = std::env::current_dir().ok().map(|path| Protected::place("the current directory", path));
    let home = std::env::home_dir().filter(|path| path.is_absolute());
    current.into_iter().chain(home.map(|path| Protected::place("the home directory", path))).collect()
}

/// A directory that may be written.
#[derive(Debug, Clone)]
pub struct Target {
    /// As it was typed, for messages.
    pub typed: PathBuf,
    /// The directory itself, absolute, every link resolved. May not exist yet.
    pub path: PathBuf,
    /// Whether `typed` is a symlink to it.
    pub linked: bool,
    /// The directories above it that do not exist yet, topmost first.
    pub missing: Vec<PathBuf>,
}

impl Target {
    /// The directory that holds it.
    pub fn parent(&self) -> &Path {
        self.path.parent().unwrap_or(&self.path)
    }
}

/// Resolves `--out` and refuses what cannot be an output.
///
/// # Errors
/// [`ErrorKind::Usage`]: no directory, a link to nowhere, a path through a file, or an overlap.
pub fn guard(out: &Path, protected: &[Protected]) -> Result<Target, OutputError> {
    let target = resolve(out)?;
    let output: Vec<Named<'_>> = target.path.ancestors().map(Named::new).collect();
    for place in protected {
        let Some(how) = overlap(&output, place) else {
            continue;
        };
        let unlike = target.linked || out.components().any(|c| matches!(c, Component::ParentDir));
        let where_to = if unlike {
            format!("--out {} ({})", shown(out), shown(&target.path))
        } else {
            format!("--out {}", shown(out))
        };
        let message = format!("{where_to} {how} {} ({})", place.what, shown(&place.path));
        return Err(usage(message, out).help("choose a directory of its own for the output"));
    }
    Ok(target)
}

fn usage(message: String, path: &Path) -> OutputError {
    OutputError::new(ErrorKind::Usage, message).at(path)
}

/// A path and what directory is there: one directory can have two names (a bind mount, a file system that ignores case).
struct Named<'p> {
    path: &'p Path,
    directory: Identity,
}

impl<'p> Named<'p> {
    fn new(path: &'p Path) -> Self {
        Self { path, directory: identity(path) }
    }

    fn is(&self, other: &Self) -> bool {
        self.path == other.path || self.directory.is_some() && self.directory == other.directory
    }
}

/// How an output, which comes first and then what is above it, stands to a place.
fn overlap(output: &[Named<'_>], place: &Protected) -> Option<&'static str> {
    let (output, above) = output.split_first()?;
    let real = fs::canonicalize(&place.path).or_else(|_| std::path::absolute(&place.path)).ok()?;
    let named = Named::new(&real);
    if output.is(&named) {
        return Some("is");
    }
    // What does not exist yet has no second name.
    let holds = |path: &Path| match output.directory {
        Some(_) => output.is(&Named::new(path)),
        None => output.path == path,
    };
    if real.ancestors().skip(1).any(holds) {
        return Some("contains");
    }
    let inside = place.reach == Reach::Whole && above.iter().any(|above| above.is(&named));
    inside.then_some("lies inside")
}

fn resolve(out: &Path) -> Result<Target, OutputError> {
    if out.as_os_str().is_empty() {
        return Err(usage("--out is empty".to_owned(), out).help("name a directory"));
    }
    let typed = out.to_path_buf();
    let linked = fs::symlink_metadata(out).is_ok_and(|m| m.is_symlink());
    match fs::canonicalize(out) {
        Ok(path) => {
            if !path.is_dir() {
                let message = format!("--out {} is a file, not a directory", shown(out));
                return Err(usage(message, out));
            }
            Ok(Target { typed, path, linked, missing: Vec::new() })
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            if linked {
                let to = fs::read_link(out).unwrap_or_default();
                let message =
                    format!("--out {} is a symlink to {}, which does not exist", shown(out), shown(&to));
                return Err(usage(message, out).help("remove the link, or create the directory it names"));
            }
            let (path, missing) = resolve_missing(out)?;
            Ok(Target { typed, path, linked, missing })
        }
        Err(error) => Err(unresolved(out, &error)),
    }
}

/// A path that leads through a file is a slip; one through a directory that may not be entered is none.
fn unresolved(out: &Path, error: &io::Error) -> OutputError {
    let kind = match error.kind() {
        io::ErrorKind::PermissionDenied => ErrorKind::Write,
        _ => ErrorKind::Usage,
    };
    OutputError::new(kind, format!("--out {}: {error}", shown(out))).at(out)
}

/// The path below the nearest directory that exists, and the directories between.
fn resolve_missing(out: &Path) -> Result<(PathBuf, Vec<PathBuf>), OutputError> {
    let absolute = std::path::absolute(out).map_err(|e| usage(format!("--out {}: {e}", shown(out)), out))?;
    let mut above = absolute.as_path();
    let mut below: Vec<OsString> = Vec::new();
    loop {
        match fs::canonicalize(above) {
            Ok(mut real) => {
                if !real.is_dir() {
                    let message = format!("--out {}: {} is a file", shown(out), shown(above));
                    return Err(usage(message, out));
                }
                let mut missing = Vec::new();
                for name in below.iter().rev() {
                    real.push(name);
                    missing.push(real.clone());
                }
                missing.pop();
                return Ok((real, missing));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let dangling = fs::symlink_metadata(above).is_ok();
                match above.components().next_back() {
                    Some(Component::Normal(name)) if !dangling => below.push(name.to_owned()),
                    _ => {
                        let message = format!("--out {}: {} does not exist", shown(out), shown(above));
                        return Err(usage(message, out).help("write the path without `..`"));
                    }
                }
                above = above.parent().unwrap_or(Path::new("/"));
            }
            Err(error) => return Err(unresolved(out, &error)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use tempfile::TempDir;

    fn dirs(names: &[&str]) -> TempDir {
        let root = tempfile::tempdir().unwrap();
        for name in names {
            fs::create_dir_all(root.path().join(name)).unwrap();
        }
        root
    }

    fn message(out: &Path, protected: &[Protected]) -> String {
        let error = guard(out, protected).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Usage);
        error.message
    }

    #[test]
    fn an_output_and_a_checkout_may_not_overlap_either_way() {
        let root = dirs(&["up/sub", "other"]);
        let at = |p: &str| root.path().join(p);
        let dir = [Protected::tree("--dir", at("up"))];
        assert!(message(&at("up"), &dir).contains(" is --dir ("));
        assert!(message(&at("up/sub/out"), &dir).contains(" lies inside --dir ("));
        assert!(message(root.path(), &dir).contains(" contains --dir ("));
        assert!(message(&at("other/../up/new"), &dir).contains(" lies inside --dir ("));
        assert!(guard(&at("up-2"), &dir).is_ok());
        assert!(guard(&at("other"), &dir).is_ok());
    }

    #[test]
    fn an_output_may_lie_below_the_current_directory_but_not_replace_it() {
        let root = dirs(&["work/out"]);
        let here = [Protected::place("the current directory", root.path().join("work"))];
        assert!(guard(&root.path().join("work/out"), &here).is_ok());
        assert!(message(&root.path().join("work/out/.."), &here).contains(" is the current directory ("));
        assert!(message(root.path(), &here).contains(" contains the current directory ("));
    }

    #[test]
    fn an_output_that_holds_the_recipe_is_refused() {
        let root = dirs(&[".ports/p"]);
        let recipe = root.path().join(".ports/p/port.kdl");
        fs::write(&recipe, "").unwrap();
        let recipe = [Protected::place("the recipe", recipe)];
        for out in [".ports/p", ".ports", "."] {
            assert!(message(&root.path().join(out), &recipe).contains(" contains the recipe ("), "{out}");
        }
        assert!(guard(&root.path().join(".ports/p/out"), &recipe).is_ok());
        assert!(guard(&root.path().join("p"), &recipe).is_ok());
    }

    #[test]
    fn links_are_seen_through_on_both_sides() {
        let root = dirs(&["up"]);
        let at = |p: &str| root.path().join(p);
        symlink("up", at("link")).unwrap();
        assert!(message(&at("link/out"), &[Protected::tree("--dir", at("up"))]).contains("lies inside"));
        assert!(message(&at("up/out"), &[Protected::tree("--dir", at("link"))]).contains("lies inside"));
        assert!(message(&at("link"), &[Protected::tree("--dir", at("up"))]).contains(" is --dir"));
        let target = guard(&at("link"), &[]).unwrap();
        assert!(target.linked);
        assert_eq!(target.path, fs::canonicalize(at("up")).unwrap());
    }

    #[test]
    fn a_link_to_nowhere_a_file_and_a_path_through_a_file_are_refused() {
        let root = dirs(&[]);
        let at = |p: &str| root.path().join(p);
        symlink("nowhere", at("dangling")).unwrap();
        fs::write(at("af"), "").unwrap();
        assert!(message(&at("dangling"), &[]).ends_with("is a symlink to nowhere, which does not exist"));
        assert!(message(&at("dangling/out"), &[]).contains("dangling does not exist"));
        assert!(message(&at("af"), &[]).ends_with("is a file, not a directory"));
        for through in ["af/..", "af/out", "af/../out"] {
            assert!(message(&at(through), &[]).contains("Not a directory"), "{through}");
        }
        assert!(message(&at("gone/.."), &[]).contains("does not exist"));
        assert_eq!(message(Path::new(""), &[]), "--out is empty");
    }

    #[test]
    fn missing_parents_are_named_topmost_first() {
        let root = dirs(&[]);
        let real = fs::canonicalize(root.path()).unwrap();
        let target = guard(&root.path().join("p/./q/out/"), &[]).unwrap();
        assert_eq!(target.path, real.join("p/q/out"));
        assert_eq!(target.missing, [real.join("p"), real.join("p/q")]);
        assert!(!real.join("p").exists());
    }

    #[test]
    fn the_top_of_the_file_system_is_no_output() {
        assert!(message(Path::new("/"), &surroundings()).contains("contains"));
        assert!(message(Path::new("/../.."), &surroundings()).contains("contains"));
    }
}
