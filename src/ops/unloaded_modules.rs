//! Modules that the ops reach as attributes of a loaded package, though the package does not load them: `pkg.a.f`
//! fails after `import pkg` alone when no `__init__.py` imports `pkg.a`.

use super::Note;
use super::python_files::PythonFile;
use crate::python::load_order::Loaded;
use crate::python::resolve::{Found, Package};
use crate::python::{Import, ImportKind};
use crate::workspace::Workspace;
use std::collections::BTreeMap;

/// So many modules are worth a warning each.
const FEW: usize = 3;

/// Collects the modules below a package that imports name and that the package does not load.
pub struct UnloadedModules<'w> {
    workspace: &'w Workspace,
    packages: Vec<(Package, Loaded)>,
    found: BTreeMap<String, Vec<String>>,
}

impl<'w> UnloadedModules<'w> {
    /// Looks at the packages of the tree that are imported by the first component of `package`; without one, nothing
    /// is known and nothing is collected.
    pub fn of(workspace: &'w Workspace, package: &str) -> Self {
        let name = package.split('.').next().unwrap_or(package);
        let loaded = |package: Package| (Loaded::of(workspace, &package), package);
        let packages = Package::named(workspace, name).into_iter().map(loaded).map(|(l, p)| (p, l)).collect();
        Self { workspace, packages, found: BTreeMap::new() }
    }

    /// Looks at the modules that an absolute import names.
    pub fn add(&mut self, file: &PythonFile<'_>, import: &Import) {
        let mut modules: Vec<String> = match import.kind {
            ImportKind::Import => import.aliases.iter().map(|alias| alias.name.clone()).collect(),
            ImportKind::From => {
                let of_alias = import.aliases.iter().map(|alias| format!("{}.{}", import.module, alias.name));
                std::iter::once(import.module.clone()).chain(of_alias).collect()
            }
        };
        modules.retain(|module| self.is_unloaded(module));
        for module in modules {
            let place = format!("{}:{}", file.path, import.position);
            self.found.entry(module).or_default().push(place);
        }
    }

    fn is_unloaded(&self, module: &str) -> bool {
        let mut states = self.packages.iter().filter_map(|(package, loaded)| {
            match package.find(self.workspace, &package.below(module)?)? {
                Found::File(file) | Found::Package(file) => Some(loaded.holds(&file)),
                Found::Namespace(_) | Found::Extension(_) => None,
            }
        });
        states.next().is_some_and(|first| !first && !states.any(|loaded| loaded))
    }

    /// One warning a module, with what to do about it; many modules make one warning, and a detail each.
    pub fn notes(self) -> Vec<Note> {
        let Some((package, _)) = self.packages.first() else { return Vec::new() };
        let init = format!("{}/__init__.py", package.directory());
        let all = self.found.len();
        let names: Vec<&str> = self.found.keys().take(FEW).map(String::as_str).collect();
        let sum = format!(
            "the package does not load {all} modules, which the loaded kernel is to have: {}, and {} more (--verbose lists \
             what to add for each); where a module can be loaded wherever the kernel is: ensure_import in=\"{init}\"",
            names.join(", "),
            all.saturating_sub(FEW)
        );
        let kind = if all > FEW { Note::Detail } else { Note::Warning };
        let note = |(module, places): (String, Vec<String>)| {
            let (above, name) = module.rsplit_once('.').unwrap_or(("", &module));
            let from = above.strip_prefix(package.name()).unwrap_or(above);
            let from = if from.is_empty() { "." } else { from };
            let first = places.first().map_or("", String::as_str);
            let more = match places.len() {
                0 | 1 => String::new(),
                number => format!(" and {} more", number - 1),
            };
            kind(format!(
                "the package does not load {module}, which the loaded kernel is to have ({first}{more}); if it can be loaded wherever the kernel is, add: ensure_import in=\"{init}\" from=\"{from}\" name=\"{name}\""
            ))
        };
        let mut notes: Vec<Note> = self.found.into_iter().map(note).collect();
        if all > FEW {
            notes.insert(0, Note::Warning(sum));
        }
        notes
    }
}
