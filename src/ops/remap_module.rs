//! `remap_module`: a module and everything below it under another name, in every form of import.

use super::named_strings::left_alone;
use super::near_modules::near_module;
use super::python_files::{PythonFile, Refusals, Rewrites, nothing, select};
use super::{Context, Example, Failure, Group, Op, OpSpec, Plan};
use crate::python::resolve::{Place, Tree};
use crate::python::{Import, ImportKind, edit, rename};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath};
use crate::workspace::TextEdit;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "remap_module",
    group: Group::Python,
    summary: "Imports a module and all below it under another name",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("from", ArgType::Module, "the module as it is imported now"),
        ArgSpec::required("to", ArgType::Module, "its new name; need not be in the tree"),
        ArgSpec::optional("changes", ArgType::Pin, "how many statements are rewritten"),
    ],
    guarantees: &[
        "whole components are compared: `pkg.utils` does not touch `pkg.utils_extra`",
        "every byte outside the statements and the uses of their names stays",
    ],
    failures: &[
        "nothing imports the module, and there is no `changes=0`",
        "a name that `import a.b` binds is used in a way that cannot be followed; all such uses are listed",
        "a matched file that mentions the module does not parse",
    ],
    example: Some(Example {
        recipe: r#"remap_module in="*.py" from="pkg.utils" to="pkg._utils" changes=3"#,
        files: &[(
            "m.py",
            "from pkg.utils import a\nfrom pkg import ops, utils\nimport pkg.utils.deep as d\nimport pkg.utils_extra\n",
        )],
    }),
    build,
};

struct RemapModule {
    within: Glob,
    from: ModulePath,
    to: ModulePath,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, from, to) = (args.get("in"), args.get("from"), args.get("to"));
    let (within, from, to): (Glob, ModulePath, ModulePath) = (within?, from?, to?);
    if from == to {
        args.error("to", format!("from and to are the same, \"{to}\""), "give the new module");
    }
    Some(Box::new(RemapModule { within, from, to }))
}

impl Op for RemapModule {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let last = self.from.components().next_back().unwrap_or_default();
        let selection = select(context.workspace, &self.within, last)?;
        let tree = Tree::new(context.workspace);
        let (mut rewrites, mut refusals) = (Rewrites::default(), Refusals::default());
        for file in &selection.files {
            let names = rename::Names { from: self.from.as_str(), to: self.to.as_str() };
            let plain = rename::rename(&file.module, &names);
            plain.refused.iter().for_each(|refusal| refusals.add(file, refusal));
            let mut edits = plain.edits;
            let mut statements: Vec<usize> = plain.imports;
            let place = self.place(&tree, file);
            for (index, import) in file.module.imports.iter().enumerate() {
                let found = self.rewrite_from(file, import, place.as_ref());
                if !found.is_empty() {
                    edits.extend(found);
                    statements.push(index);
                }
            }
            statements.sort_unstable();
            statements.dedup();
            let ranges: Vec<_> =
                statements.iter().map(|index| file.module.imports[*index].range.clone()).collect();
            rewrites.add(file, edits, &ranges);
        }
        refusals.check()?;
        let mut none = nothing(&selection, &self.within, &format!("import of `{}`", self.from));
        if rewrites.is_empty() {
            let from = self.from.to_string();
            none = near_module(none, context.workspace, &selection.paths, "from", &from);
        }
        let strings = left_alone(&selection.files, |module| self.from.strip_from(module).is_some());
        Ok(rewrites.plan([selection.notes, strings].concat(), none))
    }
}

/// A file inside the package that `from` belongs to.
struct Inside {
    place: Place,
    package: String,
}

impl RemapModule {
    /// Where the file stands, when it may reach `from` by a relative import: inside the same package, but not in the
    /// module that moves, as imports inside that move along.
    fn place(&self, tree: &Tree<'_>, file: &PythonFile<'_>) -> Option<Inside> {
        let top = self.from.components().next()?;
        let package = tree.package_of(file.path, top)?;
        let place = package.place(file.path)?;
        let own = package.absolute(&place.module);
        self.from.strip_from(&own).is_none().then(|| Inside { place, package: package.name().to_owned() })
    }

