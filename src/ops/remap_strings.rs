//! `remap_strings`: module paths in the few string literals that Python imports or patches by, and on request in
//! docstrings and comments.

use super::python_files::{PythonFile, nothing, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Op, OpSpec, Plan};
use crate::python::{ByteRange, StringLiteral};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath};
use crate::report::plural;
use crate::workspace::{Change, TextEdit};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "remap_strings",
    summary: "Rewrites module paths in string literals that import or patch by name",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("from", ArgType::Module, "the module path as it stands"),
        ArgSpec::required("to", ArgType::Module, "the module path to write"),
        ArgSpec::optional("docs", ArgType::Flag, "also in docstrings and comments"),
        ArgSpec::optional("changes", ArgType::Pin, "how many places are rewritten"),
    ],
    failures: &[
        "no such literal is there, and there is no `changes=0`",
        "a literal holds the path in a form that cannot be edited: escapes, several parts",
        "a matched file that mentions the module does not parse",
    ],
    example: Some(Example {
        recipe: r#"remap_strings in="tests/*.py" from="pkg" to="port" changes=2"#,
        files: &[(
            "tests/test_a.py",
            "import importlib\nimport sys\n\nm = importlib.import_module(\"pkg.ops\")\nassert \"pkg\" != sys.modules[\"pkg\"]\n",
        )],
    }),
    build,
};

struct RemapStrings {
    within: Glob,
    from: ModulePath,
    to: ModulePath,
    docs: bool,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let within = args.get("in");
    let (from, to) = (args.get::<ModulePath>("from"), args.get::<ModulePath>("to"));
    let docs = args.get("docs").unwrap_or(false);
    let (within, from, to) = (within?, from?, to?);
    if from == to {
        args.error("to", "from and to are the same module", "an op that changes nothing is a mistake");
    }
    Some(Box::new(RemapStrings { within, from, to, docs }))
}

impl Op for RemapStrings {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let last = self.from.components().next_back().unwrap_or_default();
        let selection = select(context.workspace, &self.within, last)?;
        let (mut changes, mut places, mut refused) = (Vec::new(), Vec::new(), Vec::new());
        for file in &selection.files {
            let mut edits = Vec::new();
            for literal in literals(file).filter(|l| self.from.strip_from(&l.value).is_some()) {
                match &literal.content {
                    Some(content) if literal.verbatim => {
                        let end = content.start + self.from.as_str().len();
                        edits.push(content.start..end);
                        places.push(file.line(&literal.range));
                    }
                    _ => refused.push(file.evidence(&literal.range)),
                }
            }
            if self.docs {
                for found in self.mentions(file) {
                    places.push(file.line(&found));
                    edits.push(found);
                }
            }
            if !edits.is_empty() {
                let edits = edits.into_iter().map(|range| TextEdit::new(range, self.to.as_str())).collect();
                changes.push(Change::Edit { path: file.path.clone(), edits });
            }
        }
        if !refused.is_empty() {
            let message = format!(
                "{} the path with escapes or in several parts",
                plural(refused.len(), ("literal spells", "literals spell"))
            );
            return Err(Failure::new(FailureKind::Refused, message)
                .at("in")
                .evidence(refused)
                .hint("write it as one plain literal first, with replace"));
        }
        places.sort();
        let what = format!("literal with the module path {}", self.from);
        let none = places.is_empty().then(|| nothing(&selection, &self.within, &what));
        let (strings, files) =
            (plural(places.len(), ("string", "strings")), plural(changes.len(), ("file", "files")));
        Ok(Plan {
            log: format!("rewrote {strings} in {files}"),
            counts: vec![count(places)],
            changes,
            notes: selection.notes,
            none,
            ..Plan::default()
        })
    }
}

fn count(evidence: Vec<Evidence>) -> Count {
    Count { pin: "changes", noun: ("change", "changes"), found: evidence.len() as u64, evidence }
}

/// The literals that Python imports or patches by.
pub fn literals<'f>(file: &'f PythonFile<'_>) -> impl Iterator<Item = &'f StringLiteral> {
    let module = &file.module;
    let called = module.calls.iter().filter_map(|call| {
        let callee = module.dotted(call.root?).or_else(|| {
            // `monkeypatch` and `mocker` are parameters: their name is all there is.
            let name = &module.names[call.root?];
            let last = module.attributes[name.attributes.clone()].last()?;
            Some(format!("{}.{}", module.text(name.id), module.text(last.id)))
        })?;
        let by_name = matches!(
            callee.as_str(),
            "importlib.import_module" | "import_module" | "__import__" | "patch" | "monkeypatch.setattr"
        );
        if !by_name && !callee.ends_with("mock.patch") {
            return None;
        }
        let target = module.table.find("target").or(module.table.find("name"));
        call.argument(0, target)?.string
    });
    let subscripted = module.subscripts.iter().filter_map(|subscript| {
        let of = module.dotted(subscript.root)?;
        (of == "sys.modules").then_some(subscript.string)
    });
    let mut all: Vec<usize> = called.chain(subscripted).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|index| &module.strings[index])
}

