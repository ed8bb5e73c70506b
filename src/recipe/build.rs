//! From nodes to ops: the header, every op built, and the rules about their order. All mistakes come out together.

use super::{Args, BuildContext, Node, RecipeError, RecipeErrors, RecipeText, Span, Spanned, Value, parse};
use crate::ops::{self, Op, OpSpec};
use crate::report::nearest;

/// The recipe versions that this build reads.
const VERSION: i128 = 1;

/// What to read.
#[derive(Debug, Clone)]
pub struct RecipeInput {
    /// The text under its name.
    pub text: RecipeText,
    /// An inline recipe may leave the header out.
    pub inline: bool,
    /// What building may look at.
    pub context: BuildContext,
}

/// The value of a pin in the recipe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinValue {
    /// `count`, `files`, `changes`, `overwrites`.
    pub name: &'static str,
    /// The number written.
    pub expected: u64,
    /// The number's text in the recipe.
    pub span: Span,
}

/// One op, ready to run.
pub struct BuiltOp {
    /// Its entry in the table.
    pub spec: &'static OpSpec,
    /// The line its name stands on.
    pub line: usize,
    /// The node it was built from.
    pub node: Node,
    /// The pins that the recipe gives.
    pub pins: Vec<PinValue>,
    /// The typed op.
    pub op: Box<dyn Op>,
}

impl BuiltOp {
    /// Where an argument stands; the op's name when it is not given.
    pub fn span(&self, argument: Option<&str>) -> Span {
        let property = argument.and_then(|name| self.node.properties.iter().find(|p| p.name.value == name));
        property.map_or_else(|| self.node.name.span.clone(), |p| p.name.span.start..p.value.span.end)
    }

