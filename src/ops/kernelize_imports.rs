//! `kernelize_imports`: tests import the package through the Hub.

use super::python_files::{PythonFile, Rewrites, nothing, select};
use super::{Context, Evidence, Example, Failure, FailureKind, Op, OpSpec, Plan};
use crate::python::edit::{line_ending, separator};
use crate::python::{Alias, Binding, ByteRange, Import, ImportKind, Module, Role, ScopeId, StatementKind};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath, NonEmptyText};
use crate::workspace::{TextEdit, splice};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "kernelize_imports",
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
    failures: &[
        "no statement imports the package, and there is no `changes=0`",
        "a star import of the package",
        "the file uses the binding's name for something else",
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
    let binding = args.get::<ModulePath>("binding").map(|b| b.as_str().to_owned());
    if binding.as_ref().is_some_and(|b| b.contains('.')) {
        args.error("binding", "binding= is one name, without dots", "leave it out to use the package's name");
    }
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
        let (mut stars, mut taken) = (Vec::new(), Vec::new());
        for file in &selection.files {
            let ours: Vec<&Import> = file.module.imports.iter().filter(|i| self.concerns(i)).collect();
            if ours.is_empty() {
                continue;
            }
            stars.extend(ours.iter().filter(|i| i.star.is_some()).map(|i| file.evidence(&i.range)));
            taken.extend(self.other_bindings(file));
            let statements: Vec<ByteRange> = ours.iter().map(|i| i.range.clone()).collect();
            rewrites.add(file, self.edits(file, &ours), &statements);
        }
        refuse(
            stars,
            "a star import cannot be rewritten",
            "import the names that are used, with replace first",
        )?;
        let message = format!("the name {} is used for something else", self.binding);
        refuse(taken, &message, "choose another name with binding=")?;
        let none = nothing(&selection, &self.within, &format!("import of {}", self.package));
        Ok(rewrites.plan(selection.notes, none))
    }
}

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

    /// Module-level bindings of the kernel's name that are no import of the package.
    fn other_bindings(&self, file: &PythonFile<'_>) -> Vec<Evidence> {
        let module = &file.module;
        let Some(id) = module.table.find(&self.binding) else { return Vec::new() };
        let bindings = module.bindings(ScopeId::MODULE, id).map(|at| &module.names[at]);
        let other = bindings.filter(|name| match name.role {
            Role::Bind(Binding::Import(import, alias)) => {
                let import = &module.imports[import];
                let alias = &import.aliases[alias];
                // `import pkg`, `import pkg as pkg` and `import pkg.a` bind the package, as the kernel will.
                let package = match alias.asname {
                    Some(_) => self.package.strip_from(&alias.name) == Some(""),
                    None => self.package.strip_from(&alias.name).is_some(),
                };
                import.kind != ImportKind::Import || !package
            }
            Role::Bind(_) | Role::Delete => true,
            _ => false,
        });
        other.map(|name| file.line(&name.range)).collect()
    }

    fn edits(&self, file: &PythonFile<'_>, ours: &[&Import]) -> Vec<TextEdit> {
        let mut edits: Vec<TextEdit> = ours.iter().map(|import| self.statement(file, import)).collect();
        let (at, before, after) = self.place(file, ours[0]);
        let ending = line_ending(&file.content);
        let has_kernels = file.module.imports.iter().any(|i| {
            let imported = i.kind == ImportKind::Import && i.scope == ScopeId::MODULE && i.depth == 0;
            imported
                && i.range.start < at
                && i.aliases.iter().any(|a| a.name == "kernels" && a.asname.is_none())
        });
        let import = if has_kernels { String::new() } else { format!("import kernels{ending}") };
        let head = format!("{before}{import}{}{ending}{after}", self.load);
        match edits.iter_mut().find(|edit| edit.range.start == at) {
            Some(edit) => edit.with.splice(0..0, head.into_bytes()).for_each(drop),
            None => edits.push(TextEdit::new(at..at, head)),
        }
        edits
    }

    /// Where the kernel is loaded: before the first rewritten import when that has a line of its own at module level, else
    /// after docstring and `__future__` imports. With what is needed before and behind it.
    fn place(&self, file: &PythonFile<'_>, first: &Import) -> (usize, String, String) {
        let direct = first.scope == ScopeId::MODULE && first.depth == 0 && first.first_on_line;
        if direct {
            return (first.range.start, String::new(), String::new());
        }
        let header = file
            .module
            .statements
            .iter()
            .take_while(|s| matches!(s.kind, StatementKind::Docstring | StatementKind::Future(_)));
        let ending = line_ending(&file.content).to_owned();
        match header.last() {
            Some(last) => {
                let at = file.module.lines().next(last.range.end, &file.content);
                let ended = at > 0 && matches!(file.content[at - 1], b'\n' | b'\r');
                (at, if ended { String::new() } else { ending }, String::new())
            }
            None => {
                let at = file.module.statements.first().map_or(0, |s| s.range.start);
                (at, String::new(), String::new())
            }
        }
    }

    /// What one statement becomes.
    fn statement(&self, file: &PythonFile<'_>, import: &Import) -> TextEdit {
        let content = &file.content;
        let own_lines = import.scope == ScopeId::MODULE && import.depth == 0 && import.first_on_line;
        let between = separator(content, &file.module, import);
        let mut lines = Vec::new();
        let mut names = Vec::new();
        let mut comments = comments_inside(file, import);
        if import.kind == ImportKind::Import {
            let kept: Vec<String> = import
                .aliases
                .iter()
                .filter(|a| self.package.strip_from(&a.name).is_none())
                .map(|a| String::from_utf8_lossy(&content[a.range.clone()]).into_owned())
                .collect();
            if !kept.is_empty() {
                lines.push(format!("import {}", kept.join(", ")));
            }
        }
        for alias in &import.aliases {
            let Some((target, value)) = self.assignment(content, import, alias) else { continue };
            if own_lines {
                let before = comments.extract_if(.., |c| c.end <= alias.range.start).collect::<Vec<_>>();
                lines.extend(before.iter().map(|c| text(content, c)));
                let line_end = file.module.lines().next(alias.range.end, content);
                let next = import.aliases.iter().map(|a| a.range.start).find(|at| *at > alias.range.end);
                let until = next.unwrap_or(usize::MAX).min(line_end);
                let behind: Vec<String> = comments
                    .extract_if(.., |c| c.start < until)
                    .map(|c| format!("  {}", text(content, &c)))
                    .collect();
                lines.push(format!("{target} = {value}{}", behind.concat()));
            } else {
                names.push((target, value));
            }
        }
        if !own_lines && import.first_on_line {
            lines.splice(0..0, comments.iter().map(|c| text(content, c)));
        } else {
            lines.extend(comments.iter().map(|c| text(content, c)));
        }
        match names.as_slice() {
            [] => {}
            [(target, value)] => lines.push(format!("{target} = {value}")),
            many => {
                let (targets, values): (Vec<&str>, Vec<&str>) =
                    many.iter().map(|(t, v)| (t.as_str(), v.as_str())).unzip();
                lines.push(format!("{} = {}", targets.join(", "), values.join(", ")));
            }
        }
        if lines.is_empty() {
            return removed(file, import);
        }
        TextEdit::new(import.range.clone(), lines.join(&between))
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

fn text(content: &[u8], range: &ByteRange) -> String {
    String::from_utf8_lossy(&content[range.clone()]).into_owned()
}

fn comments_inside(file: &PythonFile<'_>, import: &Import) -> Vec<ByteRange> {
    let inside = |c: &&ByteRange| c.start > import.range.start && c.end <= import.range.end;
    file.module.comments.iter().filter(inside).cloned().collect()
}

/// The edit that takes a statement away: with its line where nothing else stands on it and the block keeps a statement,
/// else `pass` takes its place.
fn removed(file: &PythonFile<'_>, import: &Import) -> TextEdit {
    let (start, end) = (
        file.module.lines().start(import.range.start),
        file.module.lines().next(import.range.end, &file.content),
    );
    let blank = |range: std::ops::Range<usize>| file.content[range].iter().all(u8::is_ascii_whitespace);
    if import.first_on_line && blank(start..import.range.start) && blank(import.range.end..end) {
        let line = TextEdit::new(import.range.start..import.range.end, "");
        let whole = TextEdit::new(start.max(bom(&file.content))..end, "");
        let direct = import.scope == ScopeId::MODULE && import.depth == 0;
        let parses = || {
            splice(&file.content, std::slice::from_ref(&whole)).is_ok_and(|text| Module::parse(&text).is_ok())
        };
        if direct {
            // What is loaded in its place begins where it began.
            return TextEdit::new(line.range.start..end, "");
        }
        if parses() {
            return whole;
        }
    }
    TextEdit::new(import.range.clone(), "pass")
}

fn bom(content: &[u8]) -> usize {
    if content.starts_with(b"\xef\xbb\xbf") { 3 } else { 0 }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use crate::python::Module;

    const RECIPE: &str = r#"kernelize_imports in="t.py" package="pkg" kernel="org/pkg" version=1"#;
    const HEAD: &str = "import kernels\npkg = kernels.get_kernel(\"org/pkg\", version=1)\n";

    fn kernelized(text: &str) -> String {
        let (_, tree) = Port::new(RECIPE).file("t.py", text).ok();
        let result = tree["t.py"].clone();
        assert!(Module::parse(result.as_bytes()).is_ok(), "{result}");
        result
    }

    #[test]
    fn every_form_at_module_level() {
        for (before, after) in [
            ("from pkg import a\n", "a = pkg.a\n"),
            ("from pkg.x.y import a as b, c\n", "b = pkg.x.y.a\nc = pkg.x.y.c\n"),
            ("import pkg.a as x\n", "x = pkg.a\n"),
            ("import pkg as p\n", "p = pkg\n"),
            ("import pkg\n", ""),
            ("import pkg.a\n", ""),
            ("import pkg as pkg\nx = 1\n", "x = 1\n"),
            ("import os, pkg.a as x, sys\n", "import os, sys\nx = pkg.a\n"),
            ("import os, pkg\n", "import os\n"),
            ("from pkg import a  # noqa\n", "a = pkg.a  # noqa\n"),
            (
                "from pkg.x import (  # why\n    a,  # first\n    # second\n    b as c,\n)\n",
                "# why\na = pkg.x.a  # first\n# second\nc = pkg.x.b\n",
            ),
        ] {
            assert_eq!(kernelized(before), format!("{HEAD}{after}"), "{before}");
        }
    }

    #[test]
    fn other_lines_stay_where_they_are() {
        assert_eq!(
            kernelized("\"\"\"Doc.\"\"\"\nimport os\nfrom pkg import a\nimport pkg\nimport sys\n"),
            format!("\"\"\"Doc.\"\"\"\nimport os\n{HEAD}a = pkg.a\nimport sys\n")
        );
        assert_eq!(
            kernelized("import kernels\r\nfrom pkg import a\r\n"),
            "import kernels\r\npkg = kernels.get_kernel(\"org/pkg\", version=1)\r\na = pkg.a\r\n"
        );
    }

    #[test]
    fn nested_imports_become_one_statement_and_load_after_the_header() {
        assert_eq!(
            kernelized(
                "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\nimport os\n\n\ndef f():\n    from pkg.x import a, b as c\n    import pkg\n    return a\n"
            ),
            format!(
                "\"\"\"Doc.\"\"\"\nfrom __future__ import annotations\n{HEAD}import os\n\n\ndef f():\n    a, c = pkg.x.a, pkg.x.b\n    return a\n"
            )
        );
        assert_eq!(
            kernelized("try:\n    import pkg\nexcept ImportError:\n    pkg_missing = 1\n"),
            format!("{HEAD}try:\n    pass\nexcept ImportError:\n    pkg_missing = 1\n")
        );
        assert_eq!(
            kernelized("def f(): from pkg import a; return a\n"),
            format!("{HEAD}def f(): a = pkg.a; return a\n")
        );
    }

    #[test]
    fn a_binding_of_another_name() {
        let recipe = format!("{RECIPE} binding=\"k\"");
        let (_, tree) = Port::new(&recipe).file("t.py", "import pkg\nfrom pkg.a import b\n").ok();
        assert_eq!(
            tree["t.py"],
            "import kernels\nk = kernels.get_kernel(\"org/pkg\", version=1)\npkg = k\nb = k.a.b\n"
        );
    }

    #[test]
    fn what_cannot_be_rewritten_is_refused() {
        let fails = |text: &str| Port::new(RECIPE).file("t.py", text).fails();
        let star = fails("from pkg import *\n");
        assert_eq!((star.message.as_str(), star.evidence.len()), ("a star import cannot be rewritten", 1));
        assert_eq!(fails("from pkg import a\npkg = 1\n").message, "the name pkg is used for something else");
        assert_eq!(fails("from pkg.x import pkg\n").message, "the name pkg is used for something else");
        assert_eq!(fails("import os\n").message, "no import of pkg in the 1 Python file that in= matches");
        assert_eq!(
            fails("from pkg_extra import a\n").message,
            "no import of pkg in the 1 Python file that in= matches"
        );
    }

    #[test]
    fn mentions_in_strings_and_comments_are_left_alone() {
        let text = "# from pkg import a\nX = 'from pkg import a'\nfrom pkg import a\n";
        assert_eq!(
            kernelized(text),
            format!("# from pkg import a\nX = 'from pkg import a'\n{HEAD}a = pkg.a\n")
        );
    }
}
