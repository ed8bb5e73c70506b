//! Why a text is no variant name: the offending part, what could stand there, and what was probably meant.

use super::tokens::Token;
use crate::report::{escape, nearest};
use serde::{Serialize, Serializer};
use std::fmt;
use std::ops::Range;

/// One mistake, the first from the left.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameError {
    /// The offending bytes of the name; empty where something is missing.
    pub span: Range<usize>,
    /// What is wrong.
    pub kind: NameErrorKind,
    /// The offending text.
    pub found: String,
    /// What could stand there.
    pub expected: Vec<String>,
    /// The nearest of these, when it is near.
    pub nearest: Option<String>,
    /// What to write instead, when more is known.
    pub hint: Option<String>,
}

/// The ways to get a name wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NameErrorKind {
    /// There is nothing.
    Empty,
    /// Longer than any file name.
    TooLong,
    /// An unknown framework.
    Framework,
    /// A tag that starts with `cxx` and is none of the two.
    Tag,
    /// A cxx tag where none may be.
    TagNotAllowed,
    /// A missing or unknown backend.
    Backend,
    /// A versioned backend, or a framework, without version.
    VersionMissing,
    /// A version after a backend that has none.
    VersionNotAllowed,
    /// A legacy version of fewer than two digits.
    TooFewDigits,
    /// Something else than a version where one must be.
    Version,
    /// A version beyond 32 bits.
    VersionTooLarge,
    /// An unknown Python ABI.
    PythonAbi,
    /// A missing CPU, or one with characters that no CPU has.
    Platform,
    /// A missing operating system, or one with characters that none has.
    Os,
    /// A part in the notation that the rest is not in.
    MixedNotation,
    /// More parts than a name has.
    Trailing,
    /// A Python-only name for an unknown backend.
    Noarch,
}

impl NameError {
    /// A mistake at a piece.
    pub(super) fn at(token: Token<'_>, kind: NameErrorKind) -> Self {
        Self::new(token.span(), kind, token.text)
    }

    /// A mistake at `span`, which holds `found`.
    pub(super) fn new(span: Range<usize>, kind: NameErrorKind, found: &str) -> Self {
        Self { span, kind, found: found.to_owned(), expected: Vec::new(), nearest: None, hint: None }
    }

    /// With what could stand there; the nearest is found among these.
    #[must_use]
    pub(super) fn expected<T: Into<String>>(mut self, expected: impl IntoIterator<Item = T>) -> Self {
        self.expected = expected.into_iter().map(Into::into).collect();
        if !self.found.is_empty() {
            self.nearest =
                nearest::one(&self.found, self.expected.iter().map(String::as_str)).map(str::to_owned);
        }
        self
    }

    /// With what to do.
    #[must_use]
    pub(super) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// What to do about it: the hint, or the nearest and all that could stand there.
    pub fn help(&self) -> Option<String> {
        let listed = || format!("expected {}", alternatives(&self.expected));
        match (&self.hint, &self.nearest) {
            (Some(hint), _) => Some(hint.clone()),
            (None, Some(near)) => Some(format!("did you mean `{near}`? {}", listed())),
            (None, None) => (!self.expected.is_empty()).then(listed),
        }
    }
}

/// `a`, `a or b`, `one of a, b, c`, each in backticks.
fn alternatives(items: &[String]) -> String {
    match items {
        [one] => format!("`{one}`"),
        [one, two] => format!("`{one}` or `{two}`"),
        many => {
            let quoted: Vec<_> = many.iter().map(|item| format!("`{item}`")).collect();
            format!("one of {}", quoted.join(", "))
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use NameErrorKind as Kind;
        let found = escape::line(&self.found);
        let missing = self.found.is_empty();
        match self.kind {
            Kind::Empty => f.write_str("the name is empty"),
            Kind::TooLong => write!(f, "the name is longer than {} bytes", super::parse::MAX_LENGTH),
            Kind::Framework if missing => f.write_str("the framework is missing"),
            Kind::Framework => write!(f, "unknown framework `{found}`"),
            Kind::Tag => write!(f, "unknown tag `{found}`"),
            Kind::TagNotAllowed => write!(f, "`{found}` is out of place: only torch carries a cxx tag"),
            Kind::Backend if missing => f.write_str("the backend is missing"),
            Kind::Backend => write!(f, "unknown backend `{found}`"),
            Kind::VersionMissing => write!(f, "`{found}` needs a version"),
            Kind::VersionNotAllowed => write!(f, "`{found}`: this backend has no version"),
            Kind::TooFewDigits => write!(f, "`{found}` has fewer than two digits: a version needs two"),
            Kind::Version => write!(f, "`{found}` is no version"),
            Kind::VersionTooLarge => write!(f, "the version in `{found}` is too large"),
            Kind::PythonAbi => write!(f, "unknown Python ABI `{found}`"),
            Kind::Platform if missing => f.write_str("the platform is missing"),
            Kind::Platform => write!(f, "`{found}` is no platform"),
            Kind::Os if missing => f.write_str("the operating system is missing"),
            Kind::Os => write!(f, "`{found}` is no operating system"),
            Kind::MixedNotation => write!(f, "`{found}` is in the wrong notation"),
            Kind::Trailing if missing => f.write_str("the name goes on after its end"),
            Kind::Trailing => write!(f, "`{found}` is too much"),
            Kind::Noarch if missing => f.write_str("a backend or a version is missing after `torch-`"),
            Kind::Noarch => write!(f, "unknown backend `{found}` of a Python-only variant"),
        }
    }
}

impl std::error::Error for NameError {}

impl Serialize for NameError {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeStruct;
        let mut out = serializer.serialize_struct("NameError", 7)?;
        out.serialize_field("kind", &self.kind)?;
        out.serialize_field("message", &self.to_string())?;
        out.serialize_field("start", &self.span.start)?;
        out.serialize_field("end", &self.span.end)?;
        out.serialize_field("expected", &self.expected)?;
        out.serialize_field("nearest", &self.nearest)?;
        out.serialize_field("help", &self.help())?;
        out.end()
    }
}
