//! `prefix_torch_ops`: operators under a fixed namespace move to the one that the builder generates.

use super::near_modules::near_namespace;
use super::python_files::{PythonFile, nothing, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Note, Op, OpSpec, Plan};
use crate::python::generated_ops;
use crate::python::header::{behind, behind_fixed, last_import};
use crate::python::literals::{front, opening};
use crate::python::{Argument, ByteRange, Call, Module, NameId, Role};
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

/// The functions of `torch.library` whose first argument is a namespace.
const LIBRARIES: &[&str] = &["Library", "_scoped_library"];

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

/// A place that names an operator, and how it is rewritten.
enum Place {
    /// The front of a literal `"ns::op"`: the literal, and the `ns::` in it.
    Literal(ByteRange, ByteRange),
    /// The literal `"ns"` of a `Library`.
    Namespace(ByteRange),
    /// `torch.ops.ns`.
    Ops(ByteRange),
}

impl Place {
    fn range(&self) -> &ByteRange {
        match self {
            Self::Literal(range, _) | Self::Namespace(range) | Self::Ops(range) => range,
        }
    }

    /// The name of `_ops` that it needs.
    fn needs(&self) -> &'static str {
        match self {
            Self::Literal(..) | Self::Namespace(_) => PREFIX,
            Self::Ops(_) => OPS,
        }
    }
}

/// What is found in one file.
#[derive(Default)]
struct Found {
    places: Vec<Place>,
    refused: Vec<Evidence>,
    /// The literals among the places, as indices in `Module::strings`.
    rewritten: BTreeSet<usize>,
    /// What may name an operator and is left as it is.
    stays: Vec<Evidence>,
}

