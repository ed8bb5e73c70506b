//! `torch-ops`: operators live under the namespace that the builder generates.

use super::{Finding, Input, PythonFile, Rule, Severity};
use crate::ops::prefix_torch_ops::REGISTRATIONS;
use crate::python::{Argument, Binding, ByteRange, Call, NameId, Role, ScopeId};
use std::collections::HashMap;

pub(super) const RULE: Rule = Rule {
    id: "torch-ops",
    severity: Severity::Error,
    summary: "an operator is registered or used under a fixed namespace",
    why: "torch keeps one table of operators a process, and each build of a kernel has a namespace of its own there",
    breaks: "two versions of the kernel in one process register the same operator, and the second fails to load",
    fix: "prefix_torch_ops rewrites registrations and uses",
    whole: true,
    check,
};

/// What turns an operator's name into one under the generated namespace.
const PREFIX: &str = "add_op_namespace_prefix";

/// Namespaces of PyTorch and its companions.
const TORCH_OWN: &[&str] = &[
    "_",
    "aten",
    "c10d",
    "c10d_functional",
    "_c10d_functional",
    "debugprims",
    "fsdp",
    "higher_order",
    "image",
    "inductor",
    "mkl",
    "mkldnn",
    "mkldnn_prepacked",
    "nvprims",
    "onednn",
    "prepacked",
    "prim",
    "prims",
    "profiler",
    "quantized",
    "quantized_decomposed",
    "rngprims",
    "symm_mem",
    "torchao",
    "torchvision",
];

/// Attributes of `torch.ops` that are no namespace.
const NO_NAMESPACE: &[&str] = &["load_library", "import_module", "loaded_libraries"];

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if input.manifest.is_none() {
        return;
    }
    for (_, file) in input.package_modules().filter(|(_, file)| file.may_name("torch")) {
        if file.spells("library", "torch") {
            findings.extend(file.module.calls.iter().filter_map(|call| registration(&file, call)));
        }
        if file.spells("ops", "torch") {
            uses(&file, findings);
            findings.extend(file.module.calls.iter().filter_map(|call| looked_up(&file, call)));
        }
    }
}

/// A call of `torch.library` that names an operator, or a library, in a fixed way.
fn registration(file: &PythonFile<'_>, call: &Call) -> Option<Finding> {
    let module = file.module;
    let meanings = module.meanings(file.content, call.root.get()?);
    let function = meanings.iter().find_map(|m| m.strip_prefix("torch.library."))?;
    if !REGISTRATIONS.contains(&function) && !matches!(function, "Library" | "_scoped_library") {
        return None;
    }
    let keywords = ["name", "op", "qualname", "ns"].into_iter().filter_map(|name| module.table.find(name));
    let by_keyword = || keywords.into_iter().find_map(|name| module.argument(call, usize::MAX, Some(name)));
    let argument = module.argument(call, 0, None).or_else(by_keyword)?;
    // The others take an operator or a library as well, and a Library's name cannot be prefixed.
    let only_a_name = matches!(function, "custom_op" | "triton_op");
    let value = value(file, argument);
    let fixed = value == Value::Fixed || (only_a_name && value == Value::Unknown);
    let text = String::from_utf8_lossy(&file.content[argument.span.range()]).into_owned();
    let message = format!("torch.library.{function} names {text}, not {PREFIX}(...)");
    fixed.then(|| RULE.finding(file.evidence(&call.span.range()), message))
}

/// What an argument says about an operator's name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    /// The generated namespace is in it.
    Prefixed,
    /// It is put together from literals, or one of torch's own namespaces.
    Fixed,
    /// An operator, a library, or something computed elsewhere.
    Unknown,
}

fn value(file: &PythonFile<'_>, argument: &Argument) -> Value {
    let module = file.module;
    if let Some(string) = argument.string.get() {
        let namespace = module.strings[string].value.split("::").next().unwrap_or_default();
        return if TORCH_OWN.contains(&namespace) { Value::Prefixed } else { Value::Fixed };
    }
    let Some(root) = argument.root.get() else { return expression(file, &argument.span.range()) };
    let name = &module.names[root];
    if !name.attributes.is_empty() {
        return Value::Unknown;
    }
    let mut found = Value::Unknown;
    for binding in module.bindings(module.resolve(root), name.id) {
        let bound = &module.names[binding];
        let assigned = match bound.role {
            Role::Bind(Binding::Assignment) => assigned(file, bound.range.end()),
            // An operator is a decorated function.
            Role::Bind(Binding::Definition(_)) => return Value::Prefixed,
            _ => None,
        };
        match assigned.map_or(Value::Unknown, |range| expression(file, &range)) {
            Value::Prefixed => return Value::Prefixed,
            Value::Fixed => found = Value::Fixed,
            Value::Unknown => {}
        }
    }
    found
}