    fn rewrite_from(&self, file: &PythonFile<'_>, import: &Import, inside: Option<&Inside>) -> Vec<TextEdit> {
        if import.kind != ImportKind::From {
            return Vec::new();
        }
        let module = if import.level == 0 {
            import.module.clone()
        } else {
            let Some(inside) = inside else {
                return Vec::new();
            };
            let Some(below) = inside.place.resolve(import.level, &import.module) else {
                return Vec::new();
            };
            [vec![inside.package.clone()], below].concat().join(".")
        };
        let spelled = |to: &str| match inside {
            Some(inside) if import.level > 0 => relative(inside, to).unwrap_or_else(|| to.to_owned()),
            _ => to.to_owned(),
        };
        if let Some(rest) = self.from.strip_from(&module) {
            return self.module_edit(import, rest, &spelled(self.to.as_str())).into_iter().collect();
        }
        match self.from.as_str().rsplit_once('.') {
            Some((package, last)) if package == module => self.names_edit(file, import, last, &spelled),
            _ => Vec::new(),
        }
    }

    /// `from pkg.utils.deep import x`: everything up to the remapped part, which may be partly in the dots.
    fn module_edit(&self, import: &Import, rest: &str, to: &str) -> Option<TextEdit> {
        let kept = rest.split('.').filter(|part| !part.is_empty()).count();
        let last = import.components.len().checked_sub(kept + 1)?;
        let end = import.components[last].end;
        // A relative module that ends in a dot takes what follows without another.
        let range = import.module_range.start..end;
        if to.ends_with('.') && kept > 0 {
            return Some(TextEdit::new(import.module_range.start..import.components[last + 1].start, to));
        }
        Some(TextEdit::new(range, to))
    }

    /// `from pkg import utils, other`: the module is among the names.
    fn names_edit(
        &self,
        file: &PythonFile<'_>,
        import: &Import,
        last: &str,
        spelled: &dyn Fn(&str) -> String,
    ) -> Vec<TextEdit> {
        let gone: Vec<usize> = import
            .aliases
            .iter()
            .enumerate()
            .filter(|(_, a)| a.name == last)
            .map(|(index, _)| index)
            .collect();
        let text = |index: &usize| {
            let alias = &import.aliases[*index];
            let (content, bound) = (&file.content, alias.as_range.as_ref().unwrap_or(&alias.name_range));
            let bound = String::from_utf8_lossy(&content[bound.clone()]).into_owned();
            let explicit = alias.asname.is_some();
            match self.to.as_str().rsplit_once('.') {
                Some((package, name)) if name == bound && !explicit => {
                    format!("from {} import {name}", spelled(package))
                }
                Some((package, name)) => format!("from {} import {name} as {bound}", spelled(package)),
                None if self.to.as_str() == bound && !explicit => format!("import {bound}"),
                None => format!("import {} as {bound}", self.to),
            }
        };
        if gone.is_empty() {
            return Vec::new();
        }
        if gone.len() == import.aliases.len() {
            return self.all_names_edit(import, spelled, &gone).unwrap_or_else(|| {
                let texts: Vec<String> = gone.iter().map(text).collect();
                let separator = edit::separator(&file.content, &file.module, import);
                vec![TextEdit::new(import.range.clone(), texts.join(&separator))]
            });
        }
        let separator = edit::separator(&file.content, &file.module, import);
        let texts: String = gone.iter().map(|index| format!("{}{separator}", text(index))).collect();
        let start = import.range.start;
        let mut edits = vec![TextEdit::new(start..start, texts)];
        edits.extend(edit::remove_names(&file.content, &file.module, import, &gone));
        edits
    }

    /// All names are the module: the statement keeps its shape, with another module and another name. `None` when the
    /// new module is a top-level one, which no `from` can import.
    fn all_names_edit(
        &self,
        import: &Import,
        spelled: &dyn Fn(&str) -> String,
        gone: &[usize],
    ) -> Option<Vec<TextEdit>> {
        let (package, name) = self.to.as_str().rsplit_once('.')?;
        let mut edits = vec![TextEdit::new(import.module_range.clone(), spelled(package))];
        for alias in gone.iter().map(|index| &import.aliases[*index]).filter(|alias| alias.name != name) {
            let renamed =
                if alias.asname.is_some() { name.to_owned() } else { format!("{name} as {}", alias.name) };
            edits.push(TextEdit::new(alias.name_range.clone(), renamed));
        }
        Some(edits)
    }
}

/// A module of the same package as the file writes it: dots and the rest.
fn relative(inside: &Inside, module: &str) -> Option<String> {
    let rest = ModulePath::new(&inside.package).ok()?;
    let below: Vec<&str> = rest.strip_from(module)?.split('.').filter(|part| !part.is_empty()).collect();
    let (level, rest) = inside.place.relative(&below);
    Some(format!("{}{}", ".".repeat(level), rest.join(".")))
}
