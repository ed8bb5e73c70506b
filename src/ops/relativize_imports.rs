//! `relativize_imports`: absolute imports of a package from inside it become relative, and each is proved by
//! resolving it back.

use super::named_strings::left_alone;
use super::python_files::{PythonFile, Refusals, Rewrites, Selection, nothing, select};
use super::relative_targets::Targets;
use super::{Context, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::parallel::{self, PATIENCE};
use crate::python::edit::{AliasEdit, one_line, split};
use crate::python::resolve::{Package, Place};
use crate::python::unalias::{Modules, Unaliased, unalias};
use crate::python::{Alias, Import, ImportKind, Module};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Change, RepoPath, TextEdit, Workspace, splice};
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "relativize_imports",
    group: Group::Python,
    summary: "Makes absolute imports of a package relative inside it",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files; all of them below package_root"),
        ArgSpec::required(
            "package_root",
            ArgType::Path,
            "the package's directory; its last component is the name it is imported by",
        ),
        ArgSpec::optional(
            "style",
            ArgType::Text,
            "minimal (fewest dots, the default) or root (the whole path)",
        ),
        ArgSpec::optional("root_relative", ArgType::Flag, "#true is style=\"root\""),
        ArgSpec::optional(
            "missing",
            ArgType::Pin,
            "how many rewritten imports name a module that is not in the tree; an error without it",
        ),
        ArgSpec::optional("changes", ArgType::Pin, "how many statements are rewritten"),
    ],
    guarantees: &[
        "each import loads the module it loaded before, under whatever name the package has",
        "every byte outside the statements stays; docstrings and strings that repeat them too",
    ],
    failures: &[
        "nothing imports the package absolutely, and there is no `changes=0`",
        "a matched Python file lies outside of package_root",
        "a rewritten import names a module that is not in the tree, unless `missing` counts it or a `try` catches \
         ImportError",
        "a name that `import pkg.a` binds is used in a way that cannot be followed; all such uses are listed",
        "a matched file that mentions the package does not parse",
    ],
    example: Some(Example {
        recipe: r#"relativize_imports in="torch-ext/pkg/**" package_root="torch-ext/pkg" changes=3"#,
        files: &[
            ("torch-ext/pkg/__init__.py", "from pkg.nn.relu import relu\n"),
            ("torch-ext/pkg/utils.py", ""),
            ("torch-ext/pkg/nn/relu.py", "from pkg import utils\nimport pkg.utils as u\n"),
        ],
    }),
    build,
};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Style {
    Minimal,
    Root,
}

struct RelativizeImports {
    within: Glob,
    root: RepoPath,
    package: Package,
    style: Style,
    missing: bool,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, root) = (args.get("in"), args.get::<RepoPath>("package_root"));
    let flag = args.get::<bool>("root_relative");
    let style = match args.get::<NonEmptyText>("style") {
        None => None,
        Some(style) => match style.0.as_str() {
            "minimal" => Some(Style::Minimal),
            "root" => Some(Style::Root),
            other => {
                let help =
                    "minimal uses the fewest dots; root climbs to the package and keeps the whole path";
                args.error("style", format!("style= must be minimal or root, not \"{other}\""), help);
                return None;
            }
        },
    };
    let by_flag = flag.map(|root| if root { Style::Root } else { Style::Minimal });
    if let (Some(style), Some(by_flag)) = (style, by_flag)
        && style != by_flag
    {
        args.error(
            "root_relative",
            "style= and root_relative= contradict each other",
            "leave root_relative= out",
        );
    }
    if args.get::<u64>("missing") == Some(0) {
        args.error("missing", "missing=0 is what the op does without it", "leave it out");
    }
    let (within, root) = (within?, root?);
    let package = Package::new(root.clone())?;
    let style = style.or(by_flag).unwrap_or(Style::Minimal);
    Some(Box::new(RelativizeImports { within, root, package, style, missing: args.has("missing") }))
}

impl Op for RelativizeImports {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let workspace = context.workspace;
        if !workspace.is_dir(&self.root) {
            return Err(super::select::not_there(workspace, &self.root, "package_root"));
        }
        let selection = select(workspace, &self.within, self.package.name())?;
        self.check_inside(&selection)?;
        let mut targets = Targets::new(workspace, &self.package);
        let (mut rewrites, mut refusals, mut rewritten) =
            (Rewrites::default(), Refusals::default(), Vec::new());
        for file in &selection.files {
            let Some(place) = self.package.place(file.path) else {
                rewritten.push(None);
                continue;
            };
            let one = OneFile { op: self, file, place: &place };
            let plain = one.plain(&targets);
            plain.refused.iter().for_each(|refusal| refusals.add(file, refusal));
            let (edits, statements) = one.plan(&plain, &mut targets);
            let ranges: Vec<_> =
                statements.iter().map(|index| file.module.imports[*index].range.clone()).collect();
            let changed = rewrites.count(file, &ranges);
            rewritten.push(changed.then_some(Rewritten { edits, place, modules: plain.modules }));
        }
        refusals.check()?;
        let none = if rewrites.is_empty() {
            self.none(workspace, &selection)
        } else {
            nothing(&selection, &self.within, "absolute import")
        };
        let strings = left_alone(&selection.files, |module| self.package.below(module).is_some());
        let changed = selection.files.into_iter().zip(rewritten);
        let changed = changed.filter_map(|(file, one)| Some((file, one?))).collect();
        let proven = parallel::consume(changed, PATIENCE, |(file, one)| self.prove(workspace, file, &one));
        rewrites.edited(proven.into_iter().collect::<Result<Vec<Change>, Failure>>()?);
        let (missing, notes) = targets.check(self.missing)?;
        let mut plan = rewrites.plan([selection.notes, notes, strings].concat(), none);
        plan.counts.push(missing);
        Ok(plan)
    }
}