/// An expression: prefixed when it holds a call of the prefix, fixed when it holds a literal.
fn expression(file: &PythonFile<'_>, range: &ByteRange) -> Value {
    let module = file.module;
    let inside = |call: &&Call| range.start <= call.span.start() && call.span.end() <= range.end;
    let is_prefix = |call: &Call| {
        let meanings = call.root.get().map(|root| module.meanings(file.content, root)).unwrap_or_default();
        meanings.iter().any(|meaning| meaning.rsplit('.').next() == Some(PREFIX))
    };
    if module.calls.iter().filter(inside).any(is_prefix) {
        return Value::Prefixed;
    }
    // What another function returns may be an operator or a library; what a method of a literal returns is a text.
    let literal = crate::python::literals::opening(file.content, range).is_some();
    if !literal && module.calls.iter().any(|call| call.span.range() == *range) {
        return Value::Unknown;
    }
    let text = &file.content[range.clone()];
    if text.iter().any(|b| matches!(b, b'"' | b'\'')) { Value::Fixed } else { Value::Unknown }
}

/// The value behind `=` and the end of a target: a call or a string, or the rest of the line. `None` when something else
/// follows the target.
fn assigned(file: &PythonFile<'_>, target: usize) -> Option<ByteRange> {
    let module = file.module;
    let rest = file.content.get(target..)?;
    let line = &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())];
    let value = line.trim_ascii_start().strip_prefix(b"=").filter(|value| !value.starts_with(b"="))?;
    let start = target + line.len() - value.trim_ascii_start().len();
    let calls = module.calls.iter().map(|call| call.span.range());
    let whole =
        calls.chain(module.strings.iter().map(|s| s.range.clone())).filter(|range| range.start == start);
    let comment = module.comments.iter().map(|comment| comment.start).find(|comment| *comment >= start);
    let line_end = comment.unwrap_or(usize::MAX).min(target + line.len());
    Some(start..whole.map(|range| range.end).max().unwrap_or(line_end))
}

/// `torch.ops.<namespace>`, where the namespace is written.
fn uses(file: &PythonFile<'_>, findings: &mut Vec<Finding>) {
    let module = file.module;
    let mut roots: HashMap<(ScopeId, NameId), usize> = HashMap::new();
    for (index, name) in module.names.iter().enumerate() {
        if name.role != Role::Use || name.attributes.is_empty() {
            continue;
        }
        let taken = *roots
            .entry((module.resolve(index), name.id))
            .or_insert_with(|| attributes_before_namespace(file, index));
        let chain = module.attributes_of(name);
        let Some(namespace) = chain.get(taken) else { continue };
        let by_name = taken == 0 || module.text(chain[taken - 1].id) == "ops";
        let text = module.text(namespace.id);
        if by_name && !TORCH_OWN.contains(&text) && !NO_NAMESPACE.contains(&text) {
            let message = format!("uses the fixed namespace torch.ops.{text}");
            findings.push(RULE.finding(file.evidence(&module.chain(name)), message));
        }
    }
}

/// `getattr(torch.ops, "<namespace>")`.
fn looked_up(file: &PythonFile<'_>, call: &Call) -> Option<Finding> {
    let module = file.module;
    let function = &module.names[call.root.get()?];
    if module.text(function.id) != "getattr" || !function.attributes.is_empty() {
        return None;
    }
    let [object, name, ..] = module.arguments_of(call) else { return None };
    let (object, name) = (object.root.get()?, name.string.get()?);
    let namespace = &*module.strings[name].value;
    let fixed = module.meanings(file.content, object).iter().any(|meaning| meaning == "torch.ops")
        && !TORCH_OWN.contains(&namespace)
        && !NO_NAMESPACE.contains(&namespace);
    let message = format!("uses the fixed namespace torch.ops.{namespace}");
    fixed.then(|| RULE.finding(file.evidence(&call.span.range()), message))
}

