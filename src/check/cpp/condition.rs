//! What a preprocessor condition says when only some macros are known: yes, no, or unknown.

use super::lexer::Kind;

/// A condition's token and its text.
pub type Part = (Kind, Vec<u8>);

/// Evaluates the condition of `#if`; `None` when it depends on what is not known. `undefined` says which macros are
/// certainly not defined.
pub fn evaluate(parts: &[Part], undefined: &dyn Fn(&[u8]) -> bool) -> Option<bool> {
    let mut reader = Reader { parts, at: 0, undefined, deepest: 200 };
    let value = reader.any();
    // What is left over was not understood.
    value.filter(|_| reader.at == parts.len())
}

struct Reader<'p> {
    parts: &'p [Part],
    at: usize,
    undefined: &'p dyn Fn(&[u8]) -> bool,
    deepest: usize,
}

impl Reader<'_> {
    fn mark(&self, ahead: usize) -> Option<u8> {
        match self.parts.get(self.at + ahead) {
            Some((Kind::Mark(byte), _)) => Some(*byte),
            _ => None,
        }
    }

    fn eat(&mut self, mark: u8) -> bool {
        let there = self.mark(0) == Some(mark);
        self.at += usize::from(there);
        there
    }

    fn eat_twice(&mut self, mark: u8) -> bool {
        let there = self.mark(0) == Some(mark) && self.mark(1) == Some(mark);
        self.at += if there { 2 } else { 0 };
        there
    }

    fn any(&mut self) -> Option<bool> {
        let mut value = self.all();
        while self.eat_twice(b'|') {
            value = match (value, self.all()) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            };
        }
        value
    }

    fn all(&mut self) -> Option<bool> {
        let mut value = self.operand();
        while self.eat_twice(b'&') {
            value = match (value, self.operand()) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            };
        }
        value
    }

    /// Up to `&&`, `||` or a closing parenthesis. A comparison or any other arithmetic is unknown.
    fn operand(&mut self) -> Option<bool> {
        let mut value = self.single();
        loop {
            let logical = [b'&', b'|'].iter().any(|m| self.mark(0) == Some(*m) && self.mark(1) == Some(*m));
            if self.at >= self.parts.len() || self.mark(0) == Some(b')') || logical {
                return value;
            }
            value = None;
            if self.mark(0) == Some(b'(') {
                self.skip_parentheses();
            } else {
                self.at += 1;
            }
        }
    }

    fn single(&mut self) -> Option<bool> {
        self.deepest = self.deepest.checked_sub(1)?;
        if self.eat(b'!') {
            return self.single().map(|value| !value);
        }
        if self.eat(b'(') {
            let value = self.any();
            return if self.eat(b')') { value } else { None };
        }
        let (kind, text) = self.parts.get(self.at)?;
        match kind {
            Kind::Word if text == b"defined" => {
                self.at += 1;
                self.defined()
            }
            Kind::Word => {
                self.at += 1;
                match text.as_slice() {
                    b"true" => Some(true),
                    b"false" => Some(false),
                    name => (self.undefined)(name).then_some(false),
                }
            }
            Kind::Number => {
                self.at += 1;
                let digits = std::str::from_utf8(text).ok()?.trim_end_matches(['u', 'U', 'l', 'L']);
                digits.parse::<u64>().ok().map(|number| number != 0)
            }
            _ => None,
        }
    }

    fn defined(&mut self) -> Option<bool> {
        let open = self.eat(b'(');
        let name = self.parts.get(self.at).filter(|(kind, _)| *kind == Kind::Word).map(|(_, text)| text)?;
        self.at += 1;
        let closed = !open || self.eat(b')');
        (closed && (self.undefined)(name)).then_some(false)
    }

    fn skip_parentheses(&mut self) {
        let mut depth = 0;
        while let Some((kind, _)) = self.parts.get(self.at) {
            match kind {
                Kind::Mark(b'(') => depth += 1,
                Kind::Mark(b')') => depth -= 1,
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::lexer::Lexer;
    use super::*;

    fn value(text: &str) -> Option<bool> {
        let lexer = Lexer::new(text.as_bytes());
        let parts: Vec<Part> = lexer.clone().map(|t| (t.kind, lexer.text(&t).into_owned())).collect();
        evaluate(&parts, &|name| name == b"NO")
    }

    #[test]
    fn conditions_are_yes_no_or_unknown() {
        for (text, expected) in [
            ("0", Some(false)),
            ("00L", Some(false)),
            ("1", Some(true)),
            ("false", Some(false)),
            ("X", None),
            ("NO", Some(false)),
            ("defined(NO)", Some(false)),
            ("defined NO", Some(false)),
            ("!defined(NO)", Some(true)),
            ("defined(X)", None),
            ("defined(X) && defined(NO)", Some(false)),
            ("defined(X) || defined(NO)", None),
            ("!(defined(X) && NO) || X", Some(true)),
            ("0 && X", Some(false)),
            ("X && 0", Some(false)),
            ("1 || X", Some(true)),
            ("NO == 0", None),
            ("0 == 0", None),
            ("(0)", Some(false)),
            ("X >= 12 && 0", Some(false)),
            ("F(1, (2)) || 1", Some(true)),
            ("__has_include(<a/b.h>) && 0", Some(false)),
            ("", None),
            ("(0", None),
            ("0 )", None),
            ("!", None),
        ] {
            assert_eq!(value(text), expected, "{text}");
        }
        let deep = format!("{}0{}", "(".repeat(5000), ")".repeat(5000));
        assert_eq!(value(&deep), None);
    }
}
