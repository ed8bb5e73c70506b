//! What a file says once the modules of some of its `from` statements are rewritten, without parsing all of it again:
//! the new statements are parsed alone, what is behind them moves.

use super::{ByteRange, Import, ImportKind, Module, Span};
use crate::workspace::TextEdit;
use std::collections::BTreeMap;

impl Module {
    /// What `after` says, into which `edits` turn what this was parsed from. `None` when an edit is elsewhere than in
    /// the module of a `from` statement, or such a statement says something else than before behind its module: then
    /// only a parse can tell.
    pub fn edited(mut self, edits: &[TextEdit], after: &[u8]) -> Option<Self> {
        let moves = Moves::new(edits)?;
        let mut rewritten = BTreeMap::new();
        for edit in edits {
            let index = self.statement_around(&edit.range)?;
            rewritten.insert(index, statement(&self.imports[index], &moves, after)?);
        }
        self.lines = self.lines.again(after);
        self.follow_moves(&moves);
        for (index, import) in self.imports.iter_mut().enumerate() {
            match rewritten.remove(&index) {
                Some(new) => *import = new,
                None => each_range_of(import, |range| *range = moves.range(range)),
            }
            import.position = self.lines.position(after, import.range.start);
        }
        Some(self)
    }

    /// The `from` statement whose module holds a range.
    fn statement_around(&self, range: &ByteRange) -> Option<usize> {
        let index =
            self.imports.partition_point(|import| import.range.start <= range.start).checked_sub(1)?;
        let import = &self.imports[index];
        let inside = import.module_range.start <= range.start && range.end <= import.module_range.end;
        (import.kind == ImportKind::From && inside).then_some(index)
    }

    /// All ranges but those of imports.
    fn follow_moves(&mut self, moves: &Moves) {
        let range = |range: &mut ByteRange| *range = moves.range(range);
        let span = |span: &mut Span| *span = moves.range(&span.range()).into();
        self.names.iter_mut().for_each(|name| span(&mut name.range));
        self.attributes.iter_mut().for_each(|attribute| span(&mut attribute.range));
        self.statements.iter_mut().for_each(|statement| range(&mut statement.range));
        self.scopes.iter_mut().for_each(|scope| range(&mut scope.range));
        for definition in &mut self.definitions {
            range(&mut definition.name_range);
            range(&mut definition.range);
            definition.decorators.iter_mut().for_each(|decorator| range(&mut decorator.range));
        }
        self.calls.iter_mut().for_each(|call| span(&mut call.span));
        self.arguments.iter_mut().for_each(|argument| span(&mut argument.span));
        self.subscripts.iter_mut().for_each(|subscript| range(&mut subscript.range));
        for string in &mut self.strings {
            range(&mut string.range);
            string.content.iter_mut().for_each(range);
        }
        self.formatted.iter_mut().for_each(|string| range(&mut string.range));
        self.echoed.iter_mut().for_each(range);
        self.comments.iter_mut().for_each(range);
    }
}

fn each_range_of(import: &mut Import, mut change: impl FnMut(&mut ByteRange)) {
    change(&mut import.range);
    change(&mut import.module_range);
    import.components.iter_mut().for_each(&mut change);
    for alias in &mut import.aliases {
        change(&mut alias.range);
        change(&mut alias.name_range);
        alias.components.iter_mut().for_each(&mut change);
        alias.as_range.iter_mut().for_each(&mut change);
    }
    import.star.iter_mut().for_each(&mut change);
    import.parentheses.iter_mut().for_each(&mut change);
}

/// A rewritten statement, parsed alone; around it everything is as it was.
fn statement(before: &Import, moves: &Moves, after: &[u8]) -> Option<Import> {
    let range = moves.range(&before.range);
    let alone = Module::parse(after.get(range.clone())?).ok()?;
    let [import] = &alone.imports[..] else { return None };
    let [whole] = &alone.statements[..] else { return None };
    let names = |import: &Import| -> Vec<(String, Option<String>)> {
        import.aliases.iter().map(|alias| (alias.name.clone(), alias.asname.clone())).collect()
    };
    let same = import.kind == before.kind
        && import.star.is_some() == before.star.is_some()
        && names(import) == names(before)
        && whole.range == (0..range.len());
    if !same || import.is_future() || before.is_future() {
        return None;
    }
    let mut import = import.clone();
    each_range_of(&mut import, |part| *part = part.start + range.start..part.end + range.start);
    let Import { scope, depth, type_checking, guarded, first_on_line, .. } = *before;
    Some(Import { scope, depth, type_checking, guarded, first_on_line, ..import })
}

