//! The KDL document: nodes with properties, a span on everything. The only file that knows the `kdl` crate.

use super::{RecipeError, Span, Spanned};
use kdl::{KdlDiagnostic, KdlDocument, KdlEntry, KdlNode, KdlValue};
use std::collections::BTreeMap;

/// Largest recipe that is read, in bytes; the largest real one is 40 KiB.
pub const MAX_RECIPE_BYTES: usize = 1 << 20;
/// Most syntax errors that are shown; the rest usually follows from the first.
const MAX_SYNTAX_ERRORS: usize = 5;

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// A string, quoted or bare.
    Text(String),
    /// An integer in any of KDL's notations.
    Integer(i128),
    /// `#true` or `#false`.
    Bool(bool),
    /// A value that was already reported; readers stay quiet about it.
    Invalid,
}

/// One `name=value`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Property {
    /// The argument's name.
    pub name: Spanned<String>,
    /// Its value; the span covers exactly the value's text.
    pub value: Spanned<Value>,
}

/// One node: an op with its arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// The op's name.
    pub name: Spanned<String>,
    /// The arguments in text order, each name once.
    pub properties: Vec<Property>,
    /// The whole node.
    pub span: Span,
}

/// Reads a text. All mistakes of shape are returned beside the nodes that could be read.
pub fn parse(text: &str) -> (Vec<Node>, Vec<RecipeError>) {
    if text.len() > MAX_RECIPE_BYTES {
        let message = format!("the recipe is {} bytes long; at most {MAX_RECIPE_BYTES} are read", text.len());
        return (Vec::new(), vec![RecipeError::new(0..0, message)]);
    }
    if let Err(error) = check_nesting(text) {
        return (Vec::new(), vec![error]);
    }
    let document = match KdlDocument::parse_v2(text) {
        Ok(document) => document,
        Err(error) => {
            let errors = error.diagnostics.iter().take(MAX_SYNTAX_ERRORS).map(|d| syntax_error(text, d));
            return (Vec::new(), errors.collect());
        }
    };
    let mut errors = Vec::new();
    let nodes = document.nodes().iter().map(|node| read_node(text, node, &mut errors)).collect();
    (nodes, errors)
}

/// Deepest nesting of braces and comments handed to the parser, which recurses.
const MAX_NESTING: usize = 64;

fn check_nesting(text: &str) -> Result<(), RecipeError> {
    let mut depth = 0usize;
    let bytes = text.as_bytes();
    for (at, byte) in bytes.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'/' if bytes.get(at + 1) == Some(&b'*') => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b'*' if bytes.get(at + 1) == Some(&b'/') => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_NESTING {
            return Err(RecipeError::new(at..at + 1, "nested too deeply")
                .help("a recipe is a flat list of ops without children"));
        }
    }
    Ok(())
}

fn syntax_error(text: &str, diagnostic: &KdlDiagnostic) -> RecipeError {
    let start = diagnostic.span.offset().min(text.len());
    let end = (start + diagnostic.span.len()).min(text.len());
    let message = diagnostic.message.clone().unwrap_or_else(|| "not KDL 2.0".into());
    RecipeError { span: start..end, message, help: diagnostic.help.clone() }
}

fn span_of(span: miette::SourceSpan) -> Span {
    span.offset()..span.offset() + span.len()
}

fn read_node(text: &str, node: &KdlNode, errors: &mut Vec<RecipeError>) -> Node {
    let name = Spanned::new(node.name().value().to_owned(), span_of(node.name().span()));
    if let Some(ty) = node.ty() {
        errors.push(
            RecipeError::new(span_of(ty.span()), format!("{}: an op takes no type annotation", name.value))
                .help(format!("write {} without the parentheses", name.value)),
        );
    }
    if let Some(children) = node.children() {
        errors.push(
            RecipeError::new(
                span_of(children.span()),
                format!("{}: an op takes no children block", name.value),
            )
            .help("arguments are written key=value on the op's own line"),
        );
    }
    let mut seen: BTreeMap<&str, ()> = BTreeMap::new();
    let mut properties = Vec::new();
    for entry in node.entries() {
        let Some(key) = entry.name() else {
            let found = text.get(value_span(entry)).unwrap_or_default().to_owned();
            errors.push(
                RecipeError::new(value_span(entry), format!("{}: positional argument {found}", name.value))
                    .help(format!("every argument has a name: in={found}")),
            );
            continue;
        };
        if seen.insert(key.value(), ()).is_some() {
            errors.push(
                RecipeError::new(
                    span_of(key.span()),
                    format!("{}: {}= is given twice", name.value, key.value()),
                )
                .help("keep one of the two"),
            );
            continue;
        }
        let value = read_value(&name.value, key.value(), entry, errors);
        properties.push(Property {
            name: Spanned::new(key.value().to_owned(), span_of(key.span())),
            value: Spanned::new(value, value_span(entry)),
        });
    }
    Node { name, properties, span: span_of(node.span()) }
}

fn read_value(op: &str, key: &str, entry: &KdlEntry, errors: &mut Vec<RecipeError>) -> Value {
    if let Some(ty) = entry.ty() {
        errors.push(
            RecipeError::new(span_of(ty.span()), format!("{op}: {key}= takes no type annotation"))
                .help("write the value without the parentheses before it"),
        );
        return Value::Invalid;
    }
    let mut refuse = |what: &str, help: &str| {
        errors.push(RecipeError::new(value_span(entry), format!("{op}: {key}= is {what}")).help(help));
        Value::Invalid
    };
    match entry.value() {
        KdlValue::String(text) => Value::Text(text.clone()),
        KdlValue::Integer(number) => Value::Integer(*number),
        KdlValue::Bool(flag) => Value::Bool(*flag),
        KdlValue::Float(_) => {
            refuse("a number with a fraction", "no argument takes one; quote it if it is text")
        }
        KdlValue::Null => refuse("#null", "leave the argument out instead"),
    }
}

/// The text of a value: the entry's span ends where it ends, and it is as long as its printed form.
fn value_span(entry: &KdlEntry) -> Span {
    let whole = span_of(entry.span());
    let length = entry.format().map_or(0, |format| format.value_repr.len());
    if length == 0 { whole } else { whole.end.saturating_sub(length)..whole.end }
}
