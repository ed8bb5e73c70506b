//! `prefix_torch_ops`: operators under a fixed namespace move to the one that the builder generates.

use super::near_modules::near_namespace;
use super::operator_names::{self, Place};
use super::python_files::{PythonFile, nothing, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Note, Op, OpSpec, Plan};
use crate::python::ByteRange;
use crate::python::generated_ops;
use crate::python::header::{behind, behind_fixed, last_import};
use crate::python::literals::opening;
use crate::recipe::{ArgSpec, ArgType, Args, Glob, Identifier};
use crate::report::plural;
use crate::workspace::{Change, RepoPath, TextEdit};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "prefix_torch_ops",
    group: Group::Python,
    summary: "Moves operators from a fixed namespace to the one that the builder generates",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files, below torch-ext/<package>"),
        ArgSpec::required("namespace", ArgType::Text, "the fixed namespace, the part before `::`"),
        ArgSpec::optional("changes", ArgType::Pin, "how many places are rewritten"),
    ],
    guarantees: &[
        "`_ops` is imported once a file, with the right number of dots",
        "strings that are no name of a registration stay",
    ],
    failures: &[
        "no operator of the namespace is registered or used, and there is no `changes=0`",
        "an operator is named in a form that cannot be edited: escapes, several parts, `from torch.ops import`",
        "a file with such operators lies outside of torch-ext/<package>",
        "a matched file that mentions the namespace does not parse",
    ],
    example: Some(Example {
        recipe: r#"prefix_torch_ops in="torch-ext/pkg/**" namespace="pkg" changes=2"#,
        files: &[(
            "torch-ext/pkg/layers/relu.py",
            "import torch\n\n@torch.library.custom_op(\"pkg::relu\", mutates_args=())\ndef relu(x: torch.Tensor) -> torch.Tensor:\n    return torch.ops.pkg.fwd(x)\n",
        )],
    }),
    build,
};

/// The functions of `torch.library` whose first argument names an operator.
pub const REGISTRATIONS: &[&str] = &[
    "custom_op",
    "define",
    "impl",
    "impl_abstract",
    "register_autocast",
    "register_autograd",
    "register_fake",
    "register_kernel",
    "register_torch_dispatch",
    "register_vmap",
    "triton_op",
];

/// What the generated `_ops` holds: a function that puts the namespace before a name, and the namespace's operators.
const PREFIX: &str = "add_op_namespace_prefix";
const OPS: &str = "ops";

struct PrefixTorchOps {
    within: Glob,
    namespace: String,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, namespace) = (args.get("in"), args.get::<Identifier>("namespace"));
    Some(Box::new(PrefixTorchOps { within: within?, namespace: namespace?.0 }))
}

impl Op for PrefixTorchOps {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let selection = select(context.workspace, &self.within, &self.namespace)?;
        let (mut changes, mut places, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let (mut refused, mut outside) = (Vec::new(), Vec::new());
        for file in &selection.files {
            let mut found = operator_names::find(file, &self.namespace);
            refused.append(&mut found.refused);
            left.append(&mut found.stays);
            if found.places.is_empty() {
                continue;
            }
            places.extend(found.places.iter().map(|place| file.line(place.range())));
            match dots(file.path) {
                Some(dots) => {
                    changes.push(Change::Edit {
                        path: file.path.clone(),
                        edits: edits(file, &dots, &found.places),
                    });
                }
                None => outside.push(Evidence::file(file.path)),
            }
        }
        refuse(
            outside,
            "a file with such operators lies outside of torch-ext/<package>",
            "move the package there first",
        )?;
        refuse(
            refused,
            "operators are named in a form that cannot be edited",
            "write \"namespace::op\" or torch.ops.namespace.op in one piece first, with replace",
        )?;
        let none = places.is_empty().then(|| {
            let failure = nothing(&selection, &self.within, &format!("operator of {}", self.namespace));
            match left.is_empty() {
                true => near_namespace(failure, context.workspace, &selection.paths, &self.namespace),
                false => failure.evidence(left.clone()).hint(
                    "these may name operators, but in a form that is not followed: write \"namespace::op\" first, with replace",
                ),
            }
        });
        let (names, files) = (
            plural(places.len(), ("operator name", "operator names")),
            plural(changes.len(), ("file", "files")),
        );
        Ok(Plan {
            log: format!("prefixed {names} in {files}"),
            counts: vec![Count {
                pin: "changes",
                noun: ("change", "changes"),
                found: places.len() as u64,
                evidence: places,
            }],
            changes,
            notes: [selection.notes, left.iter().map(stays).collect()].concat(),
            none,
            ..Plan::default()
        })
    }
}

