//! Just enough of C++ to look at a source: comments, strings, raw strings, continued lines and `#if 0` are told from code.
//! No macro is expanded.

use crate::workspace::TextEdit;
use std::ops::Range;

/// A source with everything blanked that a compiler would not see as code. Offsets are the original's.
pub struct Code {
    /// The text: comments, string contents and switched-off parts are blanks, line ends stay.
    pub text: Vec<u8>,
    /// What is included.
    pub includes: Vec<Include>,
}

/// `#include "path"` or `#include <path>`.
pub struct Include {
    /// The directive's line up to the end of the path.
    pub range: Range<usize>,
    /// The path between quotes or brackets.
    pub path: String,
    /// Between quotes.
    pub quoted: bool,
}

impl Code {
    /// Reads a source.
    pub fn new(source: &[u8]) -> Self {
        let mut text = source.to_vec();
        let strings = blank_comments(&mut text);
        blank_switched_off(&mut text);
        let includes = find_includes(&text);
        for string in strings {
            blank(&mut text, string);
        }
        Self { text, includes }
    }

    /// Where an identifier stands, as a whole word.
    pub fn words<'c>(&'c self, word: &'c str) -> impl Iterator<Item = usize> {
        let part = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
        memchr::memmem::find_iter(&self.text, word).filter(move |at| {
            let (before, after) = (at.checked_sub(1), at + word.len());
            !before.is_some_and(|b| part(self.text[b])) && !self.text.get(after).is_some_and(|b| part(*b))
        })
    }

    /// What stands in the parentheses behind offset `at`, up to the first comma; `None` when no parenthesis follows.
    pub fn first_argument(&self, at: usize) -> Option<&str> {
        let rest = &self.text[at..];
        let open = rest.iter().position(|b| !b.is_ascii_whitespace())?;
        if rest[open] != b'(' {
            return None;
        }
        let inner = &rest[open + 1..];
        let end = inner.iter().position(|b| matches!(b, b',' | b')'))?;
        std::str::from_utf8(&inner[..end]).ok().map(str::trim)
    }
}

fn blank(text: &mut [u8], range: Range<usize>) {
    for byte in &mut text[range] {
        if *byte != b'\n' {
            *byte = b' ';
        }
    }
}

/// Blanks comments and gives the contents of strings and characters.
fn blank_comments(text: &mut [u8]) -> Vec<Range<usize>> {
    let mut strings = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let rest = &text[at..];
        if rest.starts_with(b"//") {
            let end = at + line_end(rest);
            blank(text, at..end);
            at = end;
        } else if rest.starts_with(b"/*") {
            let end = memchr::memmem::find(&rest[2..], b"*/").map_or(text.len(), |found| at + found + 4);
            blank(text, at..end);
            at = end;
        } else if rest[0] == b'"' && is_raw(&text[..at]) {
            let end = raw_end(rest).map_or(text.len(), |end| at + end);
            strings.push(at + 1..end.saturating_sub(1).max(at + 1));
            at = end;
        } else if rest[0] == b'"' || (rest[0] == b'\'' && !is_digit_separator(&text[..at])) {
            let end = at + quoted_end(rest);
            strings.push(at + 1..end.saturating_sub(1).max(at + 1));
            at = end;
        } else {
            at += 1;
        }
    }
    strings
}

/// The length of a line, continued ones included.
fn line_end(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(found) = memchr::memchr(b'\n', &rest[at..]) {
        let end = at + found;
        let before = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
        if !before.ends_with(b"\\") {
            return end;
        }
        at = end + 1;
    }
    rest.len()
}

fn is_raw(before: &[u8]) -> bool {
    let Some(prefix) = before.strip_suffix(b"R") else { return false };
    let prefix = prefix.strip_suffix(b"u8").or(prefix.strip_suffix(b"u")).or(prefix.strip_suffix(b"U"));
    let prefix = prefix.unwrap_or(&before[..before.len() - 1]);
    let prefix = prefix.strip_suffix(b"L").unwrap_or(prefix);
    !prefix.last().is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_')
}

fn raw_end(rest: &[u8]) -> Option<usize> {
    let open = memchr::memchr(b'(', &rest[..rest.len().min(20)])?;
    let end = [b")", &rest[1..open], b"\""].concat();
    Some(memchr::memmem::find(rest, &end)? + end.len())
}

/// `1'000'000`
fn is_digit_separator(before: &[u8]) -> bool {
    before.last().is_some_and(u8::is_ascii_hexdigit)
        && before.iter().rev().find(|b| !b.is_ascii_alphanumeric() && **b != b'\'').is_none_or(|b| *b != b'_')
        && before
            .rsplit(|b| !b.is_ascii_alphanumeric() && *b != b'\'' && *b != b'_')
            .next()
            .is_some_and(|word| word.first().is_some_and(u8::is_ascii_digit))
}

