//! What no output may hold: nothing at all, this program's own names, symlinks that lead out of the tree.

use super::error::{ErrorKind, OutputError};
use super::{JOURNAL, OLD_PROVENANCE, PROVENANCE, RESERVED};
use crate::report::plural;
use crate::workspace::{Mode, RepoPath, Workspace};

/// Links in a row before a path counts as a loop, as on Linux.
const MAX_LINKS: usize = 40;

/// Whether the tree may be written.
///
/// # Errors
/// An empty tree, a reserved name, or symlinks that are absolute or leave the tree, all of them listed.
pub fn check(workspace: &Workspace) -> Result<(), OutputError> {
    check_names(workspace)?;
    let leaving: Vec<String> =
        leaving_links(workspace).into_iter().map(|(path, why)| format!("{path} -> {why}")).collect();
    if leaving.is_empty() {
        return Ok(());
    }
    let message = format!("{} out of the tree", plural(leaving.len(), ("symlink leads", "symlinks lead")));
    Err(OutputError::new(ErrorKind::Tree, message)
        .list(leaving)
        .help("delete them in the recipe, or replace them by files from the overlay"))
}

/// The rules for a tree that is written only to be looked at.
pub(super) fn check_names(workspace: &Workspace) -> Result<(), OutputError> {
    if workspace.is_empty() {
        return Err(OutputError::new(
            ErrorKind::Tree,
            "the recipe leaves no file: there is nothing to write",
        )
        .help("look at what its prune and delete ops match"));
    }
    let reserved: Vec<&RepoPath> = workspace
        .iter()
        .map(|(path, _)| path)
        .filter(|path| path.components().next().is_some_and(|c| RESERVED.iter().any(|r| r.as_bytes() == c)))
        .collect();
    let Some(first) = reserved.first() else {
        return Ok(());
    };
    let name = first.components().next().unwrap_or_default();
    let help = if name == PROVENANCE.as_bytes() || name == OLD_PROVENANCE.as_bytes() {
        "a port writes this file itself; is the input a tree that was ported already? if not, delete or move the file \
         in the recipe"
    } else if name == JOURNAL.as_bytes() {
        "it is left from an interrupted --in-place run; run that again to finish or undo it"
    } else {
        "kernel-port keeps this name for itself; delete or move the file in the recipe"
    };
    Err(OutputError::new(ErrorKind::Tree, format!("the tree holds `{first}`, a reserved name")).help(help))
}

/// The symlinks that are absolute or leave the tree, each with its target and what is wrong with it.
pub(super) fn leaving_links(workspace: &Workspace) -> Vec<(&RepoPath, String)> {
    let links = workspace.iter().filter(|(_, entry)| entry.mode == Mode::Symlink);
    links
        .filter_map(|(path, entry)| {
            let target = match entry.content.read() {
                Ok(target) => target,
                Err(error) => return Some((path, format!("(cannot be read: {error})"))),
            };
            let why = problem(workspace, path, &target)?;
            Some((path, format!("{} ({why})", super::error::shown_bytes(&target))))
        })
        .collect()
}

/// Follows a link through the tree the way the system would, links on the way included.
fn problem(workspace: &Workspace, path: &RepoPath, target: &[u8]) -> Option<&'static str> {
    if target.is_empty() {
        return Some("empty");
    }
    let mut at: Vec<Vec<u8>> =
        path.parent().map(|p| p.components().map(<[u8]>::to_vec).collect()).unwrap_or_default();
    let mut pending: Vec<Vec<u8>> = Vec::new();
    let mut links = 0;
    if !push(&mut pending, target) {
        return Some("absolute");
    }
    while let Some(component) = pending.pop() {
        match component.as_slice() {
            b"" | b"." => continue,
            b".." => {
                if at.pop().is_none() {
                    return Some("leaves the tree");
                }
                continue;
            }
            _ => at.push(component),
        }
        let Ok(here) = RepoPath::new(at.join(&b'/')) else {
            return Some("not a path of the tree");
        };
        let Some(entry) = workspace.get(&here).filter(|e| e.mode == Mode::Symlink) else {
            continue;
        };
        links += 1;
        if links > MAX_LINKS {
            // The system refuses to follow such a link, so it leads nowhere.
            return None;
        }
        at.pop();
        if !entry.content.read().is_ok_and(|next| push(&mut pending, &next)) {
            return Some("leads to an absolute link");
        }
    }
    None
}

/// Puts the components of a relative target in front of what is still to walk; `false` for an absolute one.
fn push(pending: &mut Vec<Vec<u8>>, target: &[u8]) -> bool {
    pending.extend(target.split(|b| *b == b'/').rev().map(<[u8]>::to_vec));
    !target.starts_with(b"/")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, path, workspace};
    use super::*;
    use crate::workspace::{Content, Entry};

    fn failure(workspace: &Workspace) -> OutputError {
        check(workspace).unwrap_err()
    }

    #[test]
    fn an_empty_tree_is_an_error() {
        let error = failure(&workspace(&[]));
        assert_eq!(error.message, "the recipe leaves no file: there is nothing to write");
        assert_eq!(error.kind, ErrorKind::Tree);
    }

    #[test]
    fn reserved_names_at_the_top_are_errors_and_below_are_not() {
        for name in [PROVENANCE, OLD_PROVENANCE, ".port-partial", ".kernel-port-journal/journal.json"] {
            let error = failure(&workspace(&[("a", ""), (name, "")]));
            assert_eq!(error.message, format!("the tree holds `{name}`, a reserved name"));
        }
        assert!(check(&workspace(&[("vendored/port-provenance.json", "")])).is_ok());
        assert!(check(&workspace(&[("port-provenance.json.bak", "")])).is_ok());
    }

    #[test]
    fn links_inside_the_tree_may_stay_dangling_ones_included() {
        for (at, target) in
            [("l", "a"), ("d/l", "../a"), ("d/e/l", "../../d/./x"), ("l", "nowhere"), ("l", "l")]
        {
            assert!(check(&link(&[("a", "")], at, target)).is_ok(), "{at} -> {target}");
        }
    }

    #[test]
    fn links_out_of_the_tree_are_all_listed() {
        for (at, target, why) in [
            ("l", "/etc/hostname", "absolute"),
            ("l", "..", "leaves the tree"),
            ("d/l", "../../x", "leaves the tree"),
            ("d/l", "../d/../../x", "leaves the tree"),
            ("l", "a/.git/config", "not a path of the tree"),
        ] {
            let error = failure(&link(&[("a", "")], at, target));
            assert_eq!(error.message, "1 symlink leads out of the tree");
            assert_eq!(error.details, [format!("{at} -> {target} ({why})")]);
        }
    }

    #[test]
    fn a_link_that_leaves_only_through_another_link_is_found() {
        // Read as text, `deep/../../x` stays inside; followed, `deep` is one level below the top.
        let links = [("a/b/l", "deep/../../../x"), ("a/b/deep", "../../s"), ("s/f", "-")];
        let tree = Workspace::new(links.iter().map(|(at, to)| {
            let mode = if *to == "-" { Mode::File } else { Mode::Symlink };
            Entry::upstream(path(at), Content::from(*to), mode)
        }));
        assert_eq!(failure(&tree).details, ["a/b/l -> deep/../../../x (leaves the tree)"]);
    }

    #[test]
    fn terminal_escapes_in_a_target_are_shown() {
        assert_eq!(failure(&link(&[], "l", "/\x1b[2J")).details, ["l -> /\\x1b[2J (absolute)"]);
    }
}
