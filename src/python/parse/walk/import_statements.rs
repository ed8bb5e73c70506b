//! Import statements with the range of every part.

use super::super::range;
use super::Walker;
use crate::python::names::small;
use crate::python::{Alias, Binding, ByteRange, Import, ImportKind, Role};
use ruff_python_ast as ast;
use ruff_text_size::TextRange;

impl Walker<'_> {
    pub(super) fn import(&mut self, import: Import) {
        let index = self.module.imports.len();
        for (at, alias) in import.aliases.iter().enumerate() {
            let place = alias.as_range.clone().or_else(|| alias.components.first().cloned());
            let place = place.unwrap_or_else(|| alias.range.clone());
            self.name_at(
                alias.bound(),
                place,
                Role::Bind(Binding::Import(small(index), small(at))),
                self.around.scope,
            );
        }
        self.module.imports.push(import);
    }

    pub(super) fn new_import(&self, kind: ImportKind, whole: TextRange, names: &[ast::Alias]) -> Import {
        let whole = range(whole);
        let line_start = self.module.lines.start(whole.start);
        let line = &self.content[line_start..whole.start];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let blank = line.iter().all(|b| matches!(b, b' ' | b'\t' | b'\x0c'));
        let before = &self.content[..line_start];
        let continued = ["\\\n", "\\\r\n", "\\\r"].iter().any(|end| before.ends_with(end.as_bytes()));
        let starred = names.first().filter(|a| a.name.id == "*");
        Import {
            kind,
            level: 0,
            module: String::new(),
            module_range: whole.start..whole.start,
            components: Vec::new(),
            aliases: if starred.is_some() {
                Vec::new()
            } else {
                names.iter().map(|a| self.alias(a)).collect()
            },
            star: starred.map(|a| range(a.range)),
            parentheses: None,
            scope: self.around.scope,
            depth: self.around.depth,
            type_checking: self.around.type_checking,
            guarded: self.around.guarded,
            first_on_line: blank && !continued,
            position: self.module.lines.position(self.content, whole.start),
            range: whole,
        }
    }

    pub(super) fn alias(&self, alias: &ast::Alias) -> Alias {
        let name_range = range(alias.name.range);
        Alias {
            name: alias.name.id.to_string(),
            components: components(self.text, name_range.clone()),
            name_range,
            asname: alias.asname.as_ref().map(|a| a.id.to_string()),
            as_range: alias.asname.as_ref().map(|a| range(a.range)),
            range: range(alias.range),
        }
    }

    pub(super) fn import_from(&self, from: &ast::StmtImportFrom) -> Import {
        let mut import = self.new_import(ImportKind::From, from.range, &from.names);
        import.level = from.level as usize;
        if let Some(module) = &from.module {
            import.module = module.id.to_string();
            import.components = components(self.text, range(module.range));
        }
        let after_from = import.range.start + "from".len();
        let first_name = import.star.clone().or_else(|| import.aliases.first().map(|a| a.range.clone()));
        let first_name = first_name.map_or(import.range.end, |r| r.start);
        let module_end = import.components.last().map(|c| c.end);
        let dots_end = import.components.first().map_or(first_name, |c| c.start);
        // Between `from` and the module, or the word `import`, stand only dots, blanks and continuations.
        let between = &self.text[after_from..dots_end];
        let dots: Vec<usize> =
            between.match_indices('.').take(import.level).map(|(i, _)| after_from + i).collect();
        let start = dots.first().copied().or_else(|| import.components.first().map(|c| c.start));
        let end = module_end.or_else(|| dots.last().map(|at| at + 1));
        import.module_range = start.unwrap_or(after_from)..end.unwrap_or(after_from);
        let gap = &self.text[import.module_range.end..first_name];
        if let Some(open) = open_parenthesis(gap) {
            import.parentheses = Some(import.module_range.end + open..import.range.end);
        }
        import
    }
}

/// The components of a dotted name in the source, where blanks and continuations may stand between them.
fn components(text: &str, at: ByteRange) -> Vec<ByteRange> {
    let mut start = at.start;
    let mut found = Vec::new();
    for part in text[at].split('.') {
        let blank = |c: char| c.is_ascii_whitespace() || c == '\\' || c == '\x0c';
        let front = part.len() - part.trim_start_matches(blank).len();
        found.push(start + front..start + part.trim_end_matches(blank).len().max(front));
        start += part.len() + 1;
    }
    found
}

/// Where the parenthesis stands between the module and the first name.
fn open_parenthesis(gap: &str) -> Option<usize> {
    let after = gap.find("import")? + "import".len();
    let rest = &gap[after..];
    let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\\').len();
    rest[blank..].starts_with('(').then_some(after + blank)
}
