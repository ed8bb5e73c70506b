//! Rules about what the package's Python does with torch: operators under fixed names, just-in-time builds, other packages.

use super::files::STDLIB;
use super::{Finding, Input, PythonSource, Rule, Severity};
use crate::ops::prefix_torch_ops::{REGISTRATIONS, library_function};
use crate::python::{Argument, ByteRange, ImportKind, Module, Role, ScopeId};
use crate::workspace::RepoPath;
use std::collections::BTreeSet;

pub(super) const TORCH_OPS: Rule = Rule {
    id: "torch-ops",
    severity: Severity::Error,
    summary: "an operator is registered or used under a fixed namespace",
    breaks: "two versions of the kernel in one process register the same operator, and the second fails to load",
    fix: "prefix_torch_ops rewrites registrations and uses",
    whole: true,
    check: torch_ops,
};

pub(super) const JIT: Rule = Rule {
    id: "jit",
    severity: Severity::Warning,
    summary: "an extension is compiled when the package is imported or called",
    breaks: "users need a compiler, and wait for it",
    fix: "list the sources in a kernel section, so that they are compiled once",
    whole: true,
    check: jit,
};

pub(super) const THIRD_PARTY: Rule = Rule {
    id: "third-party",
    severity: Severity::Warning,
    summary: "a module-level import of a package that the kernel does not declare",
    breaks: "the kernel does not load where the package is not installed",
    fix: "declare it in python_depends if the builder knows it, or import it where it is used",
    whole: true,
    check: third_party,
};

/// Namespaces that are PyTorch's own.
const TORCH_OWN: &[&str] = &[
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
    "torchvision",
    "torchao",
];
/// Attributes of `torch.ops` that are no namespace.
const NO_NAMESPACE: &[&str] = &["load_library", "import_module", "loaded_libraries"];

fn each(
    input: &Input<'_>,
    mut look: impl FnMut(&RepoPath, &PythonSource, &Module, &mut dyn FnMut(&ByteRange, String)),
    rule: &Rule,
    findings: &mut Vec<Finding>,
) {
    for package in input.packages.iter().filter(|_| input.manifest.is_some()) {
        for (path, source, module) in input.modules(package) {
            let mut found = |range: &ByteRange, message: String| {
                let place = source.evidence(path, module, range);
                findings.push(Finding { rule: rule.id, severity: rule.severity, place, message });
            };
            look(path, source, module, &mut found);
        }
    }
}

fn torch_ops(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let look = |_: &RepoPath,
                source: &PythonSource,
                module: &Module,
                found: &mut dyn FnMut(&ByteRange, String)| {
        for call in &module.calls {
            let Some(function) = library_function(module, call) else { continue };
            if !REGISTRATIONS.contains(&function.as_str()) && function != "Library" {
                continue;
            }
            let name = call.argument(0, None).or_else(|| {
                let keywords =
                    ["name", "op", "qualname", "ns"].into_iter().filter_map(|n| module.table.find(n));
                keywords.into_iter().find_map(|n| call.argument(usize::MAX, Some(n)))
            });
            // A name or a call holds what somebody computed: add_op_namespace_prefix, or an operator object.
            if let Some(name) = name.filter(|a| is_string(&source.content, a)) {
                let text = String::from_utf8_lossy(&source.content[name.range.clone()]).into_owned();
                found(
                    &call.range,
                    format!("torch.library.{function} names {text}, not add_op_namespace_prefix(...)"),
                );
            }
        }
        let mut seen = BTreeSet::new();
        for (index, name) in module.names.iter().enumerate().filter(|(_, n)| n.role == Role::Use) {
            let Some(path) = module.dotted(index) else { continue };
            let Some(rest) = path.strip_prefix("torch.ops.") else { continue };
            let mut parts = rest.split('.');
            let (namespace, operator) = (parts.next().unwrap_or(rest), parts.next());
            let own = TORCH_OWN.contains(&namespace) || NO_NAMESPACE.contains(&namespace);
            if operator.is_some() && !own && seen.insert(name.range.start) {
                let end =
                    module.attributes[name.attributes.clone()].last().map_or(name.range.end, |a| a.range.end);
                found(&(name.range.start..end), format!("uses the fixed namespace torch.ops.{namespace}"));
            }
        }
    };
    each(input, look, &TORCH_OPS, findings);
}

/// Whether an argument is a string literal of any kind, f-strings included.
fn is_string(content: &[u8], argument: &Argument) -> bool {
    let text = &content[argument.range.clone()];
    let prefix = text.iter().take_while(|b| b.is_ascii_alphabetic()).count();
    prefix <= 2 && matches!(text.get(prefix), Some(b'"' | b'\''))
}

fn jit(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let look =
        |_: &RepoPath, _: &PythonSource, module: &Module, found: &mut dyn FnMut(&ByteRange, String)| {
            for call in &module.calls {
                let callee = call.root.and_then(|root| module.dotted(root)).unwrap_or_default();
                if matches!(
                    callee.as_str(),
                    "torch.utils.cpp_extension.load" | "torch.utils.cpp_extension.load_inline"
                ) {
                    found(&call.range, format!("{callee} compiles at run time"));
                }
            }
        };
    each(input, look, &JIT, findings);
}

fn third_party(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let mut known: BTreeSet<String> =
        ["torch", "triton", "__future__", "_thread"].into_iter().map(str::to_owned).collect();
    let tables = manifest.backend_tables();
    let declared =
        manifest.general.python_depends.iter().chain(tables.iter().flat_map(|(_, t)| &t.python_depends));
    known.extend(declared.map(|name| match name.as_str() {
        "nvidia-cutlass-dsl" => "cutlass".to_owned(),
        name => name.replace('-', "_"),
    }));
    let look = |_: &RepoPath,
                _: &PythonSource,
                module: &Module,
                found: &mut dyn FnMut(&ByteRange, String)| {
        let direct = |i: &&crate::python::Import| {
            i.scope == ScopeId::MODULE && i.depth == 0 && i.level == 0 && !i.guarded && !i.type_checking
        };
        for import in module.imports.iter().filter(direct) {
            let modules: Vec<&str> = match import.kind {
                ImportKind::From => vec![&import.module],
                ImportKind::Import => import.aliases.iter().map(|a| a.name.as_str()).collect(),
            };
            for name in modules {
                let top = name.split('.').next().unwrap_or(name);
                // The package's own name is another rule's finding.
                let own =
                    input.packages.iter().any(|p| p.package.name() == top || p.upstream_names.contains(top));
                if !own && !known.contains(top) && !STDLIB.contains(&top) {
                    found(&import.range, format!("{top} is neither in the standard library nor declared"));
                }
            }
        }
    };
    each(input, look, &THIRD_PARTY, findings);
}
