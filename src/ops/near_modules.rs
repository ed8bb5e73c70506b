//! For an op that found no import of a module: the module that was meant. Reads files that the op itself had no reason to
//! parse, as a misspelt name is in none of them.

use super::Failure;
use crate::python::ImportKind;
use crate::report::nearest;
use crate::workspace::{RepoPath, Workspace};
use std::collections::BTreeSet;

/// More files are not read for a hint.
const MOST: usize = 500;

/// Adds the imported module that is nearest to `module`, and draws the caret under the argument that names it.
pub fn near_module(
    failure: Failure,
    workspace: &Workspace,
    paths: &[&RepoPath],
    argument: &'static str,
    module: &str,
) -> Failure {
    let mut known = BTreeSet::new();
    for path in paths.iter().take(MOST) {
        let Some(parsed) = workspace.read(path).ok().and_then(|content| workspace.parse(&content).ok())
        else {
            continue;
        };
        for import in parsed.imports.iter().filter(|import| import.level == 0) {
            let names = import.aliases.iter().map(|alias| match import.kind {
                ImportKind::Import => alias.name.clone(),
                ImportKind::From => format!("{}.{}", import.module, alias.name),
            });
            for name in names {
                known.extend(name.match_indices('.').map(|(at, _)| name[..at].to_owned()));
                known.insert(name);
            }
        }
    }
    known.remove(module);
    name_nearest(failure, &known, argument, module)
}

/// Adds the operator namespace that is nearest to `namespace`: from `torch.ops.NAME` and `"NAME::op"`.
pub fn near_namespace(
    failure: Failure,
    workspace: &Workspace,
    paths: &[&RepoPath],
    namespace: &str,
) -> Failure {
    let mut known = BTreeSet::new();
    for path in paths.iter().take(MOST) {
        let Ok(content) = workspace.read(path) else { continue };
        let text = String::from_utf8_lossy(&content);
        let is_name = |c: char| c.is_alphanumeric() || c == '_';
        for after in text.split("torch.ops.").skip(1) {
            known.insert(after.chars().take_while(|c| is_name(*c)).collect::<String>());
        }
        let before_colons = text.match_indices("::").map(|(at, _)| &text[..at]);
        for before in before_colons {
            let start = before.rfind(|c: char| !is_name(c));
            // Only what opens a string; `std::` in a comment does not.
            if let Some(start) = start.filter(|start| before[*start..].starts_with(['"', '\''])) {
                known.insert(before[start + 1..].to_owned());
            }
        }
    }
    known.remove(namespace);
    known.remove("");
    name_nearest(failure, &known, "namespace", namespace)
}

fn name_nearest(failure: Failure, known: &BTreeSet<String>, argument: &'static str, wanted: &str) -> Failure {
    match nearest::one(wanted, known.iter().map(String::as_str)) {
        Some(near) => {
            let mut failure = failure.at(argument);
            failure.hints.insert(0, format!("did you mean {near}?"));
            failure
        }
        None => failure,
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn the_module_that_was_meant_is_named() {
        let python =
            "import os\nfrom pkg.utils import a\nimport pkg.ops as o\nimport torch\ntorch.ops.pkg_ops.f()\n";
        for (recipe, argument, hint) in [
            ("remap_module in=\"m.py\" from=\"pkg.utls\" to=\"q\"", "from", "did you mean pkg.utils?"),
            ("remap_strings in=\"m.py\" from=\"pkg.utils.b\" to=\"q\"", "from", "did you mean pkg.utils.a?"),
            ("convert_import in=\"m.py\" prefix=\"pgk\"", "prefix", "did you mean pkg?"),
            (
                "kernelize_imports in=\"m.py\" package=\"pkgs\" kernel=\"a/b\" version=1",
                "package",
                "did you mean pkg?",
            ),
            ("prefix_torch_ops in=\"m.py\" namespace=\"pkg_op\"", "namespace", "did you mean pkg_ops?"),
        ] {
            let failure = Port::new(recipe).file("m.py", python).fails();
            assert_eq!(failure.argument, Some(argument), "{recipe}");
            assert_eq!(failure.hints[0], hint, "{recipe}");
        }
        let far = Port::new("remap_module in=\"m.py\" from=\"numpy.linalg\" to=\"q\"").file("m.py", python);
        assert_eq!(far.fails().hints, [""; 0]);
        let strings =
            Port::new("prefix_torch_ops in=\"m.py\" namespace=\"pgk\"").file("m.py", "f('pkg::a')\n");
        assert!(strings.fails().hints.contains(&"did you mean pkg?".to_owned()));
    }
}
