//! `ensure_import`: a module-level import that must be there.

use super::python_files::{PythonFile, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::python::ScopeId;
use crate::python::edit::line_ending;
use crate::recipe::{ArgSpec, ArgType, Args, Glob, Identifier, ModulePath, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Change, TextEdit};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "ensure_import",
    group: Group::Python,
    summary: "Makes sure that `from x import y` stands at module level",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("from", ArgType::Text, "the module, with leading dots for a relative one"),
        ArgSpec::required("name", ArgType::Text, "the name to import"),
        ArgSpec::optional("changes", ArgType::Pin, "how many files get the import"),
    ],
    guarantees: &[
        "a file that has the import stays as it is",
        "it stands behind all other statements, so that the order of initialisation stays",
    ],
    failures: &[
        "every file has the import, and there is no `changes=0`",
        "a file imports the name more than once",
        "a matched file does not parse",
    ],
    example: Some(Example {
        recipe: r#"ensure_import in="pkg/__init__.py" from=".ops" name="relu" changes=1"#,
        files: &[("pkg/__init__.py", "from . import layers\n"), ("pkg/ops.py", "relu = 1\n")],
    }),
    build,
};

struct EnsureImport {
    within: Glob,
    level: usize,
    module: String,
    name: String,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let within = args.get("in");
    let from = args.get::<NonEmptyText>("from").map(|t| t.0);
    let name = args.get::<Identifier>("name").map(|n| n.0);
    let from = from?;
    if from == "__future__" {
        args.error(
            "from",
            "a __future__ import must be the first statement, and this op appends",
            "use replace",
        );
    }
    let module = from.trim_start_matches('.');
    let level = from.len() - module.len();
    if !module.is_empty() && ModulePath::new(module).is_err() {
        let message = format!("from= must be a module such as pkg.sub or ..sub, not \"{from}\"");
        args.error("from", message, "write it as it stands after `from`");
    }
    Some(Box::new(EnsureImport { within: within?, level, module: module.to_owned(), name: name? }))
}

impl Op for EnsureImport {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let selection = select(context.workspace, &self.within, "")?;
        let statement = format!("from {}{} import {}", ".".repeat(self.level), self.module, self.name);
        let (mut changes, mut added, mut twice) = (Vec::new(), Vec::new(), Vec::new());
        for file in &selection.files {
            let found = self.found(file);
            match found.len() {
                0 => {
                    added.push(Evidence::file(file.path));
                    changes.push(Change::Edit {
                        path: file.path.clone(),
                        edits: vec![append(file, &statement)],
                    });
                }
                1 => {}
                _ => twice.extend(found),
            }
        }
        if !twice.is_empty() {
            return Err(Failure::new(FailureKind::Refused, format!("`{statement}` stands more than once"))
                .at("name")
                .evidence(twice)
                .hint("delete all but one with replace first"));
        }
        let none = added.is_empty().then(|| match selection.paths.len() {
            0 => Failure::new(FailureKind::NoEffect, "in= matches no Python file").at("in"),
            _ => Failure::new(FailureKind::NoEffect, format!("`{statement}` is there already"))
                .at("name")
                .hint("already upstream: this op can go"),
        });
        let files = plural(added.len(), ("file", "files"));
        Ok(Plan {
            log: format!("added an import to {files}"),
            counts: vec![Count {
                pin: "changes",
                noun: ("change", "changes"),
                found: added.len() as u64,
                evidence: added,
            }],
            changes,
            notes: selection.notes,
            none,
            ..Plan::default()
        })
    }
}

impl EnsureImport {
    /// Where the import stands at module level, alone or in a group.
    fn found(&self, file: &PythonFile<'_>) -> Vec<Evidence> {
        let imports = file.module.imports.iter().filter(|import| {
            import.level == self.level
                && import.module == self.module
                && import.scope == ScopeId::MODULE
                && import.depth == 0
        });
        let aliases = imports.flat_map(|import| {
            let of_name = import.aliases.iter().filter(|a| a.name == self.name && a.bound() == self.name);
            of_name.map(|_| file.evidence(&import.range))
        });
        aliases.collect()
    }
}

