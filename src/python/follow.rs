//! Following the name that a plain `import pkg.sub` binds: every place that uses it, and every reason why it cannot
//! be followed exactly.

use super::{
    Binding, ByteRange, Call, Module, Name, NameId, Role, ScopeId, ScopeKind, StatementKind, StringLiteral,
};
use std::collections::BTreeMap;

/// The imports that bind one variable to a package, and all uses of that variable.
#[derive(Debug)]
pub struct Group {
    /// The name's text.
    pub id: NameId,
    /// The scope whose variable it is.
    pub scope: ScopeId,
    /// The package that the name means: `pkg` for `import pkg.sub` and for `import pkg as p`.
    pub package: String,
    /// The imports to rewrite: index of the import, index of the alias.
    pub members: Vec<(usize, usize)>,
    /// Whether another `import pkg.x` binds the same variable and stays.
    pub others: bool,
    /// The uses, as indices in `Module::names`.
    pub uses: Vec<usize>,
    /// Places that make it impossible to say what a use means.
    pub obstacles: Vec<Obstacle>,
}

/// Why an import cannot be rewritten exactly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Obstacle {
    /// The place.
    pub range: ByteRange,
    /// What is there, to be read after the place: `` `pkg` is assigned ``.
    pub reason: String,
}

/// Finds the groups of all imports for which `wanted` says yes: plain ones, and `import pkg as p` (a package without
/// dots), which no `from` import can say.
pub fn groups(module: &Module, mut wanted: impl FnMut(&str) -> bool) -> Vec<Group> {
    let mut found: BTreeMap<(ScopeId, NameId), Group> = BTreeMap::new();
    for (index, name) in module.names.iter().enumerate() {
        let Role::Bind(Binding::Import(import, alias)) = name.role else {
            continue;
        };
        let Some(package) = package_of(module, import, alias) else {
            continue;
        };
        if !wanted(&module.imported(import, alias).1.name) {
            continue;
        }
        let scope = module.resolve(index);
        let group = found.entry((scope, name.id)).or_insert_with(|| Group {
            id: name.id,
            scope,
            package: package.to_owned(),
            members: Vec::new(),
            others: false,
            uses: Vec::new(),
            obstacles: Vec::new(),
        });
        group.members.push((import as usize, alias as usize));
    }
    let mut groups: Vec<Group> = found.into_values().collect();
    for group in &mut groups {
        fill(module, group);
    }
    groups
}

/// The package that an alias binds its name to, when it binds one: `pkg` for `import pkg.sub` and `import pkg as p`.
fn package_of(module: &Module, import: u32, alias: u32) -> Option<&str> {
    let (import, alias) = module.imported(import, alias);
    if import.kind != super::ImportKind::Import || (alias.asname.is_some() && alias.name.contains('.')) {
        return None;
    }
    alias.name.split('.').next()
}

fn fill(module: &Module, group: &mut Group) {
    let text = module.text(group.id).to_owned();
    let mut obstacles = Vec::new();
    let mut obstacle =
        |range: &ByteRange, reason: String| obstacles.push(Obstacle { range: range.clone(), reason });
    if module.scope(group.scope).kind == ScopeKind::Class {
        let (import, _) = group.members[0];
        obstacle(
            &module.imports[import].range,
            format!("binds `{text}` in a class, where it is an attribute"),
        );
    }
    for (index, name) in module.names.iter().enumerate() {
        if name.id != group.id {
            continue;
        }
        let scope = module.resolve(index);
        if scope != group.scope {
            if name.role == Role::Use && may_fall_through(module, scope, group) {
                obstacle(&name.range.range(), format!("`{text}` may be the class's own or the import's"));
            }
            continue;
        }
        match name.role {
            Role::Use if module.echoed.iter().any(|braces| braces.contains(&name.range.start())) => {
                obstacle(
                    &name.range.range(),
                    format!("`{text}` is printed as it is written by `=` in an f-string"),
                );
            }
            Role::Use => group.uses.push(index),
            Role::Bind(Binding::Import(import, alias)) => {
                if group.members.contains(&(import as usize, alias as usize)) {
                    continue;
                }
                if package_of(module, import, alias) == Some(group.package.as_str()) {
                    group.others = true;
                } else {
                    obstacle(
                        &name.range.range(),
                        format!("`{text}` is bound to something else by another import"),
                    );
                }
            }
            Role::Bind(Binding::Declaration) => {
                obstacle(&name.range.range(), format!("`{text}` is declared as a variable"))
            }
            Role::Bind(_) => obstacle(&name.range.range(), format!("`{text}` is assigned as well")),
            Role::Delete => obstacle(&name.range.range(), format!("`{text}` is deleted")),
            Role::Global | Role::Nonlocal => {
                let binds = |n: &Name| {
                    n.id == group.id
                        && n.scope == name.scope
                        && matches!(n.role, Role::Bind(Binding::Import(..)))
                };
                if module.names.iter().any(binds) {
                    obstacle(&name.range.range(), format!("`{text}` is bound for another scope here"));
                }
            }
        }
    }
    for string in strings_that_name(module, group.scope, &text) {
        obstacle(&string, format!("names `{text}` in a string that is looked up at run time"));
    }
    group.obstacles = obstacles;
}

