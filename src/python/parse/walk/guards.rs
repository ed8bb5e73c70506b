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
