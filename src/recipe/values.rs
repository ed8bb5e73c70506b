//! The values arguments hold, as newtypes whose constructors refuse: an op never sees a raw string where a path,
//! a commit or a module is meant.

use super::{Value, args::ArgType};
use crate::workspace::{Directory, RepoPath};
use std::fmt;

/// Why a value was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ValueError {
    /// What is wrong, to be read after `name= `.
    pub message: String,
    /// What to write instead.
    pub help: Option<String>,
}

impl ValueError {
    /// A refusal.
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into(), help: None }
    }

    /// With what to write instead.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }
}

/// A type that an argument's value can be read as.
pub trait ArgValue: Sized {
    /// The kind of KDL value it is written as, and how the reference calls it.
    const TYPE: ArgType;

    /// Reads the value. Strings arrive here only for text types, integers only for integer types.
    ///
    /// # Errors
    /// What is wrong with it, and what to write.
    fn read(value: &Value) -> Result<Self, ValueError>;
}

fn text(value: &Value) -> Result<&str, ValueError> {
    match value {
        Value::Text(text) => Ok(text),
        _ => Err(ValueError::new("must be a string").help("write it in double quotes")),
    }
}

/// Any text, the empty one included.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text(pub String);

impl ArgValue for Text {
    const TYPE: ArgType = ArgType::Text;
    fn read(value: &Value) -> Result<Self, ValueError> {
        text(value).map(|t| Self(t.to_owned()))
    }
}

/// Text that is not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NonEmptyText(pub String);

impl ArgValue for NonEmptyText {
    const TYPE: ArgType = ArgType::Text;
    fn read(value: &Value) -> Result<Self, ValueError> {
        match text(value)? {
            "" => Err(ValueError::new("is empty").help("give the text, in double quotes")),
            text => Ok(Self(text.to_owned())),
        }
    }
}

impl ArgValue for bool {
    const TYPE: ArgType = ArgType::Flag;
    fn read(value: &Value) -> Result<Self, ValueError> {
        match value {
            Value::Bool(flag) => Ok(*flag),
            _ => Err(ValueError::new("must be #true or #false")),
        }
    }
}

impl ArgValue for u64 {
    const TYPE: ArgType = ArgType::Integer;
    fn read(value: &Value) -> Result<Self, ValueError> {
        match value {
            Value::Integer(number) => Self::try_from(*number).map_err(|_| {
                if *number < 0 {
                    ValueError::new(format!("is {number}, but must be 0 or more"))
                } else {
                    ValueError::new(format!("is {number}, which is too large"))
                }
            }),
            _ => Err(ValueError::new("must be an integer").help("write it without quotes, for example 3")),
        }
    }
}

/// What every path in a recipe is.
const IN_TREE: &str = "paths are relative to the top of the tree: \"torch-ext/pkg\"";

impl ArgValue for RepoPath {
    const TYPE: ArgType = ArgType::Path;
    fn read(value: &Value) -> Result<Self, ValueError> {
        let text = text(value)?;
        Self::typed(text).map_err(|e| ValueError::new(format!("\"{text}\" {e}")).help(IN_TREE))
    }
}

impl ArgValue for Directory {
    const TYPE: ArgType = ArgType::Path;
    fn read(value: &Value) -> Result<Self, ValueError> {
        let text = text(value)?;
        Self::typed(text).map_err(|e| ValueError::new(format!("\"{text}\" {e}")).help(IN_TREE))
    }
}

/// A comma-separated list: white space around items is dropped, `,,` is a literal comma.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct List(pub Vec<String>);

impl ArgValue for List {
    const TYPE: ArgType = ArgType::List;
    fn read(value: &Value) -> Result<Self, ValueError> {
        let mut items = Vec::new();
        let mut item = String::new();
        let mut characters = text(value)?.chars().peekable();
        while let Some(c) = characters.next() {
            if c != ',' || characters.next_if_eq(&',').is_some() {
                item.push(c);
            } else {
                items.push(std::mem::take(&mut item));
            }
        }
        items.push(item);
        let items: Vec<String> = items.iter().map(|i| i.trim().to_owned()).collect();
        if items.iter().any(String::is_empty) {
            return Err(ValueError::new("holds an empty item")
                .help("separate items by one comma; `,,` is a literal comma inside an item"));
        }
        Ok(Self(items))
    }
}

/// A full commit id: 40 hexadecimal digits, or 64 in a SHA-256 repository. Kept in lower case.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct CommitSha(String);

impl CommitSha {
    /// The digits in lower case.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, as the log shows them.
    pub fn short(&self) -> &str {
        &self.0[..12]
    }

    /// Takes a full commit id.
    ///
    /// # Errors
    /// Another length, or another digit.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        let hex = text.bytes().all(|b| b.is_ascii_hexdigit());
        if hex && (text.len() == 40 || text.len() == 64) {
            return Ok(Self(text.to_ascii_lowercase()));
        }
        Err(ValueError::new(format!(
            "must be a full commit id of 40 hexadecimal digits (64 in a SHA-256 repository), not \"{text}\""
        ))
        .help(
            "`git rev-parse 'REV^{commit}'` in the checkout prints the full id of a tag, branch or short id",
        ))
    }
}

