//! The one walk over the parser's tree that fills a [`Module`]: statements here, the rest in the files beside.

mod definitions;
mod expressions;
mod guards;
mod import_statements;

use super::{Module, range};
use crate::python::lines::Lines;
use crate::python::names::small;
use crate::python::nodes::{Argument, Statement, StatementKind};
use crate::python::{Binding, ByteRange, ImportKind, Name, NameTable, Role, Scope, ScopeId, ScopeKind};
use guards::{catches_import_error, is_generic, is_named, is_type_checking, suppresses_import_error};
use ruff_python_ast as ast;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use ruff_python_parser::Parsed;
use ruff_text_size::{Ranged, TextRange, TextSize};

/// Walks a module.
pub fn walk(parsed: &Parsed<ast::ModModule>, text: &str, content: &[u8], lines: Lines) -> Module {
    let body = &parsed.syntax().body;
    let mut module = Module { lines, ..Module::default() };
    let (names, attributes) = count(parsed);
    module.names.reserve_exact(names);
    module.attributes.reserve_exact(attributes);
    module.scopes.push(Scope { kind: ScopeKind::Module, parent: None, range: 0..text.len() });
    let mut walker = Walker {
        module,
        table: NameTable::default(),
        text,
        content,
        around: Around::default(),
        in_annotation: false,
        in_string: false,
        docstring: None,
        last: None,
        arguments: Vec::new(),
    };
    walker.docstring(body);
    for stmt in body {
        walker.module_statement(stmt);
    }
    walker.module.table = walker.table.into();
    walker.module
}

/// About how many names and attributes a file has, so that their lists need not grow.
fn count(parsed: &Parsed<ast::ModModule>) -> (usize, usize) {
    let (mut names, mut attributes, mut after_dot) = (0, 0, false);
    for token in parsed.tokens() {
        let count = if after_dot { &mut attributes } else { &mut names };
        *count += usize::from(token.kind() == TokenKind::Name);
        after_dot = token.kind() == TokenKind::Dot;
    }
    (names, attributes)
}

/// What is around the node.
#[derive(Clone, Copy)]
struct Around {
    scope: ScopeId,
    depth: usize,
    type_checking: bool,
    guarded: bool,
}

impl Default for Around {
    fn default() -> Self {
        Self { scope: ScopeId::MODULE, depth: 0, type_checking: false, guarded: false }
    }
}

/// What the expression just visited was, for its parent.
#[derive(Clone, Copy)]
enum Last {
    Chain(usize),
    String(usize),
    Call(usize),
}

struct Walker<'a> {
    module: Module,
    table: NameTable,
    text: &'a str,
    content: &'a [u8],
    around: Around,
    in_annotation: bool,
    in_string: bool,
    docstring: Option<TextSize>,
    last: Option<Last>,
    /// Those of the calls around, as far as they have been seen.
    arguments: Vec<Argument>,
}

