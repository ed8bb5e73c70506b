//! How a Python file's bytes become text with the same offsets: UTF-8 as it is, single-byte encodings with every
//! byte from 0x80 read as `z`. Encodings that cannot be edited by byte range are refused by name.

use std::borrow::Cow;

/// Text with the same byte offsets as the file.
pub struct Decoded<'a> {
    /// What the parser reads.
    pub text: Cow<'a, str>,
    /// Whether each byte of the file is one character.
    pub single_byte: bool,
}

/// What a byte from 0x80 is read as: a letter that is in no keyword, starts no string prefix, number or escape.
const STAND_IN: u8 = b'z';

/// Why the bytes are no text: offset and message.
pub type EncodingError = (usize, String);

const BOMS: [(&[u8], &str); 4] = [
    (b"\xff\xfe\0\0", "UTF-32"),
    (b"\0\0\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
];

/// Reads the bytes as Python would.
///
/// # Errors
/// NUL bytes, invalid UTF-8, an encoding that is unknown or that is not a superset of ASCII byte by byte.
pub fn decode(content: &[u8]) -> Result<Decoded<'_>, EncodingError> {
    if let Some((_, name)) = BOMS.iter().find(|(bom, _)| content.starts_with(bom)) {
        return Err((0, format!("the file is {name}; convert it to UTF-8 first")));
    }
    if let Some(at) = memchr::memchr(0, content) {
        return Err((at, "source code cannot hold NUL bytes".to_owned()));
    }
    let bom = content.starts_with(b"\xef\xbb\xbf");
    let Some((at, cookie)) = cookie(content) else {
        return utf8(content);
    };
    match family(&cookie) {
        Family::Utf8 => utf8(content),
        _ if bom => Err((at, format!("the file starts with a UTF-8 mark, but its cookie says {cookie}"))),
        Family::Ascii => match content.iter().position(|b| *b >= 0x80) {
            Some(bad) => {
                Err((bad, format!("byte 0x{:02x} is no ASCII, but the cookie says {cookie}", content[bad])))
            }
            None => utf8(content),
        },
        Family::SingleByte => {
            let bytes = content.iter().map(|b| if *b < 0x80 { *b } else { STAND_IN }).collect();
            let text = String::from_utf8(bytes).unwrap_or_default();
            Ok(Decoded { text: Cow::Owned(text), single_byte: true })
        }
        Family::Multibyte => {
            Err((at, format!("the encoding {cookie} cannot be edited; convert the file to UTF-8 first")))
        }
        Family::Unknown => Err((at, format!("unknown encoding {cookie}"))),
    }
}

fn utf8(content: &[u8]) -> Result<Decoded<'_>, EncodingError> {
    match std::str::from_utf8(content) {
        Ok(text) => Ok(Decoded { text: Cow::Borrowed(text), single_byte: false }),
        Err(error) => {
            let at = error.valid_up_to();
            Err((at, format!("byte 0x{:02x} is no UTF-8, and no cookie names another encoding", content[at])))
        }
    }
}

/// The encoding cookie (PEP 263) and where it stands: in a comment on line 1, or on line 2 after a comment or a
/// blank line.
fn cookie(content: &[u8]) -> Option<(usize, String)> {
    let mut at = if content.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 };
    for _ in 0..2 {
        let rest = &content[at..];
        let end = rest.iter().position(|b| matches!(b, b'\n' | b'\r')).unwrap_or(rest.len());
        let line = &rest[..end];
        let blank = line.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\x0c')).count();
        match line.get(blank) {
            None => {}
            Some(b'#') => {
                if let Some((offset, name)) = cookie_in(line) {
                    return Some((at + offset, name));
                }
            }
            Some(_) => return None,
        }
        let line_end = if rest[end..].starts_with(b"\r\n") { 2 } else { 1 };
        at = (at + end + line_end).min(content.len());
    }
    None
}

/// `coding[:=]\s*([-\w.]+)`
fn cookie_in(line: &[u8]) -> Option<(usize, String)> {
    for found in memchr::memmem::find_iter(line, "coding") {
        let Some(rest) =
            line[found + 6..].strip_prefix(b":").or_else(|| line[found + 6..].strip_prefix(b"="))
        else {
            continue;
        };
        let blank = rest.iter().take_while(|b| matches!(b, b' ' | b'\t')).count();
        let name = &rest[blank..];
        let length = name.iter().take_while(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b)).count();
        if length > 0 {
            return Some((found, String::from_utf8_lossy(&name[..length]).into_owned()));
        }
    }
    None
}

