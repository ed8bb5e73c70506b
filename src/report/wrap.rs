//! Prose within the columns of a terminal.

use std::fmt::Write;

/// `start` and the text behind it; further lines begin below the text. No word is broken. Not narrower than 40 columns,
/// whatever the terminal says.
pub fn hanging(start: &str, text: &str, width: usize) -> String {
    let indent = start.chars().count();
    let width = width.max(40).max(indent + 20);
    let mut out = start.to_owned();
    let mut column = indent;
    for (at, word) in text.split(' ').enumerate() {
        let length = word.chars().count();
        if at > 0 && column + 1 + length > width {
            let _ = write!(out, "\n{:indent$}", "");
            column = indent;
        } else if at > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use super::hanging;

    #[test]
    fn lines_end_before_the_last_column_and_stand_below_each_other() {
        assert_eq!(hanging("a  ", "one two", 80), "a  one two\n");
        let text = hanging("- ", "aaaaaaaaaa bbbbbbbbbb cccccccccc dddddddddd e", 40);
        assert_eq!(text, "- aaaaaaaaaa bbbbbbbbbb cccccccccc\n  dddddddddd e\n");
        assert_eq!(hanging("", &"x".repeat(90), 80), format!("{}\n", "x".repeat(90)));
    }
}
