//! Splits C++ into tokens. Comments and blanks vanish; continued lines are joined except in raw strings, as the standard
//! says. Works on any bytes: what is not terminated ends with its line or with the file.

use std::borrow::Cow;
use std::ops::Range;

/// What a token is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// An identifier or keyword.
    Word,
    /// A number, digit separators included.
    Number,
    /// A string or character with its prefix.
    Text,
    /// A `#` that starts a directive.
    Directive,
    /// The end of a line that is not continued.
    LineEnd,
    /// Any other single byte.
    Mark(u8),
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub struct Token {
    /// What it is.
    pub kind: Kind,
    /// Its bytes, continuations inside of it included.
    pub range: Range<usize>,
}

/// Reads one token after the other.
#[derive(Clone)]
pub struct Lexer<'s> {
    source: &'s [u8],
    at: usize,
    line_start: bool,
}

impl<'s> Lexer<'s> {
    /// Starts at the first byte, or behind a byte order mark.
    pub fn new(source: &'s [u8]) -> Self {
        let at = if source.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
        Self { source, at, line_start: true }
    }

    /// The token's text, its continuations taken out.
    pub fn text(&self, token: &Token) -> Cow<'s, [u8]> {
        let bytes = &self.source[token.range.clone()];
        if memchr::memchr(b'\n', bytes).is_none() {
            return Cow::Borrowed(bytes);
        }
        let mut joined = Vec::with_capacity(bytes.len());
        let mut at = token.range.start;
        while let Some((byte, next)) = self.peek(at).filter(|(_, next)| *next <= token.range.end) {
            joined.push(byte);
            at = next;
        }
        Cow::Owned(joined)
    }

    /// Whether the very next byte is this one: no blank before it.
    pub fn follows(&self, byte: u8) -> bool {
        self.peek(self.at).is_some_and(|(next, _)| next == byte)
    }

    /// The rest of an `#include`: the path, whether it is quoted, and where it ends. `None` for a macro.
    pub fn header(&mut self) -> Option<(Vec<u8>, bool, usize)> {
        while let Some((b' ' | b'\t', next)) = self.peek(self.at) {
            self.at = next;
        }
        if self.source[self.at..].starts_with(b"/*") {
            self.block_comment(self.at + 2);
            return self.header();
        }
        let (open, start) = self.peek(self.at)?;
        let close = match open {
            b'"' => b'"',
            b'<' => b'>',
            _ => return None,
        };
        let line = &self.source[start..];
        let length = line.iter().position(|b| *b == close || *b == b'\n').filter(|at| line[*at] == close)?;
        self.at = start + length + 1;
        Some((line[..length].to_vec(), open == b'"', self.at))
    }

    /// The byte at `at`, continued lines skipped, and the offset behind it.
    fn peek(&self, mut at: usize) -> Option<(u8, usize)> {
        loop {
            let byte = *self.source.get(at)?;
            match (byte, self.source.get(at + 1), self.source.get(at + 2)) {
                (b'\\', Some(b'\n'), _) => at += 2,
                (b'\\', Some(b'\r'), Some(b'\n')) => at += 3,
                _ => return Some((byte, at + 1)),
            }
        }
    }

    fn line_comment(&mut self) {
        while let Some(found) = memchr::memchr(b'\n', &self.source[self.at..]) {
            let end = self.at + found;
            let before = &self.source[..end];
            if !before.strip_suffix(b"\r").unwrap_or(before).ends_with(b"\\") {
                self.at = end;
                return;
            }
            self.at = end + 1;
        }
        self.at = self.source.len();
    }

    fn block_comment(&mut self, start: usize) {
        self.at = start;
        while let Some(found) = memchr::memchr(b'*', &self.source[self.at..]) {
            self.at += found + 1;
            if let Some((b'/', next)) = self.peek(self.at) {
                self.at = next;
                return;
            }
        }
        self.at = self.source.len();
    }

    /// Behind the opening quote.
    fn quoted(&mut self, quote: u8) {
        while let Some((byte, next)) = self.peek(self.at) {
            match byte {
                b'\n' => return,
                b'\\' => self.at = self.peek(next).filter(|(b, _)| *b != b'\n').map_or(next, |(_, n)| n),
                _ => self.at = next,
            }
            if byte == quote {
                return;
            }
        }
        self.at = self.source.len();
    }

    /// Behind the opening quote of a raw string, in which nothing is continued or escaped.
    fn raw(&mut self) {
        let rest = &self.source[self.at..];
        let open = rest.iter().take(17).position(|b| *b == b'(');
        let end = open.and_then(|open| {
            let close = [b")", &rest[..open], b"\""].concat();
            Some(memchr::memmem::find(rest, &close)? + close.len())
        });
        self.at = end.map_or(self.source.len(), |end| self.at + end);
    }

    fn word(&mut self, start: usize) -> Kind {
        while let Some((byte, next)) = self.peek(self.at)
            && is_word(byte)
        {
            self.at = next;
        }
        let word = self.text(&Token { kind: Kind::Word, range: start..self.at });
        let (raw, plain) = (&[&b"R"[..], b"LR", b"uR", b"UR", b"u8R"], &[&b"L"[..], b"u", b"U", b"u8"]);
        match self.peek(self.at) {
            Some((b'"', next)) if raw.contains(&&*word) => {
                self.at = next;
                self.raw();
                Kind::Text
            }
            Some((quote @ (b'"' | b'\''), next)) if plain.contains(&&*word) => {
                self.at = next;
                self.quoted(quote);
                Kind::Text
            }
            _ => Kind::Word,
        }
    }

    fn number(&mut self) {
        let mut before = b'0';
        while let Some((byte, next)) = self.peek(self.at) {
            let separator = byte == b'\'' && self.peek(next).is_some_and(|(b, _)| is_word(b));
            let sign = matches!(byte, b'+' | b'-') && matches!(before, b'e' | b'E' | b'p' | b'P');
            if !(is_word(byte) || byte == b'.' || separator || sign) {
                return;
            }
            before = byte;
            self.at = next;
        }
    }
}

