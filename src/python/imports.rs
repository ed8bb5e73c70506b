//! One import statement: what it says and the range of every part of it.

use super::{ByteRange, ScopeId};
use crate::recipe::Position;

/// `import a` or `from a import b`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportKind {
    /// `import a.b as c, d`
    Import,
    /// `from ..a import b as c, d`
    From,
}

/// An import statement.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Import {
    /// Which of the two statements.
    pub kind: ImportKind,
    /// Number of leading dots of a `from`; 0 for an absolute import.
    pub level: usize,
    /// The module after `from` as Python reads it: no dots before it, no blanks, NFKC; empty for `from . import`
    /// and for `import`.
    pub module: String,
    /// From the first dot or letter after `from` to the end of the module; blanks, `\` and line ends may be inside.
    /// Empty for `import`.
    pub module_range: ByteRange,
    /// The range of each component of the module.
    pub components: Vec<ByteRange>,
    /// What is imported; for a star import none.
    pub aliases: Vec<Alias>,
    /// The `*` of `from a import *`.
    pub star: Option<ByteRange>,
    /// The parentheses around the names, both included.
    pub parentheses: Option<ByteRange>,
    /// The whole statement, without `;` and line end.
    pub range: ByteRange,
    /// Where it binds its names.
    pub scope: ScopeId,
    /// How many `if`, `try`, `with`, `for`, ... are around it inside its scope; 0 for a direct statement.
    pub depth: usize,
    /// Inside `if TYPE_CHECKING:`.
    pub type_checking: bool,
    /// Inside a `try` (or `with suppress(...)`) that catches `ImportError` or a parent of it.
    pub guarded: bool,
    /// Whether the statement starts a line: nothing but blanks before it, and no continuation of the line above.
    pub first_on_line: bool,
    /// Line and column of the statement.
    pub position: Position,
}

/// One name of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Alias {
    /// The name as Python reads it: dotted for `import`, NFKC.
    pub name: String,
    /// The range of the name; blanks, `\` and line ends may be between its components.
    pub name_range: ByteRange,
    /// The range of each component of the name.
    pub components: Vec<ByteRange>,
    /// The name after `as`.
    pub asname: Option<String>,
    /// The range of the name after `as`.
    pub as_range: Option<ByteRange>,
    /// From the name to the end of `as x`.
    pub range: ByteRange,
}

impl Alias {
    /// The name that it binds: after `as`, or the name, for `import a.b` its first component.
    pub fn bound(&self) -> &str {
        let first = self.name.split('.').next().unwrap_or(&self.name);
        self.asname.as_deref().unwrap_or(first)
    }
}

impl Import {
    /// Whether it is `from __future__ import ...`.
    pub fn is_future(&self) -> bool {
        self.level == 0 && self.module == "__future__"
    }
}
