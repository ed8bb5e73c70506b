//! Tests of `kernelize_imports`, a table a form.

use crate::ops::Note;
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
        ("import pkg  # registers\nx = 1\n", "# registers\nx = 1\n"),
        ("import pkg; import sys\n", "import sys\n"),
        ("from pkg import (a,\n b  # c\n); x = 1\n", "# c\na = pkg.a\nb = pkg.b; x = 1\n"),
        ("from pkg import a, b; x = 1\n", "a = pkg.a\nb = pkg.b; x = 1\n"),
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
fn a_comment_inside_an_import_never_swallows_code() {
    assert_eq!(
        kernelized("x = 1; from pkg import (a,  # c\n b)\n"),
        format!("{HEAD}x = 1; a, b = pkg.a, pkg.b  # c\n")
    );
    assert_eq!(
        kernelized("if x: from pkg import (a,  # c\n b)  # d\n"),
        format!("{HEAD}if x: a, b = pkg.a, pkg.b  # c  # d\n")
    );
    let failure = Port::new(RECIPE).file("t.py", "x; from pkg import (a,  # c\n b); y\n").fails();
    assert_eq!(failure.message, "a comment stands inside of an import that is followed by `;`");
}

#[test]
fn a_block_of_imports_that_all_leave_keeps_a_statement() {
    assert_eq!(
        kernelized("def f():\n    import pkg\n    import pkg.a\n"),
        format!("{HEAD}def f():\n    pass\n")
    );
    assert_eq!(
        kernelized("import os; import pkg\nimport pkg.a as a\n"),
        format!("{HEAD}import os\na = pkg.a\n")
    );
}

#[test]
fn the_kernel_is_loaded_before_an_import_on_the_docstrings_line() {
    assert_eq!(
        kernelized("\"\"\"doc\"\"\"; from pkg import a\n"),
        "\"\"\"doc\"\"\"; import kernels; pkg = kernels.get_kernel(\"org/pkg\", version=1); a = pkg.a\n"
    );
}

#[test]
fn names_that_the_kernel_would_be_confused_with_are_refused() {
    let fails = |text: &str| Port::new(RECIPE).file("t.py", text).fails().message;
    for text in [
        "def f(pkg):\n    from pkg import a\n",
        "def f():\n    from pkg.x import pkg\n",
        "def f():\n    import pkg.a as pkg\n",
        "def f(pkg):\n    def g():\n        import pkg\n",
        "def f():\n    import pkg\n    def g():\n        nonlocal pkg\n        import pkg\n",
        "class C:\n    pkg = 1\n    from pkg import a\n",
    ] {
        assert_eq!(fails(text), "the name pkg is used for something else", "{text}");
    }
    assert_eq!(
        fails("from utils import kernels\nfrom pkg import a\n"),
        "the name kernels is used for something else"
    );
    let class = "class C:\n    pkg = 1\n    def f(self):\n        from pkg import a\n";
    assert!(kernelized(class).ends_with("        a = pkg.a\n"));
    assert!(kernelized("from pkg import a\nfrom x import kernels\n").starts_with("import kernels\n"));
    assert!(
        kernelized("def f(pkg): pass\ndef g():\n    import pkg\n    return pkg.x\n").contains("return pkg.x")
    );
}

#[test]
fn a_dotted_package_is_bound_under_one_name() {
    let port = |text: &str| {
        let recipe = RECIPE.replace("package=\"pkg\"", "package=\"a.b\"");
        Port::new(&recipe).file("t.py", text)
    };
    let (_, tree) = port("from a.b.c import d\nimport a.b as x\n").ok();
    assert_eq!(
        tree["t.py"],
        "import kernels\na_b = kernels.get_kernel(\"org/pkg\", version=1)\nd = a_b.c.d\nx = a_b\n"
    );
    assert_eq!(port("import a.b.c\n").fails().message, "`import a.b.c` binds `a`, which is not the kernel");
    assert_eq!(
        port("from a import b\n").fails().message,
        "a `from` import of the package from the one above it cannot be rewritten"
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
    assert_eq!(kernelized(text), format!("# from pkg import a\nX = 'from pkg import a'\n{HEAD}a = pkg.a\n"));
}

#[test]
fn modules_that_the_loaded_kernel_will_not_have_are_warned_of() {
    let text = "import pkg.layers\nfrom pkg import array_api as aa, f\nfrom pkg.loaded import g\ndef t():\n    from pkg.layers._mix import Mix\n    from pkg import array_api\n";
    let package = |port: Port, init: &str| {
        port.file("torch-ext/pkg/__init__.py", init)
            .file("torch-ext/pkg/loaded.py", "def g(): pass\n")
            .file("torch-ext/pkg/array_api.py", "")
            .file("torch-ext/pkg/layers/__init__.py", "")
            .file("torch-ext/pkg/layers/_mix.py", "class Mix: pass\n")
    };
    let notes = |init: &str| package(Port::new(RECIPE).file("t.py", text), init).run().steps[0].notes.clone();
    let warned = |text: &str| Note::Warning(text.to_owned());
    let init = "torch-ext/pkg/__init__.py";
    assert_eq!(
        notes("from .loaded import g\nf = 1\n"),
        [
            warned(&format!(
                "the package does not load pkg.array_api, which the loaded kernel is to have (t.py:2:1 and 1 more); if it can be loaded wherever the kernel is, add: ensure_import in=\"{init}\" from=\".\" name=\"array_api\""
            )),
            warned(&format!(
                "the package does not load pkg.layers, which the loaded kernel is to have (t.py:1:1); if it can be loaded wherever the kernel is, add: ensure_import in=\"{init}\" from=\".\" name=\"layers\""
            )),
            warned(&format!(
                "the package does not load pkg.layers._mix, which the loaded kernel is to have (t.py:5:5); if it can be loaded wherever the kernel is, add: ensure_import in=\"{init}\" from=\".layers\" name=\"_mix\""
            )),
        ]
    );
    let all = "from .loaded import g\nfrom . import array_api\nfrom .layers import _mix\n";
    assert_eq!(notes(all), []);
    assert_eq!(Port::new(RECIPE).file("t.py", text).run().steps[0].notes, []);
}

#[test]
fn many_modules_make_one_warning() {
    let names = ["a", "b", "c", "d"];
    let text: String = names.iter().map(|name| format!("from pkg.{name} import f\n")).collect();
    let port = Port::new(RECIPE).file("t.py", &text).file("torch-ext/pkg/__init__.py", "");
    let port =
        names.iter().fold(port, |port, name| port.file(format!("torch-ext/pkg/{name}.py").as_str(), ""));
    let notes = port.run().steps[0].notes.clone();
    let (warnings, details): (Vec<Note>, Vec<Note>) =
        notes.into_iter().partition(|note| matches!(note, Note::Warning(_)));
    let [Note::Warning(warning)] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(
        warning.contains("does not load 4 modules") && warning.contains("pkg.a, pkg.b, pkg.c, and 1 more")
    );
    assert_eq!(details.len(), 4);
}