/// Where offsets are once a file is edited.
struct Moves {
    /// Where each edit starts and ends, and by how much it and those before it move what is behind it.
    edits: Vec<(ByteRange, isize)>,
}

impl Moves {
    /// `None` when edits overlap or have nothing to replace.
    fn new(edits: &[TextEdit]) -> Option<Self> {
        let mut sorted: Vec<&TextEdit> = edits.iter().collect();
        sorted.sort_by_key(|edit| edit.range.start);
        let apart = sorted.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
        if !apart || sorted.iter().any(|edit| edit.range.is_empty()) {
            return None;
        }
        let mut moved = 0;
        let mut edits = Vec::with_capacity(sorted.len());
        for edit in sorted {
            moved += edit.with.len().cast_signed() - edit.range.len().cast_signed();
            edits.push((edit.range.clone(), moved));
        }
        Some(Self { edits })
    }

    fn offset(&self, offset: usize) -> usize {
        let before = match self.edits.last() {
            Some((last, _)) if last.end <= offset => self.edits.len(),
            _ => self.edits.partition_point(|(range, _)| range.end <= offset),
        };
        let moved = before.checked_sub(1).map_or(0, |last| self.edits[last].1);
        offset.saturating_add_signed(moved)
    }

    fn range(&self, range: &ByteRange) -> ByteRange {
        self.offset(range.start)..self.offset(range.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::splice;

    /// What is known without a parse; that it is what a parse finds is checked.
    fn edited(source: &[u8], edits: &[(&str, &str)]) -> Option<Module> {
        let edit = |(old, new): &(&str, &str)| {
            let at = memchr::memmem::find(source, old.as_bytes()).unwrap();
            TextEdit::new(at..at + old.len(), *new)
        };
        let edits: Vec<TextEdit> = edits.iter().map(edit).collect();
        let after = splice(source, &edits).unwrap();
        let edited = Module::parse(source).unwrap().edited(&edits, &after);
        if let Some(edited) = &edited {
            assert_eq!(*edited, Module::parse(&after).unwrap(), "{}", String::from_utf8_lossy(&after));
        }
        edited
    }

    #[test]
    fn what_is_behind_a_rewritten_statement_moves() {
        let source = "\"\"\"pkg\"\"\"\n# pkg.c\ntry: from pkg.a import (f as g, # pkg\n  h,); from pkg.b import i; i()\n\
            except ImportError: pass\nif TYPE_CHECKING:\n    from   pkg.sub . \\\n  c import *; z = 1\n@g.deco(h, x=\"é\")\n\
            def k(a: \"g.T\" = h['s']):\n    from pkg.b2 import j; print(f'{j=} {a}', j.k.l)\nimport os.path as p";
        let edits = [("pkg.a", ".a"), ("pkg.b", "..longer.b"), ("pkg.sub", "...sub"), ("pkg.b2", ".b2")];
        let some: [&[usize]; 5] = [&[0], &[1], &[2, 3], &[3, 1, 0], &[0, 1, 2, 3]];
        for some in some {
            let edits: Vec<(&str, &str)> = some.iter().map(|index| edits[*index]).collect();
            assert!(edited(source.as_bytes(), &edits).is_some(), "{edits:?}");
        }
        assert!(edited(b"\xef\xbb\xbffrom pkg import a\nb = a", &[("pkg", ".")]).is_some());
        assert!(edited(b"# coding: latin-1\nfrom pkg import a; b = '\xe9'; c", &[("pkg", ".")]).is_some());
        assert!(edited(b"from pkg \\\n  .a import a\nfrom b import c", &[("pkg \\\n  .a", ".a")]).is_some());
    }

    #[test]
    fn edits_elsewhere_need_a_parse() {
        for (source, old, new) in [
            ("import pkg.a as b", "pkg.a", "q"),
            ("from a import b", "b", "c"),
            ("from pkg import b", "pkg", "a import"),
            ("from pkg import b", "pkg", "a import c; from d"),
            ("from pkg import annotations", "pkg", "__future__"),
            ("from pkg import b; pkg.c", "b; pkg.c", "d"),
            ("x = 1\nfrom a import b", "x", "y"),
        ] {
            assert!(edited_or_wrong(source, old, new).is_none(), "{source}");
        }
    }

    fn edited_or_wrong(source: &str, old: &str, new: &str) -> Option<Module> {
        let at = source.find(old).unwrap();
        let edits = [TextEdit::new(at..at + old.len(), new)];
        let after = splice(source.as_bytes(), &edits).unwrap();
        Module::parse(source.as_bytes()).unwrap().edited(&edits, &after)
    }
}
