//! `mark_tests`: a pytest marker on every test of a module.

use super::python_files::{PythonFile, select};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::python::edit::{indentation, line_ending};
use crate::python::{Binding, Definition, ImportKind, Name, Role, ScopeId, StatementKind};
use crate::recipe::{ArgSpec, ArgType, Args, Glob, Identifier, List};
use crate::report::{nearest, plural};
use crate::workspace::{Change, TextEdit};
use std::collections::BTreeSet;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "mark_tests",
    group: Group::Python,
    summary: "Decorates every module-level test with a pytest marker",
    args: &[
        ArgSpec::required("in", ArgType::Glob, "the Python files"),
        ArgSpec::required("marker", ArgType::Text, "the name after `pytest.mark.`"),
        ArgSpec::optional("exclude", ArgType::List, "tests to leave alone; each must be there"),
        ArgSpec::optional("changes", ArgType::Pin, "how many tests are marked"),
    ],
    guarantees: &[
        "a test that carries the marker stays as it is",
        "the marker stands above other decorators, and nothing else changes",
    ],
    failures: &[
        "no unmarked test is there, and there is no `changes=0`",
        "a file with unmarked tests has no module-level `import pytest` before them",
        "a name in `exclude` is no test of the matched files",
        "a matched file does not parse",
    ],
    example: Some(Example {
        recipe: r#"mark_tests in="tests/*.py" marker="kernels_ci" exclude="test_slow" changes=1"#,
        files: &[("tests/test_relu.py", "import pytest\n\ndef test_relu(): ...\ndef test_slow(): ...\n")],
    }),
    build,
};

struct MarkTests {
    within: Glob,
    marker: String,
    exclude: Vec<String>,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (within, marker) = (args.get("in"), args.get::<Identifier>("marker"));
    let exclude = args.get::<List>("exclude").map(|list| list.0).unwrap_or_default();
    Some(Box::new(MarkTests { within: within?, marker: marker?.0, exclude }))
}

impl Op for MarkTests {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let selection = select(context.workspace, &self.within, "est")?;
        let (mut changes, mut marked, mut without) = (Vec::new(), Vec::new(), Vec::new());
        let mut names = BTreeSet::new();
        for file in &selection.files {
            let tests: Vec<&Definition> =
                file.module.definitions.iter().filter(|d| is_test(file, d)).collect();
            names.extend(tests.iter().map(|test| file.module.text(test.name).to_owned()));
            let excluded = |test: &Definition| self.exclude.iter().any(|n| n == file.module.text(test.name));
            let wanted: Vec<&Definition> = tests.into_iter().filter(|t| !excluded(t)).collect();
            let unmarked: Vec<&Definition> = match self.marks_module(file) {
                true => Vec::new(),
                false => wanted.into_iter().filter(|test| !self.is_marked(file, test)).collect(),
            };
            let Some(first) = unmarked.first() else { continue };
            let Some(pytest) = pytest_name(file, first.range.start) else {
                without.push(file.evidence(&first.name_range));
                continue;
            };
            let edits: Vec<TextEdit> = unmarked
                .iter()
                .map(|test| {
                    marked.push(file.line(&test.name_range));
                    let at = test.range.start;
                    let indent =
                        String::from_utf8_lossy(indentation(&file.content, &file.module, at)).into_owned();
                    let line =
                        format!("@{pytest}.mark.{}{}{indent}", self.marker, line_ending(&file.content));
                    TextEdit::new(at..at, line)
                })
                .collect();
            if !edits.is_empty() {
                changes.push(Change::Edit { path: file.path.clone(), edits });
            }
        }
        if !without.is_empty() {
            let message = format!(
                "{} tests, but no module-level `import pytest` before them",
                plural(without.len(), ("file has", "files have"))
            );
            return Err(Failure::new(FailureKind::Refused, message)
                .at("in")
                .evidence(without)
                .hint("add the import first, with replace or an overlay, or leave the file out of in="));
        }
        self.check_excluded(&names)?;
        Ok(self.finish(changes, marked, selection.notes))
    }
}

impl MarkTests {
    /// Whether a decorator is the marker, whatever it is reached through.
    fn is_marked(&self, file: &PythonFile<'_>, test: &Definition) -> bool {
        test.decorators.iter().filter_map(|d| d.root).any(|root| self.is_marker(file, root))
    }

