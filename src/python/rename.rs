//! A module under another name in `import` statements: `import pkg.sub` with uses `pkg.sub.f` becomes
//! `import new.sub` with uses `new.sub.f`, when every use can be followed.

use super::follow::{self, Group, Obstacle};
use super::unalias::Refusal;
use super::{Alias, Binding, ImportKind, Module, Role};
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

    /// The first components of an alias's name, replaced.
    fn edit(&self, alias: &Alias) -> Option<TextEdit> {
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
        obstacles.extend(other_meanings(module, new_root));
    }
    let imports: BTreeSet<usize> = group.members.iter().map(|(import, _)| *import).collect();
    if !obstacles.is_empty() {
        obstacles.sort_by_key(|o| o.range.start);
        out.refused.push(Refusal { imports, obstacles });
        return;
    }
    out.edits.extend(edits);
    let of = |(import, alias): &(usize, usize)| names.edit(&module.imports[*import].aliases[*alias]);
    out.edits.extend(group.members.iter().filter_map(of));
    out.imports.extend(imports);
}

/// Places where the new top-level name is bound to something other than the package of that name.
fn other_meanings(module: &Module, name: &str) -> Vec<Obstacle> {
    let Some(id) = module.table.find(name) else {
        return Vec::new();
    };
    let means_another = |role: Role| match role {
        Role::Use | Role::Global | Role::Nonlocal => false,
        Role::Bind(Binding::Import(import, alias)) => {
            let import = &module.imports[import];
            let alias = &import.aliases[alias];
            import.kind != ImportKind::Import || alias.name.split('.').next() != Some(name)
        }
        _ => true,
    };
    let places = module.names.iter().filter(|n| n.id == id && means_another(n.role));
    places
        .map(|n| Obstacle { range: n.range.clone(), reason: format!("`{name}` means something else here") })
        .collect()
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
            run("import pkg\nnew = 1\n", "pkg", "new.x").unwrap_err(),
            ["`new` means something else here"]
        );
        assert_eq!(run("import pkg\npkg = 1\n", "pkg", "new").unwrap_err(), ["`pkg` is assigned as well"]);
    }
}