impl Iterator for Lexer<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            let (byte, next) = self.peek(self.at)?;
            let start = next - 1;
            let following = self.peek(next);
            let kind = match byte {
                b' ' | b'\t' | b'\r' | b'\x0b' | b'\x0c' => {
                    self.at = next;
                    continue;
                }
                b'/' if matches!(following, Some((b'/', _))) => {
                    self.at = next;
                    self.line_comment();
                    continue;
                }
                b'/' if matches!(following, Some((b'*', _))) => {
                    self.block_comment(following.map_or(next, |(_, end)| end));
                    continue;
                }
                _ => byte,
            };
            let line_start = std::mem::replace(&mut self.line_start, kind == b'\n');
            self.at = next;
            let kind = match kind {
                b'\n' => Kind::LineEnd,
                b'#' if line_start => Kind::Directive,
                b'"' | b'\'' => {
                    self.quoted(byte);
                    Kind::Text
                }
                b'0'..=b'9' => {
                    self.number();
                    Kind::Number
                }
                b'.' if following.is_some_and(|(b, _)| b.is_ascii_digit()) => {
                    self.number();
                    Kind::Number
                }
                byte if is_word(byte) => self.word(start),
                byte => Kind::Mark(byte),
            };
            return Some(Token { kind, range: start..self.at });
        }
    }
}

/// Whether a byte may be part of an identifier or number.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(source: &str) -> Vec<String> {
        let lexer = Lexer::new(source.as_bytes());
        let tokens: Vec<Token> = lexer.clone().filter(|t| t.kind == Kind::Word).collect();
        tokens.iter().map(|t| String::from_utf8_lossy(&lexer.text(t)).into_owned()).collect()
    }

    #[test]
    fn only_code_is_seen() {
        for (source, expected) in [
            ("W(x)", "W x"),
            ("// W\na", "a"),
            ("// W \\\n W\na", "a"),
            ("// W \\\r\n W\r\na", "a"),
            ("/\\\n/ W\na", "a"),
            ("/* W\n * / W */ a", "a"),
            ("/* W *\\\n/ a", "a"),
            ("/*/ W */ a", "a"),
            ("\"W \\\" // W\" a", "a"),
            ("\"W \\\nW\" a", "a"),
            ("\"not ended\na", "a"),
            ("don't W\na", "don a"),
            ("'\"' a '\"' b", "a b"),
            ("L'\\'' a u8\"W\" b", "a b"),
            ("R\"x( W )\" \\\n W )x\" a", "a"),
            ("u8R\"(W)\" LR\"y(W)y\" a", "a"),
            ("FooR\"W\" a", "FooR a"),
            ("R\"(never ended W", ""),
            ("1'000'000 a 0xFF'AAu b 1e+5f c .5f d", "a b c d"),
            ("PYBIND\\\n11_MOD\\\r\nULE a", "PYBIND11_MODULE a"),
            ("/* open W", ""),
            ("a \\", "a"),
            ("\u{feff}a", "a"),
        ] {
            assert_eq!(words(source).join(" "), expected, "{source}");
        }
    }

    #[test]
    fn a_directive_starts_a_line() {
        let directives =
            |source: &str| Lexer::new(source.as_bytes()).filter(|t| t.kind == Kind::Directive).count();
        for (source, expected) in [
            ("#a\n #b\n/* x */ #c\n/* x\n */ #d", 4),
            ("a #b", 0),
            ("// \\\n#a", 0),
            ("a \\\n#b", 0),
            ("x = R\"(\n#include \"a.h\"\n)\";", 0),
            ("#define A(x) #x", 1),
        ] {
            assert_eq!(directives(source), expected, "{source}");
        }
    }

    #[test]
    fn any_bytes_end() {
        for source in
            [&b"\\"[..], b"\\\r", b"\"\\", b"'", b"R\"", b"R\"((((((((((((((((((((", b"#", b"\xff\xfe\0"]
        {
            let length: usize = Lexer::new(source).map(|t| t.range.len()).sum();
            assert!(length <= source.len());
        }
    }
}
