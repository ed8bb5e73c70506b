//! `--print`: every file of the tree, so that its bytes can be judged by eye.

use super::style::Color;
use super::{Style, escape};
use crate::workspace::{Entry, Mode, Workspace};
use std::io::{self, Write};

/// Whether a file is larger than anything that is read whole to be shown.
pub fn is_too_large(entry: &Entry) -> bool {
    const MOST: u64 = 1 << 30;
    entry.content.size().is_some_and(|size| size > MOST)
}

/// Writes every file under a heading. Control characters are shown escaped, a missing last line end is marked, a
/// binary file is named with its size.
///
/// # Errors
/// A file that cannot be read, or the writer's own.
pub fn tree(workspace: &Workspace, out: &mut impl Write, style: Style) -> io::Result<()> {
    for (path, entry) in workspace.iter() {
        if is_too_large(entry) {
            let size = entry.content.size().unwrap_or_default();
            writeln!(out, "{}", style.paint(Color::Bold, &format!("==> {path} ({size} bytes, not shown)")))?;
            continue;
        }
        let content = entry.content.read()?;
        let note = match (entry.mode, content.as_ref()) {
            (Mode::Symlink, target) => format!(" -> {}", escape::line(&String::from_utf8_lossy(target))),
            (Mode::Executable, []) => " (executable, empty)".to_owned(),
            (Mode::Executable, bytes) if is_binary(bytes) => {
                format!(" (executable, binary, {} bytes)", bytes.len())
            }
            (Mode::Executable, _) => " (executable)".to_owned(),
            (Mode::File, []) => " (empty)".to_owned(),
            (Mode::File, bytes) if is_binary(bytes) => format!(" (binary, {} bytes)", bytes.len()),
            (Mode::File, _) => String::new(),
        };
        writeln!(out, "{}", style.paint(Color::Bold, &format!("==> {path}{note}")))?;
        if entry.mode == Mode::Symlink || is_binary(&content) {
            continue;
        }
        let text = String::from_utf8_lossy(&content);
        for line in text.split_inclusive('\n') {
            match line.strip_suffix('\n') {
                Some(line) => writeln!(out, "{}", escape::line(line))?,
                None => writeln!(out, "{}\n\\ No newline at end of file", escape::line(line))?,
            }
        }
    }
    Ok(())
}

/// Git's rule: a NUL byte among the first 8,000.
pub fn is_binary(bytes: &[u8]) -> bool {
    bytes[..bytes.len().min(8000)].contains(&0)
}
