//! What goes on while something takes long: one line of the terminal that is written over, and gone at the end. What is
//! done within half a second says nothing.

use super::escape;
use crate::git::Progress;
use std::io::{self, IsTerminal, Write};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

/// From then on there is something to see.
const PATIENCE: Duration = Duration::from_millis(500);

/// How often the line is written.
const INTERVAL: Duration = Duration::from_millis(100);

/// Tells of progress on standard error, where that is a terminal. An empty text is the end: the line is gone when the
/// call returns, and whatever comes next has the terminal for itself.
pub fn on_terminal() -> Option<Progress> {
    let terminal = io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb");
    terminal.then(|| -> Progress {
        let line = Arc::new(Mutex::new(Line::default()));
        let seen = Arc::downgrade(&line);
        thread::spawn(move || keep_showing(&seen));
        Arc::new(move |text: &str| {
            let mut line = line.lock().unwrap_or_else(PoisonError::into_inner);
            let written = line.told(text, Instant::now());
            let _ = io::stderr().write_all(written.as_bytes());
        })
    })
}

fn keep_showing(line: &Weak<Mutex<Line>>) {
    while let Some(line) = line.upgrade() {
        let mut held = line.lock().unwrap_or_else(PoisonError::into_inner);
        let written = held.due(Instant::now());
        let _ = io::stderr().write_all(written.as_bytes());
        drop(held);
        drop(line);
        thread::sleep(INTERVAL);
    }
}

/// The line and what is visible of it.
#[derive(Default)]
struct Line {
    text: String,
    since: Option<Instant>,
    shown: String,
}

impl Line {
    /// A new text; what must be written at once, which is only the end of what was shown.
    fn told(&mut self, text: &str, now: Instant) -> String {
        text.clone_into(&mut self.text);
        if !text.is_empty() {
            self.since.get_or_insert(now);
            return String::new();
        }
        self.since = None;
        if self.shown.is_empty() {
            String::new()
        } else {
            over(&std::mem::take(&mut self.text), &mut self.shown)
        }
    }

    /// What is to be written by now.
    fn due(&mut self, now: Instant) -> String {
        let late = self.since.is_some_and(|since| now.duration_since(since) >= PATIENCE);
        if !late || self.text == self.shown {
            return String::new();
        }
        over(&self.text, &mut self.shown)
    }
}

/// The line in place of the one before; a line that wraps could not be written over.
fn over(line: &str, shown: &mut String) -> String {
    line.clone_into(shown);
    let width = super::terminal_width(|name| std::env::var(name).ok());
    let cut: String = escape::line(line).chars().take(width - 1).collect();
    format!("\r\x1b[K{cut}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_cut_escaped_and_written_over() {
        let mut shown = String::new();
        assert_eq!(over("", &mut shown), "\r\x1b[K");
        assert_eq!(over("a\x1b[2Jb", &mut shown), "\r\x1b[Ka\\x1b[2Jb");
        assert!(over(&"x".repeat(5000), &mut shown).len() < 1000);
    }

    #[test]
    fn what_is_done_within_half_a_second_says_nothing() {
        let start = Instant::now();
        let at = |millis| start + Duration::from_millis(millis);
        let mut line = Line::default();
        assert_eq!(line.told("a", at(0)), "");
        assert_eq!(line.due(at(400)), "");
        assert_eq!(line.told("b", at(450)), "");
        assert_eq!(line.due(at(550)), "\r\x1b[Kb");
        assert_eq!(line.due(at(650)), "", "nothing new");
        assert_eq!(line.told("", at(700)), "\r\x1b[K");
        assert_eq!(line.due(at(2000)), "");
        assert_eq!(line.told("c", at(3000)), "");
        assert_eq!(line.told("", at(3100)), "", "nothing was shown");
    }
}
