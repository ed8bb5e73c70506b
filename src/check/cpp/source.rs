//! What a C++ source includes and which macros it uses, outside of the parts that the preprocessor certainly drops.

use super::condition::{Part, evaluate};
use super::lexer::{Kind, Lexer, Token, is_word};
use std::ops::Range;

/// `#include "path"`, `#include <path>`, `#import "path"`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Include {
    /// From the `#` to the end of the path.
    pub range: Range<usize>,
    /// Between the quotes or brackets.
    pub path: Vec<u8>,
    /// Whether it stands between quotes.
    pub quoted: bool,
}

/// A macro of the torch or pybind11 registration families, where it is used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MacroUse {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub start: usize,
    /// The first argument as it is written; `None` when no parenthesis follows.
    pub argument: Option<String>,
    /// Whether it stands in the body of a `#define`.
    pub in_define: bool,
}

/// A source as far as the rules look at it.
#[derive(Debug, Clone, Default)]
pub struct Source {
    /// Everything that is included, in order.
    pub includes: Vec<Include>,
    /// The macros of interest, in order.
    pub macros: Vec<MacroUse>,
}

impl Source {
    /// Reads a source. `undefined` says which macros are certainly not defined when it is compiled.
    pub fn read(content: &[u8], undefined: &dyn Fn(&[u8]) -> bool) -> Self {
        let mut reader =
            Reader { lexer: Lexer::new(content), branches: Vec::new(), undefined, found: Self::default() };
        let end = interesting_end(content);
        while let Some(token) = reader.lexer.next().filter(|token| token.range.start < end) {
            match token.kind {
                Kind::Directive => reader.directive(token.range.start),
                Kind::Word if reader.is_live() => reader.word(&token, false),
                _ => {}
            }
        }
        reader.found
    }
}

/// What an include or a macro of interest cannot be without.
const INTERESTING: &[&str] = &["include", "import", "TORCH_LIBRARY", "PYBIND11_", "REGISTER_EXTENSION"];

/// Where reading may stop: behind the last place that looks like one of interest. Most sources include at the top, and
/// generated ones are long.
fn interesting_end(content: &[u8]) -> usize {
    let joins = |at: usize| {
        let before = content[..at].last();
        let after = memchr::memchr(b'\n', &content[at..]).and_then(|end| content.get(at + end + 1));
        before.is_some_and(|b| is_word(*b)) && after.is_some_and(|b| is_word(*b))
    };
    let mut continued = ["\\\n", "\\\r\n"].iter().flat_map(|end| memchr::memmem::find_iter(content, end));
    if continued.any(joins) {
        return content.len();
    }
    let last = |text: &&str| memchr::memmem::find_iter(content, *text).last();
    INTERESTING.iter().filter_map(last).max().map_or(0, |at| at + 1)
}

/// One `#if ... #endif`.
struct Branch {
    /// The part that is being read is certainly dropped.
    dropped: bool,
    /// An earlier part is certainly taken.
    taken: bool,
}

struct Reader<'s, 'u> {
    lexer: Lexer<'s>,
    branches: Vec<Branch>,
    undefined: &'u dyn Fn(&[u8]) -> bool,
    found: Source,
}

impl Reader<'_, '_> {
    fn is_live(&self) -> bool {
        !self.branches.iter().any(|branch| branch.dropped)
    }

    fn directive(&mut self, start: usize) {
        let Some(token) = self.lexer.next().filter(|t| t.kind != Kind::LineEnd) else { return };
        let word = self.lexer.text(&token);
        match &*word {
            b"include" | b"include_next" | b"import" => {
                if let Some((path, quoted, end)) = self.lexer.header()
                    && self.is_live()
                {
                    self.found.includes.push(Include { range: start..end, path, quoted });
                }
                self.skip_line();
            }
            b"define" if self.is_live() => self.define(),
            b"if" | b"ifdef" | b"ifndef" => {
                let value = self.condition(&word);
                self.branches.push(Branch { dropped: value == Some(false), taken: value == Some(true) });
            }
            b"elif" | b"elifdef" | b"elifndef" => {
                let value = self.condition(word.strip_prefix(b"el").unwrap_or(&word));
                if let Some(branch) = self.branches.last_mut() {
                    branch.dropped = branch.taken || value == Some(false);
                    branch.taken |= value == Some(true);
                }
            }
            b"else" => {
                if let Some(branch) = self.branches.last_mut() {
                    branch.dropped = branch.taken;
                }
                self.skip_line();
            }
            b"endif" => {
                self.branches.pop();
                self.skip_line();
            }
            _ => self.skip_line(),
        }
    }