    fn is_marker(&self, file: &PythonFile<'_>, name: usize) -> bool {
        let marker = format!("pytest.mark.{}", self.marker);
        file.module.meanings(&file.content, name).contains(&marker)
    }

    /// Whether `pytestmark = ...` marks all tests of the file.
    fn marks_module(&self, file: &PythonFile<'_>) -> bool {
        let module = &file.module;
        let Some(id) = module.table.find("pytestmark") else { return false };
        module.bindings(ScopeId::MODULE, id).any(|bound| {
            let at = module.names[bound].range.start();
            let Some(statement) = module.statements.iter().find(|s| s.range.contains(&at)) else {
                return false;
            };
            let inside = |name: usize| statement.range.contains(&module.names[name].range.start());
            statement.kind == StatementKind::Other
                && (0..module.names.len()).any(|name| inside(name) && self.is_marker(file, name))
        })
    }

    fn check_excluded(&self, names: &BTreeSet<String>) -> Result<(), Failure> {
        let Some(unknown) = self.exclude.iter().find(|name| !names.contains(*name)) else { return Ok(()) };
        let failure =
            Failure::new(FailureKind::Missing, format!("exclude= names {unknown}, which is no test here"))
                .at("exclude");
        Err(match nearest::one(unknown, names.iter().map(String::as_str)) {
            Some(near) => failure.hint(format!("did you mean {near}?")),
            None => failure,
        })
    }

    fn finish(&self, changes: Vec<Change>, marked: Vec<Evidence>, notes: Vec<super::Note>) -> Plan {
        let none = marked.is_empty().then(|| {
            Failure::new(
                FailureKind::NoEffect,
                format!("no test without the marker {} is there", self.marker),
            )
            .at("in")
        });
        let (tests, files) =
            (plural(marked.len(), ("test", "tests")), plural(changes.len(), ("file", "files")));
        Plan {
            log: format!("marked {tests} in {files}"),
            counts: vec![Count {
                pin: "changes",
                noun: ("change", "changes"),
                found: marked.len() as u64,
                evidence: marked,
            }],
            changes,
            notes,
            none,
            ..Plan::default()
        }
    }
}

fn is_test(file: &PythonFile<'_>, definition: &Definition) -> bool {
    let prefix = if definition.is_class { "Test" } else { "test" };
    definition.scope == ScopeId::MODULE
        && file.module.text(definition.name).starts_with(prefix)
        && !is_fixture(file, definition)
}

/// A fixture is no test, whatever its name: pytest refuses marks on it.
fn is_fixture(file: &PythonFile<'_>, definition: &Definition) -> bool {
    let mut decorators = definition.decorators.iter().filter_map(|d| d.root);
    decorators.any(|root| {
        let meanings = file.module.meanings(&file.content, root);
        meanings.iter().any(|m| m == "fixture" || m.ends_with(".fixture"))
    })
}

