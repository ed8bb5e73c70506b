//! Every form of import and what each op makes of it: a table that is a test, and the source of `docs/imports.md`.

use super::testing::Port;
use std::fmt::Write;

/// What an op does with a form.
#[derive(Clone, Copy)]
enum Outcome {
    /// The file becomes this.
    Becomes(&'static str),
    /// Nothing to do: without `changes=0` the op fails.
    Stays,
    /// Refused, with this in the way.
    Refused(&'static str),
}
use Outcome::{Becomes, Refused, Stays};

struct Row {
    form: &'static str,
    source: &'static str,
    convert: Outcome,
    remap: Outcome,
    relativize: Outcome,
}

const FILE: &str = "pkg/a/m.py";
const CONVERT: &str = r#"convert_import in="pkg/a/m.py" prefix="pkg""#;
const REMAP: &str = r#"remap_module in="pkg/a/m.py" from="pkg.sub" to="new.core""#;
const RELATIVIZE: &str = r#"relativize_imports in="pkg/a/m.py" package_root="pkg""#;

const ROWS: &[Row] = &[
    Row {
        form: "name of a module",
        source: "from pkg.sub import f\n",
        convert: Stays,
        remap: Becomes("from new.core import f\n"),
        relativize: Becomes("from ..sub import f\n"),
    },
    Row {
        form: "module of a package",
        source: "from pkg import sub\n",
        convert: Stays,
        remap: Becomes("from new import core as sub\n"),
        relativize: Becomes("from .. import sub\n"),
    },
    Row {
        form: "module under another name",
        source: "from pkg import sub as s\n",
        convert: Stays,
        remap: Becomes("from new import core as s\n"),
        relativize: Becomes("from .. import sub as s\n"),
    },
    Row {
        form: "several names, one of them the module",
        source: "from pkg import sub, utils\n",
        convert: Stays,
        remap: Becomes("from new import core as sub\nfrom pkg import utils\n"),
        relativize: Becomes("from .. import sub, utils\n"),
    },
    Row {
        form: "parentheses, lines, comments",
        source: "from pkg.sub import (  # what\n    f,  # one\n    g as h,\n)\n",
        convert: Stays,
        remap: Becomes("from new.core import (  # what\n    f,  # one\n    g as h,\n)\n"),
        relativize: Becomes("from ..sub import (  # what\n    f,  # one\n    g as h,\n)\n"),
    },
    Row {
        form: "star",
        source: "from pkg.sub import *\n",
        convert: Stays,
        remap: Becomes("from new.core import *\n"),
        relativize: Becomes("from ..sub import *\n"),
    },
    Row {
        form: "sibling module",
        source: "from pkg.a.b import f\n",
        convert: Stays,
        remap: Stays,
        relativize: Becomes("from .b import f\n"),
    },
    Row {
        form: "own package",
        source: "from pkg.a import b\n",
        convert: Stays,
        remap: Stays,
        relativize: Becomes("from . import b\n"),
    },
    Row {
        form: "blanks and continuations in the module",
        source: "from pkg . \\\n    sub import f\n",
        convert: Stays,
        remap: Becomes("from new.core import f\n"),
        relativize: Becomes("from . . \\\n    sub import f\n"),
    },
    Row {
        form: "import with a name",
        source: "import pkg.sub as s\n",
        convert: Becomes("from pkg import sub as s\n"),
        remap: Becomes("import new.core as s\n"),
        relativize: Becomes("from .. import sub as s\n"),
    },
    Row {
        form: "import list",
        source: "import os, pkg.sub as s, re\n",
        convert: Becomes("import os\nfrom pkg import sub as s\nimport re\n"),
        remap: Becomes("import os, new.core as s, re\n"),
        relativize: Becomes("import os\nfrom .. import sub as s\nimport re\n"),
    },
    Row {
        form: "plain import, every use followed",
        source: "import pkg.sub\npkg.sub.f(pkg.sub.g)\n",
        convert: Becomes("from pkg import sub\nsub.f(sub.g)\n"),
        remap: Becomes("import new.core\nnew.core.f(new.core.g)\n"),
        relativize: Becomes("from .. import sub\nsub.f(sub.g)\n"),
    },
    Row {
        form: "plain import in an annotation that is a string",
        source: "import pkg.sub\ndef f(x: \"pkg.sub.T\"): ...\n",
        convert: Becomes("from pkg import sub\ndef f(x: \"sub.T\"): ...\n"),
        remap: Becomes("import new.core\ndef f(x: \"new.core.T\"): ...\n"),
        relativize: Becomes("from .. import sub\ndef f(x: \"sub.T\"): ...\n"),
    },
    Row {
        form: "plain import, the new name is taken",
        source: "import pkg.sub\nsub = pkg.sub.f()\n",
        convert: Becomes("from pkg import sub as pkg_sub\nsub = pkg_sub.f()\n"),
        remap: Becomes("import new.core\nsub = new.core.f()\n"),
        relativize: Becomes("from .. import sub as pkg_sub\nsub = pkg_sub.f()\n"),
    },
    Row {
        form: "plain import, a use that cannot be followed",
        source: "import pkg.sub\nprint(pkg)\n",
        convert: Refused("pkg/a/m.py:2:7: `pkg` does not start with an imported module"),
        remap: Refused("pkg/a/m.py:2:7: `pkg` is not under `pkg.sub`, but nothing else imports `pkg`"),
        relativize: Refused("pkg/a/m.py:2:7: `pkg` does not start with an imported module"),
    },
    Row {
        form: "plain import, the name is bound again",
        source: "try:\n    import pkg.sub\nexcept ImportError:\n    pkg = None\n",
        convert: Refused("pkg/a/m.py:4:5: `pkg` is assigned as well"),
        remap: Refused("pkg/a/m.py:4:5: `pkg` is assigned as well"),
        relativize: Refused("pkg/a/m.py:4:5: `pkg` is assigned as well"),
    },
    Row {
        form: "the package itself, uses are modules",
        source: "import pkg\npkg.utils.f()\n",
        convert: Becomes("from pkg import utils\nutils.f()\n"),
        remap: Stays,
        relativize: Becomes("from .. import utils\nutils.f()\n"),
    },
    Row {
        form: "the package itself, a use is no module",
        source: "import pkg\nprint(pkg.__version__)\n",
        convert: Refused("pkg/a/m.py:2:7: `pkg.__version__` does not start with an imported module"),
        remap: Stays,
        relativize: Refused("pkg/a/m.py:2:7: `pkg.__version__` does not start with an imported module"),
    },
    Row {
        form: "the package under another name",
        source: "import pkg as p\np.sub.f()\n",
        convert: Becomes("from pkg import sub\nsub.f()\n"),
        remap: Stays,
        relativize: Becomes("from .. import sub\nsub.f()\n"),
    },
    Row {
        form: "after `;` and in a one-line suite",
        source: "import os; from pkg.sub import f\nif os: import re, pkg.sub as s\n",
        convert: Becomes("import os; from pkg.sub import f\nif os: import re; from pkg import sub as s\n"),
        remap: Becomes("import os; from new.core import f\nif os: import re, new.core as s\n"),
        relativize: Becomes("import os; from ..sub import f\nif os: import re; from .. import sub as s\n"),
    },
    Row {
        form: "in functions, `try`, `with`, `match`, `if TYPE_CHECKING`",
        source: "def f():\n\tfrom pkg.sub import (\n\t\tx,\n\t)\nif TYPE_CHECKING:\n  import pkg.sub as s\nmatch 1:\n case 1: from pkg import sub\n",
        convert: Becomes(
            "def f():\n\tfrom pkg.sub import (\n\t\tx,\n\t)\nif TYPE_CHECKING:\n  from pkg import sub as s\nmatch 1:\n case 1: from pkg import sub\n",
        ),
        remap: Becomes(
            "def f():\n\tfrom new.core import (\n\t\tx,\n\t)\nif TYPE_CHECKING:\n  import new.core as s\nmatch 1:\n case 1: from new import core as sub\n",
        ),
        relativize: Becomes(
            "def f():\n\tfrom ..sub import (\n\t\tx,\n\t)\nif TYPE_CHECKING:\n  from .. import sub as s\nmatch 1:\n case 1: from .. import sub\n",
        ),
    },
    Row {
        form: "relative already",
        source: "from ..sub import f\nfrom .. import sub, utils\n",
        convert: Stays,
        remap: Becomes("from new.core import f\nfrom new import core as sub\nfrom .. import utils\n"),
        relativize: Stays,
    },
    Row {
        form: "another package that starts alike",
        source: "from pkg_extra.sub import f\nimport pkg_extra.sub as s\nfrom pkg.subs import g\n",
        convert: Stays,
        remap: Stays,
        relativize: Becomes("from pkg_extra.sub import f\nimport pkg_extra.sub as s\nfrom ..subs import g\n"),
    },
    Row {
        form: "text that repeats the statement",
        source: "\"\"\">>> from pkg.sub import f\"\"\"\n# from pkg.sub import f\nfrom pkg.sub import f\nm = f\"from pkg.sub import f\"\n",
        convert: Stays,
        remap: Becomes(
            "\"\"\">>> from pkg.sub import f\"\"\"\n# from pkg.sub import f\nfrom new.core import f\nm = f\"from pkg.sub import f\"\n",
        ),
        relativize: Becomes(
            "\"\"\">>> from pkg.sub import f\"\"\"\n# from pkg.sub import f\nfrom ..sub import f\nm = f\"from pkg.sub import f\"\n",
        ),
    },
    Row {
        form: "CRLF, tabs, form feed, mark, no last line end",
        source: "\u{feff}from pkg.sub import f\r\nif 1:\r\n\timport os, pkg.sub as s\r\n\x0c\r\nfrom pkg import sub",
        convert: Becomes(
            "\u{feff}from pkg.sub import f\r\nif 1:\r\n\timport os\r\n\tfrom pkg import sub as s\r\n\x0c\r\nfrom pkg import sub",
        ),
        remap: Becomes(
            "\u{feff}from new.core import f\r\nif 1:\r\n\timport os, new.core as s\r\n\x0c\r\nfrom new import core as sub",
        ),
        relativize: Becomes(
            "\u{feff}from ..sub import f\r\nif 1:\r\n\timport os\r\n\tfrom .. import sub as s\r\n\x0c\r\nfrom .. import sub",
        ),
    },
];

fn port(recipe: &str, source: &str) -> Port {
    let files =
        ["pkg/__init__.py", "pkg/sub.py", "pkg/subs.py", "pkg/utils.py", "pkg/a/__init__.py", "pkg/a/b.py"];
    files.into_iter().fold(Port::new(recipe).file(FILE, source), |port, file| port.file(file, ""))
}

fn check(form: &str, recipe: &str, source: &str, outcome: Outcome) {
    match outcome {
        Becomes(expected) => {
            let (_, tree) = port(recipe, source).ok();
            assert_eq!(tree[FILE], expected, "{form}: {recipe}");
        }
        Stays => {
            let (_, tree) = port(&format!("{recipe} changes=0"), source).ok();
            assert_eq!(tree[FILE], source, "{form}: {recipe}");
            let failure = port(recipe, source).fails();
            assert_eq!(failure.kind, super::FailureKind::NoEffect, "{form}: {failure:#?}");
        }
        Refused(place) => {
            let failure = port(recipe, source).fails();
            assert_eq!(failure.kind, super::FailureKind::Refused, "{form}: {failure:#?}");
            assert!(failure.details.iter().any(|d| d.trim() == place), "{form}: {failure:#?}");
        }
    }
}

#[test]
fn every_form_of_import_under_every_op() {
    for row in ROWS {
        check(row.form, CONVERT, row.source, row.convert);
        check(row.form, REMAP, row.source, row.remap);
        check(row.form, RELATIVIZE, row.source, row.relativize);
    }
}

#[test]
fn the_table_in_the_documentation_is_this_one() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/imports.md");
    let expected = render();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &expected).unwrap();
    }
    assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "run the tests with UPDATE_DOCS=1");
}

