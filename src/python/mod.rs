//! Python source: what a file imports, binds, uses and calls, and where exactly each of it stands. Only [`parse`]
//! knows the parser; everything else works on the plain data of [`Module`].

mod dotted;
pub mod edit;
mod edited;
mod encoding;
pub mod exports;
pub mod follow;
pub mod generated_ops;
pub mod header;
mod imports;
mod lines;
pub mod literals;
pub mod load_order;
mod meanings;
mod names;
mod nodes;
mod parse;
mod parsed;
pub mod removal;
pub mod rename;
pub mod resolve;
pub mod unalias;

pub use imports::{Alias, Import, ImportKind};
pub use lines::Lines;
pub use names::{Binding, MaybeIndex, Name, NameId, NameTable, Role, Scope, ScopeId, ScopeKind, Span};
pub use nodes::{
    Argument, Attribute, Call, Decorator, Definition, FormattedString, Statement, StatementKind,
    StringLiteral, Subscript,
};
pub use parse::{Module, SyntaxError};
pub use parsed::Parsed;

use crate::workspace::RepoPath;

/// A range of bytes in a file.
pub type ByteRange = std::ops::Range<usize>;

/// Whether the file is Python source by its name: `*.py` and `*.pyi`.
pub fn is_python(path: &RepoPath) -> bool {
    matches!(path.extension(), Some(b"py" | b"pyi"))
}
