//! `convert_import`: `import` statements as `from` imports, so that later ops can make them relative.

use super::near_modules::near_module;
use super::python_files::{Refusals, Rewrites, nothing, select};
use super::{Context, Example, Failure, Group, Op, OpSpec, Plan};
use crate::python::edit::{AliasEdit, split};
use crate::python::resolve::Tree;
use crate::python::unalias::{Modules, unalias};
use crate::python::{Alias, Import, ImportKind};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "convert_import",
    group: Group::Python,
    summary: "Turns `import a.b as x` into `from a import b as x`",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("prefix", ArgType::Module, "the package whose imports are converted"),
        ArgSpec::optional("changes", ArgType::Pin, "how many statements are rewritten"),
    ],
    guarantees: &[
        "the same objects are used as before",
        "every byte outside the statements and the uses of their names stays",
    ],
    failures: &[
        "no statement imports a module under `prefix`, and there is no `changes=0`",
        "a name that `import a.b` binds is used in a way that cannot be followed; all such uses are listed",
        "a matched file that mentions the package does not parse",
    ],
    example: Some(Example {
        recipe: r#"convert_import in="pkg/*.py" prefix="pkg" changes=2"#,
        files: &[("pkg/m.py", "import os, pkg.ops as ops\nimport pkg.utils\n\nf = pkg.utils.g(ops.h)\n")],
    }),
    build,
};

struct ConvertImport {
    within: Glob,
    prefix: ModulePath,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, prefix) = (args.get("in"), args.get("prefix"));
    Some(Box::new(ConvertImport { within: within?, prefix: prefix? }))
}

impl Op for ConvertImport {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let last = self.prefix.components().next_back().unwrap_or_default();
        let selection = select(context.workspace, &self.within, last)?;
        let tree = Tree::new(context.workspace);
        let (mut rewrites, mut refusals) = (Rewrites::default(), Refusals::default());
        for file in &selection.files {
            let modules = Modules {
                wanted: &|module| self.prefix.strip_from(module).is_some(),
                exists: &|module| tree.can_import(file.path, module),
                spelled: &str::to_owned,
            };
            let plain = unalias(&file.module, &modules);
            plain.refused.iter().for_each(|refusal| refusals.add(file, refusal));
            let mut edits = plain.uses;
            let mut statements = Vec::new();
            for (index, import) in file.module.imports.iter().enumerate() {
                let of = |(at, alias)| match plain.statements.get(&(index, at)) {
                    Some(texts) => AliasEdit::Statements(texts.clone()),
                    None => self.aliased(&file.content, import, alias),
                };
                let aliases: Vec<AliasEdit> = import.aliases.iter().enumerate().map(of).collect();
                if aliases.iter().any(|a| *a != AliasEdit::Keep) {
                    edits.extend(split(&file.content, &file.module, import, &aliases));
                    statements.push(import.range.clone());
                }
            }
            rewrites.add(file, edits, &statements);
        }
        refusals.check()?;
        let none = nothing(&selection, &self.within, &format!("`import {}...` statement", self.prefix));
        let mut none = none.hint("`from` imports need no conversion");
        if rewrites.is_empty() {
            let prefix = self.prefix.to_string();
            none = near_module(none, context.workspace, &selection.paths, "prefix", &prefix);
        }
        Ok(rewrites.plan(selection.notes, none))
    }
}

impl ConvertImport {
    fn aliased(&self, content: &[u8], import: &Import, alias: &Alias) -> AliasEdit {
        let wanted = self.prefix.strip_from(&alias.name).is_some();
        if import.kind != ImportKind::Import || alias.asname.is_none() || !wanted {
            return AliasEdit::Keep;
        }
        match alias.components.split_last() {
            Some((last, package)) if !package.is_empty() => {
                let spelled =
                    |range| String::from_utf8_lossy(&content[std::ops::Range::clone(range)]).into_owned();
                let package: Vec<String> = package.iter().map(spelled).collect();
                AliasEdit::Statement(format!("from {} import {}", package.join("."), spelled(last)))
            }
            _ => AliasEdit::Keep,
        }
    }
}