/// A class body that binds a name reads the name from around the class until it does.
fn may_fall_through(module: &Module, scope: ScopeId, group: &Group) -> bool {
    let class = module.scope(scope);
    let around = class.parent.map(|parent| module.resolve_in(parent, group.id));
    class.kind == ScopeKind::Class && around == Some(group.scope)
}

/// Strings through which the variable is reached by its name: in `__all__`, or anywhere when the file looks names up
/// with `globals()` and the like.
fn strings_that_name(module: &Module, scope: ScopeId, text: &str) -> Vec<ByteRange> {
    let called = |c: &Call| c.root.get().filter(|r| module.names[*r].attributes.is_empty());
    let dynamic = module.calls.iter().filter_map(called).any(|root| {
        matches!(module.text(module.names[root].id), "globals" | "locals" | "vars" | "eval" | "exec")
    });
    let code = module
        .calls
        .iter()
        .filter(|c| runs_text(module, c))
        .filter_map(|c| module.arguments_of(c).first()?.string.get());
    let code: Vec<usize> = code.filter(|at| has_word(&module.strings[*at].value, text)).collect();
    let exports: Vec<&ByteRange> = match module.table.find("__all__") {
        Some(id) if scope == ScopeId::MODULE => {
            let bound = |range: &ByteRange| {
                module.names.iter().any(|n| n.id == id && range.contains(&n.range.start()))
            };
            let statements = module.statements.iter().filter(|s| s.kind == StatementKind::Other);
            statements.map(|s| &s.range).filter(|range| bound(range)).collect()
        }
        _ => Vec::new(),
    };
    let exported = |s: &StringLiteral| exports.iter().any(|range| range.contains(&s.range.start));
    let names = |s: &StringLiteral| !s.docstring && &*s.value == text && (dynamic || exported(s));
    let strings = module.strings.iter().enumerate();
    strings.filter(|(at, s)| code.contains(at) || names(s)).map(|(_, s)| s.range.clone()).collect()
}

/// Whether a call runs the text of its first argument as Python.
fn runs_text(module: &Module, call: &Call) -> bool {
    let Some(root) = call.root.get() else { return false };
    let name = &module.names[root];
    match module.attributes_of(name).last() {
        Some(last) => matches!(module.text(last.id), "timeit" | "Timer"),
        None => matches!(module.text(name.id), "eval" | "exec" | "timeit" | "Timer"),
    }
}

/// Whether `word` stands in a text with nothing that continues it on either side.
fn has_word(text: &str, word: &str) -> bool {
    let continues = |c: Option<char>| c.is_some_and(|c| c == '_' || c.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        !continues(before) && before != Some('.') && !continues(text[at + word.len()..].chars().next())
    })
}

/// The dotted path of a use below the package: `["sub", "f"]` for `pkg.sub.f`. Stops where something other than
/// blanks and a dot stands between two names.
pub fn path_of(module: &Module, name: usize) -> Vec<&str> {
    let attributes = module.attributes_of(&module.names[name]);
    attributes.iter().take_while(|a| a.adjacent).map(|a| module.text(a.id)).collect()
}

/// From the start of the name to the end of its attribute number `length`; the name alone for 0.
pub fn range_of(module: &Module, name: usize, length: usize) -> ByteRange {
    let of = &module.names[name];
    let attributes = module.attributes_of(of);
    let end = attributes.iter().take(length).next_back().map_or(of.range.end(), |a| a.range.end());
    of.range.start()..end
}

/// Whether the first `length` attributes of a use are the target of an assignment or a deletion.
pub fn is_target(module: &Module, name: usize, length: usize) -> bool {
    module.names[name].chain_is_target && module.attributes_of(&module.names[name]).len() == length
}

