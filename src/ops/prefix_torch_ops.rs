//! `prefix_torch_ops`: operators under a fixed namespace move to the one that the builder generates.

use super::python_files::{PythonFile, nothing, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Op, OpSpec, Plan};
use crate::python::edit::line_ending;
use crate::python::{Binding, Call, Role, ScopeId, StatementKind, StringLiteral};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath};
use crate::report::plural;
use crate::workspace::{Change, RepoPath, TextEdit};
use std::collections::BTreeSet;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "prefix_torch_ops",
    summary: "Moves operators from a fixed namespace to the one that the builder generates",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files, below torch-ext/<package>"),
        ArgSpec::required("namespace", ArgType::Text, "the fixed namespace, the part before `::`"),
        ArgSpec::optional("changes", ArgType::Pin, "how many places are rewritten"),
    ],
    failures: &[
        "no operator of the namespace is registered or used, and there is no `changes=0`",
        "a `Library(\"namespace\", ...)`, which has no form with a generated namespace",
        "the file uses the name `ops` for something else",
        "a file with such operators lies outside of torch-ext/<package>",
        "a matched file that mentions the namespace does not parse",
    ],
    example: Some(Example {
        recipe: r#"prefix_torch_ops in="torch-ext/pkg/**" namespace="pkg" changes=2"#,
        files: &[(
            "torch-ext/pkg/layers/relu.py",
            "import torch\n\n\n@torch.library.custom_op(\"pkg::relu\", mutates_args=())\ndef relu(x: torch.Tensor) -> torch.Tensor:\n    return torch.ops.pkg.fwd(x)\n",
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

const PREFIX: &str = "add_op_namespace_prefix";

struct PrefixTorchOps {
    within: Glob,
    namespace: String,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, namespace) = (args.get("in"), args.get::<ModulePath>("namespace"));
    if namespace.as_ref().is_some_and(|n| n.as_str().contains('.')) {
        args.error("namespace", "namespace= is one name, without dots", "it is the part before `::`");
    }
    Some(Box::new(PrefixTorchOps { within: within?, namespace: namespace?.as_str().to_owned() }))
}

/// What one file needs.
#[derive(Default)]
struct Found {
    edits: Vec<TextEdit>,
    places: Vec<Evidence>,
    names: BTreeSet<&'static str>,
}

impl Op for PrefixTorchOps {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let selection = select(context.workspace, &self.within, &self.namespace)?;
        let (mut changes, mut places) = (Vec::new(), Vec::new());
        let (mut libraries, mut taken, mut outside) = (Vec::new(), Vec::new(), Vec::new());
        for file in &selection.files {
            libraries.extend(self.libraries(file));
            let mut found = Found::default();
            self.registrations(file, &mut found);
            self.uses(file, &mut found);
            if found.places.is_empty() {
                continue;
            }
            if found.names.contains("ops") {
                taken.extend(other_ops(file));
            }
            match dots(file.path) {
                Some(dots) => found.edits.extend(import(file, &dots, &found.names)),
                None => outside.push(Evidence::file(file.path)),
            }
            places.append(&mut found.places);
            changes.push(Change::Edit { path: file.path.clone(), edits: found.edits });
        }
        refuse(
            outside,
            "a file with such operators lies outside of torch-ext/<package>",
            "move the package there first",
        )?;
        refuse(
            libraries,
            "a Library of the namespace has no form with a generated one",
            "register with torch.library.define and torch.library.impl instead, with replace first",
        )?;
        refuse(taken, "the name `ops` is used for something else", "rename it first, with replace")?;
        let none = places
            .is_empty()
            .then(|| nothing(&selection, &self.within, &format!("operator of {}", self.namespace)));
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
            notes: selection.notes,
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

/// The function of `torch.library` that a call calls, import aliases undone.
pub fn library_function(file: &crate::python::Module, call: &Call) -> Option<String> {
    let callee = file.dotted(call.root?)?;
    callee.strip_prefix("torch.library.").map(str::to_owned)
}

/// The argument that names the operator, when it is a literal.
pub fn operator_name<'m>(module: &'m crate::python::Module, call: &Call) -> Option<&'m StringLiteral> {
    let keyword = ["name", "op", "qualname"].into_iter().filter_map(|n| module.table.find(n));
    let positional = call.argument(0, None);
    let argument =
        positional.or_else(|| keyword.into_iter().find_map(|name| call.argument(usize::MAX, Some(name))));
    Some(&module.strings[argument?.string?])
}

impl PrefixTorchOps {
    fn registrations(&self, file: &PythonFile<'_>, found: &mut Found) {
        let module = &file.module;
        let start = format!("{}::", self.namespace);
        for call in &module.calls {
            let registers =
                library_function(module, call).is_some_and(|f| REGISTRATIONS.contains(&f.as_str()));
            let Some(name) = operator_name(module, call).filter(|n| registers && n.value.starts_with(&start))
            else {
                continue;
            };
            let Some(content) = name.content.as_ref().filter(|_| name.verbatim) else { continue };
            let (from, to) = (&name.range, content.start + start.len());
            found.edits.push(TextEdit::new(from.start..from.start, format!("{PREFIX}(")));
            found.edits.push(TextEdit::new(content.start..to, ""));
            found.edits.push(TextEdit::new(from.end..from.end, ")"));
            found.places.push(file.line(&name.range));
            found.names.insert(PREFIX);
        }
    }

    /// `torch.ops.<namespace>`, whatever stands behind it.
    fn uses(&self, file: &PythonFile<'_>, found: &mut Found) {
        let module = &file.module;
        let wanted = format!("torch.ops.{}", self.namespace);
        for (index, name) in module.names.iter().enumerate().filter(|(_, n)| n.role == Role::Use) {
            let Some(path) = module.dotted(index) else { continue };
            let Some(rest) = path.strip_prefix(&wanted) else { continue };
            if !rest.is_empty() && !rest.starts_with('.') {
                continue;
            }
            let behind = rest.matches('.').count();
            let attributes = &module.attributes[name.attributes.clone()];
            let Some(last) = attributes.len().checked_sub(behind + 1).and_then(|at| attributes.get(..=at))
            else {
                continue;
            };
            if last.iter().any(|attribute| !attribute.adjacent) {
                continue;
            }
            let end = last.last().map_or(name.range.end, |a| a.range.end);
            found.edits.push(TextEdit::new(name.range.start..end, "ops"));
            found.places.push(file.line(&name.range));
            found.names.insert("ops");
        }
    }

    fn libraries(&self, file: &PythonFile<'_>) -> Vec<Evidence> {
        let module = &file.module;
        let is_ours = |call: &&Call| {
            library_function(module, call).as_deref() == Some("Library")
                && operator_name(module, call).is_some_and(|n| *n.value == *self.namespace)
        };
        module.calls.iter().filter(is_ours).map(|call| file.evidence(&call.range)).collect()
    }
}

/// Module-level bindings of `ops` that are not the generated module's.
fn other_ops(file: &PythonFile<'_>) -> Vec<Evidence> {
    let module = &file.module;
    let Some(id) = module.table.find("ops") else { return Vec::new() };
    let bindings = module.bindings(ScopeId::MODULE, id).map(|at| &module.names[at]);
    let other = bindings.filter(|name| match name.role {
        Role::Bind(Binding::Import(import, _)) => {
            let import = &module.imports[import];
            !(import.level > 0 && import.module == "_ops")
        }
        Role::Use => false,
        _ => true,
    });
    other.map(|name| file.line(&name.range)).collect()
}

/// The dots that lead from a file to its package; `None` outside of `torch-ext/<package>`.
fn dots(path: &RepoPath) -> Option<String> {
    let mut components = path.components();
    let inside = components.next() == Some(b"torch-ext");
    let depth = components.count();
    (inside && depth >= 2).then(|| ".".repeat(depth - 1))
}

/// The import of what is needed, behind the last import of the header.
fn import(file: &PythonFile<'_>, dots: &str, names: &BTreeSet<&'static str>) -> Option<TextEdit> {
    let module = &file.module;
    let there = |name: &str| {
        let ours = module.imports.iter().filter(|i| {
            i.level == dots.len() && i.module == "_ops" && i.scope == ScopeId::MODULE && i.depth == 0
        });
        ours.flat_map(|i| &i.aliases).any(|a| a.name == name && a.bound() == name)
    };
    let missing: Vec<&str> = names.iter().copied().filter(|name| !there(name)).collect();
    if missing.is_empty() {
        return None;
    }
    let ending = line_ending(&file.content);
    let statement = format!("from {dots}_ops import {}{ending}", missing.join(", "));
    let header = module
        .statements
        .iter()
        .take_while(|s| !matches!(s.kind, StatementKind::Definition(_) | StatementKind::Other));
    let Some(last) = header.last() else {
        let at = module.statements.first().map_or(0, |s| s.range.start);
        return Some(TextEdit::new(at..at, statement));
    };
    let at = module.lines().next(last.range.end, &file.content);
    let ended = at > 0 && matches!(file.content[at - 1], b'\n' | b'\r');
    Some(TextEdit::new(at..at, format!("{}{statement}", if ended { "" } else { ending })))
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use crate::python::Module;

    const RECIPE: &str = r#"prefix_torch_ops in="torch-ext/pkg/**" namespace="ns""#;

    fn prefixed(path: &str, text: &str) -> String {
        let (_, tree) = Port::new(RECIPE).file(path, text).ok();
        assert!(Module::parse(tree[path].as_bytes()).is_ok(), "{}", tree[path]);
        tree[path].clone()
    }

    #[test]
    fn registrations_in_every_form() {
        for (before, after) in [
            (
                "import torch\n@torch.library.custom_op(\"ns::f\", mutates_args=())\ndef f(): pass\n",
                "import torch\nfrom ._ops import add_op_namespace_prefix\n@torch.library.custom_op(add_op_namespace_prefix(\"f\"), mutates_args=())\ndef f(): pass\n",
            ),
            (
                "from torch.library import triton_op as t\n@t(name='ns::f')\ndef f(): pass\n",
                "from torch.library import triton_op as t\nfrom ._ops import add_op_namespace_prefix\n@t(name=add_op_namespace_prefix('f'))\ndef f(): pass\n",
            ),
            (
                "from torch import library\nlibrary.define(\"ns::f\", \"() -> ()\")\nlibrary.impl(\"ns::f\", \"cuda\", g)\n",
                "from torch import library\nfrom ._ops import add_op_namespace_prefix\nlibrary.define(add_op_namespace_prefix(\"f\"), \"() -> ()\")\nlibrary.impl(add_op_namespace_prefix(\"f\"), \"cuda\", g)\n",
            ),
        ] {
            assert_eq!(prefixed("torch-ext/pkg/a.py", before), after);
        }
    }

    #[test]
    fn uses_with_the_right_dots_and_one_import() {
        assert_eq!(
            prefixed(
                "torch-ext/pkg/s/t/a.py",
                "\"\"\"Doc.\"\"\"\nimport torch\n\nx = torch.ops.ns.f(torch.ops.ns.g.default)\ny = torch.ops.nsx.f\nz = torch.ops.ns\n"
            ),
            "\"\"\"Doc.\"\"\"\nimport torch\nfrom ..._ops import ops\n\nx = ops.f(ops.g.default)\ny = torch.ops.nsx.f\nz = ops\n"
        );
        assert_eq!(
            prefixed("torch-ext/pkg/a.py", "import torch\nfrom ._ops import ops\ntorch.ops.ns.f()\n"),
            "import torch\nfrom ._ops import ops\nops.f()\n"
        );
        assert_eq!(
            prefixed(
                "torch-ext/pkg/a.py",
                "import torch\r\n@torch.library.register_fake('ns::f')\r\ndef f(): return torch.ops.ns.f()"
            ),
            "import torch\r\nfrom ._ops import add_op_namespace_prefix, ops\r\n@torch.library.register_fake(add_op_namespace_prefix('f'))\r\ndef f(): return ops.f()"
        );
    }

    #[test]
    fn near_misses_stay() {
        for text in [
            "import torch\nf.register_kernel('cuda')\n",
            "import torch\n@torch.library.custom_op('other::f')\ndef f(): pass\n",
            "# torch.ops.ns.f\nx = 'ns::f'\nprint('ns::f')\n",
            "def f(torch):\n    return torch.ops.ns.f\n",
        ] {
            let failure = Port::new(RECIPE).file("torch-ext/pkg/a.py", text).fails();
            assert!(failure.message.starts_with("no operator of ns"), "{text}: {}", failure.message);
        }
    }

    #[test]
    fn what_cannot_be_moved_is_refused() {
        let fails = |path: &str, text: &str| {
            Port::new(&RECIPE.replace("torch-ext/pkg/**", "**")).file(path, text).fails().message
        };
        let path = "torch-ext/pkg/a.py";
        assert_eq!(
            fails(path, "from torch.library import Library\nl = Library('ns', 'DEF')\n"),
            "a Library of the namespace has no form with a generated one"
        );
        assert_eq!(
            fails(path, "import torch\nops = 1\ntorch.ops.ns.f()\n"),
            "the name `ops` is used for something else"
        );
        assert_eq!(
            fails("pkg/a.py", "import torch\ntorch.ops.ns.f()\n"),
            "a file with such operators lies outside of torch-ext/<package>"
        );
    }
}
