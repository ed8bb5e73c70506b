//! Taking whole statements out of a file: with their line where nothing else stands on it, with one `;` where they
//! share it, and `pass` in their place where a block needs a statement.

use super::{ByteRange, Import, Module, ScopeId};
use crate::workspace::{TextEdit, splice};

/// The edits that take imports away. Comments stay. Each edit of a direct statement that starts its line begins where
/// the statement does.
pub fn remove(content: &[u8], module: &Module, imports: &[&Import]) -> Vec<TextEdit> {
    let mut edits: Vec<TextEdit> = Vec::with_capacity(imports.len());
    for import in imports {
        let direct = import.scope == ScopeId::MODULE && import.depth == 0 && import.first_on_line;
        if let Some(range) = extent(content, module, import) {
            edits.push(TextEdit::new(range, ""));
            if direct || splice(content, &edits).is_ok_and(|text| Module::parse(&text).is_ok()) {
                continue;
            }
            edits.pop();
        }
        edits.push(TextEdit::new(import.range.clone(), "pass"));
    }
    edits
}

/// What goes with an import; `None` where it stands alone behind a colon or a continuation.
fn extent(content: &[u8], module: &Module, import: &Import) -> Option<ByteRange> {
    let is_blank = |b: &u8| matches!(b, b' ' | b'\t' | b'\x0c');
    let blanks = |at: usize| content[at..].iter().take_while(|b| is_blank(b)).count();
    let (start, end) = (import.range.start, import.range.end);
    let behind = end + blanks(end);
    let ends_line = |at: usize| content.get(at).is_none_or(|b| matches!(b, b'\n' | b'\r' | b'#'));
    if content.get(behind) == Some(&b';') {
        let next = behind + 1 + blanks(behind + 1);
        if !ends_line(next) {
            return Some(start..next);
        }
    }
    if !import.first_on_line {
        let before = content[..start].iter().rposition(|b| !is_blank(b));
        let semicolon = before.filter(|at| content[*at] == b';')?;
        let kept = content[..semicolon].iter().rposition(|b| !is_blank(b)).map_or(0, |at| at + 1);
        return Some(kept..end);
    }
    let behind = match content.get(behind) {
        Some(b';') => behind + 1 + blanks(behind + 1),
        _ => behind,
    };
    if content.get(behind) == Some(&b'#') {
        return Some(start..behind);
    }
    let direct = import.scope == ScopeId::MODULE && import.depth == 0;
    let line = if direct { start } else { module.lines().start(start) };
    Some(line..module.lines().next(end, content))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_leave_and_everything_else_stays() {
        for (source, expected) in [
            ("import p\nx\n", "x\n"),
            ("\u{feff}import p\nx\n", "\u{feff}x\n"),
            ("import p  # note\nx\n", "# note\nx\n"),
            ("import p;\nx\n", "x\n"),
            ("import p; x\n", "x\n"),
            ("x; import p\n", "x\n"),
            ("x ; import p ;  # note\n", "x ;  # note\n"),
            ("x; import p; y\n", "x; y\n"),
            ("if x: import p\n", "if x: pass\n"),
            ("if x: import p; y\n", "if x: y\n"),
            ("if x: y; import p\n", "if x: y\n"),
            ("def f():\n    import p\n    return 1\n", "def f():\n    return 1\n"),
            ("def f():\r\n\timport p\r\n", "def f():\r\n\tpass\r\n"),
            ("def f():\n    import p\n    import p\n", "def f():\n    pass\n"),
            ("def f():\n    import p  # note\n", "def f():\n    pass  # note\n"),
            ("def f():\n    import p  # note\n    x\n", "def f():\n    # note\n    x\n"),
            ("try:\n    import p\nexcept E:\n    import p\n", "try:\n    pass\nexcept E:\n    pass\n"),
            ("import p \\\n , p\nx\n", "x\n"),
            ("x; \\\nimport p\n", "x; \\\npass\n"),
        ] {
            let module = Module::parse(source.as_bytes()).unwrap();
            let imports: Vec<&Import> = module.imports.iter().collect();
            let edits = remove(source.as_bytes(), &module, &imports);
            let text = String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap();
            assert!(Module::parse(text.as_bytes()).is_ok(), "{text}");
            assert_eq!(text, expected, "{source}");
        }
    }
}