impl Walker<'_> {
    fn name(&mut self, text: &str, at: TextRange, role: Role) -> usize {
        self.name_at(text, range(at), role, self.around.scope)
    }

    fn name_at(&mut self, text: &str, at: ByteRange, role: Role, scope: ScopeId) -> usize {
        let id = self.table.add(text);
        let end = self.module.attributes.len();
        self.module.names.push(Name {
            id,
            range: at.into(),
            scope,
            role,
            attributes: (end..end).into(),
            chain_is_target: false,
            in_string: self.in_string,
        });
        self.module.names.len() - 1
    }

    fn bind(&mut self, name: Option<&ast::Identifier>, binding: Binding) {
        if let Some(name) = name {
            self.name(&name.id, name.range, Role::Bind(binding));
        }
    }

    /// Runs `inside` in a new scope.
    fn scoped(&mut self, kind: ScopeKind, at: TextRange, inside: impl FnOnce(&mut Self)) {
        let parent = Some(self.around.scope);
        self.module.scopes.push(Scope { kind, parent, range: range(at) });
        let scope = ScopeId(small(self.module.scopes.len() - 1));
        let guarded = self.around.guarded && kind != ScopeKind::Function;
        let before = self.around;
        self.around = Around { scope, depth: 0, guarded, ..before };
        inside(self);
        self.around = before;
    }

    fn nested(&mut self, change: impl FnOnce(&mut Around), inside: impl FnOnce(&mut Self)) {
        let before = self.around;
        self.around.depth += 1;
        change(&mut self.around);
        inside(self);
        self.around = before;
    }

    fn module_statement(&mut self, stmt: &Stmt) {
        let (imports, definitions) = (self.module.imports.len(), self.module.definitions.len());
        let first = self.module.statements.is_empty();
        self.visit_stmt(stmt);
        let kind = match stmt {
            Stmt::Import(_) => StatementKind::Import(imports),
            Stmt::ImportFrom(from)
                if from.level == 0 && from.module.as_ref().is_some_and(|m| m == "__future__") =>
            {
                StatementKind::Future(imports)
            }
            Stmt::ImportFrom(_) => StatementKind::Import(imports),
            Stmt::FunctionDef(_) | Stmt::ClassDef(_) => StatementKind::Definition(definitions),
            Stmt::Expr(e) if first && e.value.is_string_literal_expr() => StatementKind::Docstring,
            _ => StatementKind::Other,
        };
        self.module.statements.push(Statement { kind, range: range(stmt.range()) });
    }

    /// Notes where the docstring of a body starts.
    fn docstring(&mut self, body: &[Stmt]) {
        if let Some(Stmt::Expr(e)) = body.first()
            && let Expr::StringLiteral(string) = &*e.value
        {
            self.docstring = Some(string.start());
        }
    }
}