impl fmt::Display for CommitSha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for CommitSha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ArgValue for CommitSha {
    const TYPE: ArgType = ArgType::Commit;
    fn read(value: &Value) -> Result<Self, ValueError> {
        Self::new(text(value)?)
    }
}

/// Words that Python keeps for itself: no name may be one.
const KEYWORDS: &[&str] = &[
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def",
    "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is",
    "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Longer names are nobody's, and a file that holds many would grow without bounds.
const MAX_IDENTIFIER: usize = 255;

fn is_identifier(text: &str) -> bool {
    let mut characters = text.chars();
    text.len() <= MAX_IDENTIFIER
        && characters.next().is_some_and(|c| c == '_' || c.is_alphabetic())
        && characters.all(|c| c == '_' || c.is_alphanumeric())
        && !KEYWORDS.contains(&text)
}

/// One Python name, without dots.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identifier(pub String);

impl ArgValue for Identifier {
    const TYPE: ArgType = ArgType::Text;
    fn read(value: &Value) -> Result<Self, ValueError> {
        match text(value)? {
            name if is_identifier(name) => Ok(Self(name.to_owned())),
            keyword if KEYWORDS.contains(&keyword) => {
                Err(ValueError::new(format!("is \"{keyword}\", a keyword of Python"))
                    .help("choose another name"))
            }
            other => Err(ValueError::new(format!("must be one Python name, not \"{other}\"")).help(
                "letters, digits and underscores, the first no digit; one name, without dots or commas",
            )),
        }
    }
}

/// A dotted Python module path, `pkg.sub.mod`: identifiers between single dots.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ModulePath(String);

impl ModulePath {
    /// Takes a module path.
    ///
    /// # Errors
    /// An empty component, or one that is no identifier.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        if text.split('.').all(is_identifier) {
            return Ok(Self(text.to_owned()));
        }
        let error = ValueError::new(format!("must be a module such as pkg.sub, not \"{text}\""));
        Err(match text {
            _ if text.starts_with('.') => error.help("give the absolute module, without leading dots"),
            _ if text.contains('/') => {
                error.help(format!("write dots between the components: {}", text.replace('/', ".")))
            }
            _ => error,
        })
    }

    /// The dotted text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The components, first to last.
    pub fn components(&self) -> impl DoubleEndedIterator<Item = &str> {
        self.0.split('.')
    }

    /// What follows this prefix in `module`, on a component boundary: `Some("")` for the module itself.
    pub fn strip_from<'a>(&self, module: &'a str) -> Option<&'a str> {
        let rest = module.strip_prefix(self.0.as_str())?;
        if rest.is_empty() { Some(rest) } else { rest.strip_prefix('.') }
    }
}

impl fmt::Display for ModulePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl ArgValue for ModulePath {
    const TYPE: ArgType = ArgType::Module;
    fn read(value: &Value) -> Result<Self, ValueError> {
        Self::new(text(value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Result<Vec<String>, ValueError> {
        List::read(&Value::Text(text.into())).map(|l| l.0)
    }

    #[test]
    fn lists_split_on_single_commas() {
        assert_eq!(list("a, b ,c").unwrap(), ["a", "b", "c"]);
        assert_eq!(list("-Wl,,-rpath,-O3").unwrap(), ["-Wl,-rpath", "-O3"]);
        assert!(list("a, ,b").is_err());
        assert!(list("").is_err());
    }

    #[test]
    fn commits_are_full_and_lower_case() {
        assert_eq!(CommitSha::new(&"A".repeat(40)).unwrap().as_str(), "a".repeat(40));
        assert!(CommitSha::new(&"a".repeat(64)).is_ok());
        assert!(CommitSha::new("abc123").is_err());
        assert!(CommitSha::new(&"g".repeat(40)).is_err());
    }

    #[test]
    fn modules_match_on_component_boundaries() {
        let module = ModulePath::new("pkg.utils").unwrap();
        assert_eq!(module.strip_from("pkg.utils"), Some(""));
        assert_eq!(module.strip_from("pkg.utils.a"), Some("a"));
        assert_eq!(module.strip_from("pkg.utils_extra"), None);
        for wrong in ["", "pkg.class", ".pkg", "pkg..a", "pkg/a", "1a", "a-b", "pkg."] {
            assert!(ModulePath::new(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_name_is_one_identifier_and_no_keyword() {
        let read = |text: &str| Identifier::read(&Value::Text(text.into()));
        assert!(read("kernels_ci").is_ok() && read("é").is_ok());
        assert_eq!(read("class").unwrap_err().message, "is \"class\", a keyword of Python");
        for wrong in ["", "a b", "a.b", "1x", "*", "a,b"] {
            assert_eq!(read(wrong).unwrap_err().message, format!("must be one Python name, not \"{wrong}\""));
        }
    }

    #[test]
    fn negative_and_huge_integers_are_told_apart() {
        assert_eq!(u64::read(&Value::Integer(-1)).unwrap_err().message, "is -1, but must be 0 or more");
        assert!(u64::read(&Value::Integer(i128::MAX)).unwrap_err().message.contains("too large"));
    }
}