    /// The value of the rest of the line after `if`, `ifdef` or `ifndef`.
    fn condition(&mut self, word: &[u8]) -> Option<bool> {
        let tokens: Vec<Token> = self.lexer.by_ref().take_while(|t| t.kind != Kind::LineEnd).collect();
        let parts: Vec<Part> = tokens.iter().map(|t| (t.kind, self.lexer.text(t).into_owned())).collect();
        let defined = || parts.first().and_then(|(_, name)| (self.undefined)(name).then_some(false));
        match word {
            b"ifdef" => defined(),
            b"ifndef" => defined().map(|value| !value),
            _ => evaluate(&parts, self.undefined),
        }
    }

    fn define(&mut self) {
        if self.lexer.next().is_none_or(|name| name.kind == Kind::LineEnd) {
            return;
        }
        let mut in_parameters = self.lexer.follows(b'(');
        while let Some(token) = self.lexer.next().filter(|t| t.kind != Kind::LineEnd) {
            match token.kind {
                Kind::Mark(b')') => in_parameters = false,
                Kind::Word if !in_parameters => self.word(&token, true),
                _ => {}
            }
        }
    }

    fn word(&mut self, token: &Token, in_define: bool) {
        let word = self.lexer.text(token);
        let watched = word.starts_with(b"PYBIND11_")
            || word.starts_with(b"TORCH_LIBRARY")
            || word.starts_with(b"STABLE_TORCH_LIBRARY")
            || *word == *b"REGISTER_EXTENSION";
        if watched {
            self.found.macros.push(MacroUse {
                name: String::from_utf8_lossy(&word).into_owned(),
                start: token.range.start,
                argument: self.first_argument(),
                in_define,
            });
        }
    }

    fn first_argument(&self) -> Option<String> {
        let mut ahead = self.lexer.clone();
        let first = ahead.find(|t| t.kind != Kind::LineEnd)?;
        if first.kind != Kind::Mark(b'(') {
            return None;
        }
        let mut argument = Vec::new();
        for token in ahead.by_ref() {
            match token.kind {
                Kind::Mark(b',' | b')') => break,
                Kind::LineEnd => {}
                _ => argument.extend_from_slice(&self.lexer.text(&token)),
            }
        }
        Some(String::from_utf8_lossy(&argument).into_owned())
    }

