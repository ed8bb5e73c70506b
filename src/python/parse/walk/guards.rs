//! What makes an import optional: `if TYPE_CHECKING`, and what catches an `ImportError`.

use ruff_python_ast as ast;
use ruff_python_ast::Expr;

pub(super) fn is_named(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Name(e) => e.id == name,
        Expr::Attribute(e) => e.attr.id == name,
        _ => false,
    }
}

/// Whether what stands in its brackets are types wherever it stands, so that a string there is one.
pub(super) fn is_generic(expr: &Expr) -> bool {
    const GENERICS: &[&str] = &[
        "Annotated",
        "Callable",
        "ClassVar",
        "DefaultDict",
        "Dict",
        "Final",
        "FrozenSet",
        "Generator",
        "Iterable",
        "Iterator",
        "List",
        "Mapping",
        "NotRequired",
        "Optional",
        "Required",
        "Sequence",
        "Set",
        "Tuple",
        "Type",
        "TypeGuard",
        "Union",
        "dict",
        "frozenset",
        "list",
        "set",
        "tuple",
        "type",
    ];
    GENERICS.iter().any(|name| is_named(expr, name))
}

/// Whether an argument of a call is a type, so that a string there is one.
pub(super) fn holds_type(function: &Expr, number: usize, keyword: Option<&str>) -> bool {
    let named = |name| is_named(function, name);
    match keyword {
        Some("bound" | "default") => named("TypeVar"),
        Some("typ") => named("cast"),
        Some("tp") => named("NewType"),
        Some(_) => false,
        None => {
            named("cast") && number == 0 || named("TypeVar") && number > 0 || named("NewType") && number == 1
        }
    }
}

pub(super) fn is_type_checking(test: &Expr) -> bool {
    is_named(test, "TYPE_CHECKING")
}

pub(super) fn is_import_error(expr: &Expr) -> bool {
    match expr {
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_import_error),
        _ => ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"]
            .iter()
            .any(|n| is_named(expr, n)),
    }
}

pub(super) fn catches_import_error(handler: &ast::ExceptHandler) -> bool {
    let ast::ExceptHandler::ExceptHandler(handler) = handler;
    handler.type_.as_deref().is_none_or(is_import_error)
}

pub(super) fn suppresses_import_error(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else {
        return false;
    };
    is_named(&call.func, "suppress") && call.arguments.args.iter().any(is_import_error)
}
