//! Where the text of a string literal starts, for edits of its front that leave quotes and prefix as they are.

use super::ByteRange;

/// A string literal as it stands in a file, f-strings included: its prefix and the first byte between the quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// Whether it is an f-string (or a t-string).
    pub formatted: bool,
    /// Where the text starts.
    pub text: usize,
}

/// Reads the opening of a literal; `None` when no string literal stands at the start of `range`.
pub fn opening(content: &[u8], range: &ByteRange) -> Option<Opening> {
    let literal = &content[range.clone()];
    let letters = literal.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    let (prefix, rest) = literal.split_at(letters);
    let known = prefix.len() <= 2 && prefix.iter().all(|b| b"rRuUfFtT".contains(b));
    let quote = rest.first().filter(|q| known && matches!(q, b'"' | b'\''))?;
    let quotes = if rest.len() >= 6 && rest[..3] == [*quote; 3] { 3 } else { 1 };
    let formatted = prefix.iter().any(|b| b"fFtT".contains(b));
    Some(Opening { formatted, text: range.start + letters + quotes })
}

/// Where `start`, the first bytes of a literal's value, stand in the file; `None` when they are spelled with escapes
/// or cut in two by an implicit concatenation.
pub fn front(content: &[u8], range: &ByteRange, start: &str) -> Option<ByteRange> {
    let at = opening(content, range)?.text;
    content[at..range.end].starts_with(start.as_bytes()).then(|| at..at + start.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_is_found_whatever_the_quotes() {
        for (literal, found) in [
            ("\"ns::f\"", Some(1..5)),
            ("r'ns::f'", Some(2..6)),
            ("\"\"\"ns::f\"\"\"", Some(3..7)),
            ("rf\"ns::{f}\"", Some(3..7)),
            ("'ns::' 'f'", Some(1..5)),
            ("'ns' '::f'", None),
            ("'ns\\x3a:f'", None),
            ("\"\"", None),
            ("b'ns::f'", None),
            ("name", None),
        ] {
            assert_eq!(front(literal.as_bytes(), &(0..literal.len()), "ns::"), found, "{literal}");
        }
    }
}