    fn skip_line(&mut self) {
        while self.lexer.next().is_some_and(|t| t.kind != Kind::LineEnd) {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Source {
        Source::read(text.as_bytes(), &|name| name == b"USE_ROCM")
    }

    fn includes(text: &str) -> String {
        let show =
            |i: &Include| format!("{}{}", String::from_utf8_lossy(&i.path), if i.quoted { "" } else { ">" });
        read(text).includes.iter().map(show).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn includes_are_told_from_what_looks_like_them() {
        for (text, expected) in [
            ("#include \"a.h\"\n# include <b/c.h> // x", "a.h b/c.h>"),
            ("#include/* x */\"a.h\"", "a.h"),
            ("#in\\\nclude \"a.h\"", "a.h"),
            ("#include <a//b.h>\n#include \"c'd.h\"\n#include \"e.h\"", "a//b.h> c'd.h e.h"),
            ("#import \"a.h\"", "a.h"),
            ("#include NAME\n#include \"a.h\"", "a.h"),
            ("#include \"not closed\n#include \"a.h\"", "a.h"),
            ("// #include \"a.h\"\n/*\n#include \"b.h\"\n*/", ""),
            ("s = R\"(\n#include \"a.h\"\n)\";\n#include \"b.h\"", "b.h"),
            ("s = \"#include \\\"a.h\\\"\";", ""),
            ("#error don't #include \"a.h\"\n#include \"b.h\"", "b.h"),
            ("#define X \\\n#include \"a.h\"\n", ""),
            ("#pragma once\n#\n#include \"a.h\"", "a.h"),
            ("x\n#  include \"a.h\"", "a.h"),
            ("x \\\n y\n#i\\\nnclude \"a.h\"", "a.h"),
            ("#include \"a.h\"\nx = \"include\"; // not closed \"", "a.h"),
        ] {
            assert_eq!(includes(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_certainly_dropped_is_not_read() {
        for (text, expected) in [
            ("#if 0\n#include \"a\"\n#else\n#include \"b\"\n#endif\n#include \"c\"", "b c"),
            ("#if 1\n#include \"a\"\n#elif X\n#include \"b\"\n#else\n#include \"c\"\n#endif", "a"),
            ("#if 0\n#elif X\n#include \"a\"\n#else\n#include \"b\"\n#endif", "a b"),
            ("#if 0\n#if X\n#include \"a\"\n#else\n#include \"b\"\n#endif\n#include \"c\"\n#endif", ""),
            ("#ifdef X\n#include \"a\"\n#else\n#include \"b\"\n#endif", "a b"),
            ("#ifdef USE_ROCM\n#include \"a\"\n#else\n#include \"b\"\n#endif", "b"),
            ("#ifndef USE_ROCM\n#include \"a\"\n#else\n#include \"b\"\n#endif", "a"),
            ("#if defined(USE_ROCM) && X\n#include \"a\"\n#endif\n#include \"b\"", "b"),
            ("#ifdef X\n#elifdef USE_ROCM\n#include \"a\"\n#elifndef USE_ROCM\n#include \"b\"\n#endif", "b"),
            ("#if /* 1 */ 0 // 1\n#include \"a\"\n#endif", ""),
            ("#if \\\n0\n#include \"a\"\n#endif", ""),
            ("#if 0\nit's\n/* \n#endif\n*/\n#include \"a\"\n#endif\n#include \"b\"", "b"),
            ("#endif\n#else\n#include \"a\"", "a"),
        ] {
            assert_eq!(includes(text), expected, "{text}");
        }
    }

    #[test]
    fn macros_are_used_or_defined() {
        let macros = |text: &str| {
            let uses = read(text).macros;
            let show = |m: &MacroUse| {
                let argument = m.argument.as_deref().unwrap_or("-");
                format!("{}{}:{argument}", if m.in_define { "~" } else { "" }, m.name)
            };
            uses.iter().map(show).collect::<Vec<_>>().join(" ")
        };
        for (text, expected) in [
            ("TORCH_LIBRARY ( my_lib , m) {}", "TORCH_LIBRARY:my_lib"),
            ("TORCH_LIBRARY(\n  // name\n  a,\n  m)", "TORCH_LIBRARY:a"),
            ("REGISTER_EXTENSION(X)\nPYBIND11_MODULE;", "REGISTER_EXTENSION:X PYBIND11_MODULE:-"),
            ("#define TORCH_LIBRARY_EXPAND(N, M) TORCH_LIBRARY(N, M)", "~TORCH_LIBRARY:N"),
            ("#define REGISTER_EXTENSION(N)\nx", ""),
            ("#define X PYBIND11_MODULE(a, b)", "~PYBIND11_MODULE:a"),
            ("\"TORCH_LIBRARY\" MY_TORCH_LIBRARY(a) // TORCH_LIBRARY", ""),
            ("#if 0\nTORCH_LIBRARY(a, m)\n#endif", ""),
        ] {
            assert_eq!(macros(text), expected, "{text}");
        }
    }
}
