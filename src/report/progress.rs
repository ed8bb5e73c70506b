//! What goes on while something is fetched: one line of the terminal that is written over, and gone at the end.

use super::escape;
use crate::git::Progress;
use std::io::{self, IsTerminal, Write};
use std::sync::Arc;

/// Tells of progress on standard error, where that is a terminal.
pub fn on_terminal() -> Option<Progress> {
    let terminal = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    terminal.then(|| -> Progress {
        Arc::new(|line: &str| {
            let _ = io::stderr().write_all(over(line).as_bytes());
        })
    })
}

/// The line in place of the one before; a line that wraps could not be written over.
fn over(line: &str) -> String {
    let width = super::terminal_width(|name| std::env::var(name).ok());
    let shown: String = escape::line(line).chars().take(width - 1).collect();
    format!("\r\x1b[K{shown}")
}

#[cfg(test)]
mod tests {
    use super::over;

    #[test]
    fn a_line_is_cut_escaped_and_written_over() {
        assert_eq!(over(""), "\r\x1b[K");
        assert_eq!(over("a\x1b[2Jb"), "\r\x1b[Ka\\x1b[2Jb");
        assert!(over(&"x".repeat(5000)).len() < 1000);
    }
}
