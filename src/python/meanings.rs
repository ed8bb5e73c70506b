//! All that a dotted expression may mean: like [`Module::dotted`], but through several imports of one name, relative
//! imports and plain assignments (`w = torch.library.custom_op`) as well.

use super::{Binding, ByteRange, ImportKind, Module, NameId, Role, ScopeId, StringLiteral};
use std::collections::BTreeSet;

/// How many assignments in a row are followed.
const DEEPEST: usize = 4;

/// The variables whose bindings have been looked at, each once.
type Seen = BTreeSet<(ScopeId, NameId)>;

impl Module {
    /// The dotted paths that a name with the attributes behind it may mean; `content` is what was parsed. A name that
    /// nothing binds stands for itself, so does a `def` or `class`. A relative import keeps its dots: `..utils.f`.
    /// Nothing for parameters and for values that are no dotted expression.
    pub fn meanings(&self, content: &[u8], name: usize) -> Vec<String> {
        let mut found = Vec::new();
        self.follow(content, name, DEEPEST, &mut Seen::new(), &mut found);
        found
    }

    fn follow(&self, content: &[u8], index: usize, deepest: usize, seen: &mut Seen, found: &mut Vec<String>) {
        let Some(name) = self.names.get(index) else { return };
        let scope = self.resolve(index);
        if !seen.insert((scope, name.id)) {
            return;
        }
        let mut roots = Vec::new();
        let mut is_bound = false;
        for binding in self.bindings(scope, name.id) {
            match self.names[binding].role {
                Role::Bind(Binding::Import(import, alias)) => roots.push(self.imported_path(import, alias)),
                Role::Bind(Binding::Definition(_)) => roots.push(self.text(name.id).to_owned()),
                Role::Bind(Binding::Assignment) if deepest > 0 => {
                    if let Some(value) = self.assigned(content, binding) {
                        self.follow(content, value, deepest - 1, seen, &mut roots);
                    }
                }
                Role::Use | Role::Global | Role::Nonlocal | Role::Delete => continue,
                Role::Bind(_) => {}
            }
            is_bound = true;
        }
        if !is_bound {
            roots.push(self.text(name.id).to_owned());
        }
        let attributes = self.attributes_of(name);
        for root in roots {
            let path = attributes.iter().fold(root, |path, a| format!("{path}.{}", self.text(a.id)));
            if !found.contains(&path) {
                found.push(path);
            }
        }
    }

    fn imported_path(&self, import: u32, alias: u32) -> String {
        let (import, alias) = self.imported(import, alias);
        match import.kind {
            ImportKind::From if import.module.is_empty() => {
                format!("{}{}", ".".repeat(import.level), alias.name)
            }
            ImportKind::From => format!("{}{}.{}", ".".repeat(import.level), import.module, alias.name),
            ImportKind::Import if alias.asname.is_some() => alias.name.clone(),
            // `import a.b` binds `a`.
            ImportKind::Import => alias.bound().to_owned(),
        }
    }

    /// The string that a name stands for: its variable is bound once, by `NAME = "text"`.
    pub fn constant(&self, content: &[u8], name: usize) -> Option<&str> {
        let used = self.names.get(name).filter(|name| name.attributes.is_empty())?;
        let mut bindings = self.bindings(self.resolve(name), used.id);
        let (binding, None) = (bindings.next()?, bindings.next()) else { return None };
        if self.names[binding].role != Role::Bind(Binding::Assignment) {
            return None;
        }
        let target = self.names[binding].range.range();
        let value = |literal: &&StringLiteral| is_assignment(content, &target, &literal.range);
        self.strings.iter().find(value).map(|literal| &*literal.value)
    }

    /// The root of the value of `name = a.b.c`, when that is a whole statement.
    fn assigned(&self, content: &[u8], target: usize) -> Option<usize> {
        // A value is evaluated before its target is bound.
        let value = target.checked_sub(1)?;
        let (name, used) = (&self.names[target], &self.names[value]);
        let is_value =
            used.role == Role::Use && is_assignment(content, &name.range.range(), &self.chain(used));
        is_value.then_some(value)
    }
}

/// Whether `target = value` is a whole statement.
fn is_assignment(content: &[u8], target: &ByteRange, value: &ByteRange) -> bool {
    let (Some(between), Some(rest)) = (content.get(target.end..value.start), content.get(value.end..)) else {
        return false;
    };
    let next = rest.iter().find(|b| !matches!(b, b' ' | b'\t'));
    let ends = next.is_none_or(|b| matches!(b, b'\n' | b'\r' | b'#' | b';'));
    ends && between.trim_ascii() == b"="
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_assignments_of_one_name_do_not_multiply() {
        let text = format!("import t\nx = t.a\n{}x()", "x = x.next\n".repeat(3000));
        assert_eq!(called(&text), ["t.a"]);
    }

    fn called(text: &str) -> Vec<String> {
        let module = Module::parse(text.as_bytes()).unwrap();
        module.meanings(text.as_bytes(), module.calls.last().unwrap().root.get().unwrap())
    }

    #[test]
    fn a_constant_is_bound_once_to_a_literal() {
        for (text, value) in [
            ("N = 'x'  # c\nf(N)", Some("x")),
            ("N = 'x' 'y'; f(N)", Some("xy")),
            ("def f(): return N\nN = 'x'\nf(N)", Some("x")),
            ("N = 'x'\nN = 'y'\nf(N)", None),
            ("N = 'x' + y\nf(N)", None),
            ("N = M = 'x'\nf(N)", None),
            ("N += 'x'\nf(N)", None),
            ("N = 'x'\nf(N.y)", None),
            ("def g(N='x'): f(N)", None),
            ("f(N)", None),
        ] {
            let module = Module::parse(text.as_bytes()).unwrap();
            let name = module.arguments[0].root.get().unwrap();
            assert_eq!(module.constant(text.as_bytes(), name), value, "{text}");
        }
    }

    #[test]
    fn every_binding_is_followed() {
        for (text, meanings) in [
            ("import torch\ntorch.library.custom_op()", &["torch.library.custom_op"][..]),
            ("from torch.library import custom_op as c\nc()", &["torch.library.custom_op"]),
            ("from ..utils import f as g\ng()", &["..utils.f"]),
            ("from . import f\nf()", &[".f"]),
            (
                "import torch\nlib = torch.library\nop = lib.custom_op  # c\nop()",
                &["torch.library.custom_op"],
            ),
            (
                "import torch\nif x:\n    w = torch.library.custom_op\nelse:\n    def noop(): pass\n    w = noop\nw()",
                &["torch.library.custom_op", "noop"],
            ),
            ("try:\n    import torch\nexcept ImportError:\n    torch = None\ntorch.f()", &["torch.f"]),
            (
                "try:\n    from unittest import mock\nexcept E:\n    import mock\nmock.patch()",
                &["unittest.mock.patch", "mock.patch"],
            ),
            ("patch()", &["patch"]),
            ("x = x\nx()", &[]),
            ("a = b\nb = a\na()", &[]),
            ("import t\nx = t.a\nx = x.b\nx = x.c\nx()", &["t.a"]),
            ("def f(torch):\n    torch.x()", &[]),
            ("w = f(torch.x)\nw()", &[]),
            ("w = torch.x(1)\nw()", &[]),
            ("w = torch.x + 1\nw()", &[]),
            ("w += torch.x\nw()", &[]),
            ("a, w = torch.x\nw()", &[]),
        ] {
            assert_eq!(called(text), meanings, "{text}");
        }
    }
}
