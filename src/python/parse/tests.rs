use super::*;
use crate::python::{Binding, ImportKind, Role, ScopeKind, StatementKind};

fn parse(source: &str) -> Module {
    Module::parse(source.as_bytes()).unwrap_or_else(|e| panic!("{source:?}: {e:?}"))
}

fn fails(source: &[u8]) -> String {
    let error = Module::parse(source).unwrap_err();
    format!("{}: {}", error.position, error.message)
}

/// `module_range text | alias texts | parentheses text`
fn parts(source: &str) -> String {
    let module = parse(source);
    let import = &module.imports[0];
    let aliases: Vec<_> = import.aliases.iter().map(|a| &source[a.range.clone()]).collect();
    let parentheses = import.parentheses.clone().map_or("", |r| &source[r]);
    format!("{} | {} | {parentheses}", &source[import.module_range.clone()], aliases.join(","))
}

#[test]
fn ranges_of_every_part() {
    for (source, expected) in [
        ("from pkg.a import x", "pkg.a | x | "),
        ("from pkg . \\\n  a import x as y, z", "pkg . \\\n  a | x as y,z | "),
        ("from . import x", ". | x | "),
        ("from .. . .a.b import x", ".. . .a.b | x | "),
        ("from . \\\n .a import(x)", ". \\\n .a | x | (x)"),
        ("from a import ( # (c). \n x, # d)\n y as z,\n)", "a | x,y as z | ( # (c). \n x, # d)\n y as z,\n)"),
        ("from ... import ( # a.b\nx)", "... | x | ( # a.b\nx)"),
        ("from a import *", "a |  | "),
        ("import a.b as c, d . e", " | a.b as c,d . e | "),
    ] {
        assert_eq!(parts(source), expected);
    }
}

#[test]
fn components_are_separate_ranges() {
    let source = "import a . \\\n b.c as d";
    let module = parse(source);
    let texts: Vec<_> = module.imports[0].aliases[0].components.iter().map(|r| &source[r.clone()]).collect();
    assert_eq!(texts, ["a", "b", "c"]);
    assert_eq!(module.imports[0].aliases[0].name, "a.b.c");
}

#[test]
fn imports_at_every_depth_know_where_they_are() {
    let source = "\
from typing import TYPE_CHECKING
if TYPE_CHECKING:
    import a
else:
    import b
try:
    import c
    def f(): import d
except (ValueError, ModuleNotFoundError):
    import e
with suppress(ImportError): import f
class C:
    async def g(self):
        match x:
            case 1: import g; import h
try: import i
except ValueError: pass
lambda: 0
";
    let module = parse(source);
    let flags: Vec<_> = module.imports[1..]
        .iter()
        .map(|i| {
            let flag = |on, c| if on { c } else { "-" };
            let flags =
                [flag(i.type_checking, "t"), flag(i.guarded, "g"), flag(i.first_on_line, "l")].concat();
            format!("{} {} {} {flags}", i.aliases[0].name, i.scope.0, i.depth)
        })
        .collect();
    assert_eq!(
        flags,
        [
            "a 0 1 t-l",
            "b 0 1 --l",
            "c 0 1 -gl",
            "d 1 0 ---",
            "e 0 1 --l",
            "f 0 1 -g-",
            "g 3 1 ---",
            "h 3 1 ---",
            "i 0 1 ---"
        ]
    );
}

#[test]
fn syntax_of_every_version() {
    for source in [
        "match x:\n    case {'a': [1, *r], **k} | C(b=2) as y if y: pass\n",
        "def f[T: int = str, *Ts, **P](x: T) -> T: ...\nclass A[T](B): pass\ntype X[T] = list[T]\n",
        "f'{x!r:>{w}} {f\"{y[\"k\"]}\"}'\n",
        "try: pass\nexcept* (A, B): pass\n",
        "try: pass\nexcept A, B: pass\n",
        "x = t'{y}'\n",
        "with (open(a) as b, c): pass\n",
        "if (n := 10) > 5: print(f'{n=}')\n",
        "def f(a, /, b, *, c): return *a, b\n",
        "print(*a, sep='')\n@x[0].y\ndef f(): await z\n",
        "for x in *a, *b: pass\n",
        "async def f(): return [x async for x in y]\n",
        "\u{feff}import a\n",
        "\x0cimport a\r\rif x:\r\timport b\r",
        "",
        "x = 1 \\\n  + 2",
    ] {
        parse(source);
    }
}

