//! A name cut at its dashes, each piece with its place. Nothing is allocated.

use std::ops::Range;

/// One piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The piece, possibly empty.
    pub text: &'a str,
    /// Byte offset of its start.
    pub start: usize,
}

impl Token<'_> {
    /// The bytes it covers.
    pub fn span(&self) -> Range<usize> {
        self.start..self.start + self.text.len()
    }

    /// Whether it begins like a version.
    pub fn is_number(&self) -> bool {
        self.text.starts_with(|c: char| c.is_ascii_digit())
    }
}

/// The pieces that are left.
#[derive(Debug, Clone)]
pub struct Tokens<'a> {
    text: &'a str,
    at: Option<usize>,
}

impl<'a> Tokens<'a> {
    /// All pieces of `text`.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: Some(0) }
    }

    /// The next piece, left where it is.
    pub fn peek(&self) -> Option<Token<'a>> {
        self.clone().next()
    }

    /// How many are left.
    pub fn left(&self) -> usize {
        self.clone().count()
    }

    /// What is left, dashes included.
    pub fn rest(&self) -> Option<Token<'a>> {
        let start = self.at?;
        Some(Token { text: self.text.get(start..)?, start })
    }

    /// Where a missing piece would stand.
    pub fn end(&self) -> Range<usize> {
        self.text.len()..self.text.len()
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let start = self.at?;
        let rest = self.text.get(start..)?;
        let length = memchr::memchr(b'-', rest.as_bytes());
        self.at = length.map(|length| start + length + 1);
        let text = length.map_or(Some(rest), |length| rest.get(..length))?;
        Some(Token { text, start })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_pieces_count() {
        let pieces = |text| Tokens::new(text).map(|t| (t.text.to_owned(), t.start)).collect::<Vec<_>>();
        assert_eq!(pieces("a--é-"), [("a".into(), 0), ("".into(), 2), ("é".into(), 3), ("".into(), 6)]);
        assert_eq!(pieces(""), [(String::new(), 0)]);
    }
}
