//! Deep nesting: measured on tokens before the tree is walked or dropped, since both recurse. The parser itself grows
//! its stack.

use ruff_python_ast::ModModule;
use ruff_python_ast::token::{Token, TokenKind};
use ruff_python_parser::{Mode, Parsed, lexer};
use ruff_text_size::Ranged;

/// Depth up to which any thread's stack is enough.
const SHALLOW: usize = 120;
/// Depth that is refused. Python itself refuses 200 brackets and 100 indentations; chains of operators may be longer.
const MAX_DEPTH: usize = 50_000;
/// Python's own limits.
const MAX_BRACKETS: usize = 200;
const MAX_INDENTATIONS: usize = 100;
/// Stack for one level of the tree, walked in a debug build, with room to spare.
const BYTES_PER_LEVEL: usize = 8 * 1024;
/// Files up to this size are parsed without a look at their nesting: the parser's memory stays small.
const SMALL: usize = 64 * 1024;

/// Refuses text whose nesting would make the parser itself take too much memory.
///
/// # Errors
/// A bracket or indentation deeper than Python allows.
pub fn check_source(text: &str) -> Result<(), (usize, String)> {
    if text.len() > u32::MAX as usize {
        return Err((0, "the file is larger than 4 GiB".to_owned()));
    }
    if text.len() <= SMALL {
        return Ok(());
    }
    too_deep(text).map_or(Ok(()), |message| Err((first_too_deep(text), message)))
}

/// What is wrong with the nesting of a text.
fn too_deep(text: &str) -> Option<String> {
    let mut lexer = lexer::lex(text, Mode::Module);
    let mut depth = Depth::default();
    loop {
        let kind = lexer.next_token();
        if kind == TokenKind::EndOfFile {
            return None;
        }
        depth.see(kind);
        if let Err(message) = depth.check() {
            return Some(message);
        }
    }
}

/// Where a text that is nested too deep first is. The lexer keeps its positions to itself, so the shortest beginning
/// that is too deep is searched for.
fn first_too_deep(text: &str) -> usize {
    let (mut shallow, mut deep) = (0, text.len());
    while deep - shallow > 1 {
        let middle = text.floor_char_boundary(shallow.midpoint(deep));
        if middle == shallow {
            break;
        }
        if too_deep(&text[..middle]).is_some() {
            deep = middle;
        } else {
            shallow = middle;
        }
    }
    shallow
}

/// Runs `work` where the tree's depth cannot overflow the stack, and drops the tree there.
///
/// # Errors
/// Those of `work`; a tree that is too deep, which is leaked, as dropping it would overflow.
pub fn on_a_large_enough_stack<T: Send>(
    parsed: Parsed<ModModule>,
    length: usize,
    work: impl FnOnce(&Parsed<ModModule>) -> Result<T, (usize, String)> + Send,
) -> Result<T, (usize, String)> {
    let mut depth = Depth::default();
    for token in parsed.tokens() {
        depth.see(token.kind());
        if let Err(message) = depth.check() {
            let at = token.range().start().to_usize();
            std::mem::forget(parsed);
            return Err((at, message));
        }
    }
    if depth.deepest <= SHALLOW {
        return work(&parsed);
    }
    let stack = (depth.deepest + SHALLOW) * BYTES_PER_LEVEL;
    std::thread::scope(|scope| {
        let run = move || {
            let parsed = parsed;
            work(&parsed)
        };
        let thread = std::thread::Builder::new().stack_size(stack).spawn_scoped(scope, run);
        match thread.map(std::thread::ScopedJoinHandle::join) {
            Ok(Ok(result)) => result,
            _ => Err((length, "could not be read: no memory for its nesting".to_owned())),
        }
    })
}

/// Whether a tree of these tokens can be walked on any stack.
pub fn is_shallow(tokens: &[Token]) -> bool {
    let mut depth = Depth::default();
    tokens.iter().for_each(|t| depth.see(t.kind()));
    depth.deepest <= SHALLOW
}

/// An upper bound of the tree's depth at each token: what is open around it, and all operators since the last
/// comma or statement.
#[derive(Default)]
struct Depth {
    open: Vec<usize>,
    here: usize,
    around: usize,
    indentations: usize,
    deepest: usize,
}

impl Depth {
    fn see(&mut self, kind: TokenKind) {
        match kind {
            TokenKind::Name | TokenKind::String | TokenKind::Comment | TokenKind::NonLogicalNewline => return,
            TokenKind::Int | TokenKind::Float | TokenKind::Complex => return,
            TokenKind::Comma => self.here = 0,
            TokenKind::Newline | TokenKind::Semi if self.open.is_empty() => self.here = 0,
            TokenKind::Indent => self.indentations += 1,
            TokenKind::Dedent => self.indentations = self.indentations.saturating_sub(1),
            TokenKind::Lpar
            | TokenKind::Lsqb
            | TokenKind::Lbrace
            | TokenKind::FStringStart
            | TokenKind::TStringStart => {
                self.open.push(self.here);
                self.around += self.here + 1;
                self.here = 0;
            }
            TokenKind::Rpar
            | TokenKind::Rsqb
            | TokenKind::Rbrace
            | TokenKind::FStringEnd
            | TokenKind::TStringEnd => {
                if let Some(before) = self.open.pop() {
                    self.around -= before + 1;
                    self.here = before;
                }
                self.here += 1;
            }
            _ => self.here += 1,
        }
        self.deepest = self.deepest.max(self.around + self.here + 2 * self.indentations);
    }

    fn check(&self) -> Result<(), String> {
        if self.open.len() > MAX_BRACKETS {
            return Err(format!(
                "more than {MAX_BRACKETS} brackets inside one another; Python refuses that too"
            ));
        }
        if self.indentations > MAX_INDENTATIONS {
            return Err(format!(
                "more than {MAX_INDENTATIONS} levels of indentation; Python refuses that too"
            ));
        }
        if self.deepest > MAX_DEPTH {
            return Err(format!("an expression nested more than {MAX_DEPTH} deep"));
        }
        Ok(())
    }
}
