//! What is wrong with text that is no KDL 2.0, in the words of somebody who writes recipes. The parser names what
//! it expected; what the author meant is usually visible in the text itself.

use super::{RecipeError, Span};

/// Puts a parser's complaint about `span` into words.
pub fn explain(text: &str, span: Span, said: &str, help: Option<&str>) -> RecipeError {
    let token = &text[span.clone()];
    if let Some(error) = string(text, &span, said).or_else(|| bare(text, token, &span)) {
        return error;
    }
    if said.starts_with("No closing '}'") {
        return RecipeError::new(span, "an op takes no children block, and this one is not closed")
            .help("arguments are written key=value on the op's own line");
    }
    if token.trim_end().ends_with('=') {
        let end = span.start + token.trim_end().len();
        let start = text[..end - 1].rfind(char::is_whitespace).map_or(span.start, |at| at + 1);
        return RecipeError::new(start..end, format!("{} has no value", text[start..end].trim()))
            .help("write the value after the `=`, text in double quotes");
    }
    if said.contains("float") || said.contains("digit") {
        let start = text[span.clone()].rfind('=').map_or(span.start, |at| span.start + at + 1);
        let end = text[start..].find([' ', '\t', '\r', '\n', ';']).map_or(text.len(), |at| start + at);
        return RecipeError::new(start..end, format!("{} is not a number", &text[start..end]))
            .help("write an integer, or text in double quotes");
    }
    if said == "Expected end of document" {
        return RecipeError::new(span, format!("unexpected `{}`", token.trim()))
            .help("an op is: name key=value ...");
    }
    let error = RecipeError::new(span, format!("not KDL 2.0: {}", said.to_lowercase()));
    match help {
        Some(help) => error.help(help),
        None => error,
    }
}

/// Mistakes inside quotes.
fn string(text: &str, span: &Span, said: &str) -> Option<RecipeError> {
    let token = &text[span.clone()];
    if said.contains("multiline string prefix") {
        return Some(indentation(text, span.start));
    }
    if token.starts_with("\"\"\"") {
        return None;
    }
    let body = token.strip_prefix('"')?;
    let mut characters = body.char_indices().peekable();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return None,
            '\\' => {
                let (_, escaped) = characters.next()?;
                if !"\"\\bfnrtsu".contains(escaped) && !escaped.is_whitespace() {
                    let start = span.start + 1 + at;
                    return Some(
                        RecipeError::new(
                            start..start + 1 + escaped.len_utf8(),
                            format!("unknown escape `\\{escaped}`"),
                        )
                        .help(format!("write `\\\\{escaped}` for a backslash, or a raw string: #\"...\"#")),
                    );
                }
            }
            '\n' => break,
            _ => {}
        }
    }
    let first_line = body.find('\n').map_or(span.end, |at| span.start + 1 + at);
    Some(
        RecipeError::new(span.start..first_line, "the string is not closed on its line")
            .help("close it with `\"`; text of several lines stands between \"\"\" and \"\"\""),
    )
}

/// The line of a multi-line string whose indentation is not that of the closing quotes.
fn indentation(text: &str, start: usize) -> RecipeError {
    let Some(body) = text[start..].find('\n').map(|at| start + at + 1) else {
        return RecipeError::new(start..start + 3, "the multi-line string is not closed");
    };
    let indent_of = |line: &str| line.len() - line.trim_start_matches([' ', '\t']).len();
    let mut lines = Vec::new();
    let mut at = body;
    for line in text[body..].split_inclusive('\n') {
        let quotes = line.trim_start_matches([' ', '\t']);
        if quotes.starts_with("\"\"\"") {
            let closing = &line[..indent_of(line)];
            let wrong =
                lines.iter().find(|(_, l): &&(usize, &str)| !l.trim().is_empty() && !l.starts_with(closing));
            if let Some((place, wrong)) = wrong {
                let message = format!(
                    "this line is indented by {}, the closing quotes by {}",
                    indent_of(wrong),
                    closing.len()
                );
                let end = place + wrong.trim_end().len();
                return RecipeError::new(*place..end, message)
                    .help("every line begins with the white space that stands before the closing \"\"\"");
            }
            break;
        }
        lines.push((at, line));
        at += line.len();
    }
    RecipeError::new(
        start..start + 3,
        "the lines of this string and its closing quotes are indented differently",
    )
}

