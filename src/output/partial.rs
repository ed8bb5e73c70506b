//! `--partial`: the tree as it was before the op that failed, to be looked at. It is marked, so that nobody takes it
//! for a port and the next run may replace it.

use super::error::{ErrorKind, OutputError, shown};
use super::guard::Target;
use super::place::{Parcel, place};
use super::previous::{Previous, previous};
use super::provenance::{Origins, Provenance};
use super::write::{Written, opening_notes};
use super::{PARTIAL, rules};
use crate::workspace::{RepoPath, Workspace};
use serde_json::{Map, Value};
use std::collections::BTreeSet;

/// Writes an unfinished tree to `target`, with a `.port-partial` that holds `failed`, the first line of the failure.
/// A finished port is never replaced by it unless `force` is given. Symlinks that lead out of the tree stay behind;
/// the notes name them.
///
/// # Errors
/// As [`write()`](super::write()), and a port that stands at `target`.
pub fn partial(
    target: &Target,
    workspace: &Workspace,
    failed: &str,
    force: bool,
) -> Result<Written, OutputError> {
    rules::check_names(workspace)?;
    let mut notes = opening_notes(target)?;
    let judge = || {
        let before = previous(target, Some(workspace))?;
        match before.refusal(target).or_else(|| finished(&before, target)) {
            Some(refusal) if !force => Err(refusal),
            _ => Ok(()),
        }
    };
    let leaving: BTreeSet<&RepoPath> =
        rules::leaving_links(workspace).into_iter().map(|(path, _)| path).collect();
    notes.extend(leaving.iter().map(|path| format!("left out {path}, a symlink out of the tree")));
    let text = |tree: &str| marker(failed, tree, workspace, &leaving);
    let files: Vec<_> = workspace.iter().filter(|(path, _)| !leaving.contains(path)).collect();
    let count = files.len();
    let tree = place(target, &Parcel { files, name: PARTIAL, text: &text }, &judge, &mut notes)?;
    Ok(Written { path: target.path.clone(), files: count, tree, notes })
}

fn finished(before: &Previous, target: &Target) -> Option<OutputError> {
    matches!(before, Previous::Port).then(|| {
        let message = format!("--partial does not replace the finished port in {}", shown(&target.typed));
        OutputError::new(ErrorKind::Refused, message)
            .at(&target.path)
            .help("give --partial an --out of its own, or lose the port with --force")
    })
}

/// The text of the marker. It has what tells an edited tree from one as it was written.
fn marker(failed: &str, tree: &str, workspace: &Workspace, leaving: &BTreeSet<&RepoPath>) -> String {
    let mut record = Provenance::new(&Origins::default(), tree.to_owned(), workspace);
    record.modes.retain(|path, _| RepoPath::new(path).is_ok_and(|path| !leaving.contains(&path)));
    let mut marker = Map::new();
    marker.insert("failed".to_owned(), failed.into());
    marker.insert("tree".to_owned(), record.tree.clone().into());
    if !record.modes.is_empty() {
        marker.insert("modes".to_owned(), record.modes_json());
    }
    format!("{:#}\n", Value::Object(marker))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, names, on_disk, origins, target, tree, workspace};
    use super::super::write;
    use super::*;

    const FAILED: &str = "recipe line 3: move: `a` is not in the tree";

    #[test]
    fn an_unfinished_tree_is_marked_and_the_next_run_replaces_it() {
        let dir = tempfile::tempdir().unwrap();
        let out = target(dir.path().join("out"));
        let half = workspace(&[("a", "x"), ("run*", "y")]);
        let written = partial(&out, &half, FAILED, false).unwrap();
        assert_eq!(written.files, 2);
        let found = tree(&out.path);
        let marker = format!(
            "{{\n  \"failed\": \"{FAILED}\",\n  \"tree\": \"{}\",\n  \"modes\": {{\n    \"run\": \"100755\"\n  }}\n}}\n",
            written.tree
        );
        assert_eq!(found[PARTIAL], marker);
        assert_eq!(names(&out.path), [PARTIAL, "a", "run"]);
        assert!(matches!(previous(&out, None).unwrap(), Previous::Partial));
        partial(&out, &workspace(&[("b", "x")]), FAILED, false).unwrap();
        write(&out, &workspace(&[("c", "")]), &origins(), false).unwrap();
        assert_eq!(names(&out.path), ["c", "port-provenance.json"]);
    }

    #[test]
    fn a_finished_port_is_not_replaced_by_an_unfinished_one() {
        let dir = tempfile::tempdir().unwrap();
        let out = target(dir.path().join("out"));
        write(&out, &workspace(&[("good", "x")]), &origins(), false).unwrap();
        let before = tree(dir.path());
        let error = partial(&out, &workspace(&[("bad", "")]), FAILED, false).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.message.starts_with("--partial does not replace the finished port in "), "{error}");
        assert_eq!(tree(dir.path()), before);
        partial(&out, &workspace(&[("bad", "")]), FAILED, true).unwrap();
        assert_eq!(names(&out.path), [PARTIAL, "bad"]);
    }

    #[test]
    fn an_edited_partial_tree_and_a_stranger_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let out = target(dir.path().join("out"));
        partial(&out, &workspace(&[("a", "x")]), FAILED, false).unwrap();
        on_disk(&out.path, &[("a", "tried something")]);
        for error in [
            partial(&out, &workspace(&[("a", "x")]), FAILED, false).unwrap_err(),
            write(&out, &workspace(&[("a", "x")]), &origins(), false).unwrap_err(),
        ] {
            assert_eq!(error.details, ["changed: a"]);
        }
        on_disk(dir.path(), &[("other/last-good", "")]);
        let other = target(dir.path().join("other"));
        assert!(partial(&other, &workspace(&[("a", "x")]), FAILED, false).is_err());
    }

    #[test]
    fn links_out_of_the_tree_stay_behind() {
        let dir = tempfile::tempdir().unwrap();
        let out = target(dir.path().join("out"));
        let written = partial(&out, &link(&[("a", "x")], "l", "/etc/passwd"), FAILED, false).unwrap();
        assert_eq!(written.notes, ["left out l, a symlink out of the tree"]);
        assert_eq!(names(&out.path), [PARTIAL, "a"]);
        assert!(matches!(previous(&out, None).unwrap(), Previous::Partial));
    }
}
