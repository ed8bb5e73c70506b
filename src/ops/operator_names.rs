//! Where a file names operators of a namespace: registrations, uses, lookups and imports.

use super::Evidence;
use super::prefix_torch_ops::REGISTRATIONS;
use super::python_files::PythonFile;
use crate::python::literals::{front, opening};
use crate::python::{Argument, ByteRange, Call, Module, NameId, Role};
use std::collections::BTreeSet;

/// The functions of `torch.library` whose first argument is a namespace.
const LIBRARIES: &[&str] = &["Library", "_scoped_library"];

/// A place that names an operator, and how it is rewritten.
pub enum Place {
    /// The front of a literal `"ns::op"`: the literal, and the `ns::` in it.
    Literal(ByteRange, ByteRange),
    /// The literal `"ns"` of a `Library`.
    Namespace(ByteRange),
    /// `torch.ops.ns`.
    Ops(ByteRange),
}

impl Place {
    /// Where it is.
    pub fn range(&self) -> &ByteRange {
        match self {
            Self::Literal(range, _) | Self::Namespace(range) | Self::Ops(range) => range,
        }
    }
}

/// What is found in one file.
#[derive(Default)]
pub struct Found {
    /// What is rewritten, by where it starts.
    pub places: Vec<Place>,
    /// What names an operator in a form that cannot be edited.
    pub refused: Vec<Evidence>,
    /// The literals among the places, as indices in `Module::strings`.
    rewritten: BTreeSet<usize>,
    /// What may name an operator and is left as it is.
    pub stays: Vec<Evidence>,
}

/// All that a file says of the namespace's operators.
pub fn find(file: &PythonFile<'_>, namespace: &str) -> Found {
    let mut search = Search {
        file,
        namespace,
        start: format!("{namespace}::"),
        is_value: file.module.strings.iter().any(|string| *string.value == *namespace),
        found: Found::default(),
    };
    search.registrations();
    search.uses();
    if search.is_value {
        search.lookups();
    }
    search.imports();
    let Search { start, mut found, .. } = search;
    found.places.sort_by_key(|place| place.range().start);
    for (index, string) in file.module.strings.iter().enumerate() {
        if string.value.starts_with(&start) && !string.docstring && !found.rewritten.contains(&index) {
            found.stays.push(file.evidence(&string.range));
        }
    }
    found
}

/// A file being searched.
struct Search<'f, 'w> {
    file: &'f PythonFile<'w>,
    namespace: &'f str,
    /// `namespace::`.
    start: String,
    /// Whether some string of the file is the namespace: what none is, no constant is either.
    is_value: bool,
    found: Found,
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

impl Search<'_, '_> {
    fn registrations(&mut self) {
        let file = self.file;
        let (module, content) = (&file.module, &file.content);
        let keywords = name_keywords(module);
        for call in &module.calls {
            let by_keyword =
                || keywords.iter().find_map(|name| module.argument(call, usize::MAX, Some(*name)));
            let Some(name) = module.argument(call, 0, None).or_else(by_keyword) else { continue };
            let value = name.string.get().map(|index| &*module.strings[index].value);
            let whole = self.is_namespace(name);
            let may_name = whole
                || match value {
                    Some(value) => value.starts_with(&self.start),
                    None => memchr::memmem::find(&content[name.span.range()], b"::").is_some(),
                };
            if !may_name {
                continue;
            }
            let callees = callees(file, call);
            if whole && callees.iter().any(|c| LIBRARIES.contains(&c.as_str())) {
                self.found.places.push(Place::Namespace(name.span.range()));
                continue;
            }
            if !callees.iter().any(|c| REGISTRATIONS.contains(&c.as_str())) {
                continue;
            }
            let place = match value {
                Some(value) if value.starts_with(&self.start) => {
                    front(content, &name.span.range(), &self.start)
                }
                Some(_) => continue,
                None => self.formatted_front(name),
            };
            match place {
                Some(front) => {
                    self.found.rewritten.extend(name.string.get());
                    self.found.places.push(Place::Literal(name.span.range(), front));
                }
                None if value.is_some() => self.found.refused.push(file.evidence(&name.span.range())),
                // What an f-string or a sum comes to is not known here.
                None => self.found.stays.push(file.evidence(&name.span.range())),
            }
        }
    }

    /// Whether an argument is the namespace, as a literal or as a constant of the file.
    fn is_namespace(&self, argument: &Argument) -> bool {
        let (file, module) = (self.file, &self.file.module);
        if !self.is_value {
            return false;
        }
        let literal = argument.string.get().map(|index| &*module.strings[index].value);
        let value = literal.or_else(|| module.constant(&file.content, argument.root.get()?));
        value == Some(self.namespace)
    }

    /// What goes from the front of an f-string: `ns::` of `f"ns::{name}"`, and `{NAME}::` where the file has
    /// `NAME = "ns"`.
    fn formatted_front(&self, name: &Argument) -> Option<ByteRange> {
        let (module, content) = (&self.file.module, &self.file.content);
        let opening = opening(content, &name.span.range()).filter(|opening| opening.formatted)?;
        if let Some(front) = front(content, &name.span.range(), &self.start) {
            return Some(front);
        }
        let text = &content[opening.text..name.span.end()];
        let close = memchr::memmem::find(text, b"}::").filter(|_| text.first() == Some(&b'{'))?;
        let inside = opening.text + 1..opening.text + close;
        let used = module.names.iter().position(|n| n.range.range() == inside)?;
        let is_ours = module.constant(content, used) == Some(self.namespace);
        is_ours.then(|| opening.text..inside.end + "}::".len())
    }

    /// `torch.ops.<namespace>`, whatever stands behind it.
    fn uses(&mut self) {
        let (file, module) = (self.file, &self.file.module);
        let wanted = format!("torch.ops.{}", self.namespace);
        let namespace = module.table.find(self.namespace);
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
                self.found.places.push(Place::Ops(range));
            } else {
                self.found.refused.push(file.evidence(&range));
            }
        }
    }

    /// `getattr(torch.ops, "<namespace>")`.
    fn lookups(&mut self) {
        let (file, module) = (self.file, &self.file.module);
        for call in &module.calls {
            let [object, name] = module.arguments_of(call) else { continue };
            if !self.is_namespace(name) || callees(file, call) != ["getattr", "getattr"] {
                continue;
            }
            let of = object.root.get().map(|root| module.meanings(&file.content, root)).unwrap_or_default();
            if of == ["torch.ops"] {
                self.found.places.push(Place::Ops(call.span.range()));
            }
        }
    }

    /// `from torch.ops import <namespace>`, which no edit of uses reaches.
    fn imports(&mut self) {
        let file = self.file;
        let of_ops = file.module.imports.iter().filter(|i| i.level == 0 && i.module == "torch.ops");
        let ours = of_ops.filter(|i| i.aliases.iter().any(|a| a.name == self.namespace));
        self.found.refused.extend(ours.map(|import| file.evidence(&import.range)));
    }
}