#[test]
fn syntax_errors_have_a_place() {
    assert_eq!(
        fails(b"x = 1\nprint \"hi\"\n"),
        "2:7: simple statements must be separated by newlines or semicolons"
    );
    assert!(fails(b"def f(:\n").starts_with("1:7: "));
    assert_eq!(fails(b"lazy import a\n"), "1:1: syntax that Python 3.8 to 3.14 does not have");
    assert_eq!(fails(b"x = '\0'"), "1:6: source code cannot hold NUL bytes");
}

#[test]
fn deep_nesting_is_an_error_and_never_an_overflow() {
    let nest = |open: &str, close: &str, n: usize| format!("x = {}1{}\n", open.repeat(n), close.repeat(n));
    assert_eq!(Module::parse(nest("[", "]", 150).as_bytes()).err(), None);
    assert!(fails(nest("[", "]", 3000).as_bytes()).contains("more than 200 brackets"));
    assert!(fails(nest("[", "]", 100_000).as_bytes()).contains("more than 200 brackets"));
    assert!(fails(nest("not ", "", 100_000).as_bytes()).contains("nested more than"));
    assert!(fails(nest("-", "", 60_000).as_bytes()).contains("nested more than"));
    assert_eq!(Module::parse(nest("1 + ", "", 40_000).as_bytes()).err(), None);
    assert_eq!(Module::parse(nest("- ", "", 40_000).as_bytes()).err(), None);
    assert_eq!(Module::parse(format!("x = a{}\n", ".b".repeat(20_000)).as_bytes()).err(), None);
    let elif = format!("if x: pass\n{}", "elif y: pass\n".repeat(20_000));
    assert_eq!(Module::parse(elif.as_bytes()).err(), None);
    let blocks: String = (0..150).map(|n| format!("{}if x:\n", " ".repeat(n))).collect();
    assert!(fails(format!("{blocks}{}pass\n", " ".repeat(150)).as_bytes()).contains("levels of indentation"));
    let in_string = format!("x: \"{}1{}\"\n", "(".repeat(3000), ")".repeat(3000));
    assert_eq!(Module::parse(in_string.as_bytes()).err(), None);
}

fn scope_kind(source: &str, name: &str) -> Vec<(usize, ScopeKind)> {
    let module = parse(source);
    let id = module.table.find(name).unwrap();
    let uses =
        (0..module.names.len()).filter(|i| module.names[*i].id == id && module.names[*i].role == Role::Use);
    uses.map(|i| (module.names[i].range.start(), module.scope(module.resolve(i)).kind)).collect()
}

#[test]
fn uses_resolve_by_pythons_rules() {
    use ScopeKind::{Comprehension, Function, Module};
    assert_eq!(scope_kind("def f():\n  x\nx = 1", "x"), [(11, Module)]);
    assert_eq!(scope_kind("def f():\n  x\n  import x", "x"), [(11, Function)]);
    assert_eq!(scope_kind("def f():\n  global x\n  x = 1\n  x", "x"), [(30, Module)]);
    assert_eq!(scope_kind("class C:\n  x = 1\n  def f(self): x", "x"), [(32, Module)]);
    assert_eq!(scope_kind("[x for x in x]", "x"), [(12, Module), (1, Comprehension)]);
    assert_eq!(scope_kind("def f(x=x): return lambda: x", "x"), [(8, Module), (27, Function)]);
    assert_eq!(scope_kind("def f():\n  [y for y in z if (x := y)]\n  x", "x"), [(40, Function)]);
    assert_eq!(
        scope_kind("def f[x](a: x): x", "x"),
        [(12, ScopeKind::TypeParameters), (16, ScopeKind::TypeParameters)]
    );
    assert_eq!(scope_kind("def f():\n x = 1\n def g():\n  nonlocal x\n  x", "x"), [(41, Function)]);
    assert_eq!(scope_kind("match a:\n  case [x, *r]: x", "x"), [(25, Module)]);
}

