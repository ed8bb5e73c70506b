//! The one walk over the parser's tree that fills a [`Module`].

use super::{Module, depth, range};
use crate::python::lines::Lines;
use crate::python::nodes::{Argument, Attribute, Call, Decorator, Definition, Statement, StatementKind};
use crate::python::nodes::{StringLiteral, Subscript};
use crate::python::{
    Alias, Binding, ByteRange, Import, ImportKind, Name, NameId, Role, Scope, ScopeId, ScopeKind,
};
use ruff_python_ast as ast;
use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{Expr, ExprContext, Stmt};
use ruff_python_parser::{Parsed, parse_string_annotation};
use ruff_text_size::{Ranged, TextRange, TextSize};

/// Walks a module.
pub fn walk(parsed: &Parsed<ast::ModModule>, text: &str, content: &[u8], lines: Lines) -> Module {
    let body = &parsed.syntax().body;
    let mut module = Module { lines, ..Module::default() };
    module.scopes.push(Scope { kind: ScopeKind::Module, parent: None, range: 0..text.len() });
    let mut walker = Walker {
        module,
        text,
        content,
        around: Around::default(),
        in_annotation: false,
        in_string: false,
        docstring: None,
        last: None,
    };
    walker.docstring(body);
    for stmt in body {
        walker.module_statement(stmt);
    }
    walker.module
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
    text: &'a str,
    content: &'a [u8],
    around: Around,
    in_annotation: bool,
    in_string: bool,
    docstring: Option<TextSize>,
    last: Option<Last>,
}