impl<'t> Visitor<'t> for Walker<'_> {
    fn visit_stmt(&mut self, stmt: &'t Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => self.function(def),
            Stmt::ClassDef(def) => self.class(def),
            Stmt::Import(import) => {
                let import = self.new_import(ImportKind::Import, import.range, &import.names);
                self.import(import);
            }
            Stmt::ImportFrom(from) => {
                let import = self.import_from(from);
                self.import(import);
            }
            Stmt::Global(global) => {
                for name in &global.names {
                    self.name(&name.id, name.range, Role::Global);
                }
            }
            Stmt::Nonlocal(nonlocal) => {
                for name in &nonlocal.names {
                    self.name(&name.id, name.range, Role::Nonlocal);
                }
            }
            Stmt::AnnAssign(ast::StmtAnnAssign { target, annotation, value: None, .. }) => {
                self.visit_annotation(annotation);
                match &**target {
                    Expr::Name(name) => {
                        self.name(&name.id, name.range, Role::Bind(Binding::Declaration));
                    }
                    target => self.visit_expr(target),
                }
            }
            Stmt::TypeAlias(alias) => {
                self.visit_expr(&alias.name);
                self.with_type_parameters(alias.type_params.as_deref(), |walker| {
                    walker.visit_expr(&alias.value)
                });
            }
            Stmt::If(branch) => {
                self.visit_expr(&branch.test);
                let checking = is_type_checking(&branch.test);
                self.nested(|a| a.type_checking |= checking, |walker| walker.visit_body(&branch.body));
                for clause in &branch.elif_else_clauses {
                    let checking = clause.test.as_ref().is_some_and(is_type_checking);
                    let change = |a: &mut Around| a.type_checking |= checking;
                    self.nested(change, |walker| visitor::walk_elif_else_clause(walker, clause));
                }
            }
            Stmt::Try(ast::StmtTry { body, handlers, orelse, finalbody, .. }) => {
                let guarded = handlers.iter().any(catches_import_error);
                self.nested(|a| a.guarded |= guarded, |walker| walker.visit_body(body));
                for ast::ExceptHandler::ExceptHandler(handler) in handlers {
                    self.nested(
                        |_| (),
                        |walker| {
                            handler.type_.iter().for_each(|e| walker.visit_expr(e));
                            walker.bind(handler.name.as_ref(), Binding::Assignment);
                            walker.visit_body(&handler.body);
                        },
                    );
                }
                self.nested(
                    |_| (),
                    |walker| {
                        walker.visit_body(orelse);
                        walker.visit_body(finalbody);
                    },
                );
            }
            Stmt::With(with) => {
                with.items.iter().for_each(|item| self.visit_with_item(item));
                let guarded = with.items.iter().any(|item| suppresses_import_error(&item.context_expr));
                self.nested(|a| a.guarded |= guarded, |walker| walker.visit_body(&with.body));
            }
            Stmt::For(_) | Stmt::While(_) | Stmt::Match(_) => {
                self.nested(|_| (), |walker| visitor::walk_stmt(walker, stmt));
            }
            _ => visitor::walk_stmt(self, stmt),
        }
        self.last = None;
    }

    fn visit_interpolated_string_element(&mut self, element: &'t ast::InterpolatedStringElement) {
        if let ast::InterpolatedStringElement::Interpolation(part) = element
            && part.debug_text.is_some()
        {
            self.module.echoed.push(range(part.range));
        }
        visitor::walk_interpolated_string_element(self, element);
    }

    fn visit_annotation(&mut self, expr: &'t Expr) {
        let before = std::mem::replace(&mut self.in_annotation, true);
        self.visit_expr(expr);
        self.in_annotation = before;
    }

    fn visit_expr(&mut self, expr: &'t Expr) {
        let last = match expr {
            Expr::Name(name) => {
                let role = match name.ctx {
                    ExprContext::Store => Role::Bind(Binding::Assignment),
                    ExprContext::Del => Role::Delete,
                    _ => Role::Use,
                };
                Some(Last::Chain(self.name(&name.id, name.range, role)))
            }
            Expr::Attribute(attribute) => self.attribute(attribute),
            Expr::StringLiteral(string) => {
                let index = self.string(string);
                if self.in_annotation {
                    self.string_annotation(string);
                }
                Some(Last::String(index))
            }
            Expr::FString(string) => {
                self.formatted(string);
                visitor::walk_expr(self, expr);
                None
            }
            Expr::Call(call) => {
                let mut index = 0;
                self.without_annotation(|walker| index = walker.call(call));
                Some(Last::Call(index))
            }
            Expr::Subscript(subscript) => {
                if is_named(&subscript.value, "Literal") {
                    self.without_annotation(|walker| walker.subscript(subscript));
                } else if is_generic(&subscript.value) {
                    self.in_annotation(|walker| walker.subscript(subscript));
                } else {
                    self.subscript(subscript);
                }
                None
            }
            Expr::Lambda(lambda) => {
                self.lambda(lambda);
                None
            }
            Expr::Named(named) => {
                self.walrus(named);
                None
            }
            Expr::ListComp(e) => self.comprehension(e.range, &e.generators, &[&e.elt]),
            Expr::SetComp(e) => self.comprehension(e.range, &e.generators, &[&e.elt]),
            Expr::Generator(e) => self.comprehension(e.range, &e.generators, &[&e.elt]),
            Expr::DictComp(e) => {
                let elements: Vec<&Expr> = e.key.iter().chain([&e.value]).map(|e| &**e).collect();
                self.comprehension(e.range, &e.generators, &elements)
            }
            _ => {
                visitor::walk_expr(self, expr);
                None
            }
        };
        self.last = last;
    }

    fn visit_pattern(&mut self, pattern: &'t ast::Pattern) {
        visitor::walk_pattern(self, pattern);
        let name = match pattern {
            ast::Pattern::MatchAs(p) => p.name.as_ref(),
            ast::Pattern::MatchStar(p) => p.name.as_ref(),
            ast::Pattern::MatchMapping(p) => p.rest.as_ref(),
            _ => None,
        };
        self.bind(name, Binding::Assignment);
    }
}