impl Op for PrefixTorchOps {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let selection = select(context.workspace, &self.within, &self.namespace)?;
        let (mut changes, mut places, mut left) = (Vec::new(), Vec::new(), Vec::new());
        let (mut refused, mut outside) = (Vec::new(), Vec::new());
        for file in &selection.files {
            let mut found = self.find(file);
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

/// The names by which a function may be known: as it is written, and as its imports and assignments spell it.
fn callees(file: &PythonFile<'_>, call: &Call) -> Vec<String> {
    let module = &file.module;
    let method = call.method.get().map(|at| module.attributes[at].id);
    let written = method.or_else(|| call.root.get().map(|root| module.names[root].id));
    let last = |path: String| path.rsplit('.').next().map(str::to_owned);
    let meanings = call.root.get().map(|root| module.meanings(&file.content, root)).unwrap_or_default();
    written
        .map(|id| module.text(id).to_owned())
        .into_iter()
        .chain(meanings.into_iter().filter_map(last))
        .collect()
}

/// The keywords of an operator's name or, for a `Library`, of the namespace, as far as a file has them.
fn name_keywords(module: &Module) -> Vec<NameId> {
    ["name", "op", "qualname", "op_name", "ns"].into_iter().filter_map(|n| module.table.find(n)).collect()
}

impl PrefixTorchOps {
    fn find(&self, file: &PythonFile<'_>) -> Found {
        let mut found = Found::default();
        // What no string of the file is, no constant of it is either.
        let is_value = file.module.strings.iter().any(|string| *string.value == *self.namespace);
        self.registrations(file, is_value, &mut found);
        self.uses(file, &mut found);
        if is_value {
            self.lookups(file, &mut found);
        }
        self.imports(file, &mut found);
        found.places.sort_by_key(|place| place.range().start);
        let module = &file.module;
        let start = format!("{}::", self.namespace);
        for (index, string) in module.strings.iter().enumerate() {
            if string.value.starts_with(&start) && !string.docstring && !found.rewritten.contains(&index) {
                found.stays.push(file.evidence(&string.range));
            }
        }
        found
    }

    fn registrations(&self, file: &PythonFile<'_>, is_value: bool, found: &mut Found) {
        let (module, content) = (&file.module, &file.content);
        let start = format!("{}::", self.namespace);
        let keywords = name_keywords(module);
        for call in &module.calls {
            let by_keyword =
                || keywords.iter().find_map(|name| module.argument(call, usize::MAX, Some(*name)));
            let Some(name) = module.argument(call, 0, None).or_else(by_keyword) else { continue };
            let value = name.string.get().map(|index| &*module.strings[index].value);
            let whole = is_value && self.is_namespace(file, name);
            let may_name = whole
                || match value {
                    Some(value) => value.starts_with(&start),
                    None => memchr::memmem::find(&content[name.span.range()], b"::").is_some(),
                };
            if !may_name {
                continue;
            }
            let callees = callees(file, call);
            if whole && callees.iter().any(|c| LIBRARIES.contains(&c.as_str())) {
                found.places.push(Place::Namespace(name.span.range()));
                continue;
            }
            if !callees.iter().any(|c| REGISTRATIONS.contains(&c.as_str())) {
                continue;
            }
            let place = match value {
                Some(value) if value.starts_with(&start) => front(content, &name.span.range(), &start),
                Some(_) => continue,
                None => self.formatted_front(file, name, &start),
            };
            match place {
                Some(front) => {
                    found.rewritten.extend(name.string.get());
                    found.places.push(Place::Literal(name.span.range(), front));
                }
                None if value.is_some() => found.refused.push(file.evidence(&name.span.range())),
                // What an f-string or a sum comes to is not known here.
                None => found.stays.push(file.evidence(&name.span.range())),
            }
        }
    }

    /// Whether an argument is the namespace, as a literal or as a constant of the file.
    fn is_namespace(&self, file: &PythonFile<'_>, argument: &Argument) -> bool {
        let module = &file.module;
        let literal = argument.string.get().map(|index| &*module.strings[index].value);
        let value = literal.or_else(|| module.constant(&file.content, argument.root.get()?));
        value == Some(&self.namespace)
    }

    /// What goes from the front of an f-string: `ns::` of `f"ns::{name}"`, and `{NAME}::` where the file has
    /// `NAME = "ns"`.
    fn formatted_front(&self, file: &PythonFile<'_>, name: &Argument, start: &str) -> Option<ByteRange> {
        let (module, content) = (&file.module, &file.content);
        let opening = opening(content, &name.span.range()).filter(|opening| opening.formatted)?;
        if let Some(front) = front(content, &name.span.range(), start) {
            return Some(front);
        }
        let text = &content[opening.text..name.span.end()];
        let close = memchr::memmem::find(text, b"}::").filter(|_| text.first() == Some(&b'{'))?;
        let inside = opening.text + 1..opening.text + close;
        let used = module.names.iter().position(|n| n.range.range() == inside)?;
        let is_ours = module.constant(content, used) == Some(&self.namespace);
        is_ours.then(|| opening.text..inside.end + "}::".len())
    }

    /// `torch.ops.<namespace>`, whatever stands behind it.
    fn uses(&self, file: &PythonFile<'_>, found: &mut Found) {
        let module = &file.module;
        let wanted = format!("torch.ops.{}", self.namespace);
        let namespace = module.table.find(&self.namespace);
        for (index, name) in module.names.iter().enumerate().filter(|(_, n)| n.role == Role::Use) {
            let attributes = module.attributes_of(name);
            if !attributes.iter().any(|a| Some(a.id) == namespace) {
                continue;
            }
            let meanings = module.meanings(&file.content, index);
            let rest = |path: &String| Some(path.strip_prefix(&wanted)?.to_owned());
            let Some(rest) = meanings.iter().find_map(rest).filter(|r| r.is_empty() || r.starts_with('.'))
            else {
                continue;
            };
            // A name that is `torch.ops.<namespace>` itself: its binding is rewritten.
            let Some(length) = attributes.len().checked_sub(rest.matches('.').count()).filter(|n| *n > 0)
            else {
                continue;
            };
            let range = name.range.start()..attributes[length - 1].range.end();
            if attributes[..length].iter().all(|attribute| attribute.adjacent) {
                found.places.push(Place::Ops(range));
            } else {
                found.refused.push(file.evidence(&range));
            }
        }
    }

    /// `getattr(torch.ops, "<namespace>")`.
    fn lookups(&self, file: &PythonFile<'_>, found: &mut Found) {
        let module = &file.module;
        for call in &module.calls {
            let [object, name] = module.arguments_of(call) else { continue };
            if !self.is_namespace(file, name) || callees(file, call) != ["getattr", "getattr"] {
                continue;
            }
            let of = object.root.get().map(|root| module.meanings(&file.content, root)).unwrap_or_default();
            if of == ["torch.ops"] {
                found.places.push(Place::Ops(call.span.range()));
            }
        }
    }

    /// `from torch.ops import <namespace>`, which no edit of uses reaches.
    fn imports(&self, file: &PythonFile<'_>, found: &mut Found) {
        let of_ops = file.module.imports.iter().filter(|i| i.level == 0 && i.module == "torch.ops");
        let ours = of_ops.filter(|i| i.aliases.iter().any(|a| a.name == self.namespace));
        found.refused.extend(ours.map(|import| file.evidence(&import.range)));
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
    let needed: BTreeSet<&str> = places.iter().map(Place::needs).collect();
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
        let local = locals.get(place.needs()).map_or("", String::as_str);
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
