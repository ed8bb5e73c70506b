//! What the ops that select files share: a glob that must match, an exact path that must be there, and the words
//! that say what is near when it does not.

use super::{Count, Evidence, Failure, FailureKind};
use crate::recipe::Glob;
use crate::report::nearest;
use crate::workspace::{Directory, RepoPath, Workspace};

/// What the log calls files.
pub const FILES_NOUN: (&str, &str) = ("file", "files");

/// Nobody reviews more matches than these, and each is kept as evidence.
pub const MAX_MATCHES: usize = 1_000_000;

/// There is no end to the matches, or to what they would insert.
pub fn too_many(path: &RepoPath) -> Failure {
    let message = format!(
        "more than {MAX_MATCHES} matches, or more than 256 MiB to insert; `{path}` has the last of them"
    );
    Failure::new(FailureKind::Refused, message).at("find").hint("a longer text has fewer matches")
}

impl Count {
    /// A `files` pin with one piece of evidence a file.
    pub fn files(evidence: Vec<Evidence>) -> Self {
        Self { pin: "files", noun: FILES_NOUN, found: evidence.len() as u64, evidence }
    }
}

/// The paths that a glob matches; at least one.
///
/// # Errors
/// The glob matches nothing: the message suggests `dir/**` for a directory, otherwise the nearest paths.
pub fn matched<'w>(
    workspace: &'w Workspace,
    glob: &Glob,
    argument: &'static str,
) -> Result<Vec<&'w RepoPath>, Failure> {
    refuse_absent(workspace, argument, |submodule| glob.reaches_below(submodule))?;
    let paths = glob.paths(workspace);
    if paths.is_empty() { Err(no_match(workspace, glob, argument)) } else { Ok(paths) }
}

/// Refuses an op that would look into a submodule whose files are not at hand: the port would silently lack them.
///
/// # Errors
/// `reaches` is true for such a submodule.
pub fn refuse_absent(
    workspace: &Workspace,
    argument: &'static str,
    reaches: impl Fn(&RepoPath) -> bool,
) -> Result<(), Failure> {
    let Some(submodule) = workspace.absent().iter().find(|s| reaches(s)) else { return Ok(()) };
    let message = format!("{argument}= reaches into the submodule {submodule}, which is not checked out");
    Err(Failure::new(FailureKind::Source, message).at(argument).hint(format!(
        "in the checkout: git submodule update --init {submodule} (submodules are not fetched without one)"
    )))
}

/// The failure for a glob that matches nothing.
pub fn no_match(workspace: &Workspace, glob: &Glob, argument: &'static str) -> Failure {
    let text = glob.as_str();
    let failure =
        Failure::new(FailureKind::Missing, format!("{argument}=\"{text}\" matches no file")).at(argument);
    match RepoPath::typed(text) {
        Ok(path) if workspace.is_dir(&path) => {
            failure.hint(format!("{text} is a directory; \"{text}/**\" matches every file below it"))
        }
        _ if argument == "in" && text.contains(',') && !text.contains('{') => {
            failure.hint(format!("in= takes one glob; to match either, write \"{{{text}}}\""))
        }
        _ => match workspace.iter().find(|(path, _)| glob.matches_in_another_case(path)) {
            Some((path, _)) => failure.hint(format!("globs are case-sensitive; the tree has {path}")),
            None => near_pattern(failure, workspace, text),
        },
    }
}

/// So many names are read at a glance.
const MOST_NAMES: usize = 6;

/// For a glob with wildcards: what its fixed directory holds, or which one was meant.
fn near_pattern(failure: Failure, workspace: &Workspace, text: &str) -> Failure {
    let wild = |name: &&str| name.contains(['*', '?', '[', '{']);
    let fixed: Vec<&str> = text.split('/').take_while(|name| !wild(name)).collect();
    let fixed = fixed.join("/");
    let Some(directory) = RepoPath::typed(&fixed).ok().filter(|_| fixed != text) else {
        return near_paths(failure, workspace, text);
    };
    if workspace.is_dir(&directory) {
        return failure.hint(format!("{fixed} holds {}", names_in(workspace, Some(&directory))));
    }
    let found = near_paths(failure, workspace, &fixed);
    if found.hints.is_empty() {
        return found.hint(format!("the top of the tree holds {}", names_in(workspace, None)));
    }
    found
}

/// The first names in a directory, or at the top.
fn names_in(workspace: &Workspace, directory: Option<&RepoPath>) -> String {
    let depth = directory.map_or(0, |directory| directory.components().count());
    let is_below = |path: &RepoPath| directory.is_none_or(|d| path.ancestors().any(|above| above == *d));
    let mut names: Vec<String> = workspace
        .iter()
        .filter(|(path, _)| is_below(path))
        .map(|(path, _)| {
            let mut rest = path.components().skip(depth);
            let name = String::from_utf8_lossy(rest.next().unwrap_or_default()).into_owned();
            if rest.next().is_some() { name + "/" } else { name }
        })
        .collect();
    names.dedup();
    // Directories are what one looks for.
    names.sort_by_key(|name| !name.ends_with('/'));
    let more = names.len().saturating_sub(MOST_NAMES);
    names.truncate(MOST_NAMES);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", names.join(", "))
}

/// The failure for an exact path that is neither file nor directory.
pub fn not_there(workspace: &Workspace, path: &RepoPath, argument: &'static str) -> Failure {
    let message = format!("{argument}=\"{path}\" is neither a file nor a directory of the tree");
    near_paths(Failure::new(FailureKind::Missing, message).at(argument), workspace, &path.to_string())
}

/// Adds the nearest files and directories to a failure about a path that is not there.
pub fn near_paths(failure: Failure, workspace: &Workspace, text: &str) -> Failure {
    if workspace.is_empty() {
        return failure.hint("the tree is empty here");
    }
    let found = nearest::paths(text, workspace);
    if found.is_empty() {
        return failure;
    }
    failure.hint(format!("nearest paths: {}", found.join(", ")))
}

/// The files at or below an exact path.
///
/// # Errors
/// Neither a file nor a directory is there.
pub fn files_at<'w>(
    workspace: &'w Workspace,
    path: &Directory,
    argument: &'static str,
) -> Result<Vec<&'w RepoPath>, Failure> {
    refuse_absent(workspace, argument, |submodule| match path {
        Directory::Root => true,
        Directory::Path(path) => {
            submodule == path
                || submodule.below(&Directory::Path(path.clone())).is_some()
                || path.below(&Directory::Path(submodule.clone())).is_some()
        }
    })?;
    if let Directory::Path(file) = path
        && let Some((path, _)) = workspace.get_key_value(file)
    {
        return Ok(vec![path]);
    }
    let files: Vec<&RepoPath> = workspace.below(path).map(|(path, _)| path).collect();
    match path {
        Directory::Path(path) if files.is_empty() => Err(not_there(workspace, path, argument)),
        _ => Ok(files),
    }
}
