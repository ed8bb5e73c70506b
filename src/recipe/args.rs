//! The typed reader between a node and an op: checks names and types against the op's own table, reads values, and
//! collects every mistake instead of stopping at the first.

use super::{ArgValue, Node, RecipeError, Span, Value};
use crate::report::nearest;
use std::path::PathBuf;

/// A value and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spanned<T> {
    /// The value.
    pub value: T,
    /// Its text in the recipe.
    pub span: Span,
}

impl<T> Spanned<T> {
    /// A value at a place.
    pub fn new(value: T, span: Span) -> Self {
        Self { value, span }
    }
}

/// How an argument is written and what the reference calls it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArgType {
    /// Any text.
    Text,
    /// `#true` or `#false`.
    Flag,
    /// A non-negative integer.
    Integer,
    /// A pin: a non-negative integer that must match what the op finds.
    Pin,
    /// One glob.
    Glob,
    /// Several globs, separated by commas.
    GlobList,
    /// A path of the tree.
    Path,
    /// Items separated by commas.
    List,
    /// A full commit id.
    Commit,
    /// A dotted Python module.
    Module,
}

impl ArgType {
    /// The word in the reference and in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Flag => "#true or #false",
            Self::Integer => "integer",
            Self::Pin => "pin",
            Self::Glob => "glob",
            Self::GlobList => "globs",
            Self::Path => "path",
            Self::List => "list",
            Self::Commit => "commit",
            Self::Module => "module",
        }
    }

    /// The word with its article, for sentences.
    fn with_article(self) -> String {
        match self {
            Self::Text | Self::Flag | Self::GlobList => self.name().to_owned(),
            Self::Integer => format!("an {}", self.name()),
            _ => format!("a {}", self.name()),
        }
    }

    /// A message for a value of another KDL type; `None` when the type fits.
    fn mismatch(self, value: &Value, written: &str) -> Option<(String, String)> {
        let found = match value {
            Value::Text(_) => "a string",
            Value::Integer(_) => "an integer",
            Value::Bool(_) => "a boolean",
            Value::Invalid => return None,
        };
        let bare = written.trim_matches('"');
        let (expected, help) = match (self, value) {
            (Self::Flag, Value::Bool(_)) | (Self::Integer | Self::Pin, Value::Integer(_)) => return None,
            (Self::Flag, Value::Text(_)) if matches!(bare, "true" | "false") => {
                ("#true or #false", format!("write #{bare}"))
            }
            (Self::Flag, _) => ("#true or #false", "write #true or #false, without quotes".to_owned()),
            (Self::Integer | Self::Pin, Value::Text(text)) if text.trim().parse::<u64>().is_ok() => {
                ("an integer", format!("write it without quotes: {}", text.trim()))
            }
            (Self::Integer | Self::Pin, _) => {
                ("an integer", "write a number without quotes, for example 3".to_owned())
            }
            (_, Value::Text(_)) => return None,
            _ => ("a string", format!("write it in double quotes: \"{bare}\"")),
        };
        Some((format!("must be {expected}, but {written} is {found}"), help))
    }
}

/// One argument of an op: data for the reader, the reference and completion alike.
#[derive(Debug, Clone, Copy)]
pub struct ArgSpec {
    /// The name before `=`.
    pub name: &'static str,
    /// How it is written.
    pub ty: ArgType,
    /// Whether it must be there.
    pub required: bool,
    /// What it means, one line.
    pub help: &'static str,
}

impl ArgSpec {
    /// An argument that must be there.
    pub const fn required(name: &'static str, ty: ArgType, help: &'static str) -> Self {
        Self { name, ty, required: true, help }
    }

    /// An argument that may be left out.
    pub const fn optional(name: &'static str, ty: ArgType, help: &'static str) -> Self {
        Self { name, ty, required: false, help }
    }
}

/// What building an op may look at besides its arguments.
#[derive(Debug, Clone, Default)]
pub struct BuildContext {
    /// The directory that `overlay from=` is relative to.
    pub base: PathBuf,
    /// An inline trial, in which a manifest may leave out what only a build needs. Set by [`super::Recipe::build`].
    pub inline: bool,
}

/// The arguments of one node, checked against the op's table.
pub struct Args<'a> {
    op: &'static str,
    node: &'a Node,
    context: &'a BuildContext,
    errors: Vec<RecipeError>,
}

