//! `remap_strings`: module paths in the few string literals that Python imports or patches by, and on request in
//! docstrings and comments.

use super::named_strings::by_name;
use super::near_modules::near_module;
use super::python_files::{PythonFile, nothing, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Note, Op, OpSpec, Plan};
use crate::python::literals::{front, opening};
use crate::python::{ByteRange, StringLiteral};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, ModulePath};
use crate::report::plural;
use crate::workspace::{Change, TextEdit};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "remap_strings",
    group: Group::Python,
    summary: "Rewrites module paths in string literals that import or patch by name",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("from", ArgType::Module, "the module path as it stands"),
        ArgSpec::required("to", ArgType::Module, "the module path to write"),
        ArgSpec::optional("docs", ArgType::Flag, "also in docstrings and comments"),
        ArgSpec::optional("changes", ArgType::Pin, "how many places are rewritten"),
    ],
    guarantees: &["every string that is no such argument stays"],
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
        let (mut changes, mut places) = (Vec::new(), Vec::new());
        let (mut refused, mut others) = (Vec::new(), Vec::new());
        for file in &selection.files {
            let mut edits = Vec::new();
            let is_path = |literal: &StringLiteral| {
                !literal.docstring && self.from.strip_from(&literal.value).is_some()
            };
            let named = by_name(file, is_path);
            for (index, literal) in file.module.strings.iter().enumerate().filter(|(_, l)| is_path(l)) {
                if !named.contains(&index) {
                    others.push(file.evidence(&literal.range));
                    continue;
                }
                match front(&file.content, &literal.range, self.from.as_str()) {
                    Some(range) => {
                        edits.push(range);
                        places.push(file.line(&literal.range));
                    }
                    None => refused.push(file.evidence(&literal.range)),
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
        let none = places.is_empty().then(|| {
            let failure = nothing(&selection, &self.within, &what).hint(
                "only what Python imports or patches by name is looked at; replace rewrites any other text",
            );
            near_module(failure, context.workspace, &selection.paths, "from", &self.from.to_string())
        });
        let (strings, files) =
            (plural(places.len(), ("string", "strings")), plural(changes.len(), ("file", "files")));
        Ok(Plan {
            log: format!("rewrote {strings} in {files}"),
            counts: vec![count(places)],
            changes,
            notes: [selection.notes, others.iter().map(stays).collect()].concat(),
            none,
            ..Plan::default()
        })
    }
}

fn count(evidence: Vec<Evidence>) -> Count {
    Count { pin: "changes", noun: ("change", "changes"), found: evidence.len() as u64, evidence }
}

fn stays(evidence: &Evidence) -> Note {
    let at = evidence.position.map_or_else(String::new, |p| format!(":{p}"));
    Note::Detail(format!("{}{at}: {} is no import or patch by name and stays", evidence.path, evidence.text))
}

impl RemapStrings {
    /// The path in docstrings and comments, on component boundaries.
    fn mentions(&self, file: &PythonFile<'_>) -> Vec<ByteRange> {
        let docstrings = file.module.strings.iter().filter(|s| s.docstring).filter_map(|literal| {
            let start = opening(&file.content, &literal.range)?.text;
            Some((start..literal.range.end, !literal.verbatim))
        });
        let comments = file.module.comments.iter().map(|range| (range.clone(), false));
        let finder = memchr::memmem::Finder::new(self.from.as_str());
        let mut found = Vec::new();
        for (area, escapes) in docstrings.chain(comments) {
            let text = &file.content[area.clone()];
            for at in finder.find_iter(text) {
                let end = at + self.from.as_str().len();
                if starts_path(&text[..at], escapes) && ends_component(&text[end..]) {
                    found.push(area.start + at..area.start + end);
                }
            }
        }
        found
    }
}

/// Whether a module path can start behind `before`: not inside of a name, a longer path, a distribution's name or a
/// file's path.
fn starts_path(before: &[u8], escapes: bool) -> bool {
    match before {
        [.., b'\\', letter] if escapes && letter.is_ascii_alphabetic() => true,
        [.., b'.' | b'-' | b'/' | b'\\' | b'@'] => false,
        _ => !is_letter(before[before.len().saturating_sub(4)..].utf8_chunks().last().and_then(|chunk| {
            if chunk.invalid().is_empty() { chunk.valid().chars().next_back() } else { Some('\u{e9}') }
        })),
    }
}

/// Whether a component of a module path ends before `after`. `pkg-extra` and `pkg/a` are no modules, `pkg.py` is a
/// file.
fn ends_component(after: &[u8]) -> bool {
    let next = |text: &[u8]| {
        let first = text.get(..text.len().min(4)).and_then(|t| t.utf8_chunks().next());
        first.map(|chunk| chunk.valid().chars().next().unwrap_or('\u{e9}'))
    };
    let dashed = matches!(after, [b'-', letter, ..] if letter.is_ascii_alphanumeric());
    let is_file = [&b".pyi"[..], b".py"].iter().any(|ending| {
        let rest = after.strip_prefix(*ending);
        rest.is_some_and(|rest| {
            !is_letter(next(rest)) && !matches!(rest, [b'.', letter, ..] if letter.is_ascii_alphabetic())
        })
    });
    !(is_letter(next(after)) || dashed || is_file || after.first() == Some(&b'/'))
}

/// Whether a character continues an identifier. Those of scripts that are written without blanks do not: prose in
/// them touches the names it mentions.
fn is_letter(character: Option<char>) -> bool {
    /// Where the blocks of such scripts begin.
    const CJK: char = '\u{2e80}';
    character.is_some_and(|c| c == '_' || c.is_alphanumeric() && c < CJK)
}

#[cfg(test)]
mod tests {
    use crate::ops::Note;
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
            (
                "try:\n    from unittest.mock import patch as p\nexcept ImportError:\n    from mock import patch as p\np('pkg.a')\n",
                "try:\n    from unittest.mock import patch as p\nexcept ImportError:\n    from mock import patch as p\np('q')\n",
            ),
            ("from .x import patch\npatch('pkg.a')\n", "from .x import patch\npatch('q')\n"),
            ("def t(patch, mock):\n    mock.patch('pkg.a')\n", "def t(patch, mock):\n    mock.patch('q')\n"),
            (
                "import importlib\ng(target=1)\nimportlib.import_module(name='pkg.a')\n",
                "import importlib\ng(target=1)\nimportlib.import_module(name='q')\n",
            ),
            (
                "import importlib\nimportlib.import_module('.b', 'pkg.a')\n",
                "import importlib\nimportlib.import_module('.b', 'q')\n",
            ),
            (
                "import importlib\nimportlib.import_module('.b', package='pkg.a')\n",
                "import importlib\nimportlib.import_module('.b', package='q')\n",
            ),
            ("__import__('pkg.a\\x2eb')\n", "__import__('q\\x2eb')\n"),
            ("__import__('pkg.a' '.b')\n", "__import__('q' '.b')\n"),
            (
                "from sys import modules as m\nm['pkg.a.b'] = 1\n",
                "from sys import modules as m\nm['q.b'] = 1\n",
            ),
            ("import sys\nsys.modules.get('pkg.a.b')\n", "import sys\nsys.modules.get('q.b')\n"),
            (
                "from sys import modules\nmodules.pop('pkg.a', None)\n",
                "from sys import modules\nmodules.pop('q', None)\n",
            ),
            ("import sys\ndel sys.modules[r'pkg.a']\n", "import sys\ndel sys.modules[r'q']\n"),
        ] {
            assert_eq!(remapped("changes=1", before), after);
        }
    }

    #[test]
    fn every_other_string_is_left_alone() {
        let text = "\"\"\"Uses pkg.a.\"\"\"\n# pkg.a\nx = 'pkg.a'\nprint('pkg.a')\n__import__('pkg.ab')\n__import__('x.pkg.a')\nd['pkg.a']\nimportlib.import_module(f'pkg.a.{x}')\nclient.patch('pkg.a')\nlogging.getLogger('pkg.a')\nmock.patch(x, 'pkg.a')\n";
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
    fn a_mention_is_a_module_and_not_a_part_of_another_word() {
        for (before, after) in [
            ("# pkg.a-core, x-pkg.a, dir/pkg.a, pkg.a/b, pkg.a.py, a@pkg.a, .pkg.a", None),
            ("# pkg.a_, pkg.a\u{e9}, \u{e9}pkg.a, pkg.a1, _pkg.a, pkg.a.py.", None),
            ("# (pkg.a)", Some("# (q)")),
            ("# `pkg.a`, pkg.a:f, pkg.a's, pkg.a - x", Some("# `q`, q:f, q's, q - x")),
            ("# pkg.a.python.x, pkg.a.py.x", Some("# q.python.x, q.py.x")),
            ("# \u{4f7f}\u{7528}pkg.a\u{7684}\u{ff0c}pkg.a", Some("# \u{4f7f}\u{7528}q\u{7684}\u{ff0c}q")),
            ("'''\\npkg.a \\\\pkg.a'''", Some("'''\\nq \\\\pkg.a'''")),
            ("def f():\n    r'\\npkg.a'", None),
            ("def f():\n    'pkg.a' '.b'", Some("def f():\n    'q' '.b'")),
        ] {
            let args = if after.is_some() { "docs=#true" } else { "docs=#true changes=0" };
            assert_eq!(remapped(args, before), after.unwrap_or(before));
        }
    }

    #[test]
    fn a_comment_in_latin_1_keeps_its_bytes() {
        let recipe = "remap_strings in=\"t.py\" from=\"pkg\" to=\"q\" docs=#true changes=1";
        let run = Port::new(recipe).file("t.py", b"# coding: latin-1\n# \xe9 pkg \xe9pkg pkg\xe9\n").run();
        let (_, entry) = run.workspace.iter().next().unwrap();
        assert_eq!(&*entry.content.read().unwrap(), b"# coding: latin-1\n# \xe9 q \xe9pkg pkg\xe9\n");
    }

    #[test]
    fn other_strings_are_named_with_verbose() {
        let recipe = "remap_strings in=\"t.py\" from=\"pkg.a\" to=\"q\" changes=0";
        let run = Port::new(recipe).file("t.py", "x = 1\nlogging.getLogger('pkg.a.b')\n").run();
        assert_eq!(
            run.steps[0].notes,
            [Note::Detail("t.py:2:19: 'pkg.a.b' is no import or patch by name and stays".to_owned())]
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
