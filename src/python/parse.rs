//! The parser's only owner: source bytes in, [`Module`] out. No other module names a type of the parser; the tree is
//! walked once and dropped.

mod depth;
#[cfg(test)]
mod tests;
mod walk;

use super::encoding::decode;
use super::lines::Lines;
use super::names::Bindings;
use super::nodes::Attribute;
use super::{
    Alias, Argument, ByteRange, Call, Definition, FormattedString, Import, Name, NameId, NameTable, Scope,
    ScopeId, Statement, StringLiteral, Subscript,
};
use crate::recipe::Position;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::{ModModule, PythonVersion};
use ruff_python_parser::{Mode, ParseOptions, Parsed, parse_unchecked};
use ruff_text_size::{Ranged, TextRange};
use std::sync::Arc;

/// A Python file as plain data. Lists are in source order unless they say otherwise.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Module {
    /// Every import, at every depth.
    pub imports: Vec<Import>,
    /// The direct statements of the module.
    pub statements: Vec<Statement>,
    /// Every `def` and `class`, at every depth.
    pub definitions: Vec<Definition>,
    /// The scopes; the first is the module's.
    pub scopes: Vec<Scope>,
    /// Every place where a name stands, in the order of evaluation.
    pub names: Vec<Name>,
    /// The texts of names.
    pub table: Arc<NameTable>,
    /// The attributes behind names (and other expressions); those of one chain are neighbours.
    pub attributes: Vec<Attribute>,
    /// Every call.
    pub calls: Vec<Call>,
    /// The arguments of calls; those of one are neighbours.
    pub arguments: Vec<Argument>,
    /// Subscripts of a name or attribute chain by a string literal.
    pub subscripts: Vec<Subscript>,
    /// Every string literal.
    pub strings: Vec<StringLiteral>,
    /// Every f-string that begins with literal text.
    pub formatted: Vec<FormattedString>,
    /// The braces of f-strings that print the text of their expression: `{x=}`.
    pub echoed: Vec<ByteRange>,
    /// Every comment, from `#` to the end of the line.
    pub comments: Vec<ByteRange>,
    bindings: Arc<Bindings>,
    pub(super) lines: Lines,
}

/// Why a file is no Python.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset.
    pub offset: usize,
    /// Line and column.
    pub position: Position,
    /// What is wrong.
    pub message: String,
}

impl Module {
    /// Parses a file: any syntax of Python 3.8 to 3.14. Works for any bytes: no panic, no stack overflow.
    ///
    /// # Errors
    /// The first syntax error, an encoding that cannot be edited, or nesting that Python would refuse as well.
    pub fn parse(content: &[u8]) -> Result<Self, SyntaxError> {
        let fail = |(offset, message): (usize, String), single_byte| SyntaxError {
            offset,
            position: Lines::new(content, single_byte).position(content, offset),
            message,
        };
        let decoded = decode(content).map_err(|e| fail(e, false))?;
        let (text, single_byte) = (decoded.text.as_ref(), decoded.single_byte);
        depth::check_source(text).map_err(|e| fail(e, single_byte))?;
        let Some(parsed) = parse_unchecked(text, options()).try_into_module() else {
            return Err(fail((0, "is no module".to_owned()), single_byte));
        };
        let lines = Lines::new(content, single_byte);
        let module =
            depth::on_a_large_enough_stack(parsed, text.len(), |parsed| read(parsed, text, content, lines));
        module.map_err(|e| fail(e, single_byte))
    }

    /// Line and column of a byte offset; `content` is what was parsed.
    pub fn position(&self, content: &[u8], offset: usize) -> Position {
        self.lines.position(content, offset)
    }

    /// Where the lines start.
    pub fn lines(&self) -> &Lines {
        &self.lines
    }

    /// The text of a name.
    pub fn text(&self, id: NameId) -> &str {
        self.table.text(id)
    }

    /// A scope.
    pub fn scope(&self, id: ScopeId) -> &Scope {
        &self.scopes[id.index()]
    }

    /// What stands behind a name: `.a.b`.
    pub fn attributes_of(&self, name: &Name) -> &[Attribute] {
        &self.attributes[name.attributes.range()]
    }

    /// The arguments of a call, positional first.
    pub fn arguments_of(&self, call: &Call) -> &[Argument] {
        &self.arguments[call.arguments.range()]
    }

    /// The argument of a call that is positional number `index` or has the keyword `name`.
    pub fn argument(&self, call: &Call, index: usize, name: Option<NameId>) -> Option<&Argument> {
        let arguments = self.arguments_of(call);
        let positional = arguments.get(index).filter(|a| a.keyword.is_none());
        positional.or_else(|| name.and_then(|n| arguments.iter().find(|a| a.keyword == Some(n))))
    }

    /// From a name to the end of the last attribute behind it.
    pub fn chain(&self, name: &Name) -> ByteRange {
        let end = self.attributes_of(name).last().map_or(name.range.end(), |a| a.range.end());
        name.range.start()..end
    }

    /// An import and one of its names, as [`Binding::Import`] refers to them.
    pub fn imported(&self, import: u32, alias: u32) -> (&Import, &Alias) {
        let import = &self.imports[import as usize];
        (import, &import.aliases[alias as usize])
    }

    /// The scope whose variable the name at that index is.
    pub fn resolve(&self, name: usize) -> ScopeId {
        let name = &self.names[name];
        self.resolve_in(name.scope, name.id)
    }

    /// The scope whose variable a name means when it stands in `scope`.
    pub fn resolve_in(&self, scope: ScopeId, id: NameId) -> ScopeId {
        self.bindings.resolve(&self.names, &self.scopes, scope, id)
    }

    /// The places in `scope` itself that bind, delete or declare the name, as indices in `names`.
    pub fn bindings(&self, scope: ScopeId, id: NameId) -> impl Iterator<Item = usize> {
        self.bindings.of(scope, id)
    }
}

fn options() -> ParseOptions {
    ParseOptions::from(Mode::Module).with_target_version(PythonVersion::PY314)
}

fn read(
    parsed: &Parsed<ModModule>,
    text: &str,
    content: &[u8],
    lines: Lines,
) -> Result<Module, (usize, String)> {
    if let Some(error) = parsed.errors().first() {
        return Err((error.location.start().to_usize(), sentence(&error.error.to_string())));
    }
    if let Some(error) = parsed.unsupported_syntax_errors().first() {
        return Err((
            error.range.start().to_usize(),
            "syntax that Python 3.8 to 3.14 does not have".to_owned(),
        ));
    }
    let mut module = walk::walk(parsed, text, content, lines);
    let comments = parsed.tokens().iter().filter(|t| t.kind() == TokenKind::Comment);
    module.comments = comments.map(|t| range(t.range())).collect();
    module.bindings = Bindings::new(&module.names, module.scopes.len()).into();
    Ok(module)
}

/// The parser's message in this program's style: lower case first, as messages follow a colon.
fn sentence(message: &str) -> String {
    let mut characters = message.chars();
    match characters.next() {
        Some(first) if !characters.as_str().starts_with(char::is_uppercase) => {
            first.to_lowercase().chain(characters).collect()
        }
        _ => message.to_owned(),
    }
}

fn range(range: TextRange) -> ByteRange {
    range.start().to_usize()..range.end().to_usize()
}