impl<'a> Args<'a> {
    /// Checks names, types and presence. The mistakes found are in [`Args::finish`].
    pub fn new(
        op: &'static str,
        specs: &[ArgSpec],
        node: &'a Node,
        text: &str,
        context: &'a BuildContext,
    ) -> Self {
        let mut errors = Vec::new();
        let mut meant = Vec::new();
        for property in &node.properties {
            let name = property.name.value.as_str();
            let Some(spec) = specs.iter().find(|spec| spec.name == name) else {
                let known = specs.iter().map(|spec| spec.name);
                let error =
                    RecipeError::new(property.name.span.clone(), format!("{op}: unknown argument `{name}`"));
                errors.push(match nearest::one(name, known) {
                    Some(near) => {
                        meant.push(near);
                        error.help(format!("did you mean `{near}`?"))
                    }
                    None => error.help(format!("{op} takes {}", list_names(specs))),
                });
                continue;
            };
            let written = text.get(property.value.span.clone()).unwrap_or_default();
            if let Some((message, help)) = spec.ty.mismatch(&property.value.value, written) {
                errors.push(
                    RecipeError::new(property.value.span.clone(), format!("{op}: {name}= {message}"))
                        .help(help),
                );
            }
        }
        for spec in specs.iter().filter(|spec| spec.required) {
            // A misspelt argument is reported once, not as missing too.
            if !meant.contains(&spec.name) && !node.properties.iter().any(|p| p.name.value == spec.name) {
                errors.push(
                    RecipeError::new(
                        node.name.span.clone(),
                        format!("{op}: missing argument `{}`", spec.name),
                    )
                    .help(format!(
                        "{}= takes {}: {}",
                        spec.name,
                        spec.ty.with_article(),
                        spec.help
                    )),
                );
            }
        }
        Self { op, node, context, errors }
    }

    /// What else building may look at.
    pub fn context(&self) -> &BuildContext {
        self.context
    }

    /// Whether the argument is written at all.
    pub fn has(&self, name: &str) -> bool {
        self.node.properties.iter().any(|p| p.name.value == name)
    }

    /// Where the argument's value stands, or the op's name when it is not given.
    pub fn span(&self, name: &str) -> Span {
        let property = self.node.properties.iter().find(|p| p.name.value == name);
        property.map_or_else(|| self.node.name.span.clone(), |p| p.value.span.clone())
    }

    /// Reads an argument; `None` when it is missing or wrong, which is then among the errors.
    pub fn get<T: ArgValue>(&mut self, name: &str) -> Option<T> {
        self.spanned(name).map(|s| s.value)
    }

    /// Like [`Args::get`], with the place of the value.
    pub fn spanned<T: ArgValue>(&mut self, name: &str) -> Option<Spanned<T>> {
        let property = self.node.properties.iter().find(|p| p.name.value == name)?;
        let span = property.value.span.clone();
        // A value that is wrong by type has been reported, once is enough.
        if property.value.value == Value::Invalid || self.errors.iter().any(|e| e.span == span) {
            return None;
        }
        match T::read(&property.value.value) {
            Ok(value) => Some(Spanned::new(value, span)),
            Err(error) => {
                let message = format!("{}: {name}= {}", self.op, error.message);
                self.errors.push(RecipeError { span, message, help: error.help });
                None
            }
        }
    }

    /// Adds a mistake that concerns the value of `name` (or the op's name when it is not given).
    pub fn error(&mut self, name: &str, message: impl AsRef<str>, help: impl Into<String>) {
        let message = format!("{}: {}", self.op, message.as_ref());
        self.errors.push(RecipeError::new(self.span(name), message).help(help));
    }

    /// Adds a refusal of the value of `name`, in the words that [`ArgValue::read`] would use.
    pub fn refuse(&mut self, name: &str, error: super::ValueError) {
        let message = format!("{}: {name}= {}", self.op, error.message);
        self.errors.push(RecipeError { span: self.span(name), message, help: error.help });
    }

    /// All mistakes found.
    pub fn finish(self) -> Vec<RecipeError> {
        self.errors
    }
}

fn list_names(specs: &[ArgSpec]) -> String {
    specs.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")
}
