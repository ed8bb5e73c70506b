//! `absolute-import`: the Hub loads a kernel under another name, so no file may import the package by name.

use super::{Finding, Input, PackageDir, Rule, Severity};
use crate::python::{Call, ImportKind, Module};

pub(super) const RULE: Rule = Rule {
    id: "absolute-import",
    severity: Severity::Error,
    summary: "an absolute import of the package, under its name or the one it had upstream",
    breaks: "the Hub loads the package under another name, so the import fails or finds somebody else's package",
    fix: "relativize_imports rewrites statements; a name in a string needs replace, such as import_module(\".sub\", __package__)",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in &input.packages {
        for (path, source, module) in input.modules(package) {
            let mut found = |range: &crate::python::ByteRange, message: String| {
                let place = source.evidence(path, module, range);
                findings.push(Finding { rule: RULE.id, severity: RULE.severity, place, message });
            };
            for import in &module.imports {
                let names: Vec<&str> = match import.kind {
                    ImportKind::From if import.level == 0 => vec![&import.module],
                    ImportKind::From => Vec::new(),
                    ImportKind::Import => import.aliases.iter().map(|a| a.name.as_str()).collect(),
                };
                if let Some(name) = names.into_iter().find(|name| is_own(package, name)) {
                    found(&import.range, format!("imports {name} by its absolute name"));
                }
            }
            for call in &module.calls {
                if let Some(name) = imported_by_call(module, call).filter(|name| is_own(package, name)) {
                    found(&call.range, format!("imports {name} by its absolute name"));
                }
            }
        }
    }
}

fn is_own(package: &PackageDir, module: &str) -> bool {
    let first = module.split('.').next().unwrap_or(module);
    first == package.package.name() || package.upstream_names.contains(first)
}

/// The literal of `importlib.import_module("...")`, `import_module("...")` or `__import__("...")`.
fn imported_by_call<'m>(module: &'m Module, call: &Call) -> Option<&'m str> {
    let name = &module.names[call.root?];
    let last = module.attributes[name.attributes.clone()].last().map_or(name.id, |a| a.id);
    if !matches!(module.text(last), "import_module" | "__import__") {
        return None;
    }
    let literal = call.arguments.first()?.string?;
    Some(&module.strings[literal].value)
}
