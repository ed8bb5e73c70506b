//! `tests`: there is a test that CI runs.

use super::{Finding, Input, PythonFile, Rule, Severity};
use crate::ops::Evidence;
use crate::python::{Module, Name, Role, ScopeId, ScopeKind};
use crate::workspace::{Directory, RepoPath};

pub(super) const RULE: Rule = Rule {
    id: "tests",
    severity: Severity::Warning,
    summary: "no test carries @pytest.mark.kernels_ci",
    why: "CI runs the tests with that marker, on the machines that have the hardware",
    breaks: "CI runs nothing of the kernel",
    fix: "mark_tests in=\"tests/**\" marker=\"kernels_ci\"",
    whole: true,
    check,
};

const MARKER: &str = "pytest.mark.kernels_ci";

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Ok(path) = RepoPath::new("tests") else { return };
    let directory = Directory::Path(path.clone());
    if input.manifest.is_some() && !input.modules(&directory).any(|file| is_marked(&file)) {
        let message = match input.workspace.is_dir(&path) {
            true => "holds no test with the marker kernels_ci",
            false => "is missing: there is no test with the marker kernels_ci",
        };
        findings.push(RULE.finding(Evidence::file(&path), message));
    }
}

/// Whether a test function, a method of a test class, or the whole file carries the marker.
fn is_marked(file: &PythonFile<'_>) -> bool {
    let module = file.module;
    if !file.may_name("kernels_ci") {
        return false;
    }
    // Either the chain ends in the marker's name, or a plain name stands for it.
    let candidates = module.names.iter().enumerate().filter(|(_, name)| {
        let chain = module.attributes_of(name);
        name.role == Role::Use && chain.last().is_none_or(|last| module.text(last.id) == "kernels_ci")
    });
    let mut marks = candidates
        .map(|(index, _)| index)
        .filter(|index| module.meanings(file.content, *index).iter().any(|meaning| meaning == MARKER));
    marks.any(|index| {
        let at = module.names[index].range.start();
        let scope = module.names[index].scope;
        on_a_test(module, at)
            || (is_outside_of_functions(module, scope) && assigns_pytestmark(module, scope, at))
    })
}

fn is_outside_of_functions(module: &Module, scope: ScopeId) -> bool {
    matches!(module.scope(scope).kind, ScopeKind::Module | ScopeKind::Class)
}

/// Whether the place is in a decorator of a test.
fn on_a_test(module: &Module, at: usize) -> bool {
    module.definitions.iter().any(|definition| {
        let prefix = if definition.is_class { "Test" } else { "test" };
        definition.decorators.iter().any(|d| d.range.contains(&at))
            && module.text(definition.name).starts_with(prefix)
            && is_outside_of_functions(module, definition.scope)
    })
}

/// Whether the place follows `pytestmark =` in its scope, with nothing else bound in between.
fn assigns_pytestmark(module: &Module, scope: ScopeId, at: usize) -> bool {
    let bound =
        |name: &&Name| name.scope == scope && name.range.end() < at && matches!(name.role, Role::Bind(_));
    let last = module.names.iter().filter(bound).max_by_key(|name| name.range.start());
    last.is_some_and(|name| module.text(name.id) == "pytestmark")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOARCH, expect_each, found};

    const PACKAGE: (&str, &str) = ("torch-ext/pkg/__init__.py", "");

    fn with(text: &str) -> Vec<String> {
        let recipe = NOARCH.replace("@pytest.mark.kernels_ci", "@pytest.mark.slow");
        found(&recipe, &[PACKAGE, ("tests/test_more.py", text)])
    }

    #[test]
    fn a_test_carries_the_marker() {
        expect_each(
            "tests? tests holds no test with the marker kernels_ci",
            with,
            &[
                "",
                "# @pytest.mark.kernels_ci\ndef test_a(): pass",
                "x = '@pytest.mark.kernels_ci'\ndef test_a(): pass",
                "import pytest\n@pytest.mark.kernels_ci_slow\ndef test_a(): pass",
                "import pytest\n@pytest.mark.kernels_ci\ndef helper(): pass",
                "import pytest\ndef test_a():\n    @pytest.mark.kernels_ci\n    def test_b(): pass",
                "import pytest\nprint(pytest.mark.kernels_ci)",
                "import other as pytest\n@pytest.mark.kernels_ci\ndef test_a(): pass",
            ],
            &[
                "import pytest\n@pytest.mark.kernels_ci\ndef test_a(): pass",
                "import pytest\n@pytest.mark.slow\n@pytest.mark.kernels_ci()\nclass TestA: pass",
                "import pytest as p\nclass TestA:\n    @p.mark.kernels_ci\n    async def test_a(self): pass",
                "from pytest import mark as m\n@m.kernels_ci\ndef test_a(): pass",
                "import pytest\nci = pytest.mark.kernels_ci\n@ci\ndef test_a(): pass",
                "import pytest\npytestmark = [pytest.mark.slow, pytest.mark.kernels_ci]\ndef test_a(): pass",
                "import pytest\n@pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.kernels_ci)])\ndef test_a(x): pass",
            ],
        );
    }

    #[test]
    fn without_tests_there_is_none() {
        let recipe = NOARCH.replace("tests/test_ci.py", "test/test_ci.py");
        assert_eq!(
            found(&recipe, &[PACKAGE]),
            ["tests? tests is missing: there is no test with the marker kernels_ci"]
        );
    }
}
