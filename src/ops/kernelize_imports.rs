//! `kernelize_imports`: tests import the package through the Hub.

use super::near_modules::near_module;
use super::python_files::{PythonFile, Rewrites, nothing, select};
use super::unloaded_modules::UnloadedModules;
use super::{Context, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::python::edit::{line_ending, separator};
use crate::python::header::{self, behind_fixed};
use crate::python::removal::remove;
use crate::python::{Alias, Binding, ByteRange, Import, ImportKind, Role, ScopeId, ScopeKind};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, Identifier, ModulePath, NonEmptyText};
use crate::workspace::TextEdit;
use std::collections::BTreeSet;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "kernelize_imports",
    group: Group::Python,
    summary: "Makes tests import the package through the Hub",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("package", ArgType::Module, "the package they import now"),
        ArgSpec::required("kernel", ArgType::Text, "the repository on the Hub, `org/name`"),
        ArgSpec::required("version", ArgType::Integer, "the kernel's version"),
        ArgSpec::optional(
            "binding",
            ArgType::Text,
            "the name the kernel gets; the package's name by default",
        ),
        ArgSpec::optional("changes", ArgType::Pin, "how many statements are rewritten"),
    ],
    guarantees: &[
        "the names that the tests use are bound to the same objects of the loaded kernel",
        "comments, strings and other imports stay",
    ],
    failures: &[
        "no statement imports the package, and there is no `changes=0`",
        "a star import of the package",
        "the file uses the binding's name, or `kernels`, for something else where the kernel is needed",
        "a matched file that mentions the package does not parse",
    ],
    example: Some(Example {
        recipe: r#"kernelize_imports in="tests/*.py" package="relu" kernel="org/relu" version=1 changes=2"#,
        files: &[(
            "tests/test_relu.py",
            "import torch\nfrom relu import leaky\nfrom relu.layers import (\n    ReLU as Layer,  # the module\n)\n",
        )],
    }),
    build,
};

struct KernelizeImports {
    within: Glob,
    package: ModulePath,
    binding: String,
    load: String,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, package) = (args.get("in"), args.get::<ModulePath>("package"));
    let kernel = args.get::<NonEmptyText>("kernel").map(|t| t.0);
    let version = args.get::<u64>("version");
    let binding = args.get::<Identifier>("binding").map(|b| b.0);
    let valid = |name: &str| {
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        name.split('/').count() == 2
            && name.split('/').all(|part| !part.is_empty() && part.chars().all(plain))
    };
    if kernel.as_ref().is_some_and(|k| !valid(k)) {
        args.error("kernel", "kernel= must be org/name", "it is the repository that get_kernel loads");
    }
    let (within, package, kernel, version) = (within?, package?, kernel?, version?);
    let binding = binding.unwrap_or_else(|| package.as_str().replace('.', "_"));
    let load = format!("{binding} = kernels.get_kernel(\"{kernel}\", version={version})");
    Some(Box::new(KernelizeImports { within, package, binding, load }))
}

impl Op for KernelizeImports {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let last = self.package.components().next_back().unwrap_or_default();
        let selection = select(context.workspace, &self.within, last)?;
        let mut rewrites = Rewrites::default();
        let mut unloaded = UnloadedModules::of(context.workspace, self.package.as_str());
        let mut refusals: [Refusal; 6] = REFUSALS.map(|(message, hint)| (message, hint, Vec::new()));
        for file in &selection.files {
            let ours: Vec<&Import> = file.module.imports.iter().filter(|i| self.concerns(i)).collect();
            let [stars, parents, dotted, taken, kernels, comments] = &mut refusals;
            parents.2.extend(self.parent_imports(file));
            let Some(first) = ours.first() else { continue };
            let evidence = |import: &&&Import| file.evidence(&import.range);
            stars.2.extend(ours.iter().filter(|i| i.star.is_some()).map(|i| evidence(&i)));
            dotted.2.extend(ours.iter().filter(|i| self.binds_top(i)).map(|i| evidence(&i)));
            taken.2.extend(self.other_bindings(file, &ours));
            kernels.2.extend(self.other_kernels(file, first));
            comments.2.extend(ours.iter().filter(|i| has_stuck_comment(file, i)).map(|i| evidence(&i)));
            ours.iter().for_each(|import| unloaded.add(file, import));
            let statements: Vec<ByteRange> = ours.iter().map(|i| i.range.clone()).collect();
            rewrites.add(file, self.edits(file, &ours), &statements);
        }
        for (message, hint, evidence) in refusals {
            refuse(evidence, &message.replace("{}", &self.binding), hint)?;
        }
        let mut none = nothing(&selection, &self.within, &format!("import of {}", self.package));
        if rewrites.is_empty() {
            let package = self.package.to_string();
            none = near_module(none, context.workspace, &selection.paths, "package", &package);
        }
        Ok(rewrites.plan([selection.notes, unloaded.notes()].concat(), none))
    }
}

