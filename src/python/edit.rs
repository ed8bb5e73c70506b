//! Byte-range edits of import statements: splitting them, taking names out of them, and what stands between two
//! statements.

use super::{ByteRange, Import, Module};
use crate::workspace::TextEdit;

/// The line ending of a file: that of its first line, `\n` when it has none.
pub fn line_ending(content: &[u8]) -> &'static str {
    match memchr::memchr2(b'\n', b'\r', content) {
        Some(at) if content[at] == b'\n' => "\n",
        Some(at) if content.get(at + 1) == Some(&b'\n') => "\r\n",
        Some(_) => "\r",
        None => "\n",
    }
}

/// The blanks before the first statement of a line.
pub fn indentation<'c>(content: &'c [u8], module: &Module, offset: usize) -> &'c [u8] {
    let line = &content[module.lines().start(offset)..offset];
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let blank = line.iter().take_while(|b| matches!(b, b' ' | b'\t' | b'\x0c')).count();
    // A form feed starts the count of columns anew.
    let start = line[..blank].iter().rposition(|b| *b == b'\x0c').map_or(0, |at| at + 1);
    &line[start..blank]
}

/// What separates a statement put beside an import from it: a new line where the import has a line of its own, else
/// `; `.
pub fn separator(content: &[u8], module: &Module, import: &Import) -> String {
    if !import.first_on_line {
        return "; ".to_owned();
    }
    let indent = indentation(content, module, import.range.start);
    format!("{}{}", line_ending(content), String::from_utf8_lossy(indent))
}

/// What becomes of one name of an `import` statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AliasEdit {
    /// It stays.
    Keep,
    /// It becomes a statement: this text, then its ` as x` as it stands.
    Statement(String),
    /// It becomes these statements, its `as x` goes.
    Statements(Vec<String>),
}

/// The edits that take names out of an `import` statement as statements of their own, in their order.
pub fn split(content: &[u8], module: &Module, import: &Import, edits: &[AliasEdit]) -> Vec<TextEdit> {
    let separator = separator(content, module, import);
    let mut out = Vec::new();
    let mut last_end = import.range.start;
    let mut last_kept = None;
    for (alias, edit) in import.aliases.iter().zip(edits) {
        let before = if last_kept.is_some() { separator.as_str() } else { "" };
        match edit {
            AliasEdit::Keep => {
                if last_kept == Some(false) {
                    let text = format!("{separator}import ");
                    out.push(TextEdit::new(last_end..alias.range.start, text));
                }
            }
            AliasEdit::Statement(text) => {
                out.push(TextEdit::new(last_end..alias.name_range.end, format!("{before}{text}")));
            }
            AliasEdit::Statements(texts) => {
                let text = format!("{before}{}", texts.join(&separator));
                out.push(TextEdit::new(last_end..alias.range.end, text));
            }
        }
        last_end = alias.range.end;
        last_kept = Some(*edit == AliasEdit::Keep);
    }
    out
}

/// The edits that take some, but not all, of the names out of a `from` import. Comments stay; a line on which
/// nothing is left goes.
pub fn remove_names(content: &[u8], module: &Module, import: &Import, gone: &[usize]) -> Vec<TextEdit> {
    let mut out = Vec::new();
    let last_kept = (0..import.aliases.len()).rev().find(|i| !gone.contains(i)).unwrap_or(0);
    for &index in gone {
        let alias = &import.aliases[index];
        if index < last_kept {
            // Its comma is behind it.
            let mut end = comma_after(content, alias.range.end).map_or(alias.range.end, |at| at + 1);
            end += blanks(&content[end..]);
            out.push(whole_lines(content, module, import, alias.range.start..end));
        } else {
            let before = &import.aliases[index - 1].range;
            let comma = comma_after(content, before.end).unwrap_or(before.end);
            let between = &content[comma + 1..alias.range.start];
            if between.contains(&b'#') {
                out.push(TextEdit::new(comma..comma + 1, ""));
                out.push(whole_lines(content, module, import, alias.range.clone()));
            } else {
                out.push(TextEdit::new(comma..alias.range.end, ""));
            }
        }
    }
    out
}

/// Widens a removal to its line when it leaves nothing there. The lines of the statement's own start and end stay.
fn whole_lines(content: &[u8], module: &Module, import: &Import, range: ByteRange) -> TextEdit {
    let start = module.lines().start(range.start);
    let next = module.lines().next(range.start, content);
    let blank = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_whitespace);
    let inside = start > import.range.start && next <= import.range.end && range.end <= next;
    if inside && blank(&content[start..range.start]) && blank(&content[range.end..next]) {
        return TextEdit::new(start..next, "");
    }
    TextEdit::new(range, "")
}