impl RelativizeImports {
    fn check_inside(&self, selection: &Selection<'_>) -> Result<(), Failure> {
        let outside: Vec<&RepoPath> =
            selection.paths.iter().copied().filter(|path| self.package.place(path).is_none()).collect();
        if outside.is_empty() {
            return Ok(());
        }
        let message = format!(
            "{} that in= matches {} outside of package_root=\"{}\"",
            plural(outside.len(), ("Python file", "Python files")),
            if outside.len() == 1 { "lies" } else { "lie" },
            self.root
        );
        Err(Failure::new(FailureKind::Refused, message)
            .at("in")
            .evidence(outside.into_iter().map(Evidence::file).collect())
            .hint(format!(
                "a relative import cannot reach the package from there; in=\"{}/**\" matches the package",
                self.root
            )))
    }

    /// Why there was nothing to do: already relative, another name, or a root that is not the top.
    fn none(&self, workspace: &Workspace, selection: &Selection<'_>) -> Failure {
        let name = self.package.name();
        let failure = nothing(selection, &self.within, &format!("absolute import of `{name}`"));
        let init = self.root.join("__init__.py").ok();
        let upstream = init.and_then(|init| workspace.get(&init)?.upstream_path.clone());
        let upstream = upstream.and_then(|path| path.parent());
        let upstream_name = upstream.and_then(|dir| std::str::from_utf8(dir.name()).ok().map(str::to_owned));
        if let Some(old) = upstream_name.filter(|old| old != name) {
            return failure.hint(format!(
                "upstream the package is called `{old}`; before this op, use: remap_module in=\"{}\" from=\"{old}\" to=\"{name}\"",
                self.within.as_str()
            ));
        }
        let above =
            self.root.parent().and_then(|dir| std::str::from_utf8(dir.name()).ok().map(str::to_owned));
        let longer = above.map(|above| format!("{above}.{name}"));
        let has = |module: &str| {
            selection
                .files
                .iter()
                .flat_map(|f| &f.module.imports)
                .any(|i| i.level == 0 && starts(&i.module, module))
        };
        match longer.filter(|longer| has(longer)) {
            Some(longer) => failure.hint(format!(
                "the files import `{longer}`: package_root= is the directory of the top-level package, {}",
                self.root.parent().map_or_else(String::new, |dir| dir.to_string())
            )),
            None if selection.paths.is_empty() => {
                failure.hint("the package's files are those of package_root=")
            }
            None => failure.hint("relative imports stay as they are; if that is right, remove the op"),
        }
    }

    /// Edits a file and resolves every relative import back: the same modules must be imported as before.
    fn prove(&self, workspace: &Workspace, file: PythonFile<'_>, one: &Rewritten) -> Result<Change, Failure> {
        let PythonFile { path, content, module } = file;
        let wrong = |text: &str| {
            let message = format!("`{path}` would not import the same modules afterwards: {text}");
            Failure::new(FailureKind::Refused, message)
                .at("in")
                .hint("this is a mistake of kernel-port; please report it")
        };
        let edited: Arc<[u8]> = splice(&content, &one.edits).map_err(|_| wrong("edits overlap"))?.into();
        let before = self.imported(&one.place, &module);
        let after = workspace
            .parsed()
            .edited(&content, module, &one.edits, &edited)
            .map_err(|e| wrong(&format!("{}: {}", e.position, e.message)))?;
        let found = self.imported(&one.place, &after);
        let own = |module: &&String| !one.modules.contains(*module);
        let lost = before.iter().find(|module| !found.contains(module));
        let new = found.iter().filter(own).find(|module| !before.contains(module));
        match lost.or(new) {
            Some(module) => {
                Err(wrong(&format!("{module} in {}", one_line(&edited, 0..edited.len().min(80)))))
            }
            None => Ok(Change::Edited { path: path.clone(), content: edited }),
        }
    }