type Refusal = (&'static str, &'static str, Vec<Evidence>);

/// What is refused and what to do about it; `{}` is the binding.
const REFUSALS: [(&str, &str); 6] = [
    ("a star import cannot be rewritten", "import the names that are used, with replace first"),
    (
        "a `from` import of the package from the one above it cannot be rewritten",
        "write `import a.b as x`, with replace first",
    ),
    (
        "`import a.b.c` binds `a`, which is not the kernel",
        "give it a name with `as`, with replace first, or leave the file out of in=",
    ),
    ("the name {} is used for something else", "choose another name with binding="),
    ("the name kernels is used for something else", "rename it first, with replace"),
    (
        "a comment stands inside of an import that is followed by `;`",
        "give the import lines of its own, with replace first",
    ),
];

fn refuse(evidence: Vec<Evidence>, message: &str, hint: &str) -> Result<(), Failure> {
    if evidence.is_empty() {
        return Ok(());
    }
    Err(Failure::new(FailureKind::Refused, message).at("in").evidence(evidence).hint(hint))
}

impl KernelizeImports {
    fn concerns(&self, import: &Import) -> bool {
        match import.kind {
            ImportKind::From => import.level == 0 && self.package.strip_from(&import.module).is_some(),
            ImportKind::Import => import.aliases.iter().any(|a| self.package.strip_from(&a.name).is_some()),
        }
    }

    /// `from a import b` for the package `a.b`.
    fn parent_imports(&self, file: &PythonFile<'_>) -> Vec<Evidence> {
        let Some((parent, name)) = self.package.as_str().rsplit_once('.') else { return Vec::new() };
        let imports = file.module.imports.iter().filter(|import| {
            let from = import.kind == ImportKind::From && import.level == 0 && import.module == parent;
            from && import.aliases.iter().any(|alias| alias.name == name)
        });
        imports.map(|import| file.evidence(&import.range)).collect()
    }

    /// `import a.b.c` for the package `a.b`.
    fn binds_top(&self, import: &Import) -> bool {
        let plain = |a: &Alias| a.asname.is_none() && self.package.strip_from(&a.name).is_some();
        let is_dotted = self.package.components().nth(1).is_some();
        is_dotted && import.kind == ImportKind::Import && import.aliases.iter().any(plain)
    }

    /// Bindings of the kernel's name, where it is used, that are no import of the package.
    fn other_bindings(&self, file: &PythonFile<'_>, ours: &[&Import]) -> Vec<Evidence> {
        let module = &file.module;
        let Some(id) = module.table.find(&self.binding) else { return Vec::new() };
        let mut scopes = BTreeSet::from([ScopeId::MODULE]);
        for import in ours {
            let around = std::iter::successors(Some(import.scope), |s| module.scope(*s).parent);
            let is_seen = |s: &ScopeId| *s == import.scope || module.scope(*s).kind != ScopeKind::Class;
            scopes.extend(around.filter(is_seen));
        }
        let bindings = scopes.into_iter().flat_map(|scope| module.bindings(scope, id));
        let other = bindings.map(|at| &module.names[at]).filter(|name| match name.role {
            Role::Bind(Binding::Import(import, alias)) => {
                let (import, alias) = module.imported(import, alias);
                // `import pkg`, `import pkg as pkg` and `import pkg.a` bind the package, as the kernel will.
                let package = match alias.asname {
                    Some(_) => self.package.strip_from(&alias.name) == Some(""),
                    None => self.package.strip_from(&alias.name).is_some(),
                };
                import.kind != ImportKind::Import || !package
            }
            Role::Bind(_) | Role::Delete | Role::Nonlocal => true,
            Role::Use | Role::Global => false,
        });
        other.map(|name| file.line(&name.range.range())).collect()
    }