/// What a module-level `import pytest` that ends before `latest` binds.
fn pytest_name(file: &PythonFile<'_>, latest: usize) -> Option<String> {
    let module = &file.module;
    let early = |name: &&Name| name.scope == ScopeId::MODULE && name.range.end() <= latest;
    module.names.iter().filter(early).find_map(|name| match name.role {
        Role::Bind(Binding::Import(import, alias)) => {
            let (import, alias) = module.imported(import, alias);
            let is_pytest = import.kind == ImportKind::Import && alias.name == "pytest";
            is_pytest.then(|| module.text(name.id).to_owned())
        }
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use crate::python::Module;

    fn marked(recipe: &str, text: &str) -> String {
        let (_, tree) = Port::new(recipe).file("t.py", text).ok();
        assert!(Module::parse(tree["t.py"].as_bytes()).is_ok());
        tree["t.py"].clone()
    }

    #[test]
    fn functions_classes_and_coroutines_are_marked_above_their_decorators() {
        let recipe = r#"mark_tests in="t.py" marker="m" changes=4"#;
        assert_eq!(
            marked(recipe, "import pytest\r\n\r\n@a\r\n@b()\r\ndef test_a(): pass\r\nclass TestB:\r\n    def test_c(self): pass\r\nasync def test_d(): pass\r\nif 1:\r\n    def test_e(): pass\r\ndef helper(): pass\r\nclass Tests_not: x = 1\r\n".replace("class Tests_not", "class Other").as_str()),
            "import pytest\r\n\r\n@pytest.mark.m\r\n@a\r\n@b()\r\ndef test_a(): pass\r\n@pytest.mark.m\r\nclass TestB:\r\n    def test_c(self): pass\r\n@pytest.mark.m\r\nasync def test_d(): pass\r\nif 1:\r\n    @pytest.mark.m\r\n    def test_e(): pass\r\ndef helper(): pass\r\nclass Other: x = 1\r\n"
        );
    }

    #[test]
    fn marked_and_excluded_tests_are_left_alone() {
        let text = "import pytest as pt\nfrom pytest import mark\n@pt.mark.m\ndef test_a(): pass\n@pt.mark.m(1)\ndef test_b(): pass\n@mark.m\ndef test_c(): pass\ndef test_d(): pass\ndef test_e(): pass\n";
        assert_eq!(
            marked(r#"mark_tests in="t.py" marker="m" exclude="test_e" changes=1"#, text),
            text.replace("def test_d", "@pt.mark.m\ndef test_d")
        );
    }

    #[test]
    fn a_marker_is_known_in_any_spelling() {
        for text in [
            "from pytest import mark as k\n@k.m\ndef test_a(): pass\n",
            "import pytest\nci = pytest.mark.m\n@ci\ndef test_a(): pass\n",
            "import pytest\n@pytest . mark . m(1)\nclass TestA: pass\n",
            "import pytest\npytestmark = pytest.mark.m\ndef test_a(): pass\n",
            "import pytest\npytestmark = [pytest.mark.x, pytest.mark.m(1)]\ndef test_a(): pass\n",
            "from pytest import mark\n@mark.m\ndef test_a(): pass\n",
        ] {
            assert_eq!(marked(r#"mark_tests in="t.py" marker="m" changes=0"#, text), text);
        }
        for text in [
            "import pytest\nmark = 1\n@mark.m\ndef test_a(): pass\n",
            "import pytest\n@pytest.mark.mm\ndef test_a(): pass\n",
            "import pytest\npytestmark = pytest.mark.x\ndef test_a(): pass\n",
        ] {
            assert!(
                marked(r#"mark_tests in="t.py" marker="m" changes=1"#, text).contains("@pytest.mark.m\n")
            );
        }
    }

    #[test]
    fn fixtures_are_no_tests_whatever_their_name() {
        let text = "import pytest\n@pytest.fixture\ndef test_a(): pass\n@pytest.fixture(scope='module')\ndef test_b(): pass\ndef test_c(): pass\n";
        assert_eq!(
            marked(r#"mark_tests in="t.py" marker="m" changes=1"#, text),
            text.replace("def test_c", "@pytest.mark.m\ndef test_c")
        );
    }

    #[test]
    fn each_way_to_fail() {
        let late = Port::new(r#"mark_tests in="t.py" marker="m""#)
            .file("t.py", "def test_a(): pass\nimport pytest\n");
        assert_eq!(late.fails().message, "1 file has tests, but no module-level `import pytest` before them");
        let fails = |recipe: &str, text: &str| Port::new(recipe).file("t.py", text).fails().message;
        let recipe = r#"mark_tests in="t.py" marker="m""#;
        assert_eq!(
            fails(recipe, "def test_a(): pass\n"),
            "1 file has tests, but no module-level `import pytest` before them"
        );
        assert_eq!(
            fails(recipe, "def f():\n    import pytest\ndef test_a(): pass\n"),
            "1 file has tests, but no module-level `import pytest` before them"
        );
        assert_eq!(fails(recipe, "import pytest\n"), "no test without the marker m is there");
        assert_eq!(
            fails(recipe, "def test_(:"),
            "t.py:1:11 does not parse: expected a parameter or the end of the parameter list"
        );
        let exclude = r#"mark_tests in="t.py" marker="m" exclude="test_b""#;
        let failure = Port::new(exclude).file("t.py", "import pytest\ndef test_a(): pass\n").fails();
        assert_eq!(
            (failure.message.as_str(), failure.hints[0].as_str()),
            ("exclude= names test_b, which is no test here", "did you mean test_a?")
        );
    }
}
