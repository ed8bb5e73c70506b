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
    let code = u32::from(c);
    match is_unsafe(c) {
        true if code < 0x100 => write!(out, "\\x{code:02x}"),
        true => write!(out, "\\u{{{code:x}}}"),
        false => out.write_char(c),
    }
}

/// Whether a terminal would act on the character instead of showing it, or show what is around it in another order.
pub fn is_unsafe(c: char) -> bool {
    let reorders =
        matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    c.is_control() || reorders || matches!(c, '\u{2028}' | '\u{2029}')
}

#[cfg(test)]
mod tests {
    #[test]
    fn terminal_escapes_are_shown() {
        assert_eq!(super::line("a\x1b[31mb\tc\u{202e}d\u{9b}"), "a\\x1b[31mb\tc\\u{202e}d\\x9b");
    }
}
