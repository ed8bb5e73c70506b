//! What a dotted expression means: `il.import_module` after `import importlib as il` is `importlib.import_module`.

use super::{Binding, ImportKind, Module, Role};

impl Module {
    /// The absolute dotted path of a name and the attributes behind it, import aliases undone. A name that no import binds
    /// stands for itself. `None` when something other than one import binds it.
    pub fn dotted(&self, name: usize) -> Option<String> {
        let place = self.names.get(name)?;
        let mut path = self.meaning(name)?;
        for attribute in self.attributes_of(place) {
            path.push('.');
            path.push_str(self.text(attribute.id));
        }
        Some(path)
    }

    /// What the name alone means.
    fn meaning(&self, name: usize) -> Option<String> {
        let place = &self.names[name];
        let own = self.text(place.id).to_owned();
        let scope = self.resolve(name);
        let mut imported: Option<String> = None;
        for binding in self.bindings(scope, place.id) {
            let Role::Bind(Binding::Import(import, alias)) = self.names[binding].role else { return None };
            let (import, alias) = self.imported(import, alias);
            let path = match import.kind {
                ImportKind::From if import.level > 0 => return None,
                ImportKind::From => format!("{}.{}", import.module, alias.name),
                ImportKind::Import if alias.asname.is_some() => alias.name.clone(),
                // `import a.b` binds `a`.
                ImportKind::Import => own.clone(),
            };
            if imported.as_ref().is_some_and(|other| *other != path) {
                return None;
            }
            imported = Some(path);
        }
        Some(imported.unwrap_or(own))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(text: &str) -> Option<String> {
        let module = Module::parse(text.as_bytes()).unwrap();
        let call = module.calls.last().unwrap();
        module.dotted(call.root.get().unwrap())
    }

    #[test]
    fn aliases_are_undone() {
        for (text, path) in [
            ("import importlib as il\nil.import_module('a')", Some("importlib.import_module")),
            ("from importlib import import_module as im\nim('a')", Some("importlib.import_module")),
            ("import torch.library\ntorch.library.custom_op('a')", Some("torch.library.custom_op")),
            ("from torch import library\ndef f():\n    library.define('a')", Some("torch.library.define")),
            ("__import__('a')", Some("__import__")),
            ("def f(patch):\n    patch('a')", None),
            ("from .x import patch\npatch('a')", None),
            ("try:\n    import mock\nexcept E:\n    from unittest import mock\nmock.patch('a')", None),
        ] {
            assert_eq!(called(text).as_deref(), path, "{text}");
        }
    }
}