/// Values that need quotes or a `#`.
fn bare(text: &str, token: &str, span: &Span) -> Option<RecipeError> {
    const KDL1: &str = "this is the spelling of KDL 1; a recipe is KDL 2.0";
    let token = token.trim_end();
    let error = |message: String| RecipeError::new(span.start..span.start + token.len(), message);
    let raw = token.strip_prefix('r').filter(|t| t.trim_start_matches('#').starts_with('"'));
    if let Some(raw) = raw {
        let inner = raw.trim_matches('#').trim_matches('"');
        return Some(
            error(format!("{token} is a raw string of KDL 1")).help(format!("{KDL1}: write #\"{inner}\"#")),
        );
    }
    match token {
        "true" | "false" => {
            return Some(error(format!("`{token}` is no value")).help(format!("{KDL1}: write #{token}")));
        }
        "null" => return Some(error("`null` is no value".to_owned()).help("leave the argument out")),
        _ => {}
    }
    let after_equals = text[..span.start].ends_with('=');
    let plain = !token.is_empty() && !token.contains(['"', '{', '}', '=', '\n']);
    (after_equals && plain)
        .then(|| error(format!("`{token}` must be quoted")).help(format!("write \"{token}\"")))
}

#[cfg(test)]
mod tests {
    use super::super::parse;

    fn said(text: &str) -> Vec<(String, String)> {
        let (_, errors) = parse(text);
        errors.into_iter().map(|e| (e.message, e.help.unwrap_or_default())).collect()
    }

    #[test]
    fn slips_are_explained_in_the_words_of_the_recipe() {
        for (text, message, help) in [
            ("delete in=r\"a\"", "r\"a\" is a raw string of KDL 1", "write #\"a\"#"),
            ("a find=r#\"x\"# with=\"y\"", "r#\"x\"# is a raw string of KDL 1", "write #\"x\"#"),
            ("manifest noarch=true", "`true` is no value", "write #true"),
            ("delete in=null", "`null` is no value", "leave the argument out"),
            ("delete in=a/b", "`a/b` must be quoted", "write \"a/b\""),
            ("delete in=\"\\q\"", "unknown escape `\\q`", "write `\\\\q` for a backslash"),
            ("delete in=\"a", "the string is not closed on its line", "close it with"),
            ("delete in=\"a\n\"", "the string is not closed on its line", "close it with"),
            ("delete in=", "in= has no value", "write the value after"),
            ("delete files=1.x", "1.x is not a number", "write an integer"),
            ("delete in=\"a\" }", "unexpected `}`", "an op is"),
            ("a {", "an op takes no children block, and this one is not closed", "key=value"),
            ("a b=\"c\" /* x", "the comment is not closed", "close it"),
            ("/- kdl-version 1\na", "this is marked as a KDL 1 document", "kdl-version 2"),
        ] {
            let found = said(text);
            assert_eq!(found.len(), 1, "{text}: {found:?}");
            assert_eq!(found[0].0, message, "{text}");
            assert!(found[0].1.contains(help), "{text}: {}", found[0].1);
        }
    }

    #[test]
    fn a_closing_quote_indented_differently_is_one_message_at_the_line() {
        let text = "replace find=\"\"\"\n  x\n    \"\"\"";
        let (_, errors) = parse(text);
        assert_eq!(errors.len(), 1);
        assert_eq!(errors[0].message, "this line is indented by 2, the closing quotes by 4");
        assert_eq!(&text[errors[0].span.clone()], "  x");
    }
}