/// A name for a module that means nothing else in the file: its last component, else more of its path.
pub fn free_name(module: &Module, path: &str, taken: &BTreeMap<String, String>) -> String {
    let parts: Vec<&str> = path.split('.').collect();
    let is_free = |name: &str| match taken.get(name) {
        Some(by) => by == path,
        None => module.table.find(name).is_none_or(|id| module.names.iter().all(|n| n.id != id)),
    };
    let candidates = (0..parts.len()).rev().map(|from| parts[from..].join("_"));
    let longest = parts.join("_");
    let more = (1..).map(|n| format!("{longest}{}", "_".repeat(n)));
    candidates.chain(more).find(|name| is_free(name)).unwrap_or(longest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn group(source: &str) -> (usize, bool, Vec<String>) {
        let module = Module::parse(source.as_bytes()).unwrap();
        let groups = groups(&module, |name| name == "pkg" || name.starts_with("pkg.s"));
        let group = &groups[0];
        (group.uses.len(), group.others, group.obstacles.iter().map(|o| o.reason.clone()).collect())
    }

    #[test]
    fn what_can_be_followed() {
        assert_eq!(group("import pkg.s\npkg.s.f()\ndef g(): return pkg.s.x"), (2, false, vec![]));
        assert_eq!(group("import pkg.s, pkg.other\npkg.s"), (1, true, vec![]));
        assert_eq!(group("def f():\n  import pkg.s\n  pkg.s\npkg"), (1, false, vec![]));
        assert_eq!(group("import pkg as p\np.s"), (1, false, vec![]));
        assert_eq!(group("import pkg.s\nclass C:\n  pkg = 1\n  def f(self): return pkg"), (1, false, vec![]));
        assert_eq!(group("import pkg.s\nf'{pkg.s.x} = {x=}'\neval('x.pkg + pkgs')"), (1, false, vec![]));
        for types in ["cast('pkg.s.T', x)", "TypeVar('T', bound='pkg.s.T')", "U = t.Optional['pkg.s.T']"] {
            assert_eq!(group(&format!("import pkg.s\n{types}")), (1, false, vec![]), "{types}");
        }
        assert_eq!(group("import pkg.s\nx = table['pkg']\nf('pkg.s.T')"), (0, false, vec![]));
        assert_eq!(group("import pkg.s\ndef f():\n  global pkg\n  return pkg.s"), (1, false, vec![]));
    }

    #[test]
    fn what_cannot_be_followed() {
        for (source, reason) in [
            ("import pkg.s\npkg = 1", "`pkg` is assigned as well"),
            ("import pkg.s\ndel pkg", "`pkg` is deleted"),
            ("import pkg.s\nimport x as pkg", "`pkg` is bound to something else by another import"),
            ("class C:\n  import pkg.s", "binds `pkg` in a class, where it is an attribute"),
            ("import pkg.s\n__all__ = ['pkg']", "names `pkg` in a string that is looked up at run time"),
            ("import pkg.s\n__all__ += ['pkg']", "names `pkg` in a string that is looked up at run time"),
            ("import pkg.s\nglobals()['pkg']", "names `pkg` in a string that is looked up at run time"),
            ("import pkg.s\neval('1 + pkg.s.f()')", "names `pkg` in a string that is looked up at run time"),
            (
                "import pkg.s, timeit\ntimeit.timeit('pkg.s.f()')",
                "names `pkg` in a string that is looked up at run time",
            ),
            ("import pkg.s\nf'{pkg.s.x=}'", "`pkg` is printed as it is written by `=` in an f-string"),
            ("def f():\n  global pkg\n  import pkg.s\npkg.s", "`pkg` is bound for another scope here"),
            (
                "def f():\n  import pkg.s\n  def g():\n    nonlocal pkg\n    import pkg.t\n  pkg.s",
                "`pkg` is bound for another scope here",
            ),
            ("import pkg.s\ndef f():\n  global pkg\n  pkg = 1", "`pkg` is assigned as well"),
            ("import pkg.s\nclass C:\n  pkg = pkg.s", "`pkg` may be the class's own or the import's"),
            ("try: import pkg.s\nexcept ImportError: pkg = None", "`pkg` is assigned as well"),
        ] {
            assert_eq!(group(source).2, [reason], "{source}");
        }
    }

    #[test]
    fn a_free_name_means_nothing_else() {
        let module = Module::parse(b"import os\nutils = 1\nx.ops").unwrap();
        let none = BTreeMap::new();
        assert_eq!(free_name(&module, "pkg.ops", &none), "ops");
        assert_eq!(free_name(&module, "pkg.utils", &none), "pkg_utils");
        let taken = BTreeMap::from([("ops".to_owned(), "pkg.a.ops".to_owned())]);
        assert_eq!(free_name(&module, "pkg.ops", &taken), "pkg_ops");
        assert_eq!(free_name(&module, "pkg.a.ops", &taken), "ops");
    }
}
