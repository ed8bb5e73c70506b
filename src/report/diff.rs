//! `--diff`: a complete patch in git's format, which `git apply` accepts.

use super::print::{is_binary, is_too_large};
use super::style::Color;
use super::{Style, escape};
use crate::workspace::{ChangeKind, ChangeSet, Entry, FileChange, Mode, RepoPath};
use similar::{DiffOp, DiffTag, TextDiff};
use std::io::{self, Write};
use std::sync::Arc;
use std::time::Duration;

/// Unchanged lines around a change.
const CONTEXT: usize = 3;
/// After this long, a diff is given less well aligned.
const PATIENCE: Duration = Duration::from_secs(2);

type Side<'a> = Option<(&'a RepoPath, &'a Entry)>;

/// Writes the patch from upstream's tree to the port's. `terminal` escapes control characters, which a patch that
/// is to be applied must keep.
///
/// # Errors
/// A file that cannot be read, or the writer's own.
pub fn patch(set: &ChangeSet<'_>, out: &mut impl Write, terminal: bool, style: Style) -> io::Result<()> {
    let mut printer = Printer { out, terminal, style };
    for change in &set.files {
        if let (Some((_, old)), Some((_, new))) = (change.old, change.new)
            && (old.mode == Mode::Symlink) != (new.mode == Mode::Symlink)
        {
            // Git shows a file that became a symlink as one deleted and one added.
            printer.file(ChangeKind::Deleted, change.old, None)?;
            printer.file(ChangeKind::Added, None, change.new)?;
            continue;
        }
        let FileChange { kind, old, new } = *change;
        printer.file(kind, old, new)?;
    }
    Ok(())
}

struct Printer<'w, W> {
    out: &'w mut W,
    terminal: bool,
    style: Style,
}

impl<W: Write> Printer<'_, W> {
    fn file(&mut self, kind: ChangeKind, old: Side<'_>, new: Side<'_>) -> io::Result<()> {
        if [old, new].iter().flatten().any(|(_, entry)| is_too_large(entry)) {
            return self.large(old, new);
        }
        let read = |side: Side<'_>| side.map_or(Ok(Arc::from([])), |(_, entry)| entry.content.read());
        let (before, after) = (read(old)?, read(new)?);
        let Some((old_path, new_path)) = old.or(new).zip(new.or(old)).map(|(o, n)| (o.0, n.0)) else {
            return Ok(());
        };
        let diff = lines_diff(&before, &after);
        self.header(&format!("diff --git {} {}", quoted("a/", old_path), quoted("b/", new_path)))?;
        match (old, new) {
            (None, Some((_, entry))) => self.header(&format!("new file mode {}", entry.mode.as_git()))?,
            (Some((_, entry)), None) => self.header(&format!("deleted file mode {}", entry.mode.as_git()))?,
            (Some((_, a)), Some((_, b))) if a.mode != b.mode => {
                self.header(&format!("old mode {}", a.mode.as_git()))?;
                self.header(&format!("new mode {}", b.mode.as_git()))?;
            }
            _ => {}
        }
        if kind == ChangeKind::Renamed {
            self.header(&format!("similarity index {}%", likeness(&before, &after, diff.as_ref())))?;
            self.header(&format!("rename from {}", quoted("", old_path)))?;
            self.header(&format!("rename to {}", quoted("", new_path)))?;
        }
        if before == after {
            return Ok(());
        }
        let Some(diff) = diff else {
            return self.binary(&before, &after, old_path, new_path, old.is_some(), new.is_some());
        };
        let name = |side: Side<'_>, prefix| match side {
            // A tab ends a name that holds blanks, as git writes it.
            Some((path, _)) if path.as_bytes().contains(&b' ') => quoted(prefix, path) + "\t",
            Some((path, _)) => quoted(prefix, path),
            None => "/dev/null".to_owned(),
        };
        self.header(&format!("--- {}", name(old, "a/")))?;
        self.header(&format!("+++ {}", name(new, "b/")))?;
        for group in diff.grouped_ops(CONTEXT) {
            self.hunk(&diff, &group)?;
        }
        Ok(())
    }

    /// Says that a file differs which nobody reads as a patch, as git does for a binary file.
    fn large(&mut self, old: Side<'_>, new: Side<'_>) -> io::Result<()> {
        let name = |side: Side<'_>, prefix| {
            side.map_or_else(|| "/dev/null".to_owned(), |(path, _)| quoted(prefix, path))
        };
        let paths = old.or(new).zip(new.or(old)).map(|(o, n)| (quoted("a/", o.0), quoted("b/", n.0)));
        let Some((a, b)) = paths else { return Ok(()) };
        self.header(&format!("diff --git {a} {b}"))?;
        self.header(&format!("Binary files {} and {} differ", name(old, "a/"), name(new, "b/")))
    }

    fn header(&mut self, line: &str) -> io::Result<()> {
        writeln!(self.out, "{}", self.style.paint(Color::Bold, line))
    }

    fn hunk(&mut self, diff: &TextDiff<'_, '_, [u8]>, ops: &[DiffOp]) -> io::Result<()> {
        let (Some(first), Some(last)) = (ops.first(), ops.last()) else { return Ok(()) };
        let old = first.old_range().start..last.old_range().end;
        let new = first.new_range().start..last.new_range().end;
        let heading = format!("@@ -{} +{} @@", range(&old), range(&new));
        writeln!(self.out, "{}", self.style.paint(Color::Moved, &heading))?;
        for op in ops {
            if op.tag() == DiffTag::Equal {
                for at in op.old_range() {
                    self.line(' ', diff.old_slice(at).unwrap_or_default(), Color::Dim)?;
                }
                continue;
            }
            for at in op.old_range() {
                self.line('-', diff.old_slice(at).unwrap_or_default(), Color::Deleted)?;
            }
            for at in op.new_range() {
                self.line('+', diff.new_slice(at).unwrap_or_default(), Color::Added)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, sign: char, line: &[u8], color: Color) -> io::Result<()> {
        let (text, ended) = line.strip_suffix(b"\n").map_or((line, false), |text| (text, true));
        if self.terminal || self.style.color {
            let shown = format!("{sign}{}", escape::line(&String::from_utf8_lossy(text)));
            let shown = if sign == ' ' { shown } else { self.style.paint(color, &shown) };
            writeln!(self.out, "{shown}")?;
        } else {
            write!(self.out, "{sign}")?;
            self.out.write_all(text)?;
            writeln!(self.out)?;
        }
        if ended { Ok(()) } else { writeln!(self.out, "\\ No newline at end of file") }
    }

    fn binary(
        &mut self,
        before: &[u8],
        after: &[u8],
        old: &RepoPath,
        new: &RepoPath,
        had: bool,
        has: bool,
    ) -> io::Result<()> {
        if self.terminal {
            let side =
                |there, prefix, path| if there { quoted(prefix, path) } else { "/dev/null".to_owned() };
            return writeln!(
                self.out,
                "Binary files {} and {} differ",
                side(had, "a/", old),
                side(has, "b/", new)
            );
        }
        // `git apply` wants the ids beside binary data.
        let id = |there: bool, bytes: &[u8]| match there
            .then(|| git2::Oid::hash_object(git2::ObjectType::Blob, bytes))
        {
            Some(Ok(id)) => id.to_string(),
            _ => "0".repeat(40),
        };
        writeln!(self.out, "index {}..{}", id(had, before), id(has, after))?;
        let mut options = git2::DiffOptions::new();
        options.show_binary(true).force_binary(true);
        let patch = git2::Patch::from_buffers(before, None, after, None, Some(&mut options));
        let text = patch.and_then(|mut patch| patch.to_buf()).map_err(io::Error::other)?;
        let at = memchr::memmem::find(&text, b"GIT binary patch\n").unwrap_or(text.len());
        self.out.write_all(&text[at..])
    }
}

fn range(lines: &std::ops::Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        n => format!("{},{n}", lines.start + 1),
    }
}

