//! Names and texts come from strangers: control characters and terminal escapes are shown, never sent.

use std::fmt::{self, Write};

/// Writes path bytes: control characters and bytes that are no UTF-8 as `\xNN`.
pub fn path(bytes: &[u8], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            write_char(c, f)?;
        }
        for byte in chunk.invalid() {
            write!(f, "\\x{byte:02x}")?;
        }
    }
    Ok(())
}

/// A line of text that is safe to print: tabs stay, everything else that could move the cursor is escaped.
pub fn line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c == '\t' {
            out.push(c);
        } else {
            let _ = write_char(c, &mut out);
        }
    }
    out
}

fn write_char(c: char, out: &mut impl Write) -> fmt::Result {
    let code = c as u32;
    // Bidirectional controls reorder what a terminal shows.
    let reorders = matches!(code, 0x200e | 0x200f | 0x202a..=0x202e | 0x2066..=0x2069);
    if code < 0x100 && c.is_control() {
        write!(out, "\\x{code:02x}")
    } else if c.is_control() || reorders || matches!(code, 0x2028 | 0x2029) {
        write!(out, "\\u{{{code:x}}}")
    } else {
        out.write_char(c)
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn terminal_escapes_are_shown() {
        assert_eq!(super::line("a\x1b[31mb\tc\u{202e}d\u{9b}"), "a\\x1b[31mb\tc\\u{202e}d\\x9b");
    }
}