fn quoted_end(rest: &[u8]) -> usize {
    let quote = rest[0];
    let mut at = 1;
    while at < rest.len() {
        match rest[at] {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Blanks what `#if 0` and the other half of `#if 1` switch off.
fn blank_switched_off(text: &mut [u8]) {
    #[derive(Clone, Copy, PartialEq)]
    enum Branch {
        Off,
        On,
        Unknown,
    }
    let mut stack: Vec<Branch> = Vec::new();
    let mut edits: Vec<TextEdit> = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = start + line_end(&text[start..]);
        let line = text[start..end].trim_ascii();
        let off = stack.contains(&Branch::Off);
        if let Some(directive) = line.strip_prefix(b"#").map(<[u8]>::trim_ascii_start) {
            let word_end = directive.iter().position(|b| !b.is_ascii_alphabetic()).unwrap_or(directive.len());
            let (word, condition) = directive.split_at(word_end);
            match (word, condition.trim_ascii()) {
                (b"if", b"0" | b"false") => stack.push(Branch::Off),
                (b"if", b"1" | b"true") => stack.push(Branch::On),
                (b"if" | b"ifdef" | b"ifndef", _) => stack.push(Branch::Unknown),
                (b"else" | b"elif" | b"elifdef" | b"elifndef", _) => {
                    if let Some(last) = stack.last_mut() {
                        *last = match *last {
                            Branch::On => Branch::Off,
                            Branch::Off if word == b"else" => Branch::On,
                            _ => Branch::Unknown,
                        };
                    }
                }
                (b"endif", _) => drop(stack.pop()),
                _ => {}
            }
        }
        if off {
            edits.push(TextEdit::new(start..end, ""));
        }
        start = end + 1;
    }
    for edit in edits {
        blank(text, edit.range);
    }
}

fn find_includes(text: &[u8]) -> Vec<Include> {
    let mut found = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive(|b| *b == b'\n') {
        let include = (|| {
            let directive = line.trim_ascii_start().strip_prefix(b"#")?.trim_ascii_start();
            let rest = directive.strip_prefix(b"include")?.trim_ascii_start();
            let close = match rest.first()? {
                b'"' => b'"',
                b'<' => b'>',
                _ => return None,
            };
            let length = rest[1..].iter().position(|b| *b == close)?;
            let path = String::from_utf8_lossy(&rest[1..=length]).into_owned();
            let from = start + (line.len() - line.trim_ascii_start().len());
            let offset = start + (line.len() - rest.len());
            Some(Include { range: from..offset + length + 2, path, quoted: close == b'"' })
        })();
        found.extend(include);
        start += line.len();
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> usize {
        Code::new(source.as_bytes()).words("WORD").count()
    }

    #[test]
    fn only_code_is_seen() {
        for (source, expected) in [
            ("WORD(x)", 1),
            ("x WORD; AWORD; WORDS; _WORD", 1),
            ("// WORD\nWORD", 1),
            ("// a \\\n WORD\nWORD", 1),
            ("/* WORD\n */ WORD", 1),
            ("\"WORD \\\" WORD\" WORD", 1),
            ("R\"x(\" WORD )\" )x\" WORD", 1),
            ("u8R\"(WORD)\" 'W' WORD", 1),
            ("'\"' WORD '\"' WORD", 2),
            ("1'000'000 WORD", 1),
            ("#if 0\nWORD\n#else\nWORD\n#endif\nWORD", 2),
            ("#if 1\nWORD\n#else\nWORD\n#endif", 1),
            ("# if 0\n#if X\nWORD\n#endif\nWORD\n#endif", 0),
            ("#ifdef X\nWORD\n#else\nWORD\n#endif", 2),
            ("/* open WORD", 0),
        ] {
            assert_eq!(words(source), expected, "{source}");
        }
    }

    #[test]
    fn includes_are_found_outside_of_comments() {
        let code = Code::new(b"#include \"a.h\"\n // #include \"b.h\"\n# include <c/d.h> // x\n#if 0\n#include \"e.h\"\n#endif\nx = \"#include\";\n");
        let found: Vec<_> = code.includes.iter().map(|i| (i.path.as_str(), i.quoted)).collect();
        assert_eq!(found, [("a.h", true), ("c/d.h", false)]);
    }

    #[test]
    fn the_first_argument_of_a_macro() {
        let code = Code::new(b"M ( name , x) N;");
        assert_eq!(code.first_argument(1), Some("name"));
        assert_eq!(code.first_argument(15), None);
    }
}