    /// Bindings of `kernels` before the kernel is loaded that are not the module's.
    fn other_kernels(&self, file: &PythonFile<'_>, first: &Import) -> Vec<Evidence> {
        let module = &file.module;
        let Some(id) = module.table.find("kernels") else { return Vec::new() };
        let bindings = module.bindings(ScopeId::MODULE, id).map(|at| &module.names[at]);
        let other = bindings.filter(|name| match name.role {
            Role::Bind(Binding::Import(import, alias)) => {
                let (import, alias) = module.imported(import, alias);
                import.kind != ImportKind::Import || alias.name.split('.').next() != Some("kernels")
            }
            _ => true,
        });
        other
            .filter(|name| name.range.start() < first.range.start)
            .map(|name| file.line(&name.range.range()))
            .collect()
    }

    fn edits(&self, file: &PythonFile<'_>, ours: &[&Import]) -> Vec<TextEdit> {
        let (content, module) = (&file.content, &file.module);
        let is_gone = |import: &&&Import| self.lines(file, import).is_empty();
        let gone: Vec<&Import> = ours.iter().filter(is_gone).copied().collect();
        let mut edits = remove(content, module, &gone);
        let rest = ours.iter().filter(|import| !is_gone(import));
        edits.extend(rest.map(|import| {
            let between = separator(content, module, import);
            TextEdit::new(import.range.clone(), self.lines(file, import).join(&between))
        }));
        let first = ours[0];
        let has_kernels = module.imports.iter().any(|i| {
            let imported = i.kind == ImportKind::Import && i.scope == ScopeId::MODULE && i.depth == 0;
            imported
                && i.range.start < self.loaded_at(file, first)
                && i.aliases.iter().any(|a| a.name == "kernels" && a.asname.is_none())
        });
        let mut head = if has_kernels { Vec::new() } else { vec!["import kernels".to_owned()] };
        head.push(self.load.clone());
        if !is_direct(first) {
            edits.push(behind_fixed(content, module, first.range.start, &head));
            return edits;
        }
        let at = first.range.start;
        let ending = line_ending(content);
        let head = format!("{}{ending}", head.join(ending));
        match edits.iter_mut().find(|edit| edit.range.start == at) {
            Some(edit) => edit.with.splice(0..0, head.into_bytes()).for_each(drop),
            None => edits.push(TextEdit::new(at..at, head)),
        }
        edits
    }

    /// Where the kernel is loaded: before the first rewritten import when that has a line of its own at module level, else
    /// behind docstring and `__future__` imports.
    fn loaded_at(&self, file: &PythonFile<'_>, first: &Import) -> usize {
        if is_direct(first) {
            return first.range.start;
        }
        let fixed = header::fixed(&file.module).checked_sub(1);
        fixed.map_or(0, |index| file.module.statements[index].range.end)
    }

