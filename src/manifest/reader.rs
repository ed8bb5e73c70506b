//! The primitives of reading a `build.toml`: tables, texts, integers and lists, each with its place, its check and a
//! problem when it is wrong. Knows no key by name.

use super::read::{Problem, Reading};
use super::shapes;
use super::values::suggest;
use crate::recipe::ValueError;
use std::ops::Range;
use toml_edit::{Item, Key, TableLike};

/// Walks the document with the dotted path of the table it is in.
pub(super) struct Reader {
    /// What was found so far.
    pub(super) reading: Reading,
    /// The keys of the table that is being read.
    pub(super) path: Vec<String>,
    /// Of the file, once it is known.
    pub(super) edition: Option<u64>,
    /// Set when a backend or a section could not be read: rules between them would repeat that in other words.
    pub(super) incomplete: bool,
}

pub(super) type Check<T> = fn(&str) -> Result<T, ValueError>;

impl Reader {
    pub(super) fn problem(&mut self, span: Range<usize>, warning: bool, error: ValueError) {
        let ValueError { message, help } = error;
        self.reading.problems.push(Problem { span, message, help, warning });
    }

    pub(super) fn key(&self, key: &str) -> String {
        let mut whole = self.path.clone();
        whole.push(key.to_owned());
        whole.join(".")
    }

    pub(super) fn refuse(&mut self, span: Range<usize>, key: &str, error: ValueError) {
        self.complain(span, key, error, false);
    }

    pub(super) fn complain(&mut self, span: Range<usize>, key: &str, error: ValueError, warning: bool) {
        let message = format!("{} {}", self.key(key), error.message);
        self.problem(span, warning, ValueError { message, help: error.help });
    }

    /// Reads a table in its own path; every key that is not among `known` is a problem.
    pub(super) fn table<T>(
        &mut self,
        parent: &dyn TableLike,
        name: &str,
        known: &[&str],
        read: impl FnOnce(&mut Self, &dyn TableLike) -> T,
    ) -> Option<T> {
        let item = parent.get(name)?;
        let span = span(item).or_else(|| parent.key(name).and_then(Key::span)).unwrap_or(0..0);
        self.reading.places.insert(self.key(name), span.clone());
        let Some(table) = item.as_table_like() else {
            self.refuse(span, name, ValueError::new("must be a table"));
            return None;
        };
        self.path.push(name.to_owned());
        self.known_keys(table, known);
        let found = read(self, table);
        self.path.pop();
        Some(found)
    }

    pub(super) fn known_keys(&mut self, table: &dyn TableLike, known: &[&str]) {
        for (key, item) in table.iter() {
            if known.contains(&key) {
                continue;
            }
            let place = table.key(key).and_then(Key::span).or_else(|| span(item)).unwrap_or(0..0);
            let error = ValueError::new("is no key that the builder knows");
            let error = match other_spelling(key, known) {
                Some(meant) => error.help(format!("here it is spelled {meant}")),
                None => suggest(error, key, known.iter().copied()),
            };
            self.refuse(place, key, error);
        }
    }

    pub(super) fn text<T>(&mut self, table: &dyn TableLike, key: &str, check: Check<T>) -> Option<String> {
        let item = table.get(key)?;
        let place = self.place(table, key, item);
        let Some(text) = item.as_str() else {
            self.refuse(place, key, ValueError::new("must be a string"));
            return None;
        };
        if let Err(error) = check(text) {
            self.refuse(place, key, error);
        }
        Some(text.to_owned())
    }

    pub(super) fn integer(
        &mut self,
        table: &dyn TableLike,
        key: &str,
        check: fn(u64) -> Result<(), ValueError>,
    ) -> Option<u64> {
        let item = table.get(key)?;
        let place = self.place(table, key, item);
        let Some(number) = item.as_integer().and_then(|n| u64::try_from(n).ok()) else {
            self.refuse(place, key, ValueError::new("must be an integer of 0 or more"));
            return None;
        };
        if let Err(error) = check(number) {
            self.refuse(place, key, error);
        }
        Some(number)
    }

    /// A list of strings; each is checked. `soft` makes warnings of what the check finds.
    pub(super) fn list<T>(
        &mut self,
        table: &dyn TableLike,
        key: &str,
        soft: bool,
        check: impl Fn(&str) -> Result<T, ValueError>,
    ) -> Vec<(String, Option<T>)> {
        let Some(item) = table.get(key) else {
            return Vec::new();
        };
        let place = self.place(table, key, item);
        let Some(array) = item.as_array() else {
            self.refuse(place, key, ValueError::new("must be a list of strings"));
            return Vec::new();
        };
        let mut found = Vec::new();
        for (at, value) in array.iter().enumerate() {
            let place = value.span().unwrap_or_else(|| place.clone());
            self.reading.places.insert(format!("{}[{at}]", self.key(key)), place.clone());
            let Some(text) = value.as_str() else {
                self.refuse(place, key, ValueError::new("holds an item that is no string"));
                continue;
            };
            let checked = match check(text) {
                Ok(checked) => Some(checked),
                Err(error) => {
                    self.complain(place, key, error, soft);
                    None
                }
            };
            found.push((text.to_owned(), checked));
        }
        found
    }

    pub(super) fn texts(&mut self, table: &dyn TableLike, key: &str, check: Check<()>) -> Vec<String> {
        self.list(table, key, false, check).into_iter().map(|(text, _)| text).collect()
    }

    /// Texts of which `check` may not know some yet: those are warnings.
    pub(super) fn soft(&mut self, table: &dyn TableLike, key: &str, check: Check<()>) -> Vec<String> {
        self.list(table, key, true, check).into_iter().map(|(text, _)| text).collect()
    }

    pub(super) fn paths(&mut self, table: &dyn TableLike, key: &str) -> Vec<String> {
        self.texts(table, key, |text| shapes::include_directory(text).map(drop))
    }

    pub(super) fn place(&mut self, table: &dyn TableLike, key: &str, item: &Item) -> Range<usize> {
        let place = span(item).or_else(|| table.key(key).and_then(Key::span)).unwrap_or(0..0);
        self.reading.places.insert(self.key(key), place.clone());
        place
    }

    pub(super) fn missing(&mut self, table: &dyn TableLike, key: &str) {
        if table.get(key).is_none() {
            let table_key = self.path.join(".");
            let place = self.reading.places.get(&table_key).cloned().unwrap_or(0..0);
            self.refuse(place, key, ValueError::new("is missing"));
        }
    }
}

/// Where an item stands.
pub(super) fn span(item: &Item) -> Option<Range<usize>> {
    item.span()
}

/// The key that is meant when dashes and underscores are mixed up.
fn other_spelling<'k>(key: &str, known: &[&'k str]) -> Option<&'k str> {
    let same = |other: &str| other.replace('_', "-") == key.replace('_', "-");
    known.iter().copied().find(|other| same(other))
}
