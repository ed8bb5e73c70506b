//! Globs over paths of the tree, as the recipe language defines them.

use super::{ArgType, ArgValue, Value, ValueError};
use crate::workspace::{Directory, RepoPath, Workspace};
use globset::{GlobBuilder, GlobMatcher, GlobSet, GlobSetBuilder};
use std::collections::{HashMap, HashSet};
use std::fmt;

/// A longer glob can match no path, and would be a long time compiling.
const MAX_LENGTH: usize = 4096;

/// What makes a component more than a name.
const SPECIAL: [char; 6] = ['*', '?', '[', ']', '{', '}'];

/// One glob: `*` and `?` stay inside a component, `**` crosses them, `{a,b}` alternates, `[...]` is a class.
#[derive(Clone)]
pub struct Glob {
    text: String,
    matcher: GlobMatcher,
}

impl Glob {
    /// Compiles a glob.
    ///
    /// # Errors
    /// A form that can match nothing, or that reads as something it is not; the help says what to write.
    pub fn new(text: &str) -> Result<Self, ValueError> {
        check(text)?;
        let glob = GlobBuilder::new(text)
            .literal_separator(true)
            .backslash_escape(false)
            .empty_alternates(true)
            .build()
            .map_err(|e| ValueError::new(format!("\"{text}\" is not a glob: {}", e.kind())))?;
        Ok(Self { text: text.to_owned(), matcher: glob.compile_matcher() })
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it would match if case made no difference.
    pub fn matches_in_another_case(&self, path: &RepoPath) -> bool {
        let upper = |text: &str| text.to_ascii_uppercase();
        let glob =
            GlobBuilder::new(&upper(&self.text)).literal_separator(true).backslash_escape(false).build();
        glob.is_ok_and(|g| g.compile_matcher().is_match(upper(&path.to_string())))
    }

    /// The name of every file it can match, when it says one.
    fn last_name(&self) -> Option<&str> {
        // A brace may hold slashes, and then what follows the last slash is no component.
        if self.text.contains(['{', '}']) {
            return None;
        }
        self.text.rsplit('/').next().filter(|name| !name.contains(SPECIAL))
    }

    /// Whether it could match a file below `directory`, whatever files there are.
    pub fn reaches_below(&self, directory: &RepoPath) -> bool {
        let mut patterns = self.text.split('/');
        for component in directory.components() {
            let Some(pattern) = patterns.next() else { return false };
            if pattern == "**" || pattern.contains('{') {
                return true;
            }
            let matches =
                Self::new(pattern).is_ok_and(|g| RepoPath::new(component).is_ok_and(|c| g.is_match(&c)));
            if !matches {
                return false;
            }
        }
        patterns.next().is_some()
    }

    /// Whether it matches.
    pub fn is_match(&self, path: &RepoPath) -> bool {
        self.matcher.is_match(path.as_os_path())
    }

    /// The paths it matches, in path order.
    pub fn paths<'w>(&self, workspace: &'w Workspace) -> Vec<&'w RepoPath> {
        match self.literal_start() {
            Start::File(path) => workspace.get_key_value(&path).map(|(path, _)| path).into_iter().collect(),
            Start::Below(directory) => {
                workspace.below(&directory).map(|(path, _)| path).filter(|path| self.is_match(path)).collect()
            }
        }
    }

    /// The components before the first that is a pattern: everything the glob can match lies below them.
    fn literal_start(&self) -> Start {
        let components: Vec<&str> = self.text.split('/').collect();
        // A brace may hold slashes, and then what follows the first pattern is no component.
        let literal = components.iter().take_while(|c| !c.contains(SPECIAL)).count();
        let path = RepoPath::new(components[..literal].join("/")).ok();
        match path {
            Some(path) if literal == components.len() => Start::File(path),
            path => Start::Below(Directory::from(path)),
        }
    }
}

enum Start {
    File(RepoPath),
    Below(Directory),
}

