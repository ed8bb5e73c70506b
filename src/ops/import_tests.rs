//! How the three import ops fail, count and log; the forms themselves are in `import_table`.

use super::testing::Port;
use super::{FailureKind, Note};

fn relativize(file: &str, source: &str) -> Port {
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg""#;
    Port::new(recipe).file("pkg/__init__.py", "").file("pkg/a.py", "").file("pkg/b.py", "").file(file, source)
}

fn shown(failure: &super::Failure) -> Vec<String> {
    let place = |e: &super::Evidence| {
        format!("{}:{}: {}", e.path, e.position.map_or_else(String::new, |p| p.to_string()), e.text)
    };
    failure.evidence.iter().map(place).collect()
}

#[test]
fn the_log_counts_statements_and_files() {
    let (log, tree) = relativize("pkg/m.py", "from pkg import a\nfrom pkg.b import x, y\n")
        .file("pkg/n.py", "import pkg.a as z\n")
        .ok();
    assert_eq!(log, ["rewrote 3 imports in 2 files"]);
    assert_eq!(tree["pkg/m.py"], "from . import a\nfrom .b import x, y\n");
}

#[test]
fn a_second_relativize_finds_nothing_and_says_so() {
    let recipe = "relativize_imports in=\"pkg/**\" package_root=\"pkg\" changes=2\nrelativize_imports in=\"pkg/**\" package_root=\"pkg\" changes=0";
    let (log, _) = Port::new(recipe)
        .file("pkg/a.py", "from pkg import b\nfrom pkg import c\n")
        .file("pkg/b.py", "")
        .file("pkg/c.py", "")
        .ok();
    assert_eq!(log, ["rewrote 2 imports in 1 file", "rewrote 0 imports in 0 files"]);
    let failure = relativize("pkg/m.py", "from . import a\n").fails();
    assert_eq!(failure.kind, FailureKind::NoEffect);
    assert_eq!(failure.message, "no absolute import of `pkg` in the 4 Python files that in= matches");
}

#[test]
fn a_pin_that_differs_lists_every_statement() {
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg" changes=1"#;
    let source = "x = 1\nfrom pkg.a import (\n    x,  # why\n)\nif x:\n\timport pkg.a as y\n";
    let failure = Port::new(recipe).file("pkg/m.py", source).file("pkg/a.py", "").fails();
    assert_eq!(failure.kind, FailureKind::Pin);
    assert_eq!(
        shown(&failure),
        ["pkg/m.py:2:1: from pkg.a import ( x, # why )", "pkg/m.py:6:2: import pkg.a as y"]
    );
}

#[test]
fn a_module_that_is_not_there_is_an_error_with_the_nearest() {
    let failure =
        relativize("pkg/m.py", "from pkg.aa import x\nimport pkg.c as c\nfrom pkg.zzz import y\n").fails();
    assert_eq!(failure.kind, FailureKind::Missing);
    assert_eq!(failure.message, "3 imports name a module that is not in the tree");
    assert_eq!(
        failure.details,
        [
            "`pkg.aa` is no module of the tree and no name in pkg/__init__.py; the nearest module is `pkg.a`",
            "`pkg.c` is no module of the tree and no name in pkg/__init__.py; the nearest module is `pkg.a`",
            "`pkg.zzz` is no module of the tree and no name in pkg/__init__.py"
        ]
    );
    assert_eq!(shown(&failure)[1], "pkg/m.py:2:1: import pkg.c as c");
}