impl Walker<'_> {
    fn name(&mut self, text: &str, at: TextRange, role: Role) -> usize {
        self.name_at(text, range(at), role, self.around.scope)
    }

    fn name_at(&mut self, text: &str, at: ByteRange, role: Role, scope: ScopeId) -> usize {
        let id = self.module.table.add(text);
        let end = self.module.attributes.len();
        self.module.names.push(Name {
            id,
            range: at,
            scope,
            role,
            attributes: end..end,
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
        let scope = ScopeId(self.module.scopes.len() - 1);
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

    fn string(&mut self, string: &ast::ExprStringLiteral) -> usize {
        let docstring = self.docstring == Some(string.start());
        let content = match string.value.as_slice() {
            [single] => Some(range(single.content_range())),
            _ => None,
        };
        let value = string.value.to_str();
        let verbatim = content.clone().is_some_and(|c| &self.text[c] == value);
        let literal =
            StringLiteral { range: range(string.range), content, value: value.into(), verbatim, docstring };
        self.module.strings.push(literal);
        self.module.strings.len() - 1
    }

    fn definition(
        &mut self,
        is_class: bool,
        name: &ast::Identifier,
        at: TextRange,
        decorators: &[ast::Decorator],
    ) {
        let index = self.module.definitions.len();
        let id = self.module.table.add(&name.id);
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
                Some(Last::Call(call)) => (self.module.calls[call].root, Some(call)),
                _ => (None, None),
            };
            self.module.definitions[index].decorators.push(Decorator {
                range: range(decorator.range),
                root,
                call,
            });
        }
        self.name(&name.id, name.range, Role::Bind(Binding::Definition(index)));
    }

    fn with_type_parameters(&mut self, parameters: Option<&ast::TypeParams>, inside: impl FnOnce(&mut Self)) {
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

    fn function(&mut self, def: &ast::StmtFunctionDef) {
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

    fn class(&mut self, def: &ast::StmtClassDef) {
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

    fn lambda(&mut self, lambda: &ast::ExprLambda) {
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

    fn comprehension(
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
    fn walrus(&mut self, named: &ast::ExprNamed) {
        self.visit_expr(&named.value);
        let Expr::Name(target) = &*named.target else {
            return;
        };
        let mut scope = self.around.scope;
        while let Scope { kind: ScopeKind::Comprehension, parent: Some(parent), .. } =
            self.module.scopes[scope.0]
        {
            scope = parent;
        }
        self.name_at(&target.id, range(target.range), Role::Bind(Binding::Assignment), scope);
    }

    fn expression(&mut self, expr: &Expr) {
        self.last = None;
        self.visit_expr(expr);
    }

    fn attribute(&mut self, attribute: &ast::ExprAttribute) -> Option<Last> {
        self.expression(&attribute.value);
        let between = attribute.value.end().to_usize()..attribute.attr.start().to_usize();
        let gap =
            self.text[between].trim_matches(|c: char| c.is_ascii_whitespace() || c == '\\' || c == '\x0c');
        let id = self.module.table.add(&attribute.attr.id);
        self.module.attributes.push(Attribute {
            id,
            range: range(attribute.attr.range),
            adjacent: gap == ".",
        });
        let Some(Last::Chain(root)) = self.last else {
            return None;
        };
        let end = self.module.attributes.len();
        let name = &mut self.module.names[root];
        if name.attributes.is_empty() {
            name.attributes.start = end - 1;
        }
        name.attributes.end = end;
        name.chain_is_target = attribute.ctx != ExprContext::Load;
        Some(Last::Chain(root))
    }

    fn call(&mut self, call: &ast::ExprCall) -> usize {
        self.expression(&call.func);
        let root = match self.last {
            Some(Last::Chain(root)) => Some(root),
            _ => None,
        };
        let method = call.func.is_attribute_expr().then(|| self.module.attributes.len() - 1);
        let index = self.module.calls.len();
        self.module.calls.push(Call {
            range: range(call.range()),
            function_range: range(call.func.range()),
            root,
            method,
            arguments: Vec::new(),
            scope: self.around.scope,
        });
        let positional = call.arguments.args.iter().map(|value| (None, value));
        let keywords = call.arguments.keywords.iter().map(|k| (k.arg.as_ref(), &k.value));
        for (keyword, value) in positional.chain(keywords) {
            let keyword = keyword.map(|k| self.module.table.add(&k.id));
            self.expression(value);
            let argument = self.argument(keyword, value);
            self.module.calls[index].arguments.push(argument);
        }
        index
    }

    fn argument(&self, keyword: Option<NameId>, value: &Expr) -> Argument {
        let (string, root) = match self.last {
            Some(Last::String(string)) => (Some(string), None),
            Some(Last::Chain(root)) => (None, Some(root)),
            _ => (None, None),
        };
        Argument { keyword, range: range(value.range()), string, root }
    }

    fn subscript(&mut self, subscript: &ast::ExprSubscript) {
        self.expression(&subscript.value);
        let value = self.last;
        self.expression(&subscript.slice);
        if let (Some(Last::Chain(root)), Some(Last::String(string))) = (value, self.last) {
            self.module.subscripts.push(Subscript { root, string, range: range(subscript.range) });
        }
    }

    fn import(&mut self, import: Import) {
        let index = self.module.imports.len();
        for (at, alias) in import.aliases.iter().enumerate() {
            let place = alias.as_range.clone().or_else(|| alias.components.first().cloned());
            let place = place.unwrap_or_else(|| alias.range.clone());
            self.name_at(alias.bound(), place, Role::Bind(Binding::Import(index, at)), self.around.scope);
        }
        self.module.imports.push(import);
    }

    fn new_import(&self, kind: ImportKind, at: TextRange, names: &[ast::Alias]) -> Import {
        let range = range(at);
        let line_start = self.module.lines.start(range.start);
        let line = &self.content[line_start..range.start];
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let blank = line.iter().all(|b| matches!(b, b' ' | b'\t' | b'\x0c'));
        let before = &self.content[..line_start];
        let continued = ["\\\n", "\\\r\n", "\\\r"].iter().any(|end| before.ends_with(end.as_bytes()));
        let starred = names.first().filter(|a| a.name.id == "*");
        Import {
            kind,
            level: 0,
            module: String::new(),
            module_range: range.start..range.start,
            components: Vec::new(),
            aliases: if starred.is_some() {
                Vec::new()
            } else {
                names.iter().map(|a| self.alias(a)).collect()
            },
            star: starred.map(|a| super::range(a.range)),
            parentheses: None,
            scope: self.around.scope,
            depth: self.around.depth,
            type_checking: self.around.type_checking,
            guarded: self.around.guarded,
            first_on_line: blank && !continued,
            position: self.module.lines.position(self.content, range.start),
            range,
        }
    }

    fn alias(&self, alias: &ast::Alias) -> Alias {
        let name_range = range(alias.name.range);
        Alias {
            name: alias.name.id.to_string(),
            components: components(self.text, name_range.clone()),
            name_range,
            asname: alias.asname.as_ref().map(|a| a.id.to_string()),
            as_range: alias.asname.as_ref().map(|a| range(a.range)),
            range: range(alias.range),
        }
    }

    fn read_from(&self, from: &ast::StmtImportFrom) -> Import {
        let mut import = self.new_import(ImportKind::From, from.range, &from.names);
        import.level = from.level as usize;
        if let Some(module) = &from.module {
            import.module = module.id.to_string();
            import.components = components(self.text, range(module.range));
        }
        let after_from = import.range.start + "from".len();
        let first_name = import.star.clone().or_else(|| import.aliases.first().map(|a| a.range.clone()));
        let first_name = first_name.map_or(import.range.end, |r| r.start);
        let module_end = import.components.last().map(|c| c.end);
        let dots_end = import.components.first().map_or(first_name, |c| c.start);
        // Between `from` and the module, or the word `import`, stand only dots, blanks and continuations.
        let between = &self.text[after_from..dots_end];
        let dots: Vec<usize> =
            between.match_indices('.').take(import.level).map(|(i, _)| after_from + i).collect();
        let start = dots.first().copied().or_else(|| import.components.first().map(|c| c.start));
        let end = module_end.or_else(|| dots.last().map(|at| at + 1));
        import.module_range = start.unwrap_or(after_from)..end.unwrap_or(after_from);
        let gap = &self.text[import.module_range.end..first_name];
        if let Some(open) = open_parenthesis(gap) {
            import.parentheses = Some(import.module_range.end + open..import.range.end);
        }
        import
    }

    /// A string annotation is read as the expression it holds.
    fn string_annotation(&mut self, string: &ast::ExprStringLiteral) {
        let [single] = string.value.as_slice() else {
            return;
        };
        if self.in_string || self.text[range(single.content_range())] != *single.value {
            return;
        }
        let Ok(parsed) = parse_string_annotation(self.text, single) else {
            return;
        };
        if !depth::is_shallow(parsed.tokens()) {
            std::mem::forget(parsed);
            return;
        }
        self.in_string = true;
        self.visit_expr(&parsed.syntax().body);
        self.in_string = false;
    }

    fn without_annotation(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_annotation, false);
        inside(self);
        self.in_annotation = before;
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
                let import = self.read_from(from);
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
            Expr::Call(call) => {
                let mut index = 0;
                self.without_annotation(|walker| index = walker.call(call));
                Some(Last::Call(index))
            }
            Expr::Subscript(subscript) => {
                if is_named(&subscript.value, "Literal") {
                    self.without_annotation(|walker| walker.subscript(subscript));
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

fn is_named(expr: &Expr, name: &str) -> bool {
    match expr {
        Expr::Name(e) => e.id == name,
        Expr::Attribute(e) => e.attr.id == name,
        _ => false,
    }
}

fn is_type_checking(test: &Expr) -> bool {
    is_named(test, "TYPE_CHECKING")
}

fn is_import_error(expr: &Expr) -> bool {
    match expr {
        Expr::Tuple(tuple) => tuple.elts.iter().any(is_import_error),
        _ => ["ImportError", "ModuleNotFoundError", "Exception", "BaseException"]
            .iter()
            .any(|n| is_named(expr, n)),
    }
}

fn catches_import_error(handler: &ast::ExceptHandler) -> bool {
    let ast::ExceptHandler::ExceptHandler(handler) = handler;
    handler.type_.as_deref().is_none_or(is_import_error)
}

fn suppresses_import_error(expr: &Expr) -> bool {
    let Expr::Call(call) = expr else {
        return false;
    };
    is_named(&call.func, "suppress") && call.arguments.args.iter().any(is_import_error)
}

/// The components of a dotted name in the source, where blanks and continuations may stand between them.
fn components(text: &str, at: ByteRange) -> Vec<ByteRange> {
    let mut start = at.start;
    let mut found = Vec::new();
    for part in text[at].split('.') {
        let blank = |c: char| c.is_ascii_whitespace() || c == '\\' || c == '\x0c';
        let front = part.len() - part.trim_start_matches(blank).len();
        found.push(start + front..start + part.trim_end_matches(blank).len().max(front));
        start += part.len() + 1;
    }
    found
}

/// Where the parenthesis stands between the module and the first name.
fn open_parenthesis(gap: &str) -> Option<usize> {
    let after = gap.find("import")? + "import".len();
    let rest = &gap[after..];
    let blank = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == '\\').len();
    rest[blank..].starts_with('(').then_some(after + blank)
}
