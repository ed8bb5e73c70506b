//! A module under another name in `import` statements: `import pkg.sub` with uses `pkg.sub.f` becomes
//! `import new.sub` with uses `new.sub.f`, when every use can be followed.

use super::follow::{self, Group, Obstacle};
use super::unalias::Refusal;
use super::{Alias, Binding, ImportKind, Module, Name, Role, ScopeId, ScopeKind};
use crate::workspace::TextEdit;
use std::collections::BTreeSet;

/// The two names of the module.
pub struct Names<'a> {
    /// The module now.
    pub from: &'a str,
    /// The module then.
    pub to: &'a str,
}

/// The rewriting of a file's `import` statements.
#[derive(Debug, Default)]
pub struct Renamed {
    /// The edits, uses included.
    pub edits: Vec<TextEdit>,
    /// The imports that change, by index.
    pub imports: Vec<usize>,
    /// What cannot be rewritten.
    pub refused: Vec<Refusal>,
}

impl Names<'_> {
    fn covers(&self, module: &str) -> bool {
        module.strip_prefix(self.from).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn length(&self) -> usize {
        self.from.split('.').count()
    }

    /// The first components of an alias's name, replaced. `import new as pkg` that becomes `import pkg` loses its name.
    fn edit(&self, alias: &Alias) -> Option<TextEdit> {
        if alias.name == self.from && alias.asname.as_deref() == Some(self.to) {
            return Some(TextEdit::new(alias.range.clone(), self.to));
        }
        let (first, last) = (alias.components.first()?, alias.components.get(self.length() - 1)?);
        Some(TextEdit::new(first.start..last.end, self.to))
    }
}

/// Plans the renaming in all `import` statements of a file.
pub fn rename(module: &Module, names: &Names<'_>) -> Renamed {
    let mut out = Renamed::default();
    // `import pkg as p` binds the same name to the new module: no use changes.
    for (index, import) in module.imports.iter().enumerate().filter(|(_, i)| i.kind == ImportKind::Import) {
        for alias in import.aliases.iter().filter(|a| a.asname.is_some() && names.covers(&a.name)) {
            out.edits.extend(names.edit(alias));
            out.imports.push(index);
        }
    }
    for mut group in follow::groups(module, |name| names.covers(name)) {
        let plain =
            |(import, alias): &(usize, usize)| module.imports[*import].aliases[*alias].asname.is_none();
        group.members.retain(plain);
        if !group.members.is_empty() {
            rename_group(module, names, &group, &mut out);
        }
    }
    out
}

fn rename_group(module: &Module, names: &Names<'_>, group: &Group, out: &mut Renamed) {
    let length = names.length();
    let new_root = names.to.split('.').next().unwrap_or(names.to);
    let root_stays = new_root == group.package;
    let mut obstacles = group.obstacles.clone();
    let mut edits = Vec::new();
    for &name in &group.uses {
        let path = follow::path_of(module, name);
        let dotted = [&[group.package.as_str()], path.as_slice()].concat().join(".");
        if names.covers(&dotted) {
            edits.push(TextEdit::new(follow::range_of(module, name, length - 1), names.to));
        } else if !group.others && !root_stays {
            let reason = format!(
                "`{dotted}` is not under `{}`, but nothing else imports `{}`",
                names.from, group.package
            );
            obstacles.push(Obstacle { range: follow::range_of(module, name, path.len()), reason });
        }
    }
    if !root_stays {
        let places: Vec<ScopeId> = group.uses.iter().map(|name| module.names[*name].scope).collect();
        obstacles.extend(other_meanings(module, new_root, group.scope, &places));
    }
    let imports: BTreeSet<usize> = group.members.iter().map(|(import, _)| *import).collect();
    let exact = |(import, alias): &(usize, usize)| module.imports[*import].aliases[*alias].name == names.from;
    if !obstacles.is_empty() && length == 1 && group.members.iter().all(exact) {
        // The name stays and means the new module: no use has to be followed.
        let as_before = |(import, alias): &(usize, usize)| {
            let end = module.imports[*import].aliases[*alias].name_range.end;
            TextEdit::new(end..end, format!(" as {}", names.from))
        };
        out.edits.extend(group.members.iter().map(as_before));
    } else if !obstacles.is_empty() {
        obstacles.sort_by_key(|o| o.range.start);
        out.refused.push(Refusal { imports, obstacles });
        return;
    } else {
        out.edits.extend(edits);
    }
    let of = |(import, alias): &(usize, usize)| names.edit(&module.imports[*import].aliases[*alias]);
    out.edits.extend(group.members.iter().filter_map(of));
    out.imports.extend(imports);
}