#[test]
fn names_of_a_package_without_init_must_be_modules() {
    let port = |source| {
        Port::new(r#"relativize_imports in="pkg/**" package_root="pkg""#)
            .file("pkg/m.py", source)
            .file("pkg/a.py", "")
    };
    port("from pkg import a\n").ok();
    assert_eq!(
        port("from pkg import b\n").fails().details,
        ["`pkg.b` is not in the tree; the nearest module is `pkg.a`"]
    );
}

#[test]
fn what_the_builder_generates_and_what_a_try_catches_may_be_missing() {
    let source =
        "from pkg._ops import ops\ntry:\n    from pkg.fast import f\nexcept ImportError:\n    f = None\n";
    let run = relativize("pkg/m.py", source).run();
    let notes = &run.steps[0].notes;
    let text = "pkg/m.py:3:5: from pkg.fast import f: `pkg.fast` is not in the tree; a `try` catches that";
    assert_eq!(notes[..], [Note::Warning(text.to_owned())]);
}

#[test]
fn a_compiled_module_of_the_tree_is_a_module() {
    relativize("pkg/m.py", "from pkg._C import f\n").file("pkg/_C.cpython-311-x86_64-linux-gnu.so", "").ok();
}

#[test]
fn files_outside_of_the_package_are_an_error_even_without_imports() {
    let recipe = r#"relativize_imports in="**/*.py" package_root="pkg""#;
    let failure = Port::new(recipe)
        .file("pkg/a.py", "from pkg import b")
        .file("setup.py", "import os")
        .file("tests/t.py", "from pkg import b")
        .fails();
    assert_eq!(failure.message, "2 Python files that in= matches lie outside of package_root=\"pkg\"");
    assert_eq!(
        failure.evidence.iter().map(|e| e.path.to_string()).collect::<Vec<_>>(),
        ["setup.py", "tests/t.py"]
    );
}

#[test]
fn a_root_below_the_top_package_is_explained() {
    let recipe = r#"relativize_imports in="src/pkg/sub/**" package_root="src/pkg/sub""#;
    let failure = Port::new(recipe).file("src/pkg/sub/a.py", "from pkg.sub.x import b").fails();
    assert_eq!(
        failure.hints,
        ["the files import `pkg.sub`: package_root= is the directory of the top-level package, src/pkg"]
    );
}

#[test]
fn a_package_that_was_renamed_on_the_way_is_explained() {
    let recipe = "move from=\"flash_attn\" to=\"torch-ext/fa2\"\nrelativize_imports in=\"torch-ext/fa2/**\" package_root=\"torch-ext/fa2\"";
    let failure = Port::new(recipe)
        .file("flash_attn/__init__.py", "from flash_attn.ops import f")
        .file("flash_attn/ops.py", "")
        .fails();
    assert_eq!(
        failure.hints,
        [
            "upstream the package is called `flash_attn`; before this op, use: remap_module in=\"torch-ext/fa2/**\" from=\"flash_attn\" to=\"fa2\""
        ]
    );
}

#[test]
fn the_root_style_keeps_the_whole_path() {
    for argument in ["root_relative=#true", "style=\"root\"", "style=\"root\" root_relative=#true"] {
        let recipe = format!("relativize_imports in=\"pkg/**\" package_root=\"pkg\" {argument}");
        let source = "from pkg.s.b import f\nfrom pkg import a\nimport pkg.s.b as b\n";
        let (_, tree) =
            Port::new(&recipe).file("pkg/s/m.py", source).file("pkg/s/b.py", "").file("pkg/a.py", "").ok();
        assert_eq!(tree["pkg/s/m.py"], "from ..s.b import f\nfrom .. import a\nfrom ..s import b as b\n");
    }
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg" style="deep""#;
    assert_eq!(
        Port::new(recipe).build_errors(),
        ["1:57: relativize_imports: style= must be minimal or root, not \"deep\""]
    );
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg" style="root" root_relative=#false"#;
    assert_eq!(
        Port::new(recipe).build_errors(),
        ["1:78: relativize_imports: style= and root_relative= contradict each other"]
    );
}

#[test]
fn an_init_file_imports_from_itself() {
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg""#;
    let (_, tree) = Port::new(recipe)
        .file("pkg/__init__.py", "from pkg.s import f\nimport pkg.s as s\n")
        .file("pkg/s/__init__.pyi", "from pkg.s.m import f\nfrom pkg.s import m\n")
        .file("pkg/s/m.py", "")
        .ok();
    assert_eq!(tree["pkg/__init__.py"], "from .s import f\nfrom . import s as s\n");
    assert_eq!(tree["pkg/s/__init__.pyi"], "from .m import f\nfrom . import m\n");
}

#[test]
fn refusals_of_all_files_come_in_one_failure() {
    let recipe = r#"convert_import in="pkg/**" prefix="pkg""#;
    let failure = Port::new(recipe)
        .file("pkg/a.py", "import pkg\npkg.f()\n")
        .file("pkg/b.py", "import pkg.x\n\ndef f():\n    return pkg, pkg.x\n")
        .file("pkg/c.py", "import pkg.y as y\n")
        .fails();
    assert_eq!(failure.message, "2 imports cannot be rewritten without changing what they mean");
    assert_eq!(
        failure.details,
        [
            "pkg/a.py:1:1: import pkg",
            "    pkg/a.py:2:1: `pkg.f` does not start with an imported module",
            "pkg/b.py:1:1: import pkg.x",
            "    pkg/b.py:4:12: `pkg` does not start with an imported module"
        ]
    );
    assert_eq!(shown(&failure), ["pkg/a.py:2:1: pkg.f()", "pkg/b.py:4:12: return pkg, pkg.x"]);
}

#[test]
fn a_file_that_does_not_parse_is_named_with_line_and_column() {
    let failure = relativize("pkg/m.py", "from pkg import a\nprint \"hi\"\n")
        .file("pkg/n.py", "from pkg import (\n")
        .fails();
    assert_eq!(failure.kind, FailureKind::Syntax);
    assert!(
        failure.message.starts_with("pkg/m.py:2:7 does not parse: simple statements"),
        "{}",
        failure.message
    );
    assert!(failure.message.ends_with("(and 1 file more)"), "{}", failure.message);
    assert_eq!(failure.evidence.len(), 2);
}

#[test]
fn a_file_that_does_not_mention_the_package_need_not_parse() {
    relativize("pkg/m.py", "from pkg import a\n")
        .file("pkg/py2.py", "print \"hi\"\n")
        .file("pkg/bad.py", "def f(: # é")
        .ok();
}

#[test]
fn latin_1_files_are_edited_as_bytes() {
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg""#;
    let source = b"# -*- coding: latin-1 -*-\nN = \"caf\xe9\"; from pkg.a import x\n";
    let run = Port::new(recipe).file("pkg/m.py", source).file("pkg/a.py", "").run();
    let path = crate::workspace::RepoPath::new("pkg/m.py").unwrap();
    assert_eq!(
        &*run.workspace.read(&path).unwrap(),
        b"# -*- coding: latin-1 -*-\nN = \"caf\xe9\"; from .a import x\n"
    );
}

#[test]
fn files_that_no_op_understands_are_named_when_they_mention_the_package() {
    let run = relativize("pkg/m.py", "from pkg import a\n")
        .file("pkg/c.pyx", "from pkg cimport d\n")
        .file("pkg/n.ipynb", "{}")
        .run();
    assert_eq!(
        run.steps[0].notes[..],
        [Note::Warning("`pkg/c.pyx` mentions pkg, but is no Python file and stays as it is".into())]
    );
}

#[test]
fn a_symlink_is_skipped() {
    let recipe = r#"relativize_imports in="pkg/**" package_root="pkg""#;
    let link = crate::workspace::Mode::Symlink;
    let (log, _) = Port::new(recipe)
        .file("pkg/a.py", "from pkg import a")
        .entry("pkg/l.py", "from pkg import b", link)
        .ok();
    assert_eq!(log, ["rewrote 1 import in 1 file"]);
}

#[test]
fn remap_sees_every_form_of_the_module_3_20() {
    let source = "from pkg.utils import a\nfrom pkg import utils\nfrom pkg import utils as u, other\n";
    let recipe = r#"remap_module in="m.py" from="pkg.utils" to="new._utils" changes=3"#;
    let (_, tree) = Port::new(recipe).file("m.py", source).ok();
    assert_eq!(
        tree["m.py"],
        "from new._utils import a\nfrom new import _utils as utils\nfrom new import _utils as u\nfrom pkg import other\n"
    );
}

#[test]
fn remap_resolves_relative_imports_of_the_module_3_21() {
    let port = |to| {
        Port::new(&format!("remap_module in=\"pkg/**\" from=\"pkg.utils\" to=\"{to}\""))
            .file("pkg/__init__.py", "")
            .file("pkg/n.py", "from .utils import b\nfrom . import utils, n\nfrom .utils.deep import c\n")
            .file("pkg/s/m.py", "from ..utils import b\n")
            .file("pkg/utils/__init__.py", "from .deep import c\nfrom . import deep\n")
            .file("pkg/utils/deep.py", "")
    };
    let (_, tree) = port("pkg.core._utils").ok();
    assert_eq!(
        tree["pkg/n.py"],
        "from .core._utils import b\nfrom .core import _utils as utils\nfrom . import n\nfrom .core._utils.deep import c\n"
    );
    assert_eq!(tree["pkg/s/m.py"], "from ..core._utils import b\n");
    assert_eq!(tree["pkg/utils/__init__.py"], "from .deep import c\nfrom . import deep\n");
    let (_, tree) = port("new.utils").ok();
    assert_eq!(
        tree["pkg/n.py"],
        "from new.utils import b\nfrom new import utils\nfrom . import n\nfrom new.utils.deep import c\n"
    );
    let (_, tree) = port("pkg").ok();
    assert_eq!(tree["pkg/s/m.py"], "from .. import b\n");
}

#[test]
fn renaming_the_whole_package_leaves_its_relative_imports() {
    let recipe = r#"remap_module in="pkg/**" from="pkg" to="new" changes=1"#;
    let (_, tree) = Port::new(recipe)
        .file("pkg/a.py", "from .b import x\nfrom pkg.b import y\n")
        .file("pkg/b.py", "")
        .ok();
    assert_eq!(tree["pkg/a.py"], "from .b import x\nfrom new.b import y\n");
}

#[test]
fn a_module_can_become_a_top_level_one_and_back() {
    let forth = "remap_module in=\"m.py\" from=\"pkg.utils\" to=\"utils\"";
    let source = "from pkg import utils\nfrom pkg import utils as u, x\nimport pkg.utils.deep as d\nfrom pkg.utils import y\n";
    let (_, tree) = Port::new(forth).file("m.py", source).ok();
    assert_eq!(
        tree["m.py"],
        "import utils\nimport utils as u\nfrom pkg import x\nimport utils.deep as d\nfrom utils import y\n"
    );
}

#[test]
fn plain_imports_are_remapped_with_the_rest_3_11() {
    let recipe = r#"remap_module in="**/*.py" from="pkg" to="new" changes=4"#;
    let (_, tree) = Port::new(recipe)
        .file("m.py", "from pkg.a import x\nimport pkg.b\nimport pkg.c as c\nimport os, pkg\n")
        .ok();
    assert_eq!(tree["m.py"], "from new.a import x\nimport new.b\nimport new.c as c\nimport os, new\n");
}

#[test]
fn a_splice_never_edits_a_comment_instead_3_01() {
    let source = "def f(): from pkg.a import x; return x\n# never write: from pkg.a import x; \"lazily\"\n";
    let (_, tree) =
        Port::new(r#"remap_module in="m.py" from="pkg" to="new" changes=1"#).file("m.py", source).ok();
    assert_eq!(
        tree["m.py"],
        "def f(): from new.a import x; return x\n# never write: from pkg.a import x; \"lazily\"\n"
    );
}

#[test]
fn names_that_go_on_in_other_letters_are_other_names_3_08() {
    let (_, tree) = relativize("pkg/m.py", "from pkg.a import x\nfrom pkg.a import xé\n").ok();
    assert_eq!(tree["pkg/m.py"], "from .a import x\nfrom .a import xé\n");
}

#[test]
fn deep_nesting_is_an_error_with_the_file_3_29() {
    let deep = format!("import pkg\nx = {}{}\n", "[".repeat(3000), "]".repeat(3000));
    let failure = relativize("pkg/gen.py", &deep).fails();
    assert!(failure.message.starts_with("pkg/gen.py:2:"), "{}", failure.message);
    let elif = format!("x = 1\nfrom pkg import a\nif x: pass\n{}", "elif x: pass\n".repeat(20_000));
    let (_, tree) = relativize("pkg/gen.py", &elif).ok();
    assert!(tree["pkg/gen.py"].starts_with("x = 1\nfrom . import a\n"));
}

#[test]
fn odd_files_keep_every_other_byte_2_14() {
    let long = "a".repeat(100_000);
    let source =
        format!("from pkg.a import x\r\nif 1:\r\n\tfrom pkg.b import y  # c\r\n\x0c\r\nz = \"{long}\"");
    let (_, tree) = relativize("pkg/m.py", &source).ok();
    assert_eq!(tree["pkg/m.py"], source.replace("from pkg.", "from ."));
}

#[test]
fn from_and_to_must_differ() {
    let errors = Port::new(r#"remap_module in="a" from="pkg" to="pkg""#).build_errors();
    assert_eq!(errors, ["1:35: remap_module: from and to are the same, \"pkg\""]);
}

#[test]
fn nothing_to_convert_is_explained() {
    let failure = Port::new(r#"convert_import in="**" prefix="pkg""#).file("README.md", "import pkg").fails();
    assert_eq!(failure.message, "in=\"**\" matches no Python file");
    let failure =
        Port::new(r#"convert_import in="**" prefix="pkg.sub""#).file("a.py", "from pkg.sub import x").fails();
    assert_eq!(failure.message, "no `import pkg.sub...` statement in the 1 Python file that in= matches");
}

#[test]
fn missing_modules_can_be_pinned() {
    let port = |n| {
        let recipe = format!("relativize_imports in=\"pkg/**\" package_root=\"pkg\" missing={n}");
        Port::new(&recipe).file("pkg/__init__.py", "").file("pkg/m.py", "from pkg.gone import x\n")
    };
    let (log, tree) = port(1).ok();
    assert_eq!(
        (log[0].as_str(), tree["pkg/m.py"].as_str()),
        ("rewrote 1 import in 1 file", "from .gone import x\n")
    );
    let failure = port(2).fails();
    assert!(
        failure.message.starts_with("expected exactly 2 missing modules but found 1"),
        "{}",
        failure.message
    );
    assert_eq!(
        port(0).build_errors(),
        ["1:59: relativize_imports: missing=0 is what the op does without it"]
    );
}

#[test]
fn modules_that_a_package_puts_into_sys_modules_are_a_warning() {
    let init =
        "import sys\nfor old in {'l2norm': 'norm.l2norm'}:\n    sys.modules[f'{__name__}.{old}'] = 1\n";
    let source = "from pkg.modules.l2norm import f\n";
    let port = |source| relativize("pkg/m.py", source).file("pkg/modules/__init__.py", init);
    let run = port(source).run();
    assert!(
        matches!(&run.steps[0].notes[..], [Note::Warning(text)] if text.ends_with("put it into sys.modules"))
    );
    assert_eq!(port("from pkg.modules.l3norm import f\n").fails().kind, FailureKind::Missing);
}

#[test]
fn names_of_the_package_are_imported_where_the_package_is_loaded_first() {
    let port = |init, file| {
        Port::new(r#"relativize_imports in="pkg/**" package_root="pkg""#)
            .file("pkg/__init__.py", init)
            .file("pkg/core.py", "class Error(Exception): pass\n")
            .file(file, "import pkg\nraise pkg.Error\n")
    };
    let (_, tree) = port("from .core import Error\n", "pkg/tests/t.py").ok();
    assert_eq!(tree["pkg/tests/t.py"], "from .. import Error\nraise Error\n");
    assert_eq!(
        port("from .core import Error\nfrom . import m\n", "pkg/m.py").fails().kind,
        FailureKind::Refused
    );
    assert_eq!(port("Error = None\n", "pkg/m.py").fails().kind, FailureKind::Refused);
}

#[test]
fn a_module_that_was_removed_but_is_still_imported_from_its_package_3_23() {
    let recipe = "delete in=\"pkg/utils.py\"\nrelativize_imports in=\"pkg/**\" package_root=\"pkg\"";
    let port = |init| {
        let port = Port::new(recipe).file("pkg/__init__.py", init).file("pkg/utils.py", "");
        port.file("pkg/m.py", "from pkg import utils, core\n").file("pkg/core.py", "")
    };
    let failure = port("x = 1\n").fails();
    assert_eq!(failure.kind, FailureKind::Missing);
    assert_eq!(failure.details, ["`pkg.utils` is no module of the tree and no name in pkg/__init__.py"]);
    port("from .core import *\n").ok();
    port("utils = None\n").ok();
    let run = relativize("pkg/m.py", "from pkg import a, gone, lost\n").run();
    let text = "pkg/m.py:1:1: no `gone`, `lost` in pkg/__init__.py, upstream as here";
    assert_eq!(run.steps[0].notes[..], [Note::Warning(text.to_owned())]);
}
