//! Plain imports as `from` imports: `import pkg.sub` with uses `pkg.sub.f` becomes `from pkg import sub` with uses
//! `sub.f`, when every use can be followed.

use super::follow::{self, Group, Obstacle};
use super::{ByteRange, Module};
use crate::workspace::TextEdit;
use std::collections::{BTreeMap, BTreeSet};

/// What the caller knows about modules.
pub struct Modules<'a> {
    /// Whether an absolute module is to be imported by `from`.
    pub wanted: &'a dyn Fn(&str) -> bool,
    /// Whether an absolute name is a module of the tree, or a name of a package that `from` can import at once.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// How `from` writes a package: `pkg.sub`, or `..sub`.
    pub spelled: &'a dyn Fn(&str) -> String,
}

/// The rewriting of a file's plain imports.
#[derive(Debug, Default)]
pub struct Unaliased {
    /// The statements that each alias becomes: by index of the import and of the alias.
    pub statements: BTreeMap<(usize, usize), Vec<String>>,
    /// The modules that those import.
    pub modules: BTreeSet<String>,
    /// The edits of the uses.
    pub uses: Vec<TextEdit>,
    /// What cannot be rewritten.
    pub refused: Vec<Refusal>,
}

/// Imports of one variable that stay, and why.
#[derive(Debug)]
pub struct Refusal {
    /// The imports, by index.
    pub imports: BTreeSet<usize>,
    /// Every place that is in the way.
    pub obstacles: Vec<Obstacle>,
}

/// Plans the rewriting of all wanted plain imports of a file.
pub fn unalias(module: &Module, modules: &Modules<'_>) -> Unaliased {
    let mut out = Unaliased::default();
    let mut taken = BTreeMap::new();
    for group in follow::groups(module, modules.wanted) {
        match follow_uses(module, modules, &group) {
            Ok(targets) => rewrite(module, modules, &group, &targets, &mut taken, &mut out),
            Err(obstacles) => {
                let imports = group.members.iter().map(|(import, _)| *import).collect();
                out.refused.push(Refusal { imports, obstacles });
            }
        }
    }
    out
}

/// The module that each use means, and the length of its path in the use; `None` for a use that stays.
type Targets = Vec<(usize, String, usize)>;

fn follow_uses(module: &Module, modules: &Modules<'_>, group: &Group) -> Result<Targets, Vec<Obstacle>> {
    let mut obstacles = group.obstacles.clone();
    let imported: BTreeSet<&str> = group.members.iter().map(|m| name_of(module, *m)).collect();
    let mut targets = Vec::new();
    for &name in &group.uses {
        let path = follow::path_of(module, name);
        let dotted = |length: usize| [&[group.package.as_str()], &path[..length]].concat().join(".");
        let lengths = || (1..=path.len()).rev();
        let by_import = lengths().find(|length| imported.contains(dotted(*length).as_str()));
        let by_tree = || {
            let is_module =
                |length: &usize| (modules.wanted)(&dotted(*length)) && (modules.exists)(&dotted(*length));
            lengths().find(is_module).filter(|_| !group.others)
        };
        match by_import.or_else(by_tree) {
            Some(length) if follow::is_target(module, name, length) => {
                let reason = format!("`{}` is assigned", dotted(length));
                obstacles.push(Obstacle { range: follow::range_of(module, name, length), reason });
            }
            Some(length) => targets.push((name, dotted(length), length)),
            None if group.others => {}
            None => {
                let shown = dotted(path.len());
                let reason = format!("`{shown}` does not start with an imported module");
                obstacles.push(Obstacle { range: follow::range_of(module, name, path.len()), reason });
            }
        }
    }
    let binds_nothing_else = imported.iter().all(|name| !name.contains('.'));
    if binds_nothing_else && targets.is_empty() && obstacles.is_empty() {
        let (import, _) = group.members[0];
        let reason = format!("binds the package `{}` itself and is not used", group.package);
        obstacles.push(Obstacle { range: module.imports[import].range.clone(), reason });
    }
    if obstacles.is_empty() {
        return Ok(targets);
    }
    obstacles.sort_by_key(|o| o.range.start);
    Err(obstacles)
}

fn name_of(module: &Module, (import, alias): (usize, usize)) -> &str {
    &module.imports[import].aliases[alias].name
}

