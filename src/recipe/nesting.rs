//! Looks over a recipe before the parser does: the parser recurses, so text that nests absurdly deep would end the
//! program instead of the run.

use super::RecipeError;

/// Deepest nesting of braces, comments and slashdashes that is handed to the parser; most closing braces too many, lines
/// continued without a word on them and signs `#` in a row.
const MAX_NESTING: usize = 64;

/// Walks the text once, skipping strings.
///
/// # Errors
/// The place where nesting becomes too deep, or the comment that is not closed.
pub fn check(text: &str) -> Result<(), RecipeError> {
    let bytes = text.as_bytes();
    let (mut at, mut braces, mut slashdashes) = (0, 0usize, 0usize);
    let (mut closed, mut continued, mut hashes) = (0usize, 0usize, 0usize);
    while at < bytes.len() {
        let rest = &bytes[at..];
        let too_deep = if rest.starts_with(b"//") {
            at += rest.iter().position(|b| *b == b'\n').unwrap_or(rest.len());
            false
        } else if rest.starts_with(b"/*") {
            let (length, depth) = comment(rest);
            if depth > 0 && depth <= MAX_NESTING {
                return Err(
                    RecipeError::new(at..at + 2, "the comment is not closed").help("close it with */; if it was meant as a text, a path or a glob, it stands in quotes: in=\"csrc/**\"")
                );
            }
            at += length;
            depth > MAX_NESTING
        } else if rest.starts_with(b"/-") {
            at += 2;
            slashdashes += 1;
            slashdashes > MAX_NESTING
        } else if let Some(length) = string(rest) {
            let hashes = rest.iter().take_while(|b| **b == b'#').count();
            at += length;
            (slashdashes, continued) = (0, 0);
            hashes > MAX_NESTING
        } else {
            match rest[0] {
                b'{' => braces += 1,
                b'}' if braces == 0 => closed += 1,
                b'}' => braces -= 1,
                b'\\' => continued += 1,
                b' ' | b'\t' | b'\r' | b'\n' => {}
                _ => (slashdashes, continued) = (0, 0),
            }
            hashes = if rest[0] == b'#' { hashes + 1 } else { 0 };
            at += 1;
            [braces, closed, continued, hashes].iter().any(|depth| *depth > MAX_NESTING)
        };
        if too_deep {
            let place = at.min(text.len());
            let start = (0..place).rev().find(|i| text.is_char_boundary(*i)).unwrap_or(0);
            return Err(RecipeError::new(start..place, "nested too deeply")
                .help("a recipe is a flat list of ops without children"));
        }
    }
    Ok(())
}

/// Length of a block comment and how many of its levels are still open at its end; stops early when that are too many.
fn comment(text: &[u8]) -> (usize, usize) {
    let (mut at, mut depth) = (0, 0usize);
    while at < text.len() {
        if text[at..].starts_with(b"/*") {
            depth += 1;
            at += 2;
            if depth > MAX_NESTING {
                return (at, depth);
            }
        } else if text[at..].starts_with(b"*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                break;
            }
        } else {
            at += 1;
        }
    }
    (at, depth)
}

/// Length of the string that begins here, in any of KDL's four spellings.
fn string(text: &[u8]) -> Option<usize> {
    let hashes = text.iter().take_while(|b| **b == b'#').count();
    let quoted = &text[hashes..];
    let quotes: &[u8] = if quoted.starts_with(b"\"\"\"") { b"\"\"\"" } else { b"\"" };
    if !quoted.starts_with(quotes) {
        return None;
    }
    let mut end = quotes.to_vec();
    end.resize(quotes.len() + hashes, b'#');
    let mut at = hashes + quotes.len();
    while at < text.len() {
        if text[at..].starts_with(&end) {
            return Some(at + end.len());
        }
        at += if text[at] == b'\\' && hashes == 0 { 2 } else { 1 };
    }
    Some(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn deep_nesting_is_found_in_every_spelling() {
        for text in
            ["a {", "/*", "/-", "/* ", "/- ", "}", "\\\n", "\\ // x\n", "#"].map(|text| text.repeat(65))
        {
            assert!(check(&text).is_err(), "{text}");
        }
    }

    #[test]
    fn braces_and_comments_in_strings_and_comments_do_not_count() {
        let deep = "{ /* ".repeat(100);
        for text in [
            format!("a b=\"{deep}\""),
            format!("a b=\"\\\"{deep}\""),
            format!("a b=#\"\"{deep}\"#"),
            format!("a b=\"\"\"\n{deep}\n\"\"\""),
            format!("a b=##\"\"\"\n{deep}\"#\n\"\"\"##"),
            format!("// {deep}\na"),
            "/-a\n".repeat(100),
            "a {\n}\n".repeat(100),
            "a=1 \\\n".repeat(100),
            "a=#true ".repeat(100),
            "/* */".repeat(100),
        ] {
            assert_eq!(check(&text), Ok(()), "{text}");
        }
    }
}
