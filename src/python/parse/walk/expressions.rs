//! Attribute chains, calls, subscripts and strings.

use super::super::{depth, range};
use super::guards::holds_type;
use super::{Last, Walker};
use crate::python::NameId;
use crate::python::nodes::{Argument, Attribute, Call, FormattedString, StringLiteral, Subscript};
use ruff_python_ast as ast;
use ruff_python_ast::visitor::Visitor;
use ruff_python_ast::{Expr, ExprContext};
use ruff_python_parser::parse_string_annotation;
use ruff_text_size::Ranged;

impl Walker<'_> {
    pub(super) fn string(&mut self, string: &ast::ExprStringLiteral) -> usize {
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

    pub(super) fn formatted(&mut self, string: &ast::ExprFString) {
        let front = match string.value.as_slice() {
            [ast::FStringPart::Literal(literal), ..] => &*literal.value,
            [ast::FStringPart::FString(part), ..] => match part.elements.first() {
                Some(ast::InterpolatedStringElement::Literal(literal)) => &*literal.value,
                _ => return,
            },
            [] => return,
        };
        self.module.formatted.push(FormattedString { range: range(string.range), front: front.into() });
    }

    pub(super) fn expression(&mut self, expr: &Expr) {
        self.last = None;
        self.visit_expr(expr);
    }

    pub(super) fn attribute(&mut self, attribute: &ast::ExprAttribute) -> Option<Last> {
        self.expression(&attribute.value);
        let between = attribute.value.end().to_usize()..attribute.attr.start().to_usize();
        let gap =
            self.text[between].trim_matches(|c: char| c.is_ascii_whitespace() || c == '\\' || c == '\x0c');
        let id = self.table.add(&attribute.attr.id);
        self.module.attributes.push(Attribute {
            id,
            range: range(attribute.attr.range).into(),
            adjacent: gap == ".",
        });
        let Some(Last::Chain(root)) = self.last else {
            return None;
        };
        let end = self.module.attributes.len();
        let name = &mut self.module.names[root];
        let start = if name.attributes.is_empty() { end - 1 } else { name.attributes.start() };
        name.attributes = (start..end).into();
        name.chain_is_target = attribute.ctx != ExprContext::Load;
        Some(Last::Chain(root))
    }

    pub(super) fn call(&mut self, call: &ast::ExprCall) -> usize {
        self.expression(&call.func);
        let root = match self.last {
            Some(Last::Chain(root)) => Some(root),
            _ => None,
        };
        let method = call.func.is_attribute_expr().then(|| self.module.attributes.len() - 1);
        let index = self.module.calls.len();
        self.module.calls.push(Call {
            span: range(call.range()).into(),
            root: root.into(),
            method: method.into(),
            arguments: (0..0).into(),
        });
        let outer = self.arguments.len();
        let positional = call.arguments.args.iter().map(|value| (None, value));
        let keywords = call.arguments.keywords.iter().map(|k| (k.arg.as_ref(), &k.value));
        for (number, (keyword, value)) in positional.chain(keywords).enumerate() {
            let keyword = keyword.map(|k| self.table.add(&k.id));
            if holds_type(&call.func, number, keyword.map(|k| self.table.text(k))) {
                self.in_annotation(|walker| walker.expression(value));
            } else {
                self.expression(value);
            }
            let argument = self.argument(keyword, value);
            self.arguments.push(argument);
        }
        let start = self.module.arguments.len();
        self.module.arguments.extend(self.arguments.drain(outer..));
        self.module.calls[index].arguments = (start..self.module.arguments.len()).into();
        index
    }

    pub(super) fn argument(&self, keyword: Option<NameId>, value: &Expr) -> Argument {
        let (string, root) = match self.last {
            Some(Last::String(string)) => (Some(string), None),
            Some(Last::Chain(root)) => (None, Some(root)),
            _ => (None, None),
        };
        Argument { keyword, span: range(value.range()).into(), string: string.into(), root: root.into() }
    }

    pub(super) fn subscript(&mut self, subscript: &ast::ExprSubscript) {
        self.expression(&subscript.value);
        let value = self.last;
        self.expression(&subscript.slice);
        if let (Some(Last::Chain(root)), Some(Last::String(string))) = (value, self.last) {
            self.module.subscripts.push(Subscript { root, string, range: range(subscript.range) });
        }
    }

    /// A string annotation is read as the expression it holds.
    pub(super) fn string_annotation(&mut self, string: &ast::ExprStringLiteral) {
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

    pub(super) fn in_annotation(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_annotation, true);
        inside(self);
        self.in_annotation = before;
    }

    pub(super) fn without_annotation(&mut self, inside: impl FnOnce(&mut Self)) {
        let before = std::mem::replace(&mut self.in_annotation, false);
        inside(self);
        self.in_annotation = before;
    }
}
