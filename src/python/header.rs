//! Where a new statement of the module can stand: behind one of its direct statements, or before all of them.

use super::edit::line_ending;
use super::{Module, Statement, StatementKind};
use crate::workspace::TextEdit;

/// The edit that puts `statements` (without line ends) behind the direct statement number `index`: on lines of their
/// own, or on its line when something that stands there starts at or behind `latest` and may not come first.
pub fn behind(
    content: &[u8],
    module: &Module,
    index: usize,
    latest: usize,
    statements: &[String],
) -> TextEdit {
    let all = &module.statements;
    let next_line = |statement: &Statement| module.lines().next(statement.range.end, content);
    let mut last = index;
    while all.get(last + 1).is_some_and(|next| next.range.start < next_line(&all[last])) {
        last += 1;
    }
    let at = next_line(&all[last]);
    if latest < at {
        let at = all[index].range.end;
        return TextEdit::new(at..at, format!("; {}", statements.join("; ")));
    }
    let ending = line_ending(content);
    let ended = at > 0 && matches!(content[at - 1], b'\n' | b'\r');
    let before = if ended { "" } else { ending };
    TextEdit::new(at..at, format!("{before}{}{ending}", statements.join(ending)))
}

/// The edit that puts `statements` before the first one of the module.
pub fn before_all(content: &[u8], module: &Module, statements: &[String]) -> TextEdit {
    let at = module.statements.first().map_or(content.len(), |s| s.range.start);
    let ending = line_ending(content);
    TextEdit::new(at..at, format!("{}{ending}", statements.join(ending)))
}

/// How many statements at the start of the module are its docstring and `__future__` imports: nothing may stand
/// before them.
pub fn fixed(module: &Module) -> usize {
    let is_fixed = |s: &&Statement| matches!(s.kind, StatementKind::Docstring | StatementKind::Future(_));
    module.statements.iter().take_while(is_fixed).count()
}

/// The edit that puts `statements` behind the docstring and the `__future__` imports, but before `latest`.
pub fn behind_fixed(content: &[u8], module: &Module, latest: usize, statements: &[String]) -> TextEdit {
    match fixed(module).checked_sub(1) {
        Some(index) => behind(content, module, index, latest, statements),
        None => before_all(content, module, statements),
    }
}

/// The last import of the header that ends before `latest`: a direct statement of the module before its first `def`
/// or `class`, whatever else stands between the imports.
pub fn last_import(module: &Module, latest: usize) -> Option<usize> {
    let header = module
        .statements
        .iter()
        .take_while(|s| !matches!(s.kind, StatementKind::Definition(_)) && s.range.end <= latest);
    let is_import = |s: &Statement| matches!(s.kind, StatementKind::Import(_) | StatementKind::Future(_));
    header.enumerate().filter(|(_, s)| is_import(s)).map(|(index, _)| index).last()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::splice;

    fn put(source: &str, latest: &str) -> String {
        let module = Module::parse(source.as_bytes()).unwrap();
        let latest = source.find(latest).unwrap_or(source.len());
        let new = ["A".to_owned(), "B".to_owned()];
        let edit = match last_import(&module, latest) {
            Some(index) => behind(source.as_bytes(), &module, index, latest, &new),
            None => behind_fixed(source.as_bytes(), &module, latest, &new),
        };
        let text = String::from_utf8(splice(source.as_bytes(), &[edit]).unwrap()).unwrap();
        assert!(Module::parse(text.as_bytes()).is_ok(), "{text}");
        text
    }

    #[test]
    fn new_statements_stand_behind_the_header_and_before_what_needs_them() {
        for (source, expected) in [
            ("import a\nUSE\n", "import a\nA\nB\nUSE\n"),
            ("import a\r\nUSE", "import a\r\nA\r\nB\r\nUSE"),
            ("import a", "import a\nA\nB\n"),
            ("import a  # c", "import a  # c\nA\nB\n"),
            ("'''d'''\nUSE\n", "'''d'''\nA\nB\nUSE\n"),
            ("# c\n\nUSE\n", "# c\n\nA\nB\nUSE\n"),
            ("\u{feff}USE\n", "\u{feff}A\nB\nUSE\n"),
            (
                "import a\ntry:\n    import b\nexcept E: pass\nimport c\nUSE\n",
                "import a\ntry:\n    import b\nexcept E: pass\nimport c\nA\nB\nUSE\n",
            ),
            ("import a\ndef f(): USE\nimport b\n", "import a\nA\nB\ndef f(): USE\nimport b\n"),
            ("import a\nx = USE\nimport b\n", "import a\nA\nB\nx = USE\nimport b\n"),
            ("import a; x = USE\n", "import a; A; B; x = USE\n"),
            ("'d'; USE\n", "'d'; A; B; USE\n"),
            ("import a; x = '''\n1'''\nUSE\n", "import a; x = '''\n1'''\nA\nB\nUSE\n"),
            ("import a; x = '''\n1'''; USE\n", "import a; A; B; x = '''\n1'''; USE\n"),
            ("from a import (\n    b,\n)\nUSE\n", "from a import (\n    b,\n)\nA\nB\nUSE\n"),
        ] {
            assert_eq!(put(source, "USE"), expected);
        }
    }
}