impl RemapStrings {
    /// The path in docstrings and comments, on component boundaries.
    fn mentions(&self, file: &PythonFile<'_>) -> Vec<ByteRange> {
        let docstrings = file.module.strings.iter().filter(|s| s.docstring).map(|s| s.range.clone());
        let areas = docstrings.chain(file.module.comments.iter().cloned());
        let finder = memchr::memmem::Finder::new(self.from.as_str());
        let part_of_name = |b: u8| b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        let mut found = Vec::new();
        for area in areas {
            let text = &file.content[area.clone()];
            for at in finder.find_iter(text) {
                let end = at + self.from.as_str().len();
                let free_before = at == 0 || !(part_of_name(text[at - 1]) || text[at - 1] == b'.');
                let free_after = text.get(end).is_none_or(|b| !part_of_name(*b));
                if free_before && free_after {
                    found.push(area.start + at..area.start + end);
                }
            }
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    fn remapped(args: &str, text: &str) -> String {
        let recipe = format!("remap_strings in=\"t.py\" from=\"pkg.a\" to=\"q\" {args}");
        Port::new(&recipe).file("t.py", text).ok().1["t.py"].clone()
    }

    #[test]
    fn exactly_the_named_forms_are_rewritten() {
        for (before, after) in [
            (
                "import importlib\nimportlib.import_module('pkg.a.b')\n",
                "import importlib\nimportlib.import_module('q.b')\n",
            ),
            (
                "from importlib import import_module as i\ni('pkg.a')\n",
                "from importlib import import_module as i\ni('q')\n",
            ),
            ("__import__(\"pkg.a\")\n", "__import__(\"q\")\n"),
            (
                "from unittest import mock\n@mock.patch('pkg.a.f')\ndef t(): pass\n",
                "from unittest import mock\n@mock.patch('q.f')\ndef t(): pass\n",
            ),
            (
                "from unittest.mock import patch\nwith patch(target='pkg.a.f'): pass\n",
                "from unittest.mock import patch\nwith patch(target='q.f'): pass\n",
            ),
            (
                "def t(monkeypatch):\n    monkeypatch.setattr('pkg.a.f', 1)\n",
                "def t(monkeypatch):\n    monkeypatch.setattr('q.f', 1)\n",
            ),
            ("import sys\ndel sys.modules[r'pkg.a']\n", "import sys\ndel sys.modules[r'q']\n"),
        ] {
            assert_eq!(remapped("changes=1", before), after);
        }
    }

    #[test]
    fn every_other_string_is_left_alone() {
        let text = "\"\"\"Uses pkg.a.\"\"\"\n# pkg.a\nx = 'pkg.a'\nprint('pkg.a')\n__import__('pkg.ab')\n__import__('x.pkg.a')\nd['pkg.a']\nimportlib.import_module(f'pkg.a.{x}')\n";
        assert_eq!(remapped("changes=0", text), text);
        let failure =
            Port::new("remap_strings in=\"t.py\" from=\"pkg.a\" to=\"q\"").file("t.py", text).fails();
        assert_eq!(
            failure.message,
            "no literal with the module path pkg.a in the 1 Python file that in= matches"
        );
    }

    #[test]
    fn docstrings_and_comments_on_request() {
        let text = "\"\"\"Uses pkg.a, pkg.a.b; not pkg.ab, x.pkg.a.\n\n>>> from pkg.a import x\n\"\"\"\nx = 'pkg.a'  # see pkg.a.\n";
        assert_eq!(
            remapped("docs=#true changes=4", text),
            "\"\"\"Uses q, q.b; not pkg.ab, x.pkg.a.\n\n>>> from q import x\n\"\"\"\nx = 'pkg.a'  # see q.\n"
        );
    }

    #[test]
    fn literals_that_cannot_be_edited_are_refused() {
        let recipe = "remap_strings in=\"t.py\" from=\"pkg.a\" to=\"q\"";
        let failure =
            Port::new(recipe).file("t.py", "__import__('pkg' '.a')\n__import__('pkg\\x2ea')\n").fails();
        assert_eq!(failure.message, "2 literals spell the path with escapes or in several parts");
    }
}
