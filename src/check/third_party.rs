//! `third-party`: loading the package needs nothing that is not declared.

use super::packages::PackageDir;
use super::{Finding, Input, PythonFile, Rule, Severity, stdlib};
use crate::manifest::Model;
use crate::python::{Import, ImportKind, ScopeId};
use std::collections::BTreeSet;

pub(super) const RULE: Rule = Rule {
    id: "third-party",
    severity: Severity::Warning,
    summary: "a module-level import of a package that the kernel does not declare",
    why: "a kernel is loaded with torch and triton, and with what python-depends declares",
    breaks: "the kernel does not load where the package is not installed",
    fix: "declare it in python_depends if the builder knows it, or import it where it is used; what an extension module of upstream held is in the generated `_ops`",
    whole: true,
    check,
};

/// What a declared package is imported as, where that is not its name with `-` as `_`.
const IMPORTED_AS: &[(&str, &[&str])] =
    &[("nvidia-cutlass-dsl", &["cutlass"]), ("nki", &["nki", "neuronxcc"]), ("onednn", &["onednn", "dnnl"])];

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let known = known(manifest);
    for (package, file) in input.package_modules() {
        let mut seen = BTreeSet::new();
        for import in file.module.imports.iter().filter(|import| is_unconditional(import)) {
            let modules: Vec<&str> = match import.kind {
                ImportKind::From => vec![&import.module],
                ImportKind::Import => import.aliases.iter().map(|a| a.name.as_str()).collect(),
            };
            // The package's own name is another rule's finding.
            let others = modules.into_iter().filter(|module| !package.is_own(module));
            for top in others.map(|module| module.split('.').next().unwrap_or(module)) {
                if !known.contains(top) && !stdlib::is_module(top) && seen.insert(top) {
                    let message = message(input, package, &file, top);
                    findings.push(RULE.finding(file.evidence(&import.range), message));
                }
            }
        }
    }
}

fn is_unconditional(import: &Import) -> bool {
    import.scope == ScopeId::MODULE
        && import.depth == 0
        && import.level == 0
        && !import.guarded
        && !import.type_checking
}

/// The packages that are there when the kernel is loaded, by the names they are imported as.
fn known(manifest: &Model) -> BTreeSet<String> {
    let general = &manifest.general;
    let tables = manifest.backend_tables();
    let declared = general.python_depends.iter().chain(tables.iter().flat_map(|(_, t)| &t.python_depends));
    let mut known: BTreeSet<String> = ["torch", "triton"].into_iter().map(str::to_owned).collect();
    for name in declared {
        match IMPORTED_AS.iter().find(|(declared, _)| declared == name) {
            Some((_, imported)) => known.extend(imported.iter().map(|&name| name.to_owned())),
            None => drop(known.insert(name.replace('-', "_"))),
        }
    }
    let builds_on = |depends: &[_]| !depends.is_empty();
    if builds_on(&general.kernel_depends) || tables.iter().any(|(_, t)| builds_on(&t.kernel_depends)) {
        known.insert("kernels".to_owned());
    }
    known
}

fn message(input: &Input<'_>, package: &PackageDir, file: &PythonFile<'_>, top: &str) -> String {
    // A script finds the modules next to it, a module of a package does not.
    let beside = package.package.place(file.path).is_some_and(|place| {
        let module = [place.package, vec![top.to_owned()]].concat();
        package.package.find(input.workspace, &module).is_some()
    });
    let hint =
        if beside { format!("; if the {top} beside it is meant, a dot is missing") } else { String::new() };
    format!("{top} is neither in the standard library nor declared{hint}")
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOARCH, expect_each, found, package, ported};

    #[test]
    fn what_is_imported_when_the_package_is() {
        expect_each(
            "third-party? torch-ext/pkg/__init__.py:",
            package,
            &[
                "import numpy",
                "from einops import rearrange",
                "import os, jax.numpy as jnp",
                "x = 1; import packaging.version",
                "from torch_scatter import scatter",
            ],
            &[
                "import torch.nn, triton.language as tl, os.path",
                "from __future__ import annotations\nimport _thread, cProfile, distutils.version",
                "def f():\n    import numpy",
                "class A:\n    import numpy",
                "try:\n    import numpy\nexcept ImportError:\n    pass",
                "if x:\n    import numpy",
                "import contextlib\nwith contextlib.suppress(ImportError):\n    import numpy",
                "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import numpy",
                "# import numpy\n'import numpy'",
                "from . import numpy\nnumpy = 1",
            ],
        );
    }

    #[test]
    fn what_is_declared_is_there() {
        let declaring = |argument: &str, text: &str| {
            let recipe = NOARCH.replace("noarch=", &format!("{argument} noarch="));
            found(&recipe, &[("torch-ext/pkg/__init__.py", text)])
        };
        for (argument, text) in [
            ("python_depends=\"einops,tvm-ffi\"", "import einops, tvm_ffi"),
            ("cuda_python_depends=\"nvidia-cutlass-dsl\"", "import cutlass.cute as cute"),
            ("kernel_depends=\"o/base@1\"", "from kernels import get_kernel"),
        ] {
            assert_eq!(declaring(argument, text), [""; 0], "{text}");
            assert!(!package(text).is_empty(), "{text}");
        }
        assert_eq!(declaring("python_depends=\"einops\"", "import einops_exts").len(), 1);
    }

    #[test]
    fn a_module_beside_the_file_is_named() {
        let look = |path, text| {
            let files =
                [("torch-ext/pkg/__init__.py", ""), ("torch-ext/pkg/s/__init__.py", ""), (path, text)];
            ported(&files)
        };
        let found = look("torch-ext/pkg/a.py", "import s");
        assert!(found[0].ends_with("; if the s beside it is meant, a dot is missing"), "{found:?}");
        let found = look("torch-ext/pkg/s/a.py", "import s");
        assert!(found[0].ends_with("declared"), "{found:?}");
    }

    #[test]
    fn one_finding_a_file_and_package() {
        assert_eq!(package("import numpy\nimport numpy.linalg\nimport jax").len(), 2);
        assert_eq!(ported(&[("torch-ext/pkg/__init__.py", ""), ("tests/t.py", "import numpy")]), [""; 0]);
    }
}