impl fmt::Debug for Glob {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn check(text: &str) -> Result<(), ValueError> {
    if text.is_empty() {
        return Err(ValueError::new("is an empty glob").help("`**` matches every file"));
    }
    if text.len() > MAX_LENGTH {
        return Err(ValueError::new(format!("is a glob of {} bytes", text.len()))
            .help(format!("a glob has at most {MAX_LENGTH} bytes, as a path has")));
    }
    if text.trim() != text {
        return Err(ValueError::new(format!("\"{text}\" begins or ends with white space"))
            .help(format!("write \"{}\"; a name that really begins so is matched by `?`", text.trim())));
    }
    if text.contains('\\') {
        return Err(ValueError::new(format!("\"{text}\" holds a backslash")).help(format!(
            "separate components by `/`: \"{}\"; `[*]` matches a star",
            text.replace('\\', "/")
        )));
    }
    if text.starts_with('/') {
        return Err(ValueError::new(format!("\"{text}\" starts with `/`")).help(format!(
            "globs are relative to the top of the tree: \"{}\"",
            text.trim_start_matches('/')
        )));
    }
    if let Some(rest) = text.strip_prefix("./") {
        return Err(ValueError::new(format!("\"{text}\" starts with `./`")).help(format!("write \"{rest}\"")));
    }
    if text.split('/').any(|c| c == "..") {
        return Err(ValueError::new(format!("\"{text}\" holds `..`")).help("a glob may not leave the tree"));
    }
    if text.ends_with('/') {
        return Err(ValueError::new(format!("\"{text}\" ends in `/`"))
            .help(format!("\"{text}**\" matches every file below the directory")));
    }
    if text.split('/').any(str::is_empty) {
        return Err(ValueError::new(format!("\"{text}\" holds `//`")).help("write one `/`"));
    }
    if let Some(at) = text.match_indices("**").map(|(at, _)| at).find(|at| !crosses(text, *at)) {
        let inside = text[..at].contains('{') && text[at..].contains('}');
        let is_list = text.contains(',') && !text.contains(['{', '[']);
        let list = format!("one glob is expected here; to match either, write \"{{{text}}}\"");
        let help = if is_list && check(&format!("{{{text}}}")).is_ok() {
            list.as_str()
        } else if inside {
            "in braces `**` ends an alternative that ends the glob, or begins one: \"{a/**,b}\", \"a/{**/b,c}\""
        } else {
            "`**` crosses directories only as a component of its own: \"a/**/b\"; inside a name write `*`"
        };
        return Err(ValueError::new(format!("\"{text}\" has `**` beside other text")).help(help));
    }
    Ok(())
}

/// Whether the `**` at `at` is a component of its own. In braces it is one at the end of an alternative when nothing
/// follows the braces, and at the start of one when the braces start a component.
fn crosses(text: &str, at: usize) -> bool {
    let (before, after) = (&text[..at], &text[at + 2..]);
    let starts = before.is_empty() || before.ends_with('/');
    let ends = after.is_empty() || after.starts_with('/');
    if starts && ends {
        return true;
    }
    let Some(braces) = before.rfind('{').filter(|open| !before[*open..].contains('}')) else { return false };
    let is_outermost = before[..braces].matches('{').count() == before[..braces].matches('}').count();
    let begins = before.ends_with(['{', ',']) && (braces == 0 || before[..braces].ends_with('/'));
    let closes_glob = after.find(['{', '}']) == Some(after.len().saturating_sub(1)) && after.ends_with('}');
    is_outermost && (begins && ends || starts && after.starts_with([',', '}']) && closes_glob)
}

impl ArgValue for Glob {
    const TYPE: ArgType = ArgType::Glob;
    fn read(value: &Value) -> Result<Self, ValueError> {
        match value {
            Value::Text(text) => Self::new(text),
            _ => Err(ValueError::new("must be a glob in double quotes")),
        }
    }
}

/// Globs separated by commas that are outside `{}` and `[]`.
#[derive(Debug, Clone)]
pub struct GlobList(pub Vec<Glob>, Index);

/// Finds the globs that may match a path without trying each.
#[derive(Debug, Clone)]
struct Index {
    /// The places in the list of the globs that say a file's name: a set would hold the names as one large automaton.
    by_name: HashMap<Vec<u8>, Vec<usize>>,
    /// The other globs.
    rest: GlobSet,
    /// Their places in the list.
    places: Vec<usize>,
}

impl GlobList {
    /// The globs that match, by their place in the list.
    pub fn matches(&self, path: &RepoPath) -> Vec<usize> {
        let Index { by_name, rest, places } = &self.1;
        let named = by_name.get(path.name()).into_iter().flatten().copied();
        let mut matching: Vec<usize> = named.filter(|at| self.0[*at].is_match(path)).collect();
        matching.extend(rest.matches(path.as_os_path()).into_iter().map(|at| places[at]));
        matching.sort_unstable();
        matching
    }
}

impl ArgValue for GlobList {
    const TYPE: ArgType = ArgType::GlobList;
    fn read(value: &Value) -> Result<Self, ValueError> {
        let Value::Text(text) = value else {
            return Err(ValueError::new("must be globs in double quotes"));
        };
        let mut items = vec![String::new()];
        let (mut braces, mut class) = (0usize, false);
        for c in text.chars() {
            match c {
                '[' => class = true,
                ']' => class = false,
                '{' if !class => braces += 1,
                '}' if !class => braces = braces.saturating_sub(1),
                ',' if !class && braces == 0 => {
                    items.push(String::new());
                    continue;
                }
                _ => {}
            }
            if let Some(item) = items.last_mut() {
                item.push(c);
            }
        }
        let globs = items.iter().map(|item| Glob::new(item.trim())).collect::<Result<Vec<_>, _>>()?;
        let mut by_name: HashMap<Vec<u8>, Vec<usize>> = HashMap::new();
        let (mut rest, mut places) = (GlobSetBuilder::new(), Vec::new());
        let mut seen = HashSet::new();
        for (at, glob) in globs.iter().enumerate() {
            if !seen.insert(&glob.text) {
                return Err(ValueError::new(format!("names \"{}\" twice", glob.text)).help("name it once"));
            }
            match glob.last_name() {
                Some(name) => by_name.entry(name.into()).or_default().push(at),
                None => {
                    rest.add(glob.matcher.glob().clone());
                    places.push(at);
                }
            }
        }
        let rest = rest.build().map_err(|e| ValueError::new(format!("is too large: {e}")))?;
        let index = Index { by_name, rest, places };
        Ok(Self(globs, index))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Result<Vec<String>, String> {
        let list = GlobList::read(&Value::Text(text.into()));
        list.map(|l| l.0.into_iter().map(|g| g.text).collect()).map_err(|e| e.message)
    }

    #[test]
    fn what_globs_match() {
        for (glob, path, expected) in [
            ("**", "a", true),
            ("**", ".a/b", true),
            ("**/a", "a", true),
            ("**/a", "x/a", true),
            ("a/**", "a", false),
            ("a/**", "a/b/c", true),
            ("a/**/b", "a/b", true),
            ("a/*", "a/.h", true),
            ("a/*", "a/b/c", false),
            ("a?c", "a/c", false),
            ("{a,b}/c", "b/c", true),
            ("{a,{b,c}}", "c", true),
            ("a{,x}", "a", true),
            ("[a-c]", "b", true),
            ("[*]", "*", true),
            ("A", "a", false),
            ("{a/**,b}", "a/x/c", true),
            ("{a/**,b}", "b", true),
            ("{b,a/**}", "a", false),
            ("x/{b,a/**}", "x/a/c/d", true),
            ("a/{**/b,c}", "a/x/y/b", true),
            ("a/{**/b,c}", "a/b", true),
            ("a/{**/b,c}", "a/xb", false),
            ("{c,**/b}", "x/b", true),
            ("{a,b/**/c}", "b/c", true),
            ("{a,b/**/c}", "b/x/c", true),
        ] {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(Glob::new(glob).unwrap().is_match(&path), expected, "{glob} {path}");
        }
    }

    #[test]
    fn a_list_says_which_of_its_globs_match() {
        let list = "a/x.c,**/x.c,*.c,{a,b}/x.c,a/**,[x].c,x.c,**/*";
        let list = GlobList::read(&Value::Text(list.into())).unwrap();
        for (path, expected) in [
            ("x.c", vec![1, 2, 5, 6, 7]),
            ("a/x.c", vec![0, 1, 3, 4, 7]),
            ("b/x.c", vec![1, 3, 7]),
            ("a/b/x.c", vec![1, 4, 7]),
            ("y", vec![7]),
        ] {
            let path = RepoPath::new(path).unwrap();
            let each: Vec<usize> = (0..list.0.len()).filter(|at| list.0[*at].is_match(&path)).collect();
            assert_eq!((list.matches(&path), each), (expected.clone(), expected), "{path}");
        }
    }

    #[test]
    fn what_globs_could_reach() {
        let directory = RepoPath::new("third/sub").unwrap();
        for (glob, expected) in [
            ("**", true),
            ("third/**", true),
            ("third/*/a.h", true),
            ("{third,x}/**", true),
            ("third/sub/a", true),
            ("third/sub", false),
            ("third/*", false),
            ("pkg/**", false),
            ("third/other/**", false),
        ] {
            assert_eq!(Glob::new(glob).unwrap().reaches_below(&directory), expected, "{glob}");
        }
    }

    #[test]
    fn globs_that_read_as_something_else_are_refused() {
        for (glob, message) in [
            ("", "is an empty glob"),
            ("/a", "\"/a\" starts with `/`"),
            ("./a", "\"./a\" starts with `./`"),
            ("a/../b", "\"a/../b\" holds `..`"),
            ("a\\b", "\"a\\b\" holds a backslash"),
            ("a/", "\"a/\" ends in `/`"),
            ("a//b", "\"a//b\" holds `//`"),
            ("a**b", "\"a**b\" has `**` beside other text"),
            ("a/***", "\"a/***\" has `**` beside other text"),
            ("{a/**,b}/c", "\"{a/**,b}/c\" has `**` beside other text"),
            ("{a/**,b}{c,d}", "\"{a/**,b}{c,d}\" has `**` beside other text"),
            ("x{**/b,c}", "\"x{**/b,c}\" has `**` beside other text"),
            ("{**,b}", "\"{**,b}\" has `**` beside other text"),
            ("{a,{b/**,c}}", "\"{a,{b/**,c}}\" has `**` beside other text"),
        ] {
            assert_eq!(Glob::new(glob).unwrap_err().message, message);
        }
        let help = Glob::new("a/**,b/**").unwrap_err().help.unwrap();
        assert_eq!(help, "one glob is expected here; to match either, write \"{a/**,b/**}\"");
        for glob in ["[", "a{b", "a}b", "[z-a]"] {
            assert!(Glob::new(glob).unwrap_err().message.contains("is not a glob"), "{glob}");
        }
    }

    #[test]
    fn lists_split_outside_braces_and_classes() {
        assert_eq!(list("a, b/{c,d} ,[,]e").unwrap(), ["a", "b/{c,d}", "[,]e"]);
        assert_eq!(list("a,,b").unwrap_err(), "is an empty glob");
        assert_eq!(list("a,a").unwrap_err(), "names \"a\" twice");
    }
}
