//! `--tree`: the tree that came out, and who brought each file. Directories that came from one place as they are take
//! one line.

use super::style::Color;
use super::{Style, escape, plural};
use crate::workspace::{Entry, Origin, RepoPath, Workspace};
use std::fmt::Write;

/// The tree, indented, with a note on each file and the sum of all below. With `verbose` no directory is folded.
pub fn tree(workspace: &Workspace, verbose: bool, style: Style) -> String {
    let files: Vec<(&RepoPath, &Entry)> = workspace.iter().collect();
    let mut printer = Printer { workspace, verbose, lines: Vec::new() };
    printer.directory(&files, 0);
    let width = printer.lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
    // A single long name must not push all notes off the screen.
    let width = width.min(style.width / 2);
    let mut out = String::new();
    for (name, note) in &printer.lines {
        let note = note.as_ref().map(|(text, color)| style.paint(*color, text)).unwrap_or_default();
        let _ = writeln!(out, "{}", format!("{name:<width$}  {note}").trim_end());
    }
    out.push_str(&sum(&files));
    out
}

/// `8 files: 5 from upstream (3 of them edited), 1 from the overlay, 2 generated`
fn sum(files: &[(&RepoPath, &Entry)]) -> String {
    let of = |wanted: fn(&Origin) -> bool| files.iter().filter(move |(_, entry)| wanted(&entry.origin));
    let upstream = of(|o| *o == Origin::Upstream).count();
    let edited = of(|o| *o == Origin::Upstream).filter(|(_, entry)| entry.written).count();
    let mut parts = Vec::new();
    if upstream > 0 {
        let edited = if edited > 0 { format!(" ({edited} of them edited)") } else { String::new() };
        parts.push(format!("{upstream} from upstream{edited}"));
    }
    let others = [
        (of(|o| matches!(o, Origin::Vendor(_))).count(), "vendored"),
        (of(|o| *o == Origin::Overlay).count(), "from the overlay"),
        (of(|o| *o == Origin::Generated).count(), "generated"),
    ];
    parts
        .extend(others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}")));
    let colon = if parts.is_empty() { "" } else { ": " };
    format!("{}{colon}{}\n", plural(files.len(), ("file", "files")), parts.join(", "))
}

type Note = Option<(String, Color)>;

struct Printer<'a> {
    workspace: &'a Workspace,
    verbose: bool,
    lines: Vec<(String, Note)>,
}

impl Printer<'_> {
    /// The lines of files that all stand below one directory, `depth` names deep.
    fn directory(&mut self, mut files: &[(&RepoPath, &Entry)], depth: usize) {
        while let Some((path, entry)) = files.first() {
            let mut names = path.components().skip(depth);
            let (name, is_file) = (names.next().unwrap_or_default(), names.next().is_none());
            let shown = format!("{}{}", "  ".repeat(depth), escape::line(&String::from_utf8_lossy(name)));
            if is_file {
                self.lines.push((shown, self.note(path, entry)));
                files = &files[1..];
                continue;
            }
            let same = |(path, _): &&(&RepoPath, &Entry)| path.components().nth(depth) == Some(name);
            let (inside, rest) = files.split_at(files.iter().take_while(same).count());
            files = rest;
            match self.folded(inside, depth + 1) {
                Some(note) if !self.verbose => {
                    self.lines.push((format!("{shown}/ ({} files)", inside.len()), note));
                }
                _ => {
                    self.lines.push((format!("{shown}/"), None));
                    self.directory(inside, depth + 1);
                }
            }
        }
    }

    /// The one note for a directory whose files upstream has side by side, all as they are.
    fn folded(&self, files: &[(&RepoPath, &Entry)], depth: usize) -> Option<Note> {
        let mut from: Option<Vec<&[u8]>> = None;
        for (path, entry) in files {
            let origin = entry.upstream_path.as_ref().filter(|_| entry.origin == Origin::Upstream)?;
            let inside = path.components().count() - depth;
            let origin: Vec<&[u8]> = origin.components().collect();
            let (directory, below) = origin.split_at(origin.len().checked_sub(inside)?);
            let stays = !entry.written && path.components().skip(depth).eq(below.iter().copied());
            if !stays || from.as_deref().is_some_and(|other| other != directory) {
                return None;
            }
            from = Some(directory.to_vec());
        }
        let (from, first) = (from.filter(|from| !from.is_empty() && files.len() > 2)?, files.first()?);
        if first.0.components().take(depth).eq(from.iter().copied()) {
            return Some(None);
        }
        Some(Some((
            format!("from {}/", escape::line(&String::from_utf8_lossy(&from.join(&b'/')))),
            Color::Moved,
        )))
    }

    /// Nothing for a file that is where upstream has it, as upstream has it.
    fn note(&self, path: &RepoPath, entry: &Entry) -> Note {
        let edited = if entry.written { ", edited" } else { "" };
        let there = self.workspace.base().contains_key(path).then_some(path);
        let replaces = entry.upstream_path.as_ref().or(there);
        let replaces = replaces.map(|old| format!(", replaces upstream's {old}")).unwrap_or_default();
        Some(match &entry.origin {
            Origin::Upstream => match &entry.upstream_path {
                Some(from) if from == path && edited.is_empty() => return None,
                Some(from) if from == path => ("edited".to_owned(), Color::Warning),
                Some(from) => (format!("from {from}{edited}"), Color::Moved),
                None => (format!("copied{edited}"), Color::Moved),
            },
            Origin::Vendor(name) => (format!("vendored from {name}"), Color::Moved),
            Origin::Overlay => (format!("overlay{replaces}"), Color::Added),
            Origin::Generated => (format!("generated{replaces}"), Color::Added),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::{Change, Content, Mode};

    fn path(text: &str) -> RepoPath {
        RepoPath::new(text).unwrap()
    }

    fn put(to: &str, origin: Origin) -> Change {
        Change::Put { path: path(to), content: Content::from("x"), mode: Mode::File, origin }
    }

    #[test]
    fn each_file_says_who_brought_it() {
        let names = ["a/b/1", "a/b/2", "a/b/c/3", "d", "e", "f"];
        let files = names.map(|name| Entry::upstream(path(name), Content::from("1"), Mode::File));
        let mut tree_of = Workspace::new(files);
        let moved = ["1", "2", "c/3"].map(|name| Change::Rename {
            from: path(&format!("a/b/{name}")),
            to: path(&format!("n/{name}")),
        });
        tree_of.apply(moved.into()).unwrap();
        let changes = vec![
            put("e", Origin::Overlay),
            put("g\u{1b}", Origin::Generated),
            put("v", Origin::Vendor("cutlass".into())),
            Change::Rename { from: path("f"), to: path("n2/f") },
        ];
        tree_of.apply(changes).unwrap();
        let expected = "d\ne             overlay, replaces upstream's e\ng\\x1b         generated\n\
                        n/ (3 files)  from a/b/\nn2/\n  f           from f\nv             vendored from cutlass\n\
                        8 files: 5 from upstream, 1 vendored, 1 from the overlay, 1 generated\n";
        let found = tree(&tree_of, false, Style::PLAIN);
        assert_eq!(found, expected, "{found}");
        assert!(tree(&tree_of, true, Style::PLAIN).contains("  c/\n    3  from a/b/c/3\n"));
    }
}