/// Puts a statement on a line of its own behind the last one.
fn append(file: &PythonFile<'_>, statement: &str) -> TextEdit {
    let ending = line_ending(&file.content);
    let Some(last) = file.module.statements.last() else {
        let at = file.content.len();
        let text = file.content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&file.content);
        let before =
            if text.is_empty() || text.ends_with(b"\n") || text.ends_with(b"\r") { "" } else { ending };
        return TextEdit::new(at..at, format!("{before}{statement}{ending}"));
    };
    let at = file.module.lines().next(last.range.end, &file.content);
    let ended = at > 0 && matches!(file.content[at - 1], b'\n' | b'\r');
    let before = if ended { "" } else { ending };
    TextEdit::new(at..at, format!("{before}{statement}{ending}"))
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    const RECIPE: &str = r#"ensure_import in="*.py" from=".ops" name="relu""#;

    fn ensured(text: &str) -> String {
        Port::new(RECIPE).file("a.py", text).ok().1["a.py"].clone()
    }

    #[test]
    fn a_missing_import_comes_after_the_last_statement() {
        for (before, after) in [
            ("", "from .ops import relu\n"),
            ("import os\n", "import os\nfrom .ops import relu\n"),
            ("import os", "import os\nfrom .ops import relu\n"),
            ("import os  # c\r\n# end\r\n", "import os  # c\r\nfrom .ops import relu\r\n# end\r\n"),
            ("def f():\n    return 1\n\n\n", "def f():\n    return 1\nfrom .ops import relu\n\n\n"),
            ("x = 1;\n", "x = 1;\nfrom .ops import relu\n"),
            ("# only a comment", "# only a comment\nfrom .ops import relu\n"),
            ("# c", "# c\nfrom .ops import relu\n"),
            ("   ", "   \nfrom .ops import relu\n"),
            ("\u{feff}", "\u{feff}from .ops import relu\n"),
            ("from .ops import relu as r\n", "from .ops import relu as r\nfrom .ops import relu\n"),
            (
                "def f():\n    from .ops import relu\n",
                "def f():\n    from .ops import relu\nfrom .ops import relu\n",
            ),
        ] {
            assert_eq!(ensured(before), after);
        }
    }

    #[test]
    fn an_import_that_is_there_is_left_alone() {
        for text in ["from .ops import relu\n", "from .ops import (\n    gelu,\n    relu,\n)\n"] {
            let failure = Port::new(RECIPE).file("a.py", text).fails();
            assert_eq!(failure.message, "`from .ops import relu` is there already");
            let (log, tree) = Port::new(&format!("{RECIPE} changes=0")).file("a.py", text).ok();
            assert_eq!((log[0].as_str(), tree["a.py"].as_str()), ("added an import to 0 files", text));
        }
    }

    #[test]
    fn more_than_one_is_refused() {
        let failure =
            Port::new(RECIPE).file("a.py", "from .ops import relu\nfrom .ops import a, relu\n").fails();
        assert_eq!(failure.message, "`from .ops import relu` stands more than once");
        assert_eq!(failure.evidence.len(), 2);
    }

    #[test]
    fn a_future_import_is_never_appended() {
        let errors =
            Port::new(r#"ensure_import in="a.py" from="__future__" name="annotations""#).build_errors();
        assert_eq!(
            errors,
            ["1:30: ensure_import: a __future__ import must be the first statement, and this op appends"]
        );
    }

    #[test]
    fn modules_and_names_are_checked_when_the_recipe_is_read() {
        let errors = Port::new(r#"ensure_import in="a.py" from="a/b" name="c.d""#).build_errors();
        assert_eq!(
            errors,
            [
                "1:30: ensure_import: from= must be a module such as pkg.sub or ..sub, not \"a/b\"",
                "1:41: ensure_import: name= must be one Python name, not \"c.d\""
            ]
        );
    }
}
