//! Draws the line of a recipe with a caret under the offending text. The only use of miette's renderer.

use super::{Style, escape};
use crate::recipe::{RecipeText, Span};
use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, MietteError, MietteSpanContents,
    SourceCode, SourceSpan, SpanContents, ThemeCharacters, ThemeStyles,
};
use std::fmt;

/// Characters of a long line that are shown around the caret.
const WINDOW: usize = 100;

/// The line that holds `span`, under `name:line:column`, with `label` below the offending text.
pub fn draw(text: &RecipeText, span: &Span, label: &str, style: Style) -> String {
    let excerpt = Excerpt::new(text, span);
    let theme = GraphicalTheme {
        characters: if style.unicode { ThemeCharacters::unicode() } else { ThemeCharacters::ascii() },
        styles: if style.color { ThemeStyles::ansi() } else { ThemeStyles::none() },
    };
    let handler = GraphicalReportHandler::new_themed(theme)
        .with_links(false)
        .with_context_lines(0)
        .with_width(WINDOW + 40)
        .without_syntax_highlighting();
    let mut out = String::new();
    let label = (!label.is_empty()).then(|| escape::line(label));
    if handler.render_report(&mut out, &Snippet { excerpt, label }).is_err() {
        return String::new();
    }
    // The renderer begins with the message, which our own first line has said already.
    let from = out.find('[').and_then(|at| out[..at].rfind('\n')).map_or(0, |at| at + 1);
    out[from..].trim_end().to_owned() + "\n"
}

/// One line of the recipe, cut to a window, and the place of the caret in it.
#[derive(Debug)]
struct Excerpt {
    name: String,
    line: String,
    caret: Span,
    line_index: usize,
    column: usize,
}

impl Excerpt {
    fn new(text: &RecipeText, span: &Span) -> Self {
        let all = text.text();
        let start = floor_char(all, span.start.min(all.len()));
        let position = text.position(start);
        let std::ops::Range { start: line_start, end: line_end } = text.line_around(start);
        let end = floor_char(all, span.end.clamp(start, line_end.max(start)));
        let before: Vec<char> =
            all[line_start..start.min(line_end)].chars().filter(|c| *c != '\u{feff}').collect();
        let marked: Vec<char> = all[start.min(line_end)..end.min(line_end)].chars().collect();
        let after: Vec<char> = all[end.min(line_end)..line_end].chars().collect();
        let mut line = String::new();
        if before.len() > WINDOW {
            line.push('…');
        }
        line.extend(before[before.len().saturating_sub(WINDOW)..].iter().map(|c| plain(*c)));
        let caret_start = line.len();
        line.extend(marked.iter().take(WINDOW).map(|c| plain(*c)));
        let caret_end = line.len();
        line.extend(after.iter().take(WINDOW).map(|c| plain(*c)));
        if after.len() > WINDOW || marked.len() > WINDOW {
            line.push('…');
        }
        Self {
            name: escape::line(text.name()),
            line,
            caret: caret_start..caret_end,
            line_index: position.line - 1,
            column: position.column - 1,
        }
    }
}

fn floor_char(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Control characters would move the caret or the cursor.
fn plain(c: char) -> char {
    if c == '\t' {
        ' '
    } else if escape::line(&c.to_string()).chars().count() > 1 {
        '\u{fffd}'
    } else {
        c
    }
}

impl SourceCode for Excerpt {
    fn read_span<'a>(
        &'a self,
        _span: &SourceSpan,
        _before: usize,
        _after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        Ok(Box::new(MietteSpanContents::new_named(
            self.name.clone(),
            self.line.as_bytes(),
            (0, self.line.len()).into(),
            self.line_index,
            self.column,
            1,
        )))
    }
}

#[derive(Debug)]
struct Snippet {
    excerpt: Excerpt,
    label: Option<String>,
}

impl fmt::Display for Snippet {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        Ok(())
    }
}

impl std::error::Error for Snippet {}

impl Diagnostic for Snippet {
    fn source_code(&self) -> Option<&dyn SourceCode> {
        Some(&self.excerpt)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let span = (self.excerpt.caret.start, self.excerpt.caret.len());
        Some(Box::new(std::iter::once(LabeledSpan::new_with_span(self.label.clone(), span))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(text: &str, span: Span) -> String {
        draw(&RecipeText::new("port.kdl", text), &span, "here", Style::PLAIN)
    }

    #[test]
    fn the_caret_stands_under_the_text() {
        assert_eq!(
            drawn("recipe version=1\r\n\r\nmove from=\"é\" to=\"b\"\r\n", 33..39),
            "   ,-[port.kdl:3:13]\n \
             3 | move from=\"é\" to=\"b\"\n   \
             :             ^^^|^^\n   \
             :                `-- here\n   \
             `----\n"
        );
    }

    #[test]
    fn a_line_of_a_hundred_thousand_characters_is_cut_to_a_window() {
        let text = format!("{}X{}", "a".repeat(100_000), "b".repeat(100_000));
        let out = drawn(&text, 100_000..100_001);
        assert!(out.contains("[port.kdl:1:100001]") && out.len() < 1000, "{out}");
    }

    #[test]
    fn control_characters_of_the_recipe_are_not_sent() {
        let out = drawn("move from=\"\x1b[31m\u{202e}\" to=\"b\"", 0..4);
        assert!(!out.contains('\x1b') && !out.contains('\u{202e}'), "{out}");
    }

    #[test]
    fn the_end_of_the_text_can_be_pointed_at() {
        assert!(drawn("a\n", 2..2).contains("[port.kdl:2:1]"));
        assert!(drawn("", 0..0).contains("[port.kdl:1:1]"));
    }
}
