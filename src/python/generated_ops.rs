//! What a file calls the names of the package's generated `_ops`.

use super::{Binding, Import, Module, Role, ScopeId};

/// Whether an import is the module's own of the package's generated `_ops`.
fn is_generated(import: &Import, dots: &str) -> bool {
    import.level == dots.len()
        && import.module == "_ops"
        && import.scope == ScopeId::MODULE
        && import.depth == 0
}

/// The name that an import before `latest` gives to a name of `_ops`, when it means nothing else in the file.
pub fn imported(module: &Module, dots: &str, name: &str, latest: usize) -> Option<String> {
    let early = module.imports.iter().filter(|i| is_generated(i, dots) && i.range.end <= latest);
    let aliases = early.flat_map(|i| &i.aliases).filter(|a| a.name == name);
    aliases.map(|a| a.bound().to_owned()).find(|local| is_free(module, dots, name, local))
}

/// A name for a name of `_ops` that means nothing else in the file.
pub fn free_name(module: &Module, dots: &str, name: &str) -> String {
    let candidates = (0..).map(|n| match n {
        0 => name.to_owned(),
        n => format!("kernel_{name}{}", "_".repeat(n - 1)),
    });
    candidates.into_iter().find(|local| is_free(module, dots, name, local)).unwrap_or_else(|| name.to_owned())
}

/// Whether `local` means the name of `_ops`, or nothing at all, wherever it stands in the file.
fn is_free(module: &Module, dots: &str, name: &str, local: &str) -> bool {
    let Some(id) = module.table.find(local) else { return true };
    let is_ours = |role: Role| match role {
        Role::Bind(Binding::Import(import, alias)) => {
            let (import, alias) = module.imported(import, alias);
            is_generated(import, dots) && alias.name == name
        }
        _ => false,
    };
    let mut places = module.names.iter().filter(|n| n.id == id);
    let has_ours = places.clone().any(|n| is_ours(n.role));
    places.all(|n| is_ours(n.role) || (has_ours && n.role == Role::Use))
}
