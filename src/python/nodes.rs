//! What else of a file the ops look at: statements of the module, definitions, calls, subscripts, strings.

use super::{ByteRange, MaybeIndex, NameId, ScopeId, Span};
use std::sync::Arc;

/// `.name` behind an expression.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Attribute {
    /// The text.
    pub id: NameId,
    /// The range of the name, without the dot.
    pub range: Span,
    /// Whether only blanks, line ends, `\` and one dot stand between it and what is before it. Where parentheses
    /// or a comment stand there, no range from before to behind it is an expression of its own.
    pub adjacent: bool,
}

/// A direct statement of the module.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Statement {
    /// What it is.
    pub kind: StatementKind,
    /// The statement with its decorators, without `;` and line end.
    pub range: ByteRange,
}

/// What the ops tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StatementKind {
    /// The module's docstring.
    Docstring,
    /// `from __future__ import ...`: index in `Module::imports`.
    Future(usize),
    /// Any other import: index in `Module::imports`.
    Import(usize),
    /// `def` or `class`: index in `Module::definitions`.
    Definition(usize),
    /// Anything else.
    Other,
}

/// A `def` or `class`, at any depth.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Definition {
    /// `class`, not `def`.
    pub is_class: bool,
    /// Its name.
    pub name: NameId,
    /// The range of the name.
    pub name_range: ByteRange,
    /// With decorators.
    pub range: ByteRange,
    /// Its decorators, first to last.
    pub decorators: Vec<Decorator>,
    /// The scope that it is defined in.
    pub scope: ScopeId,
    /// How many `if`, `try`, ... are around it inside its scope.
    pub depth: usize,
}

/// `@expression`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decorator {
    /// From the `@` to the end of the expression.
    pub range: ByteRange,
    /// The name at the root of `@a.b.c` and `@a.b.c(...)`: index in `Module::names`.
    pub root: Option<usize>,
    /// The call of `@a.b(...)`: index in `Module::calls`.
    pub call: Option<usize>,
}

/// A call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Call {
    /// The whole expression.
    pub span: Span,
    /// The name at the root when `a.b.c(...)` is called: index in `Module::names`. None for `f().g()` and the like.
    pub root: MaybeIndex,
    /// The last attribute of what is called: `g` of `f().g(...)`; index in `Module::attributes`.
    pub method: MaybeIndex,
    /// The arguments, positional first: a range in `Module::arguments`.
    pub arguments: Span,
}

/// An argument of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Argument {
    /// The keyword; `None` for a positional one and for `**x`.
    pub keyword: Option<NameId>,
    /// The value.
    pub span: Span,
    /// When the value is a string literal: index in `Module::strings`.
    pub string: MaybeIndex,
    /// When the value is a name or `a.b.c`: the root's index in `Module::names`.
    pub root: MaybeIndex,
}

/// `a.b["text"]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subscript {
    /// The name at the root of what is subscripted: index in `Module::names`.
    pub root: usize,
    /// The string: index in `Module::strings`.
    pub string: usize,
    /// The whole expression.
    pub range: ByteRange,
}

/// A string literal; not bytes, not an f-string.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StringLiteral {
    /// With prefix and quotes; all parts of an implicit concatenation.
    pub range: ByteRange,
    /// Between the quotes. `None` for an implicit concatenation.
    pub content: Option<ByteRange>,
    /// The value.
    pub value: Arc<str>,
    /// Whether the bytes between the quotes are the value: no escapes, one part, so that a range of the value is a
    /// range of the file.
    pub verbatim: bool,
    /// The docstring of a module, class or function.
    pub docstring: bool,
}

/// An f-string that begins with literal text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FormattedString {
    /// With prefix and quotes; all parts of an implicit concatenation.
    pub range: ByteRange,
    /// The text before the first `{`.
    pub front: Arc<str>,
}