fn refuse(evidence: Vec<Evidence>, message: &str, hint: &str) -> Result<(), Failure> {
    if evidence.is_empty() {
        return Ok(());
    }
    Err(Failure::new(FailureKind::Refused, message).at("in").evidence(evidence).hint(hint))
}

/// The name of `_ops` that a place needs.
fn needs(place: &Place) -> &'static str {
    match place {
        Place::Literal(..) | Place::Namespace(_) => PREFIX,
        Place::Ops(_) => OPS,
    }
}

fn stays(evidence: &Evidence) -> Note {
    let at = evidence.position.map_or_else(String::new, |p| format!(":{p}"));
    Note::Warning(format!("{}{at}: {} may name an operator and stays as it is", evidence.path, evidence.text))
}

/// The dots that lead from a file to its package; `None` outside of `torch-ext/<package>`.
fn dots(path: &RepoPath) -> Option<String> {
    let mut components = path.components();
    let inside = components.next() == Some(b"torch-ext");
    let depth = components.count();
    (inside && depth >= 2).then(|| ".".repeat(depth - 1))
}

/// The `f` of an f-string in which nothing is left to be formatted behind `kept`.
fn idle_letter(content: &[u8], literal: &ByteRange, kept: usize) -> Option<ByteRange> {
    let opening = opening(content, literal).filter(|opening| opening.formatted)?;
    let is_plain = |b: &u8| !matches!(b, b'{' | b'}' | b'"' | b'\'');
    let rest = &content[kept..literal.end];
    let length = rest.iter().take_while(|b| is_plain(b)).count();
    let ends = rest[length..].iter().all(|b| matches!(b, b'"' | b'\''));
    let letter = content[literal.start..opening.text].iter().position(|b| matches!(b, b'f' | b'F'))?;
    ends.then(|| literal.start + letter..literal.start + letter + 1)
}

/// The edits of one file: every place, and the import of what they need.
fn edits(file: &PythonFile<'_>, dots: &str, places: &[Place]) -> Vec<TextEdit> {
    let first = places.iter().map(|place| place.range().start).min().unwrap_or(0);
    let needed: BTreeSet<&str> = places.iter().map(needs).collect();
    let mut locals: BTreeMap<&str, String> = BTreeMap::new();
    let mut missing = Vec::new();
    for name in needed {
        let local = generated_ops::imported(&file.module, dots, name, first).unwrap_or_else(|| {
            let local = generated_ops::free_name(&file.module, dots, name);
            missing.push(if local == name { local.clone() } else { format!("{name} as {local}") });
            local
        });
        locals.insert(name, local);
    }
    let mut edits = Vec::new();
    for place in places {
        let local = locals.get(needs(place)).map_or("", String::as_str);
        match place {
            Place::Literal(range, front) => {
                edits.push(TextEdit::new(range.start..range.start, format!("{local}(")));
                edits.extend(idle_letter(&file.content, range, front.end).map(|f| TextEdit::new(f, "")));
                edits.push(TextEdit::new(front.clone(), ""));
                edits.push(TextEdit::new(range.end..range.end, ")"));
            }
            Place::Namespace(range) => {
                edits.push(TextEdit::new(range.clone(), format!("{local}(\"\").removesuffix(\"::\")")));
            }
            Place::Ops(range) => edits.push(TextEdit::new(range.clone(), local)),
        }
    }
    if !missing.is_empty() {
        let statement = [format!("from {dots}_ops import {}", missing.join(", "))];
        edits.push(match last_import(&file.module, first) {
            Some(index) => behind(&file.content, &file.module, index, first, &statement),
            None => behind_fixed(&file.content, &file.module, first, &statement),
        });
    }
    edits
}
