//! The recipe's text under its name, and where a byte offset is in it for a reader.

use std::fmt;
use std::sync::Arc;

/// The text of a recipe and the name messages call it by (`port.kdl`, `<inline>`).
#[derive(Debug, Clone)]
pub struct RecipeText {
    name: Arc<str>,
    text: Arc<str>,
    /// Offset of each line's first byte.
    lines: Arc<[usize]>,
}

/// A place in a text, both counted from 1; columns count characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    /// Line, counted from 1. Lines end at a line feed.
    pub line: usize,
    /// Column in characters, counted from 1.
    pub column: usize,
}

impl Position {
    /// The place of a byte offset in UTF-8 or any other bytes (invalid sequences count as one character a byte).
    pub fn of(text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let line_start = before.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let line = 1 + before.iter().filter(|b| **b == b'\n').count();
        let mut here = &before[line_start..];
        if line_start == 0 {
            here = here.strip_prefix("\u{feff}".as_bytes()).unwrap_or(here);
        }
        let column =
            1 + here.utf8_chunks().map(|c| c.valid().chars().count() + c.invalid().len()).sum::<usize>();
        Self { line, column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// Where lines end in KDL: behind LF, CR LF, CR, NEL, VT, FF, LS and PS.
fn line_ends(text: &str) -> Vec<usize> {
    let mut characters = text.char_indices().peekable();
    let mut ends = Vec::new();
    while let Some((at, c)) = characters.next() {
        match c {
            '\r' if characters.peek().is_some_and(|(_, next)| *next == '\n') => {}
            '\n' | '\r' | '\u{85}' | '\u{b}' | '\u{c}' | '\u{2028}' | '\u{2029}' => {
                ends.push(at + c.len_utf8())
            }
            _ => {}
        }
    }
    ends
}

impl RecipeText {
    /// A text and what to call it.
    pub fn new(name: impl Into<Arc<str>>, text: impl Into<Arc<str>>) -> Self {
        let text: Arc<str> = text.into();
        let ends = line_ends(&text);
        let lines = std::iter::once(0).chain(ends).collect();
        Self { name: name.into(), text, lines }
    }

    /// The name in messages.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line around a byte offset, without its line end.
    pub fn line_around(&self, offset: usize) -> std::ops::Range<usize> {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines[line - 1];
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        let text = &self.text[start..end];
        let kept = text.trim_end_matches(['\n', '\r', '\u{85}', '\u{b}', '\u{c}', '\u{2028}', '\u{2029}']);
        start..start + kept.len()
    }

    /// Line and column of a byte offset.
    pub fn position(&self, offset: usize) -> Position {
        let line = self.lines.partition_point(|start| *start <= offset).max(1);
        let start = self.lines[line - 1];
        let end = self.lines.get(line).copied().unwrap_or(self.text.len());
        let mut place = Position::of(&self.text.as_bytes()[start..end], offset - start);
        if line > 1 {
            place.line = line;
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let text = "é = 1\r\n\u{1F600}x";
        assert_eq!(Position::of(text.as_bytes(), 3), Position { line: 1, column: 3 });
        assert_eq!(Position::of(text.as_bytes(), text.len() - 1), Position { line: 2, column: 2 });
    }

    #[test]
    fn a_byte_order_mark_is_no_column() {
        assert_eq!(Position::of("\u{feff}ab".as_bytes(), 4), Position { line: 1, column: 2 });
    }

    #[test]
    fn every_line_end_of_kdl_counts() {
        for end in ["\n", "\r\n", "\r", "\u{85}", "\u{c}", "\u{2028}"] {
            let text = RecipeText::new("r", format!("ab{end}cd"));
            assert_eq!(text.position(2 + end.len() + 1), Position { line: 2, column: 2 }, "{end:?}");
            assert_eq!(&text.text()[text.line_around(0)], "ab");
        }
    }

    #[test]
    fn latin_1_bytes_count_one_each() {
        assert_eq!(Position::of(b"a\xe9\xe9b", 3), Position { line: 1, column: 4 });
    }
}
