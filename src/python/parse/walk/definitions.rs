//! What makes a scope: functions, classes, lambdas, comprehensions, type parameters.

use super::super::range;
use super::{Last, Walker};
use crate::python::names::small;
use crate::python::nodes::{Decorator, Definition};
use crate::python::{Binding, Role, Scope, ScopeKind};
use ruff_python_ast as ast;
use ruff_python_ast::Expr;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_text_size::TextRange;

impl Walker<'_> {
    pub(super) fn definition(
        &mut self,
        is_class: bool,
        name: &ast::Identifier,
        at: TextRange,
        decorators: &[ast::Decorator],
    ) {
        let index = self.module.definitions.len();
        let id = self.table.add(&name.id);
        self.module.definitions.push(Definition {
            is_class,
            name: id,
            name_range: range(name.range),
            range: range(at),
            decorators: Vec::new(),
            scope: self.around.scope,
            depth: self.around.depth,
        });
        for decorator in decorators {
            self.expression(&decorator.expression);
            let (root, call) = match self.last {
                Some(Last::Chain(root)) => (Some(root), None),
                Some(Last::Call(call)) => (self.module.calls[call].root.get(), Some(call)),
                _ => (None, None),
            };
            self.module.definitions[index].decorators.push(Decorator {
                range: range(decorator.range),
                root,
                call,
            });
        }
        self.name(&name.id, name.range, Role::Bind(Binding::Definition(small(index))));
    }

    pub(super) fn with_type_parameters(
        &mut self,
        parameters: Option<&ast::TypeParams>,
        inside: impl FnOnce(&mut Self),
    ) {
        let Some(parameters) = parameters else {
            return inside(self);
        };
        self.scoped(ScopeKind::TypeParameters, parameters.range, |walker| {
            for parameter in &parameters.type_params {
                walker.bind(Some(parameter.name()), Binding::TypeParameter);
            }
            visitor::walk_type_params(walker, parameters);
            inside(walker);
        });
    }

    pub(super) fn function(&mut self, def: &ast::StmtFunctionDef) {
        self.definition(false, &def.name, def.range, &def.decorator_list);
        for parameter in def.parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
        self.with_type_parameters(def.type_params.as_deref(), |walker| {
            for parameter in &*def.parameters {
                if let Some(annotation) = &parameter.as_parameter().annotation {
                    walker.visit_annotation(annotation);
                }
            }
            if let Some(returns) = &def.returns {
                walker.visit_annotation(returns);
            }
            walker.scoped(ScopeKind::Function, def.range, |walker| {
                for parameter in &*def.parameters {
                    walker.bind(Some(parameter.name()), Binding::Parameter);
                }
                walker.docstring(&def.body);
                walker.visit_body(&def.body);
            });
        });
    }

    pub(super) fn class(&mut self, def: &ast::StmtClassDef) {
        self.definition(true, &def.name, def.range, &def.decorator_list);
        self.with_type_parameters(def.type_params.as_deref(), |walker| {
            if let Some(arguments) = &def.arguments {
                walker.visit_arguments(arguments);
            }
            walker.scoped(ScopeKind::Class, def.range, |walker| {
                walker.docstring(&def.body);
                walker.visit_body(&def.body);
            });
        });
    }

    pub(super) fn lambda(&mut self, lambda: &ast::ExprLambda) {
        let parameters = lambda.parameters.as_deref();
        for parameter in parameters.into_iter().flat_map(ast::Parameters::iter_non_variadic_params) {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
        self.scoped(ScopeKind::Function, lambda.range, |walker| {
            for parameter in parameters.into_iter().flatten() {
                walker.bind(Some(parameter.name()), Binding::Parameter);
            }
            walker.visit_expr(&lambda.body);
        });
    }

    pub(super) fn comprehension(
        &mut self,
        at: TextRange,
        generators: &[ast::Comprehension],
        elements: &[&Expr],
    ) -> Option<Last> {
        // The first iterable is evaluated outside.
        if let Some(first) = generators.first() {
            self.visit_expr(&first.iter);
        }
        self.scoped(ScopeKind::Comprehension, at, |walker| {
            for (index, generator) in generators.iter().enumerate() {
                if index > 0 {
                    walker.visit_expr(&generator.iter);
                }
                walker.visit_expr(&generator.target);
                generator.ifs.iter().for_each(|e| walker.visit_expr(e));
            }
            elements.iter().for_each(|e| walker.visit_expr(e));
        });
        None
    }

    /// `x := value` binds outside of all comprehensions around it.
    pub(super) fn walrus(&mut self, named: &ast::ExprNamed) {
        self.visit_expr(&named.value);
        let Expr::Name(target) = &*named.target else {
            return;
        };
        let mut scope = self.around.scope;
        while let Scope { kind: ScopeKind::Comprehension, parent: Some(parent), .. } =
            self.module.scopes[scope.index()]
        {
            scope = parent;
        }
        self.name_at(&target.id, range(target.range), Role::Bind(Binding::Assignment), scope);
    }
}