#[test]
fn chains_know_their_attributes() {
    let source = "a.b.c(1)\n(a).b\na . \\\n b\ndel a.b\na.b = a.c[0].d\nx: 'a.b.T'\n";
    let module = parse(source);
    let id = module.table.find("a").unwrap();
    let chains: Vec<_> = module
        .names
        .iter()
        .filter(|n| n.id == id)
        .map(|n| {
            let attributes = module.attributes_of(n);
            let texts: Vec<_> = attributes.iter().map(|a| module.text(a.id)).collect();
            let adjacent = attributes.iter().all(|a| a.adjacent);
            format!("{} {adjacent} {} {}", texts.join("."), n.chain_is_target, n.in_string)
        })
        .collect();
    assert_eq!(
        chains,
        [
            "b.c true false false",
            "b false false false",
            "b true false false",
            "b true true false",
            "c true false false",
            "b true true false",
            "b.T true false true"
        ]
    );
    let last = module.names.iter().rfind(|n| n.id == id).unwrap();
    assert_eq!(&source[module.chain(last)], "a.b.T");
}

#[test]
fn calls_strings_and_decorators() {
    let source = "\
'''doc'''
from __future__ import annotations
import importlib
@lib.impl('ns::op', device=\"cuda\")
class C:
    'inner'
    x = importlib.import_module('a' 'b')
sys.modules['pkg.x']
f().define('x\\n')
";
    let module = parse(source);
    let kinds: Vec<_> = module.statements.iter().map(|s| s.kind).collect();
    assert_eq!(
        kinds[..4],
        [
            StatementKind::Docstring,
            StatementKind::Future(0),
            StatementKind::Import(1),
            StatementKind::Definition(0)
        ]
    );
    let strings: Vec<_> = module.strings.iter().map(|s| (&*s.value, s.docstring, s.verbatim)).collect();
    assert_eq!(
        strings,
        [
            ("doc", true, true),
            ("ns::op", false, true),
            ("cuda", false, true),
            ("inner", true, true),
            ("ab", false, false),
            ("pkg.x", false, true),
            ("x\n", false, false)
        ]
    );
    let decorator = &module.definitions[0].decorators[0];
    assert_eq!(&source[decorator.range.clone()], "@lib.impl('ns::op', device=\"cuda\")");
    let call = &module.calls[decorator.call.unwrap()];
    assert_eq!(module.argument(call, 0, None).unwrap().string.get(), Some(1));
    assert_eq!(module.argument(call, 5, module.table.find("device")).unwrap().string.get(), Some(2));
    assert_eq!(module.names[decorator.root.unwrap()].range.range(), call.span.start()..call.span.start() + 3);
    assert_eq!(module.subscripts.len(), 1);
    let method = module.calls.iter().find_map(|c| c.method.get().filter(|_| c.root.get().is_none())).unwrap();
    assert_eq!(module.text(module.attributes[method].id), "define");
}

#[test]
fn import_bindings_point_back() {
    let module = parse("import a.b, c as d\nfrom e import f as g");
    let bound: Vec<_> = module
        .names
        .iter()
        .filter_map(|n| match n.role {
            Role::Bind(Binding::Import(i, a)) => Some((module.text(n.id).to_owned(), i, a, n.range.range())),
            _ => None,
        })
        .collect();
    assert_eq!(bound, [("a".into(), 0, 0, 7..8), ("d".into(), 0, 1, 17..18), ("g".into(), 1, 0, 38..39)]);
    assert_eq!(module.imports[1].kind, ImportKind::From);
}

#[test]
fn identifiers_are_normalised_but_their_ranges_are_not() {
    let source = "from pkg import ﬁle\n";
    let module = parse(source);
    assert_eq!(module.imports[0].aliases[0].name, "file");
    assert_eq!(&source[module.imports[0].aliases[0].name_range.clone()], "ﬁle");
}