enum Family {
    Utf8,
    Ascii,
    SingleByte,
    Multibyte,
    Unknown,
}

fn family(cookie: &str) -> Family {
    let name = cookie.to_ascii_lowercase().replace('_', "-");
    let number =
        |prefix: &str| name.strip_prefix(prefix).and_then(|n| n.trim_start_matches('-').parse::<u32>().ok());
    if matches!(name.as_str(), "utf-8" | "utf8" | "u8" | "utf" | "utf-8-sig" | "utf8-sig" | "cp65001")
        || name.starts_with("utf-8-")
    {
        return Family::Utf8;
    }
    if matches!(name.as_str(), "ascii" | "us-ascii" | "646" | "ansi-x3.4-1968") {
        return Family::Ascii;
    }
    if let Some(page) = number("cp").or_else(|| number("windows")).or_else(|| number("ibm")) {
        return match page {
            932 | 936 | 949 | 950 | 1361 => Family::Multibyte,
            437 | 720 | 737 | 775 | 850..=869 | 874 | 1006 | 1125 | 1250..=1258 => Family::SingleByte,
            _ => Family::Unknown,
        };
    }
    let starts = |prefixes: &[&str]| prefixes.iter().any(|p| name.starts_with(p));
    if starts(&[
        "latin",
        "iso-8859-",
        "iso8859",
        "l1",
        "koi8-",
        "mac",
        "tis-620",
        "ptcp154",
        "kz1048",
        "hp-roman8",
        "8859",
    ]) {
        return Family::SingleByte;
    }
    if starts(&[
        "utf-16", "utf16", "utf-32", "utf32", "utf-7", "utf7", "gb", "big5", "shift", "sjis", "euc",
        "iso2022", "iso-2022", "hz", "johab", "uhc", "ks-c", "ms932", "s-jis", "u16", "u32", "u7", "chinese",
        "korean", "ujis",
    ]) {
        return Family::Multibyte;
    }
    Family::Unknown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(content: &[u8]) -> Result<(String, bool), EncodingError> {
        decode(content).map(|d| (d.text.into_owned(), d.single_byte))
    }

    #[test]
    fn single_byte_files_keep_their_offsets() {
        let (text, single) = outcome(b"# -*- coding: latin-1 -*-\nN = \"caf\xe9\"\n").unwrap();
        assert!(single && text.ends_with("N = \"cafz\"\n"));
        assert!(outcome(b"#!/usr/bin/python\n# vim: set fileencoding=cp1252 :\n\xe9=1").unwrap().1);
        assert!(outcome(b"\n# coding=koi8-r\n\xe9=1").unwrap().1);
    }

    #[test]
    fn a_cookie_counts_only_where_python_looks() {
        for (content, message) in [
            (&b"x = 1\n# coding: latin-1\ny = '\xe9'\n"[..], "byte 0xe9 is no UTF-8"),
            (b"\n\n# coding: latin-1\ny = '\xe9'\n", "byte 0xe9 is no UTF-8"),
            (b"# coding: gbk\n", "the encoding gbk cannot be edited"),
            (b"# coding: utf-16\n", "the encoding utf-16 cannot be edited"),
            (b"# coding: shift_jis\n", "the encoding shift_jis cannot be edited"),
            (b"# coding: klingon\n", "unknown encoding klingon"),
            (b"\xef\xbb\xbf# coding: latin-1\n", "the file starts with a UTF-8 mark"),
            (b"# coding: ascii\nx = '\xc3\xa9'", "byte 0xc3 is no ASCII"),
            (b"\xff\xfea\0", "the file is UTF-16"),
            (b"x = '\0'", "source code cannot hold NUL bytes"),
        ] {
            let (_, found) = outcome(content).unwrap_err();
            assert!(found.starts_with(message), "{found}");
        }
        assert!(!outcome(b"\xef\xbb\xbf# coding: utf-8\n").unwrap().1);
    }
}
