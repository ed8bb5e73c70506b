//! Names, the scopes they live in, and which binding a use means.

use super::ByteRange;
use foldhash::fast::RandomState;
use indexmap::IndexSet;
use std::fmt;

/// A name's text, once per file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NameId(pub u32);

/// Index of a scope in `Module::scopes`; 0 is the module.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ScopeId(pub u32);

impl ScopeId {
    /// The module's own scope.
    pub const MODULE: Self = Self(0);

    /// As an index of `Module::scopes`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A range of bytes or indices in half the space: a file has one for every word, and none is as long as 4 GiB.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// Where it starts.
    pub fn start(self) -> usize {
        self.start as usize
    }

    /// Where it ends.
    pub fn end(self) -> usize {
        self.end as usize
    }

    /// As a range.
    pub fn range(self) -> ByteRange {
        self.start()..self.end()
    }

    /// Whether nothing is in it.
    pub fn is_empty(self) -> bool {
        self.start == self.end
    }
}

impl From<ByteRange> for Span {
    fn from(range: ByteRange) -> Self {
        Self { start: small(range.start), end: small(range.end) }
    }
}

/// An index or nothing, in a quarter of the space.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct MaybeIndex(u32);

impl MaybeIndex {
    /// Nothing.
    pub const NONE: Self = Self(u32::MAX);

    /// The index.
    pub fn get(self) -> Option<usize> {
        (self != Self::NONE).then_some(self.0 as usize)
    }
}

impl From<Option<usize>> for MaybeIndex {
    fn from(index: Option<usize>) -> Self {
        index.map_or(Self::NONE, |index| Self(small(index)))
    }
}

impl fmt::Debug for MaybeIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.get().fmt(f)
    }
}

/// An offset or index in a file, none of which is as long as 4 GiB.
pub(super) fn small(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// What makes a scope.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScopeKind {
    /// The file.
    Module,
    /// `def` and `lambda`.
    Function,
    /// `class`; invisible to the functions inside it.
    Class,
    /// A comprehension or generator expression.
    Comprehension,
    /// The brackets of `def f[T]`, `class C[T]`, `type X[T]`.
    TypeParameters,
}

/// A scope.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// What makes it.
    pub kind: ScopeKind,
    /// The scope around it; `None` for the module.
    pub parent: Option<ScopeId>,
    /// The statement or expression that makes it.
    pub range: ByteRange,
}

/// How a name stands in the source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its value is used.
    Use,
    /// It gets a value.
    Bind(Binding),
    /// `del x`.
    Delete,
    /// Named in `global`.
    Global,
    /// Named in `nonlocal`.
    Nonlocal,
}

/// What binds a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Binding {
    /// An assignment of any form: `=`, `for`, `with`, `:=`, `except ... as`, a pattern, `type X`.
    Assignment,
    /// `x: int` without a value, which binds nothing but makes the name local.
    Declaration,
    /// An import: index in `Module::imports`, index of the alias.
    Import(u32, u32),
    /// `def` or `class`: index in `Module::definitions`.
    Definition(u32),
    /// A parameter of a function.
    Parameter,
    /// A type parameter.
    TypeParameter,
}

/// One place where a name stands. In an import statement its range is that of the bound name's text (the first
/// component for `import a.b`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// Its text.
    pub id: NameId,
    /// Where it stands.
    pub range: Span,
    /// The scope that the place belongs to, which need not be the one that binds the name.
    pub scope: ScopeId,
    /// How it stands there.
    pub role: Role,
    /// `.a.b` directly behind it: a range in `Module::attributes`.
    pub attributes: Span,
    /// Whether the whole chain `x.a.b` is a target: assigned or deleted.
    pub chain_is_target: bool,
    /// Inside a string that is an annotation.
    pub in_string: bool,
}

/// The texts of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct NameTable {
    texts: IndexSet<Box<str>, RandomState>,
}

impl NameTable {
    /// The id of a text, which is added when it is new.
    pub fn add(&mut self, text: &str) -> NameId {
        let index = self.texts.get_index_of(text);
        NameId(small(index.unwrap_or_else(|| self.texts.insert_full(text.into()).0)))
    }

    /// The id of a text; `None` when the file has no such name.
    pub fn find(&self, text: &str) -> Option<NameId> {
        self.texts.get_index_of(text).map(|index| NameId(small(index)))
    }

    /// The text of an id.
    pub fn text(&self, id: NameId) -> &str {
        self.texts.get_index(id.0 as usize).map_or("", |t| t)
    }
}

/// Which scope binds which name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Name and index in names, by scope and then sorted.
    sorted: Vec<(NameId, u32)>,
    /// Where those of each scope start, and where the last one's end.
    starts: Vec<u32>,
}

impl Bindings {
    /// Collects the bindings of a file that has as many scopes.
    pub fn new(names: &[Name], scopes: usize) -> Self {
        let binds = |name: &&Name| name.role != Role::Use;
        let mut starts = vec![0; scopes + 1];
        for name in names.iter().filter(binds) {
            starts[name.scope.index() + 1] += 1;
        }
        let mut total = 0;
        for start in &mut starts {
            total += *start;
            *start = total;
        }
        let mut next = starts.clone();
        let mut sorted = vec![(NameId(0), 0); total as usize];
        for (index, name) in names.iter().enumerate().filter(|(_, name)| binds(name)) {
            let next = &mut next[name.scope.index()];
            sorted[*next as usize] = (name.id, small(index));
            *next += 1;
        }
        for scope in starts.windows(2) {
            sorted[scope[0] as usize..scope[1] as usize].sort_unstable();
        }
        Self { sorted, starts }
    }

    /// The places in `scope` itself that bind, delete or declare the name, as indices in `names`.
    pub fn of(&self, scope: ScopeId, id: NameId) -> impl Iterator<Item = usize> {
        let [start, end] = [scope.index(), scope.index() + 1].map(|at| self.starts[at] as usize);
        let bindings = &self.sorted[start..end];
        let first = bindings.partition_point(|(name, _)| *name < id);
        bindings[first..].iter().take_while(move |(name, _)| *name == id).map(|(_, index)| *index as usize)
    }

    /// The scope whose variable a name in `scope` is; the module for a name that nothing binds (a builtin, a star
    /// import's).
    pub fn resolve(&self, names: &[Name], scopes: &[Scope], scope: ScopeId, id: NameId) -> ScopeId {
        let mut here = Some(scope);
        while let Some(at) = here {
            let of = &scopes[at.index()];
            let visible = at == scope || of.kind != ScopeKind::Class;
            if visible {
                let mut bound = false;
                let mut passes_on = false;
                for index in self.of(at, id) {
                    match names[index].role {
                        Role::Global => return ScopeId::MODULE,
                        Role::Nonlocal => passes_on = true,
                        _ => bound = true,
                    }
                }
                if bound && !passes_on {
                    return at;
                }
            }
            here = of.parent;
        }
        ScopeId::MODULE
    }
}