/// `None` when either side is binary. Only a line feed ends a line, as for git.
fn lines_diff<'t>(before: &'t [u8], after: &'t [u8]) -> Option<TextDiff<'t, 't, [u8]>> {
    if is_binary(before) || is_binary(after) {
        return None;
    }
    let lines = |text: &'t [u8]| text.split_inclusive(|b| *b == b'\n').collect::<Vec<_>>();
    Some(TextDiff::configure().timeout(PATIENCE).diff_slices(&lines(before), &lines(after)))
}

/// How much of both contents is the same, in percent of their bytes; 100 only for equal ones.
fn likeness(before: &[u8], after: &[u8], diff: Option<&TextDiff<'_, '_, [u8]>>) -> usize {
    if before == after {
        return 100;
    }
    let Some(diff) = diff else { return 0 };
    let same = diff.ops().iter().filter(|op| op.tag() == DiffTag::Equal).flat_map(DiffOp::old_range);
    let bytes: usize = same.filter_map(|at| diff.old_slice(at)).map(<[u8]>::len).sum();
    (200 * bytes / (before.len() + after.len()).max(1)).min(99)
}

/// A path as git writes it in a patch: quoted, with octal escapes, when it holds anything unusual.
fn quoted(prefix: &str, path: &RepoPath) -> String {
    let bytes = path.as_bytes();
    let text = format!("{prefix}{}", String::from_utf8_lossy(bytes));
    if bytes.iter().all(|b| (0x20..0x7f).contains(b) && !matches!(b, b'"' | b'\\')) {
        return text;
    }
    let mut out = format!("\"{prefix}");
    for byte in bytes {
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\t' => out.push_str("\\t"),
            0x20..0x7f => out.push(char::from(*byte)),
            _ => out.push_str(&format!("\\{byte:03o}")),
        }
    }
    out.push('"');
    out
}
