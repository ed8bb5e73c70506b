//! From recipe text to typed ops: the KDL document, the typed reader of arguments, and the values that arguments
//! hold. Knows nothing of trees; an op that comes out of here has only well-formed values.

mod args;
mod build;
mod document;
pub mod edit;
mod error;
mod glob;
mod nesting;
mod source;
mod syntax;
mod values;

pub use args::{ArgSpec, ArgType, Args, BuildContext, Spanned};
pub use build::{BuiltOp, PinValue, Recipe, RecipeInput, unpinned};
pub use document::{Node, Property, Value, parse};
pub use error::{RecipeError, RecipeErrors};
pub use glob::{Glob, GlobList};
pub use source::{Position, RecipeText};
pub use values::{ArgValue, CommitSha, Identifier, List, ModulePath, NonEmptyText, Text, ValueError};

/// A range of bytes in the recipe's text.
pub type Span = std::ops::Range<usize>;
