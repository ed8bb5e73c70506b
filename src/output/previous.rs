//! What stands at an output already, and whether a run may replace it.

use super::compare::{self, Difference, counts};
use super::error::{ErrorKind, OutputError, shown, shown_bytes};
use super::guard::Target;
use super::provenance::Provenance;
use super::survey::{Found, Survey, is_own};
use super::syscalls::open_regular;
use super::{OLD_PROVENANCE, PARTIAL, PROVENANCE};
use crate::report::plural;
use crate::workspace::{Mode, Workspace};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

/// Largest record that is read.
const MAX_RECORD: u64 = 64 << 20;

/// What stands at an output.
#[derive(Debug)]
pub enum Previous {
    /// Nothing.
    Nothing,
    /// A directory without files.
    Empty,
    /// A port, as it was written.
    Port,
    /// What `--partial` wrote, as it was written.
    Partial,
    /// A port or a partial one that somebody changed. What differs from the tree to be written, where that is known.
    Edited(Vec<Difference>),
    /// Files that no run wrote, by name.
    Foreign(Vec<String>),
}

impl Previous {
    /// Why a run must not replace it; `None` when it may.
    pub fn refusal(&self, target: &Target) -> Option<OutputError> {
        let out = shown(&target.typed);
        let (message, list): (String, Vec<String>) = match self {
            Self::Nothing | Self::Empty | Self::Port | Self::Partial => return None,
            Self::Edited(differences) => {
                let message = format!(
                    "--out {out} was edited by hand since it was written; {} there from what this run writes",
                    plural(differences.len(), ("file differs", "files differ"))
                );
                (message, differences.iter().map(ToString::to_string).collect())
            }
            Self::Foreign(names) => {
                let message = format!(
                    "--out {out} holds {} and no {PROVENANCE}: it is not a port, and this run would remove what is there",
                    plural(names.len(), ("file", "files"))
                );
                (message, names.clone())
            }
        };
        let help = match self {
            Self::Edited(_) => "move the edits into the recipe or the overlay, or lose them with --force",
            _ => "choose another --out, or replace it with --force",
        };
        Some(OutputError::new(ErrorKind::Refused, message).at(&target.path).list(list).help(help))
    }
}

/// Looks at what is there. `workspace` is the tree to be written: it says which ignored files belong to a port, and
/// what differs.
///
/// # Errors
/// A directory or file that cannot be read.
pub fn previous(target: &Target, workspace: Option<&Workspace>) -> Result<Previous, OutputError> {
    let out = &target.path;
    if !out.is_dir() {
        return Ok(Previous::Nothing);
    }
    let survey = Survey::of(out)?;
    if survey.is_empty() {
        return Ok(Previous::Empty);
    }
    for name in [PROVENANCE, OLD_PROVENANCE, PARTIAL] {
        let Some(record) = read_record(out, name)? else {
            continue;
        };
        let unedited = match &record {
            Some(record) => is_as_written(&survey, record, name != OLD_PROVENANCE, workspace)?,
            None => false,
        };
        if unedited {
            return Ok(if name == PARTIAL { Previous::Partial } else { Previous::Port });
        }
        let empty = Workspace::default();
        return Ok(Previous::Edited(compare::files(&survey, workspace.unwrap_or(&empty))?));
    }
    let names = survey.files.keys().filter(|path| !is_own(path)).map(|path| shown_bytes(path).to_string());
    Ok(Previous::Foreign(names.collect()))
}

/// Reads a record: `None` when there is no such file, `Some(None)` when it holds something else.
///
/// # Errors
/// The system's.
pub(super) fn read_record(out: &Path, name: &str) -> Result<Option<Option<Provenance>>, OutputError> {
    let full = out.join(name);
    if std::fs::symlink_metadata(&full).is_err() {
        return Ok(None);
    }
    let mut text = Vec::new();
    let read = open_regular(&full).and_then(|(file, _)| file.take(MAX_RECORD).read_to_end(&mut text));
    match read {
        Ok(_) => Ok(Some(Provenance::parse(&text))),
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
            Err(OutputError::io("read", &full, &error))
        }
        Err(_) => Ok(Some(None)),
    }
}

type Choice<'a> = &'a dyn Fn(&[u8], &Found) -> bool;