    /// The lines that one statement becomes; none when it only binds the package again.
    fn lines(&self, file: &PythonFile<'_>, import: &Import) -> Vec<String> {
        let content = &file.content;
        let own_lines = is_direct(import);
        let (mut lines, mut assignments) = (Vec::new(), Vec::new());
        let mut comments = comments_inside(file, import);
        if own_lines && ends_in_semicolon(file, import) {
            lines.extend(comments.drain(..).map(|c| text(content, &c)));
        }
        if import.kind == ImportKind::Import {
            let other = |a: &&Alias| self.package.strip_from(&a.name).is_none();
            let kept: Vec<String> =
                import.aliases.iter().filter(other).map(|a| text(content, &a.range)).collect();
            if !kept.is_empty() {
                lines.push(format!("import {}", kept.join(", ")));
            }
        }
        for alias in &import.aliases {
            let Some((target, value)) = self.assignment(content, import, alias) else { continue };
            if !own_lines {
                assignments.push((target, value));
                continue;
            }
            lines.extend(comments.extract_if(.., |c| c.end <= alias.range.start).map(|c| text(content, &c)));
            let line_end = file.module.lines().next(alias.range.end, content);
            let next = import.aliases.iter().map(|a| a.range.start).find(|at| *at > alias.range.end);
            let until = next.unwrap_or(usize::MAX).min(line_end);
            let behind =
                comments.extract_if(.., |c| c.start < until).map(|c| format!("  {}", text(content, &c)));
            lines.push(format!("{target} = {value}{}", behind.collect::<String>()));
        }
        let (targets, values): (Vec<String>, Vec<String>) = assignments.into_iter().unzip();
        let together = format!("{} = {}", targets.join(", "), values.join(", "));
        let comments = comments.iter().map(|c| text(content, c));
        if own_lines {
            lines.extend(comments);
        } else if import.first_on_line {
            lines.extend(comments);
            lines.extend((!targets.is_empty()).then_some(together));
        } else if !targets.is_empty() {
            let behind: String = comments.map(|c| format!("  {c}")).collect();
            lines.push(format!("{together}{behind}"));
        }
        lines
    }

    /// `c = k.a.b` for one imported name; `None` when it only binds the package again.
    fn assignment(&self, content: &[u8], import: &Import, alias: &Alias) -> Option<(String, String)> {
        let spelled = |range: &ByteRange| text(content, range);
        let skip = self.package.components().count();
        let below = |components: &[ByteRange]| components.iter().skip(skip).map(spelled).collect::<Vec<_>>();
        let path = match import.kind {
            ImportKind::From => [below(&import.components), vec![spelled(&alias.name_range)]].concat(),
            ImportKind::Import => {
                self.package.strip_from(&alias.name)?;
                below(&alias.components)
            }
        };
        let value = std::iter::once(self.binding.clone()).chain(path).collect::<Vec<_>>().join(".");
        let target = match (&alias.as_range, import.kind) {
            (Some(range), _) => spelled(range),
            (None, ImportKind::From) => spelled(&alias.name_range),
            // `import pkg.a` binds the package itself.
            (None, ImportKind::Import) => {
                let bound = alias.bound();
                return (bound != self.binding).then(|| (bound.to_owned(), self.binding.clone()));
            }
        };
        (target != value).then_some((target, value))
    }
}

/// A statement of the module that begins its line.
fn is_direct(import: &Import) -> bool {
    import.scope == ScopeId::MODULE && import.depth == 0 && import.first_on_line
}

fn text(content: &[u8], range: &ByteRange) -> String {
    String::from_utf8_lossy(&content[range.clone()]).into_owned()
}

fn comments_inside(file: &PythonFile<'_>, import: &Import) -> Vec<ByteRange> {
    let inside = |c: &&ByteRange| c.start > import.range.start && c.end <= import.range.end;
    file.module.comments.iter().filter(inside).cloned().collect()
}

fn ends_in_semicolon(file: &PythonFile<'_>, import: &Import) -> bool {
    let behind = file.content[import.range.end..].iter().find(|b| !matches!(b, b' ' | b'\t' | b'\x0c'));
    behind == Some(&b';')
}

/// Whether a comment inside the import would swallow what follows on its line.
fn has_stuck_comment(file: &PythonFile<'_>, import: &Import) -> bool {
    !import.first_on_line && ends_in_semicolon(file, import) && !comments_inside(file, import).is_empty()
}