    /// The absolute modules that a file imports, sorted: those of `from` with each name, as `from pkg import sub` and
    /// `import pkg.sub as sub` are the same.
    fn imported(&self, place: &Place, module: &Module) -> Vec<String> {
        let mut found = Vec::new();
        for import in &module.imports {
            let base = if import.level == 0 {
                Some(import.module.clone())
            } else {
                place.resolve(import.level, &import.module).map(|below| self.package.absolute(&below))
            };
            let base = base.unwrap_or_else(|| {
                format!("above the package: {}{}", ".".repeat(import.level), import.module)
            });
            if import.star.is_some() {
                found.push(format!("{base}.*"));
            }
            let name = |alias: &Alias| {
                if base.is_empty() { alias.name.clone() } else { format!("{base}.{}", alias.name) }
            };
            // What `import pkg` alone stands for is a matter of its uses.
            let own = |alias: &&Alias| alias.name != self.package.name() || import.kind == ImportKind::From;
            found.extend(import.aliases.iter().filter(own).map(name));
        }
        found.sort();
        found.dedup();
        found
    }
}

fn starts(module: &str, prefix: &str) -> bool {
    module.strip_prefix(prefix).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// What becomes of a file.
struct Rewritten {
    edits: Vec<TextEdit>,
    place: Place,
    /// Modules that are imported in place of a package.
    modules: BTreeSet<String>,
}

/// The rewriting of one file.
struct OneFile<'a> {
    op: &'a RelativizeImports,
    file: &'a PythonFile<'a>,
    place: &'a Place,
}

impl OneFile<'_> {
    /// What becomes of the plain imports and of the uses of what they bind.
    fn plain(&self, targets: &Targets<'_>) -> Unaliased {
        let package = &self.op.package;
        let modules = Modules {
            wanted: &|module| package.below(module).is_some(),
            exists: &|module| targets.can_import(self.file.path, module),
            spelled: &|module| self.spelled(&package.below(module).unwrap_or_default()),
        };
        unalias(&self.file.module, &modules)
    }

    /// The edits, and the imports they rewrite.
    fn plan(&self, plain: &Unaliased, targets: &mut Targets<'_>) -> (Vec<TextEdit>, Vec<usize>) {
        let package = &self.op.package;
        let mut edits = plain.uses.clone();
        let mut statements = Vec::new();
        for (index, import) in self.file.module.imports.iter().enumerate() {
            if import.kind == ImportKind::From {
                let below = package.below(&import.module).filter(|_| import.level == 0);
                if let Some(below) = below {
                    targets.see_from(self.file, import, &below);
                    edits.push(self.module_edit(import, &below));
                    statements.push(index);
                }
                continue;
            }
            let of = |(at, alias)| match plain.statements.get(&(index, at)) {
                Some(texts) => AliasEdit::Statements(texts.clone()),
                None => self.aliased(alias),
            };
            let aliases: Vec<AliasEdit> = import.aliases.iter().enumerate().map(of).collect();
            for (alias, _) in
                import.aliases.iter().zip(&aliases).filter(|(_, edit)| **edit != AliasEdit::Keep)
            {
                targets.see_module(self.file, import, &package.below(&alias.name).unwrap_or_default());
            }
            if aliases.iter().any(|edit| *edit != AliasEdit::Keep) {
                edits.extend(split(&self.file.content, &self.file.module, import, &aliases));
                statements.push(index);
            }
        }
        (edits, statements)
    }

    /// The dots, and how many components of `below` follow them.
    fn dots(&self, below: &[&str]) -> (usize, usize) {
        match self.op.style {
            Style::Root => (self.place.package.len() + 1, below.len()),
            Style::Minimal => {
                let (level, rest) = self.place.relative(below);
                (level, rest.len())
            }
        }
    }

    /// A module as `from` writes it here.
    fn spelled(&self, below: &[&str]) -> String {
        let (level, kept) = self.dots(below);
        format!("{}{}", ".".repeat(level), below[below.len() - kept..].join("."))
    }

    /// The package's name and the components that the dots stand for become dots; what follows stays as it is, its
    /// own dot included.
    fn module_edit(&self, import: &Import, below: &[&str]) -> TextEdit {
        let (level, kept) = self.dots(below);
        let dropped = import.components.len() - kept;
        let end = import.components[dropped - 1].end;
        let dots = if kept > 0 { level - 1 } else { level };
        TextEdit::new(import.module_range.start..end, ".".repeat(dots))
    }

    fn aliased(&self, alias: &Alias) -> AliasEdit {
        let below = self.op.package.below(&alias.name).unwrap_or_default();
        let (Some(last), Some((_, above))) = (alias.components.last(), below.split_last()) else {
            return AliasEdit::Keep;
        };
        if alias.asname.is_none() {
            return AliasEdit::Keep;
        }
        let last = String::from_utf8_lossy(&self.file.content[last.clone()]);
        AliasEdit::Statement(format!("from {} import {last}", self.spelled(above)))
    }
}
