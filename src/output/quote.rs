//! Paths as JSON keys. A path that is UTF-8 stands as it is; any other is written the way git quotes it, so that two
//! paths never share a key.

/// The text for a path: itself, or `"caf\351"` with its quotes when it holds bytes that are no UTF-8 or begins with a
/// quote.
pub(super) fn quote(path: &[u8]) -> String {
    match std::str::from_utf8(path) {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => {
            let mut quoted = String::from("\"");
            for chunk in path.utf8_chunks() {
                for c in chunk.valid().chars() {
                    if matches!(c, '"' | '\\') {
                        quoted.push('\\');
                    }
                    quoted.push(c);
                }
                for byte in chunk.invalid() {
                    quoted.push_str(&format!("\\{byte:03o}"));
                }
            }
            quoted.push('"');
            quoted
        }
    }
}

/// The path that [`quote`] wrote; `None` for a text it never writes.
pub(super) fn unquote(text: &str) -> Option<Vec<u8>> {
    let Some(inner) = text.strip_prefix('"') else {
        return Some(text.as_bytes().to_vec());
    };
    let mut rest = inner.strip_suffix('"')?.as_bytes();
    let mut path = Vec::with_capacity(rest.len());
    while let [first, tail @ ..] = rest {
        (rest, _) = match (first, tail) {
            (b'\\', [c @ (b'"' | b'\\'), more @ ..]) => (more, path.push(*c)),
            (b'\\', [a @ b'0'..=b'3', b @ b'0'..=b'7', c @ b'0'..=b'7', more @ ..]) => {
                (more, path.push((a - b'0') << 6 | (b - b'0') << 3 | (c - b'0')))
            }
            (b'\\', _) => return None,
            (byte, more) => (more, path.push(*byte)),
        };
    }
    Some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_path_comes_back() {
        for (path, text) in [
            (&b"a/b c.py"[..], "a/b c.py"),
            ("a/é".as_bytes(), "a/é"),
            (b"a\\b", "a\\b"),
            (b"caf\xe9", "\"caf\\351\""),
            (b"\"a\"", "\"\\\"a\\\"\""),
            (b"\\\xff\"", "\"\\\\\\377\\\"\""),
        ] {
            assert_eq!(quote(path), text);
            assert_eq!(unquote(text).unwrap(), path);
        }
        assert_eq!(unquote("\"a"), None);
        assert_eq!(unquote("\"\\9\""), None);
    }

    proptest::proptest! {
        #[test]
        fn quoting_loses_nothing(path: Vec<u8>) {
            proptest::prop_assert_eq!(unquote(&quote(&path)), Some(path));
        }
    }
}