fn rewrite(
    module: &Module,
    modules: &Modules<'_>,
    group: &Group,
    targets: &Targets,
    taken: &mut BTreeMap<String, String>,
    out: &mut Unaliased,
) {
    let imported: BTreeSet<&str> =
        group.members.iter().map(|m| name_of(module, *m)).filter(|name| name.contains('.')).collect();
    let mut locals: BTreeMap<&str, String> = BTreeMap::new();
    for path in imported.iter().copied().chain(targets.iter().map(|(_, path, _)| path.as_str())) {
        if !locals.contains_key(path) {
            let name = follow::free_name(module, path, taken);
            taken.insert(name.clone(), path.to_owned());
            locals.insert(path, name);
        }
    }
    for (name, path, length) in targets {
        let range: ByteRange = follow::range_of(module, *name, *length);
        out.uses.push(TextEdit::new(range, locals[path.as_str()].as_bytes()));
    }
    let statement = |path: &str| {
        let (package, last) = path.rsplit_once('.').unwrap_or((path, path));
        let local = &locals[path];
        let renamed = if local == last { String::new() } else { format!(" as {local}") };
        format!("from {} import {last}{renamed}", (modules.spelled)(package))
    };
    // `import pkg` alone imports nothing below: the submodules that are used stand in for it, or, when other
    // imports bring all of them, the first of those.
    let of_package: Vec<&str> = {
        let used: BTreeSet<&str> = targets.iter().map(|(_, path, _)| path.as_str()).collect();
        let own: Vec<&str> = used.into_iter().filter(|path| !imported.contains(path)).collect();
        if own.is_empty() { imported.iter().copied().take(1).collect() } else { own }
    };
    for member in &group.members {
        let name = name_of(module, *member);
        let paths = if name.contains('.') { vec![name] } else { of_package.clone() };
        out.modules.extend(paths.iter().map(|path| (*path).to_owned()));
        out.statements.insert(*member, paths.into_iter().map(statement).collect());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::edit::{AliasEdit, split};
    use crate::workspace::splice;

    fn run(source: &str) -> Result<String, Vec<String>> {
        let module = Module::parse(source.as_bytes()).unwrap();
        let modules = Modules {
            wanted: &|m| m == "pkg" || m.starts_with("pkg."),
            exists: &|m| matches!(m, "pkg" | "pkg.a" | "pkg.b" | "pkg.b.c"),
            spelled: &|m| m.to_owned(),
        };
        let done = unalias(&module, &modules);
        if !done.refused.is_empty() {
            return Err(done.refused.into_iter().flat_map(|r| r.obstacles).map(|o| o.reason).collect());
        }
        let mut edits = done.uses;
        for (index, import) in module.imports.iter().enumerate() {
            let of = |a: usize| match done.statements.get(&(index, a)) {
                Some(texts) => AliasEdit::Statements(texts.clone()),
                None => AliasEdit::Keep,
            };
            let aliases: Vec<AliasEdit> = (0..import.aliases.len()).map(of).collect();
            edits.extend(split(source.as_bytes(), &module, import, &aliases));
        }
        Ok(String::from_utf8(splice(source.as_bytes(), &edits).unwrap()).unwrap())
    }

    #[test]
    fn plain_imports_become_from_imports_with_their_uses() {
        for (source, expected) in [
            ("import pkg.x\npkg.x.f(pkg.x)\n", "from pkg import x\nx.f(x)\n"),
            ("import pkg.b.c\npkg.b.c.f\n", "from pkg.b import c\nc.f\n"),
            (
                "import pkg.b, pkg.b.c\npkg.b.f, pkg.b.c.g\n",
                "from pkg import b\nfrom pkg.b import c\nb.f, c.g\n",
            ),
            ("import os, pkg.x, re\npkg . x . f\n", "import os\nfrom pkg import x\nimport re\nx . f\n"),
            ("import pkg\npkg.a.f()\npkg.b.c.g\n", "from pkg import a\nfrom pkg.b import c\na.f()\nc.g\n"),
            ("import pkg as p\np.a.f()\n", "from pkg import a\na.f()\n"),
            ("import pkg\nimport pkg.x\npkg.x.f\n", "from pkg import x\nfrom pkg import x\nx.f\n"),
            ("import pkg.x\n", "from pkg import x\n"),
            ("def f():\n    import pkg.x; return pkg.x.y\n", "def f():\n    from pkg import x; return x.y\n"),
            ("import pkg.x\nx = 1\npkg.x.f\n", "from pkg import x as pkg_x\nx = 1\npkg_x.f\n"),
            (
                "import pkg.x.u, pkg.y.u\npkg.x.u.f, pkg.y.u.f\n",
                "from pkg.x import u\nfrom pkg.y import u as y_u\nu.f, y_u.f\n",
            ),
            (
                "import pkg.x\ndef f(a: 'pkg.x.T') -> \"list[pkg.x.T]\": f'{pkg.x.v}'\n",
                "from pkg import x\ndef f(a: 'x.T') -> \"list[x.T]\": f'{x.v}'\n",
            ),
            ("import pkg.x\npkg.x.flag = 1\ndel pkg.x.flag\n", "from pkg import x\nx.flag = 1\ndel x.flag\n"),
        ] {
            assert_eq!(run(source).as_deref(), Ok(expected), "{source}");
        }
    }

    #[test]
    fn every_place_that_is_in_the_way_is_named() {
        for (source, reasons) in [
            ("import pkg\npkg.f()\n", &["`pkg.f` does not start with an imported module"][..]),
            (
                "import pkg.x\nprint(pkg)\n(pkg).x\n",
                &[
                    "`pkg` does not start with an imported module",
                    "`pkg` does not start with an imported module",
                ],
            ),
            ("import pkg.x\npkg.x = 1\n", &["`pkg.x` is assigned"]),
            ("import pkg\n", &["binds the package `pkg` itself and is not used"]),
        ] {
            assert_eq!(run(source).unwrap_err(), reasons, "{source}");
        }
    }
}