    /// The text of an argument, when it is given as text.
    pub fn text(&self, argument: &str) -> Option<&str> {
        let property = self.node.properties.iter().find(|p| p.name.value == argument)?;
        match &property.value.value {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }
}

/// A whole recipe, built.
pub struct Recipe {
    /// Its text.
    pub text: RecipeText,
    /// The version its header gives.
    pub version: u64,
    /// The ops in order.
    pub ops: Vec<BuiltOp>,
    /// What is odd but allowed.
    pub warnings: Vec<RecipeError>,
}

impl Recipe {
    /// Reads and builds a recipe.
    ///
    /// # Errors
    /// All mistakes of the text together.
    pub fn build(input: &RecipeInput) -> Result<Self, RecipeErrors> {
        let text = &input.text;
        let (nodes, mut errors) = parse(text.text());
        let syntax_failed = nodes.is_empty() && !errors.is_empty();
        let mut built = Vec::new();
        if !syntax_failed {
            check_header(&nodes, input.inline, text.text(), &mut errors);
            ops::check_order(&nodes, &mut errors);
            let context = BuildContext { inline: input.inline, ..input.context.clone() };
            for node in nodes.into_iter().filter(|n| n.name.value != "recipe") {
                built.extend(build_op(node, text, &context, &mut errors));
            }
        }
        if !errors.is_empty() {
            errors.sort_by_key(|e| e.span.start);
            return Err(RecipeErrors { text: text.clone(), errors });
        }
        let mut warnings = Vec::new();
        if built.is_empty() {
            let warning = RecipeError::new(0..0, "the recipe has no ops: the tree comes out as it went in");
            warnings.push(warning.help("are they commented out?"));
        }
        for op in &built {
            warnings.extend(op.op.warnings(op));
        }
        Ok(Self { text: text.clone(), version: 1, ops: built, warnings })
    }
}

fn check_header(nodes: &[Node], inline: bool, text: &str, errors: &mut Vec<RecipeError>) {
    let mut headers = nodes.iter().enumerate().filter(|(_, n)| n.name.value == "recipe");
    match headers.next() {
        Some((0, header)) => check_version(header, errors),
        Some((_, header)) => errors.push(
            RecipeError::new(header.span.clone(), "the header stands after an op")
                .help("`recipe version=1` is the first node of a recipe"),
        ),
        None if inline => {}
        None => {
            let at = nodes.first().map_or(text.len()..text.len(), |n| n.name.span.clone());
            errors.push(
                RecipeError::new(at, "the header is missing").help("begin the recipe with: recipe version=1"),
            );
        }
    }
    errors.extend(headers.map(|(_, header)| {
        RecipeError::new(header.span.clone(), "a second header").help("keep the one at the top")
    }));
}

fn check_version(header: &Node, errors: &mut Vec<RecipeError>) {
    let name = header.name.span.clone();
    for property in header.properties.iter().filter(|p| p.name.value != "version") {
        errors.push(
            RecipeError::new(
                property.name.span.clone(),
                format!("recipe: unknown argument `{}`", property.name.value),
            )
            .help("the header takes version= only"),
        );
    }
    let version = header.properties.iter().find(|p| p.name.value == "version").map(|p| &p.value);
    let error = match version {
        None => RecipeError::new(name, "recipe: the header gives no version"),
        Some(Spanned { value: Value::Integer(VERSION), .. } | Spanned { value: Value::Invalid, .. }) => {
            return;
        }
        Some(Spanned { value: Value::Integer(number), span }) => RecipeError::new(
            span.clone(),
            format!("recipe: version {number} is not known; this build reads version 1"),
        ),
        Some(Spanned { span, .. }) => RecipeError::new(span.clone(), "recipe: version must be an integer"),
    };
    let newer = error.message.contains("is not known");
    let help = if newer {
        "a newer kernel-port reads it; or write: recipe version=1"
    } else {
        "write: recipe version=1"
    };
    errors.push(error.help(help));
}

fn build_op(
    node: Node,
    text: &RecipeText,
    context: &BuildContext,
    errors: &mut Vec<RecipeError>,
) -> Option<BuiltOp> {
    let Some(spec) = ops::find(&node.name.value) else {
        let message = format!("unknown op `{}`", node.name.value);
        let error = RecipeError::new(node.name.span.clone(), message);
        let known = ops::TABLE.iter().map(|s| s.name).chain(["recipe"]);
        errors.push(match nearest::one(&node.name.value, known) {
            Some(near) => error.help(format!("did you mean `{near}`?")),
            None => error.help("`kernel-port ops` lists them"),
        });
        return None;
    };
    let mut args = Args::new(spec.name, spec.args, &node, text.text(), context);
    let op = (spec.build)(&mut args);
    let pins = spec.pins().filter_map(|name| {
        let value = args.spanned::<u64>(name)?;
        Some(PinValue { name, expected: value.value, span: value.span })
    });
    let pins = pins.collect();
    errors.extend(args.finish());
    let line = text.position(node.name.span.start).line;
    Some(BuiltOp { spec, line, pins, op: op?, node })
}

/// The ops that could be pinned and are not, for `--require-pins`: without a pin a new upstream file or a new match
/// goes through unseen. `found` says what an op counted, where it ran.
pub fn unpinned(recipe: &Recipe, found: impl Fn(usize) -> Vec<(&'static str, u64)>) -> Vec<RecipeError> {
    let missing = recipe.ops.iter().enumerate().filter(|(_, built)| {
        let by_content = built.node.properties.iter().any(|p| p.name.value == "sha256");
        built.spec.pins().next().is_some() && built.pins.is_empty() && !by_content
    });
    let error = |(index, built): (usize, &BuiltOp)| {
        // Modules that are missing are the exception; where there are none, no pin needs to say so.
        let mut counts = found(index);
        counts.retain(|(pin, number)| *pin != "missing" || *number > 0);
        let help = if counts.is_empty() {
            let mut pins: Vec<String> = built.spec.pins().map(|pin| format!("{pin}=")).collect();
            pins.sort_by_key(|pin| pin == "missing=");
            format!("--require-pins asks for {}", pins.join(" or "))
        } else {
            let numbers: Vec<String> = counts.iter().map(|(pin, number)| format!("{pin}={number}")).collect();
            format!("write {}, if the matches that --verbose lists are right", numbers.join(" "))
        };
        RecipeError::new(built.node.name.span.clone(), format!("{}: is not pinned", built.spec.name))
            .help(help)
    };
    missing.map(error).collect()
}