fn render() -> String {
    let mut out = String::from(
        "# Imports and what the ops make of them\n\n\
         Generated from `src/ops/import_table.rs`, where every row is a test. The file is `pkg/a/m.py`; the ops are\n\n",
    );
    for recipe in [CONVERT, REMAP, RELATIVIZE] {
        let _ = writeln!(out, "    {recipe}");
    }
    out.push_str(
        "\n**stays**: the op finds nothing to do, and fails unless `changes=0` says so. **refused**: the op fails and \
         lists the places. `⏎` is a line end, `⇥` a tab.\n\n",
    );
    for row in ROWS {
        let _ = writeln!(out, "## {}{}\n", row.form[..1].to_uppercase(), &row.form[1..]);
        let _ = writeln!(out, "| | |\n| --- | --- |\n| source | {} |", cell(row.source));
        for (name, outcome) in [
            ("convert_import", row.convert),
            ("remap_module", row.remap),
            ("relativize_imports", row.relativize),
        ] {
            let text = match outcome {
                Becomes(text) => cell(text),
                Stays => "stays".to_owned(),
                Refused(place) => format!("refused: {}", place.replace('|', "\\|")),
            };
            let _ = writeln!(out, "| {name} | {text} |");
        }
        out.push('\n');
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// A source text in a table cell: one code span a line.
fn cell(text: &str) -> String {
    let shown = text
        .replace('\u{feff}', "<BOM>")
        .replace('\x0c', "<FF>")
        .replace('\t', "⇥")
        .replace("\r\n", "<CR>\n");
    let lines: Vec<String> = shown
        .trim_end_matches('\n')
        .split('\n')
        .map(|line| format!("`` {} ``", line.replace('|', "\\|")))
        .collect();
    lines.join("<br>")
}