/// Places where the new top-level name means something other than the package of that name, when `scope` binds it to
/// that and `uses` use it.
fn other_meanings(module: &Module, name: &str, scope: ScopeId, uses: &[ScopeId]) -> Vec<Obstacle> {
    let Some(id) = module.table.find(name) else {
        return Vec::new();
    };
    let same_package = |role: Role| {
        let Role::Bind(Binding::Import(import, alias)) = role else {
            return false;
        };
        let (import, alias) = module.imported(import, alias);
        import.kind == ImportKind::Import && alias.name.split('.').next() == Some(name)
    };
    let bound_here: Vec<Role> = module.bindings(scope, id).map(|index| module.names[index].role).collect();
    let is_package_here = !bound_here.is_empty() && bound_here.iter().all(|role| same_package(*role));
    let around = |of: ScopeId| std::iter::successors(Some(of), |s| module.scope(*s).parent);
    // Scopes between a use and `scope` that bind the name take the use for themselves; a class does not for the
    // functions inside it.
    let sees = |of: ScopeId, s: ScopeId| s == of || module.scope(s).kind != ScopeKind::Class;
    let inside = |of: ScopeId| around(of).take_while(|s| *s != scope).filter(move |s| sees(of, *s));
    let between: BTreeSet<ScopeId> = uses.iter().flat_map(|of| inside(*of)).collect();
    let in_the_way = |(index, of): (usize, &Name)| {
        let meant = module.resolve(index);
        match of.role {
            Role::Use => {
                !is_package_here && around(of.scope).any(|s| s == scope) && around(scope).any(|s| s == meant)
            }
            Role::Global | Role::Nonlocal => between.contains(&of.scope),
            role => (meant == scope && !same_package(role)) || between.contains(&meant),
        }
    };
    let places =
        module.names.iter().enumerate().filter(|(_, n)| n.id == id).filter(|place| in_the_way(*place));
    let obstacle = |(_, of): (usize, &Name)| Obstacle {
        range: of.range.range(),
        reason: format!("`{name}` means something else here"),
    };
    places.map(obstacle).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace::splice;

    fn run(source: &str, from: &str, to: &str) -> Result<String, Vec<String>> {
        let module = Module::parse(source.as_bytes()).unwrap();
        let done = rename(&module, &Names { from, to });
        if done.refused.is_empty() {
            Ok(String::from_utf8(splice(source.as_bytes(), &done.edits).unwrap()).unwrap())
        } else {
            Err(done.refused.into_iter().flat_map(|r| r.obstacles).map(|o| o.reason).collect())
        }
    }

    #[test]
    fn a_package_gets_another_name_with_its_uses() {
        for (source, expected) in [
            ("import pkg\npkg.f(pkg)\n", "import new.p\nnew.p.f(new.p)\n"),
            (
                "import pkg.a, os, pkg as q\npkg.a.f, q.x\n",
                "import new.p.a, os, new.p as q\nnew.p.a.f, q.x\n",
            ),
            ("import pkg . a as b\n", "import new.p . a as b\n"),
            ("import pkg_x\npkg_x\n", "import pkg_x\npkg_x\n"),
            ("def f(x: 'pkg.T'): pkg\nimport pkg", "def f(x: 'new.p.T'): new.p\nimport new.p"),
        ] {
            assert_eq!(run(source, "pkg", "new.p").as_deref(), Ok(expected), "{source}");
        }
    }

    #[test]
    fn a_submodule_gets_another_name_with_its_uses() {
        for (source, expected) in [
            ("import pkg.u\npkg.u.f(pkg.v)\n", "import pkg._u\npkg._u.f(pkg.v)\n"),
            ("import pkg.u.d, pkg.v\npkg . u . d\npkg.v", "import pkg._u.d, pkg.v\npkg._u . d\npkg.v"),
        ] {
            assert_eq!(run(source, "pkg.u", "pkg._u").as_deref(), Ok(expected), "{source}");
        }
        assert_eq!(run("import pkg.u\npkg.u.f", "pkg.u", "u").as_deref(), Ok("import u\nu.f"));
    }

    #[test]
    fn what_cannot_be_followed_is_named() {
        let error = run("import pkg.u\npkg.v\n", "pkg.u", "new").unwrap_err();
        assert_eq!(error, ["`pkg.v` is not under `pkg.u`, but nothing else imports `pkg`"]);
        assert_eq!(
            run("import pkg.u\npkg = 1\n", "pkg.u", "new").unwrap_err(),
            ["`pkg` is assigned as well"]
        );
    }

    #[test]
    fn a_new_name_that_means_something_else_is_in_the_way() {
        for source in [
            "import pkg.a\nnew = 1\n",
            "import pkg.a\ndef f(new): pkg\n",
            "import pkg.a\ndef f(): new()\n",
            "def f():\n  import pkg.a\n  [pkg for new in x]\n",
        ] {
            assert_eq!(
                run(source, "pkg", "new.x").unwrap_err(),
                ["`new` means something else here"],
                "{source}"
            );
        }
        for source in [
            "import pkg.a\ndef f(new): new\npkg",
            "import new\nimport pkg.a\nnew.y",
            "import pkg.a\nx.new",
            "import pkg.a\nclass C:\n  def new(self): return pkg",
        ] {
            assert!(run(source, "pkg", "new.x").is_ok(), "{source}");
        }
    }

    #[test]
    fn the_package_alone_keeps_its_name_where_it_cannot_be_followed() {
        let source = "try: import os, pkg\nexcept ImportError: pkg = None\npkg.f\n";
        let there = run(source, "pkg", "new.p").unwrap();
        assert_eq!(there, "try: import os, new.p as pkg\nexcept ImportError: pkg = None\npkg.f\n");
        assert_eq!(run(&there, "new.p", "pkg").as_deref(), Ok(source));
    }
}
