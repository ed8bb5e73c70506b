//! The names that a module holds once it is imported, as far as its text tells.

use super::{Module, Role, ScopeId};
use std::collections::BTreeSet;

/// The names of a module.
#[derive(Debug, Clone, Default)]
pub struct Exports {
    names: BTreeSet<String>,
    open: bool,
}

impl Exports {
    /// Reads a module.
    pub fn of(module: &Module) -> Self {
        let mut names = BTreeSet::new();
        for (index, name) in module.names.iter().enumerate() {
            if matches!(name.role, Role::Bind(_)) && module.resolve(index) == ScopeId::MODULE {
                names.insert(module.text(name.id).to_owned());
            }
        }
        let star = module.imports.iter().any(|i| i.star.is_some() && i.scope == ScopeId::MODULE);
        let dynamic =
            ["__getattr__", "globals", "locals", "vars", "setattr", "exec", "eval", "modules", "__dict__"];
        let by_name = module.names.iter().map(|n| n.id).chain(module.attributes.iter().map(|a| a.id));
        let open = star || by_name.into_iter().any(|id| dynamic.contains(&module.text(id)));
        Self { names, open }
    }

    /// What a module holds that cannot be read: anything.
    pub fn unknown() -> Self {
        Self { names: BTreeSet::new(), open: true }
    }

    /// Whether the module may hold a name. Yes when it has a star import or makes names at run time, and for names
    /// that every module has.
    pub fn may_hold(&self, name: &str) -> bool {
        self.open || self.names.contains(name) || (name.starts_with("__") && name.ends_with("__"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_holds_what_it_binds() {
        let holds =
            |source: &str, name| Exports::of(&Module::parse(source.as_bytes()).unwrap()).may_hold(name);
        for source in [
            "def f(): ...",
            "from .a import f",
            "if x:\n  import y as f",
            "f, g = 1, 2",
            "def g():\n  global f\n  f = 1",
            "from .a import *",
            "def __getattr__(name): ...",
            "setattr(sys.modules[__name__], 'f', 1)",
            "globals()['f'] = 1",
        ] {
            assert!(holds(source, "f"), "{source}");
        }
        for source in ["", "def g():\n  f = 1", "class C:\n  f = 1", "x.f = 1", "print(f)"] {
            assert!(!holds(source, "f") && holds(source, "__version__"), "{source}");
        }
    }
}
