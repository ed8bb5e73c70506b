//! The string literals that Python imports or patches by: which calls and subscripts take a module's name.

use super::Note;
use super::python_files::PythonFile;
use crate::python::{Call, ScopeId, StringLiteral};
use std::collections::BTreeSet;

/// Those of the wanted literals that Python imports or patches by, as indices in `Module::strings`.
pub fn by_name(file: &PythonFile<'_>, wanted: impl Fn(&StringLiteral) -> bool) -> BTreeSet<usize> {
    let module = &file.module;
    let is_wanted = |index: usize| wanted(&module.strings[index]);
    let calls = module
        .calls
        .iter()
        .filter(|c| module.arguments_of(c).iter().filter_map(|a| a.string.get()).any(is_wanted));
    let called = calls.flat_map(|call| {
        let of = |(index, keyword): &(usize, &str)| {
            module
                .argument(call, *index, module.table.find(keyword))
                .and_then(|argument| argument.string.get())
        };
        arguments(file, call).iter().filter_map(of)
    });
    let subscripts = module.subscripts.iter().filter(|s| is_wanted(s.string));
    let subscripted = subscripts.filter_map(|subscript| {
        let of = module.meanings(&file.content, subscript.root);
        of.iter().any(|path| path == "sys.modules").then_some(subscript.string)
    });
    called.chain(subscripted).collect()
}

/// The arguments of a call that are module paths: position and keyword.
fn arguments(file: &PythonFile<'_>, call: &Call) -> &'static [(usize, &'static str)] {
    let module = &file.module;
    let Some(root) = call.root.get() else { return &[] };
    let name = &module.names[root];
    let attributes = module.attributes_of(name).iter().map(|a| a.id);
    let written: Vec<&str> = std::iter::once(name.id).chain(attributes).map(|id| module.text(id)).collect();
    let mut meanings = module.meanings(&file.content, root);
    // `monkeypatch` is a parameter, `patch` and `mock` may be one: their names are all there is.
    if matches!(written[..], ["patch"] | ["mock", "patch"] | ["monkeypatch", "setattr"]) {
        meanings.push(written.join("."));
    }
    let scope = module.resolve(root);
    let is_builtin = scope == ScopeId::MODULE && module.bindings(scope, name.id).next().is_none();
    let known = meanings.iter().find_map(|meaning| {
        Some(match meaning.as_str() {
            "importlib.import_module" => &[(0, "name"), (1, "package")][..],
            "builtins.__import__" => &[(0, "name")],
            "__import__" if is_builtin => &[(0, "name")],
            "sys.modules.get" | "sys.modules.pop" | "sys.modules.setdefault" => &[(0, "key")],
            "patch" | "mock.patch" | "unittest.mock.patch" | "monkeypatch.setattr" => &[(0, "target")],
            _ => return None,
        })
    });
    known.unwrap_or(&[])
}

/// Notes of the literals by which Python imports or patches a module that `is_concerned`: an op on statements leaves
/// them alone.
pub fn left_alone(files: &[PythonFile<'_>], is_concerned: impl Fn(&str) -> bool) -> Vec<Note> {
    let concerned = |literal: &StringLiteral| !literal.docstring && is_concerned(&literal.value);
    let notes = files.iter().flat_map(|file| {
        let named = by_name(file, concerned);
        named.into_iter().map(|index| {
            let evidence = file.evidence(&file.module.strings[index].range);
            let at = evidence.position.map_or_else(String::new, |p| format!(":{p}"));
            Note::Detail(format!("{}{at}: {} is a string and stays", evidence.path, evidence.text))
        })
    });
    notes.collect()
}

#[cfg(test)]
mod tests {
    use crate::ops::Note;
    use crate::ops::testing::Port;

    #[test]
    fn what_an_op_on_statements_leaves_alone_is_noted() {
        let text = "import importlib\nfrom pkg import b\nimportlib.import_module('pkg.b')\nx = 'pkg.b'\n";
        for recipe in [
            "relativize_imports in=\"pkg/**\" package_root=\"pkg\"",
            "remap_module in=\"pkg/**\" from=\"pkg\" to=\"q\"",
        ] {
            let run = Port::new(recipe).file("pkg/a.py", text).file("pkg/b.py", "").run();
            let noted = Note::Detail("pkg/a.py:3:25: 'pkg.b' is a string and stays".to_owned());
            assert_eq!(run.steps[0].notes[..], [noted], "{recipe}");
        }
    }
}
