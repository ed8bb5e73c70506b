//! Mistakes in a recipe's text. The place is apart from the text; the caret is drawn by `report`.

use super::{RecipeText, Span};

/// One mistake.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecipeError {
    /// The offending text.
    pub span: Span,
    /// What is wrong: expected and found.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl RecipeError {
    /// A mistake at `span`.
    pub fn new(span: Span, message: impl Into<String>) -> Self {
        Self { span, message: message.into(), help: None }
    }

    /// With what to do about it.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// All mistakes of one recipe, in text order.
#[derive(Debug, Clone)]
pub struct RecipeErrors {
    /// The recipe they are in.
    pub text: RecipeText,
    /// At least one.
    pub errors: Vec<RecipeError>,
}

/// As many mistakes are shown of a text that is no recipe at all.
const MAX_SHOWN: usize = 200;

impl RecipeErrors {
    /// Those that are worth showing.
    pub fn shown(&self) -> &[RecipeError] {
        &self.errors[..self.errors.len().min(MAX_SHOWN)]
    }
}
