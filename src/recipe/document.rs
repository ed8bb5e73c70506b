//! The KDL document: nodes with properties, a span on everything. The only file that knows the `kdl` crate.

use super::{RecipeError, Span, Spanned, nesting, syntax};
use kdl::{KdlDiagnostic, KdlDocument, KdlEntry, KdlNode, KdlValue};
use std::collections::BTreeMap;

/// Largest recipe that is read, in bytes; the largest real one is 40 KiB.
pub const MAX_RECIPE_BYTES: usize = 1 << 20;
/// A text below this size fits any stack.
const SMALL: usize = 4096;
/// Stack for a larger one. It is reserved, not used, unless the text is nothing but mistakes.
const STACK: usize = 8 << 20;
const STACK_PER_BYTE: usize = 1024;
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
    if let Err(error) = nesting::check(text) {
        return (Vec::new(), vec![error]);
    }
    let first = text.trim_start_matches('\u{feff}').trim_start();
    if first.starts_with("/- kdl-version 1") {
        let start = text.len() - first.len();
        let error = RecipeError::new(start..start + 16, "this is marked as a KDL 1 document");
        return (
            Vec::new(),
            vec![error.help("a recipe is KDL 2.0: write /- kdl-version 2, or leave the marker out")],
        );
    }
    let document = match with_stack(text.len(), || KdlDocument::parse_v2(text)) {
        Ok(document) => document,
        Err(error) => {
            return (Vec::new(), syntax_errors(text, &error.diagnostics));
        }
    };
    let mut errors = Vec::new();
    let nodes = document.nodes().iter().map(|node| read_node(text, node, &mut errors)).collect();
    (nodes, errors)
}

/// Runs the parser where its recursion cannot end the program: it goes as deep as the text has mistakes.
fn with_stack<T: Send>(length: usize, parse: impl Fn() -> T + Send + Sync) -> T {
    if length < SMALL {
        return parse();
    }
    let parsed = std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK + STACK_PER_BYTE * length);
        let parsing = thread.spawn_scoped(scope, &parse).ok()?;
        Some(parsing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    });
    parsed.unwrap_or_else(parse)
}

/// The parser's complaints in our words. One about a string makes nonsense of the rest of the text, so it is the last.
fn syntax_errors(text: &str, diagnostics: &[KdlDiagnostic]) -> Vec<RecipeError> {
    let mut errors: Vec<RecipeError> = Vec::new();
    for diagnostic in diagnostics.iter().take(MAX_SYNTAX_ERRORS) {
        let start = floor(text, diagnostic.span.offset());
        let end = floor(text, diagnostic.span.offset() + diagnostic.span.len()).max(start);
        let said = diagnostic.message.as_deref().unwrap_or("cannot be read");
        errors.push(syntax::explain(text, start..end, said, diagnostic.help.as_deref()));
        if text[start..end].trim_start_matches('#').starts_with('"') {
            break;
        }
    }
    errors
}

fn floor(text: &str, offset: usize) -> usize {
    let offset = offset.min(text.len());
    (0..=offset).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0)
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