/// How many attributes lead from a name to `torch.ops`: 0 when it is that, 1 when it is torch; too many otherwise.
fn attributes_before_namespace(file: &PythonFile<'_>, index: usize) -> usize {
    let module = file.module;
    let own: String = module
        .attributes_of(&module.names[index])
        .iter()
        .map(|attribute| format!(".{}", module.text(attribute.id)))
        .collect();
    let meanings = module.meanings(file.content, index);
    let mut roots = meanings.iter().filter_map(|meaning| meaning.strip_suffix(&own));
    let before = |root: &str| match root {
        "torch.ops" => Some(0),
        "torch" => Some(1),
        _ => None,
    };
    roots.find_map(before).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, package};

    const RULE: &str = "torch-ops! torch-ext/pkg/__init__.py:";

    #[test]
    fn fixed_operator_names() {
        let import = "import torch\nfrom torch.library import triton_op as t, custom_op, Library\nfrom ._ops import add_op_namespace_prefix as p\n";
        expect_each(
            RULE,
            |text| package(&format!("{import}{text}")),
            &[
                "@torch.library.custom_op('ns::f', mutates_args=())\ndef f(): pass",
                "def g():\n    @t(name='ns::f')\n    def f(): pass",
                "N = 'ns'\n@torch.library.custom_op(f'{N}::f')\ndef f(): pass",
                "N = 'ns'\n@custom_op(N + '::f')\ndef f(): pass",
                "N = 'ns::f'\n@torch.library.register_fake(N)\ndef f(): pass",
                "def make(name):\n    return custom_op(name)",
                "torch.library.define('ns::f', '() -> ()')",
                "from torch import library as l\nl.impl('ns::f', 'cuda', g)",
                "N = '{}::f'.format(x)\n@custom_op(N)\ndef f(): pass",
                "torch.library.register_fake('%s::f' % x)(g)",
                "wrap = torch.library.custom_op\n@wrap('ns::f')\ndef f(): pass",
                "if x:\n    w = torch.library.register_fake\nelse:\n    def w(n): pass\n@w('ns::f')\ndef f(): pass",
                "lib = Library('ns', 'DEF')",
                "class A:\n    def f(self):\n        torch.library.register_autograd('ns::f', g)",
            ],
            &[
                "@torch.library.custom_op(p('f'), mutates_args=())\ndef f(): pass",
                "from . import _ops\n@t(name=_ops.add_op_namespace_prefix('f'))\ndef f(): pass",
                "NAME = p('f')\n@torch.library.custom_op(NAME)\ndef f(): pass",
                "NAME = p(\n    'f',\n)\n@torch.library.custom_op(NAME)\ndef f(): pass",
                "op = make()  # 'ns::f'\ntorch.library.register_fake(op, g)",
                "@custom_op(p('f'))\ndef f(): pass\n@f.register_kernel('cuda')\ndef g(): pass\nf.register_fake(g)",
                "@custom_op(p('f'))\ndef f(): pass\ntorch.library.register_fake(f, g)\ntorch.library.register_kernel(f, 'cuda')",
                "torch.library.register_autograd(p('f'), g)",
                "lib = Library('aten', 'IMPL')\ntorch.library.impl(lib, 'add', 'CUDA')",
                "torch.library.impl('aten::add', 'CUDA', f)",
                "# torch.library.custom_op('ns::f')\ns = \"torch.library.custom_op('ns::f')\"",
                "torch.library.opcheck('ns::f')",
                "x.library.custom_op('ns::f')",
            ],
        );
        let own = "def custom_op(n): pass\ncustom_op('ns::f')";
        assert_eq!(package(own), [""; 0]);
    }

    #[test]
    fn fixed_namespaces_in_use() {
        expect_each(
            RULE,
            package,
            &[
                "import torch\nclass A:\n    def f(self): return torch.ops.ns.f(1)",
                "from torch import ops\nops.ns.f.default(1)",
                "import torch as t\nx = t.ops.ns",
                "import torch\no = torch.ops\no.ns.f()",
                "import torch\nns = torch.ops.ns\nns.f()\nns.g()",
                "def f():\n    import torch\n    return lambda: torch.ops.ns.f",
                "import torch\ngetattr(torch.ops, 'ns').f()",
            ],
            &[
                "import torch\ntorch.ops.aten.add(1)\ntorch.ops.load_library('x')",
                "# torch.ops.ns.f\nx = 'torch.ops.ns.f'",
                "from ._ops import ops\nops.f(1)",
                "def f(torch): return torch.ops.ns.f",
                "import torch\ntorch.opsx.ns.f()\nx.torch.ops.ns.f()",
                "import triton as torch\ntorch.ops.ns.f()",
                "import torch\nprint(torch.ops)",
                "import torch\ngetattr(torch.ops, name).f()\ngetattr(x.ops, 'ns')\ngetattr(torch.ops, 'aten')",
            ],
        );
    }
}