/// Whether the files are those of the record. A record holds no list of files, so those that git ignores are tried
/// in three ways: left out but for those the next tree has too, all left out, all taken.
fn is_as_written(
    survey: &Survey,
    record: &Provenance,
    check_modes: bool,
    workspace: Option<&Workspace>,
) -> Result<bool, OutputError> {
    let mut tried: Vec<BTreeMap<&[u8], Found>> = Vec::new();
    let choices: [Choice<'_>; 3] =
        [&|path, found| counts(path, found, workspace), &|path, found| counts(path, found, None), &|_, _| {
            true
        }];
    for choice in choices {
        let files = survey.select(choice);
        if tried.iter().any(|other| other.len() == files.len()) {
            continue;
        }
        let modes_match = !check_modes || modes(&files) == record.modes;
        if modes_match && survey.hash(&files)?.as_ref() == Some(&record.tree) {
            return Ok(true);
        }
        tried.push(files);
    }
    Ok(false)
}

fn modes(files: &BTreeMap<&[u8], Found>) -> BTreeMap<Vec<u8>, Mode> {
    let special = files.iter().filter_map(|(path, found)| Some((path.to_vec(), found.mode?)));
    special.filter(|(_, mode)| *mode != Mode::File).collect()
}

#[cfg(test)]
mod tests {
    use super::super::testing::{link, on_disk, origins, target, workspace};
    use super::super::write;
    use super::*;
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt;
    use tempfile::TempDir;

    fn ported(tree: &Workspace) -> (TempDir, Target) {
        let dir = tempfile::tempdir().unwrap();
        let target = target(dir.path().join("out"));
        write(&target, tree, &origins(), false).unwrap();
        (dir, target)
    }

    fn refusal(target: &Target, tree: &Workspace) -> Option<String> {
        let refusal = previous(target, Some(tree)).unwrap().refusal(target)?;
        assert_eq!(refusal.kind, ErrorKind::Refused);
        assert!(refusal.help.as_ref().unwrap().contains("--force"));
        let line = refusal.message.replace(&shown(&target.typed).to_string(), "OUT");
        Some([vec![line], refusal.details].concat().join("\n"))
    }

    #[test]
    fn nothing_an_empty_directory_and_caches_are_free() {
        let dir = tempfile::tempdir().unwrap();
        let tree = workspace(&[("a", "")]);
        assert!(matches!(previous(&target(dir.path().join("none")), None).unwrap(), Previous::Nothing));
        fs::create_dir_all(dir.path().join("empty/lost+found")).unwrap();
        on_disk(dir.path(), &[("empty/.git/HEAD", ""), ("empty/d/__pycache__/a.pyc", "")]);
        let empty = target(dir.path().join("empty"));
        assert!(matches!(previous(&empty, None).unwrap(), Previous::Empty));
        assert_eq!(refusal(&empty, &tree), None);
    }

    #[test]
    fn a_directory_that_was_never_a_port_is_refused_with_what_would_be_lost() {
        let dir = tempfile::tempdir().unwrap();
        on_disk(
            dir.path(),
            &[("thesis/chapter1.tex", ""), ("thesis/figs/f.png", ""), ("thesis/.git/HEAD", "")],
        );
        let text = refusal(&target(dir.path().join("thesis")), &workspace(&[("a", "")])).unwrap();
        let expected = "--out OUT holds 2 files and no port-provenance.json: it is not a port, and this run would \
                        remove what is there\nchapter1.tex\nfigs/f.png";
        assert_eq!(text, expected);
    }

    #[test]
    fn an_unedited_port_may_be_replaced_by_any_other() {
        let (_dir, target) = ported(&link(&[("a", "x"), ("b", "y")], "l", "a"));
        assert!(matches!(previous(&target, None).unwrap(), Previous::Port));
        assert_eq!(refusal(&target, &workspace(&[("c", "")])), None);
        on_disk(&target.path, &[("__pycache__/a.cpython-312.pyc", "")]);
        fs::create_dir(target.path.join("empty")).unwrap();
        assert_eq!(refusal(&target, &workspace(&[("c", "")])), None);
    }

    #[test]
    fn edits_by_hand_are_found_whatever_they_are() {
        let tree = workspace(&[("a", "x"), ("b", "y")]);
        type Edit<'a> = &'a dyn Fn(&Path);
        let edits: [(Edit<'_>, &str); 6] = [
            (&|out| fs::write(out.join("a"), "x\n").unwrap(), "changed: a"),
            (&|out| fs::write(out.join("mine"), "").unwrap(), "extra: mine"),
            (&|out| fs::remove_file(out.join("b")).unwrap(), "missing: b"),
            (&|out| fs::rename(out.join("a"), out.join("c")).unwrap(), "missing: a\nextra: c"),
            (
                &|out| fs::set_permissions(out.join("a"), Permissions::from_mode(0o755)).unwrap(),
                "mode: a (100755 there, 100644 in the port)",
            ),
            (&|out| fs::write(out.join(PROVENANCE), "{}").unwrap(), ""),
        ];
        for (edit, expected) in edits {
            let (_dir, target) = ported(&tree);
            edit(&target.path);
            let text = refusal(&target, &tree).unwrap();
            let (line, list) = text.split_once('\n').unwrap_or((&text, ""));
            assert!(line.starts_with("--out OUT was edited by hand since it was written; "), "{line}");
            assert_eq!(list, expected);
        }
    }

    #[test]
    fn ignored_files_of_a_port_are_no_edits_even_when_the_next_tree_lacks_them() {
        let dir = tempfile::tempdir().unwrap();
        std::process::Command::new("git").args(["init", "-q"]).arg(dir.path()).status().unwrap();
        let target = target(dir.path().join("out"));
        let tree = workspace(&[(".gitignore", "*.so\n"), ("a", "x"), ("lib.so", "x")]);
        write(&target, &tree, &origins(), false).unwrap();
        assert_eq!(refusal(&target, &workspace(&[("c", "")])), None);
        fs::write(target.path.join("other.so"), "").unwrap();
        assert_eq!(refusal(&target, &tree), None);
    }

    #[test]
    fn a_port_of_an_older_tool_is_recognised() {
        let (_dir, target) = ported(&workspace(&[("a*", "x")]));
        let text = fs::read_to_string(target.path.join(PROVENANCE)).unwrap();
        fs::remove_file(target.path.join(PROVENANCE)).unwrap();
        let without_modes = text.split(",\n  \"modes\"").next().unwrap().to_owned() + "}";
        fs::write(target.path.join(OLD_PROVENANCE), without_modes).unwrap();
        assert!(matches!(previous(&target, None).unwrap(), Previous::Port));
    }
}
