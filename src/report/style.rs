//! How the output looks: colour, box characters, width.

use super::wrap::hanging;

/// What the place that is printed to can show.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Style {
    /// Send colour.
    pub color: bool,
    /// Boxes in Unicode; plain ASCII otherwise.
    pub unicode: bool,
    /// Columns to wrap at.
    pub width: usize,
    /// Whether to wrap what a log keeps on one line, for who reads it at once.
    pub terminal: bool,
}

impl Style {
    /// Neither colour nor Unicode boxes: for tests and logs.
    pub const PLAIN: Self = Self { color: false, unicode: false, width: 80, terminal: false };

    /// What to do next, on one line for programs and within the columns of a terminal.
    pub fn help(self, text: &str) -> String {
        hanging("  help: ", text, if self.terminal { self.width } else { usize::MAX })
    }

    /// `text` in a colour, where colour is sent.
    pub fn paint(self, color: Color, text: &str) -> String {
        if self.color { format!("\x1b[{}m{text}\x1b[0m", color.code()) } else { text.to_owned() }
    }
}

/// The few colours in use, by what they mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Color {
    /// Failures.
    Error,
    /// Warnings.
    Warning,
    /// Added files and lines.
    Added,
    /// Deleted files and lines.
    Deleted,
    /// Moved files, diff headers.
    Moved,
    /// What is there for orientation only.
    Dim,
    /// Headings, names.
    Bold,
}

impl Color {
    fn code(self) -> &'static str {
        match self {
            Self::Error => "1;31",
            Self::Warning => "1;33",
            Self::Added => "32",
            Self::Deleted => "31",
            Self::Moved => "36",
            Self::Dim => "2",
            Self::Bold => "1",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Style;

    #[test]
    fn help_is_wrapped_on_a_terminal_only() {
        let text = "one two three four five six seven eight nine ten";
        assert_eq!(Style::PLAIN.help(text), format!("  help: {text}\n"));
        let narrow = Style { width: 40, terminal: true, ..Style::PLAIN };
        assert_eq!(narrow.help(text), "  help: one two three four five six\n        seven eight nine ten\n");
    }
}