fn blanks(bytes: &[u8]) -> usize {
    bytes.iter().take_while(|b| matches!(b, b' ' | b'\t')).count()
}

/// The first comma from `at` on that is not in a comment.
fn comma_after(content: &[u8], at: usize) -> Option<usize> {
    let mut in_comment = false;
    for (index, byte) in content.iter().enumerate().skip(at) {
        match byte {
            b'#' => in_comment = true,
            b'\n' | b'\r' => in_comment = false,
            b',' if !in_comment => return Some(index),
            _ => {}
        }
    }
    None
}

/// The text of a statement on one line, for evidence.
pub fn one_line(content: &[u8], range: ByteRange) -> String {
    const LONGEST: usize = 160;
    let text = String::from_utf8_lossy(&content[range]);
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(LONGEST) {
        Some((at, _)) => format!("{} ...", &joined[..at]),
        None => joined,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::splice;

    fn edited(source: &str, edits: impl FnOnce(&Module, &Import) -> Vec<TextEdit>) -> String {
        let module = Module::parse(source.as_bytes()).unwrap();
        let import = module.imports.last().unwrap();
        let edits = edits(&module, import);
        String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap()
    }

    #[test]
    fn split_keeps_the_order_of_imports() {
        let s = |t: &str| AliasEdit::Statement(t.to_owned());
        for (source, edits, expected) in [
            ("import a.b as c", vec![s("X")], "X as c"),
            ("  import a.b as c, d", vec![s("X"), AliasEdit::Keep], "  X as c\n  import d"),
            ("import d, a.b as c  # note", vec![AliasEdit::Keep, s("X")], "import d\nX as c  # note"),
            ("import d , \\\n  a as b", vec![AliasEdit::Keep, s("X")], "import d\nX as b"),
            (
                "import d; import e, a as b\r\n",
                vec![AliasEdit::Keep, s("X")],
                "import d; import e; X as b\r\n",
            ),
            (
                "if x: import e, a as b, f, g",
                vec![AliasEdit::Keep, s("X"), AliasEdit::Keep, AliasEdit::Keep],
                "if x: import e; X as b; import f, g",
            ),
            ("if x: \\\n  import e, a as b", vec![AliasEdit::Keep, s("X")], "if x: \\\n  import e; X as b"),
            (
                "if 1:\r\n\timport e, a as b\r\n",
                vec![AliasEdit::Keep, s("X")],
                "if 1:\r\n\timport e\r\n\tX as b\r\n",
            ),
            (
                "import a as b, e",
                vec![AliasEdit::Statements(vec!["X".into(), "Y".into()]), AliasEdit::Keep],
                "X\nY\nimport e",
            ),
        ] {
            let source =
                if source.starts_with("  ") { format!("if 1:\n{source}") } else { source.to_owned() };
            let expected =
                if expected.starts_with("  ") { format!("if 1:\n{expected}") } else { expected.to_owned() };
            assert_eq!(edited(&source, |m, i| split(source.as_bytes(), m, i, &edits)), expected);
        }
    }

    #[test]
    fn names_leave_and_comments_stay() {
        for (source, gone, expected) in [
            ("from p import a, b", &[0][..], "from p import b"),
            ("from p import a, b", &[1], "from p import a"),
            ("from p import a as x , b, c", &[0, 2], "from p import b"),
            ("from p import (a, b, c,)", &[1], "from p import (a, c,)"),
            (
                "from p import (\n    a,\n    b,  # bee\n    c,\n)\n",
                &[0],
                "from p import (\n    b,  # bee\n    c,\n)\n",
            ),
            (
                "from p import (\n    a,  # ay, ee\n    b,\n)\n",
                &[0],
                "from p import (\n    # ay, ee\n    b,\n)\n",
            ),
            (
                "from p import (\n    a,  # ay\n    b,  # bee\n)\n",
                &[1],
                "from p import (\n    a  # ay\n    ,  # bee\n)\n",
            ),
            ("from p import (\n    a,\n    b,\n)\n", &[1], "from p import (\n    a,\n)\n"),
        ] {
            assert_eq!(edited(source, |m, i| remove_names(source.as_bytes(), m, i, gone)), expected);
        }
    }

    #[test]
    fn a_form_feed_is_no_indentation() {
        let source = b"if x:\n\x0c  import a\n";
        let module = Module::parse(source).unwrap();
        assert_eq!(indentation(source, &module, module.imports[0].range.start), b"  ");
    }
}
