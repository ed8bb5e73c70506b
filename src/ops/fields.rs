//! Reads the arguments that become values of `build.toml`: each value is checked where it stands, so that the caret
//! is under the argument and all mistakes of an op come out together.

use super::{Context, Evidence, Failure, FailureKind};
use crate::manifest::include_directory;
use crate::ops::select::{near_paths, no_match};
use crate::recipe::{Args, BuiltOp, GlobList, List, NonEmptyText, RecipeError, ValueError};
use crate::workspace::RepoPath;
use std::collections::BTreeSet;

/// Something odd but allowed in an argument.
pub struct Warning {
    /// The argument; the op's name when it is not given.
    argument: &'static str,
    /// In words that follow the argument's name.
    error: ValueError,
}

/// The arguments of one op, and what is odd about them.
pub struct Fields<'f, 'a> {
    /// The op's arguments.
    pub args: &'f mut Args<'a>,
    warnings: Vec<Warning>,
}

impl<'f, 'a> Fields<'f, 'a> {
    /// Reads from `args`.
    pub fn new(args: &'f mut Args<'a>) -> Self {
        Self { args, warnings: Vec::new() }
    }

    /// A text that `check` accepts.
    pub fn text<T>(&mut self, name: &str, check: fn(&str) -> Result<T, ValueError>) -> Option<String> {
        self.parsed(name, |text| check(text).map(|_| text.to_owned()))
    }

    /// What `parse` makes of a text.
    pub fn parsed<T>(&mut self, name: &str, parse: impl FnOnce(&str) -> Result<T, ValueError>) -> Option<T> {
        let text = self.args.get::<NonEmptyText>(name)?.0;
        parse(&text).map_err(|error| self.args.refuse(name, error)).ok()
    }

    /// A number that `check` accepts.
    pub fn number(&mut self, name: &str, check: fn(u64) -> Result<(), ValueError>) -> Option<u64> {
        let number = self.args.get::<u64>(name)?;
        check(number).map_err(|error| self.args.refuse(name, error)).ok()?;
        Some(number)
    }

    /// What `parse` makes of each item; a wrong one is an error of its own.
    pub fn items<T>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, ValueError>) -> Vec<T> {
        let items = self.args.get::<List>(name).map(|list| list.0).unwrap_or_default();
        let mut found = Vec::with_capacity(items.len());
        for item in &items {
            match parse(item) {
                Ok(parsed) => found.push(parsed),
                Err(error) => self.args.refuse(name, error),
            }
        }
        found
    }

    /// Items of which none may stand there twice.
    pub fn set<T: PartialEq>(&mut self, name: &str, parse: impl Fn(&str) -> Result<T, ValueError>) -> Vec<T> {
        let items = self.items(name, |item| Ok((item.to_owned(), parse(item)?)));
        let mut found: Vec<T> = Vec::with_capacity(items.len());
        for (text, item) in items {
            if found.contains(&item) {
                let error = ValueError::new(format!("names \"{text}\" twice"));
                self.args.refuse(name, error.help("name it once"));
            } else {
                found.push(item);
            }
        }
        found
    }

    /// Names that `check` accepts, none twice.
    pub fn names(&mut self, name: &str, check: impl Fn(&str) -> Result<(), ValueError>) -> Vec<String> {
        self.set(name, |item| check(item).map(|()| item.to_owned()))
    }

    /// Names of which `check` may not know some yet: those are warnings.
    pub fn open_names(
        &mut self,
        name: &'static str,
        check: impl Fn(&str) -> Result<(), ValueError>,
    ) -> Vec<String> {
        let names = self.names(name, |_| Ok(()));
        let unknown: Vec<ValueError> = names.iter().filter_map(|item| check(item).err()).collect();
        self.warnings.extend(unknown.into_iter().map(|error| Warning { argument: name, error }));
        names
    }

    /// Compiler flags; one may stand there twice, as `-Xcompiler` does.
    pub fn flags(&mut self, name: &str) -> Vec<String> {
        self.items(name, |item| crate::manifest::flag(item).map(|()| item.to_owned()))
    }

    /// Include directories, as they are written.
    pub fn directories(&mut self, name: &str) -> Vec<String> {
        self.set(name, |item| include_directory(item).map(|_| item.to_owned()))
    }

    /// Notes something odd.
    pub fn warn(&mut self, argument: &'static str, message: impl Into<String>, help: impl Into<String>) {
        self.warnings.push(Warning { argument, error: ValueError::new(message).help(help) });
    }

    /// What was odd.
    pub fn finish(self) -> Vec<Warning> {
        self.warnings
    }
}

/// The warnings in the recipe's terms.
pub fn show(warnings: &[Warning], built: &BuiltOp) -> Vec<RecipeError> {
    let show = |Warning { argument, error }: &Warning| {
        let given = built.node.properties.iter().find(|p| p.name.value == *argument);
        let span = given.map_or_else(|| built.span(None), |p| p.value.span.clone());
        let message = format!("{}: {argument}= {}", built.spec.name, error.message);
        RecipeError { span, message, help: error.help.clone() }
    };
    warnings.iter().map(show).collect()
}

/// The files that globs select: sorted, each once. Each glob must match.
///
/// # Errors
/// A glob that matches nothing.
pub fn sources<'w>(
    context: &Context<'w>,
    globs: &GlobList,
    argument: &'static str,
) -> Result<Vec<&'w RepoPath>, Failure> {
    let mut selected = BTreeSet::new();
    for glob in &globs.0 {
        let paths = glob.paths(context.workspace);
        if paths.is_empty() {
            let failure = no_match(context.workspace, glob, argument);
            return Err(if argument == "torch_src" {
                failure.hint(
                    "the binding, which registers the operators, is written by hand: bring it with an overlay; \
                     `kernel-port explain registration` prints one to start from",
                )
            } else {
                failure
            });
        }
        selected.extend(paths);
    }
    Ok(selected.into_iter().collect())
}

/// Paths as `build.toml` can hold them.
///
/// # Errors
/// A path that is no UTF-8: TOML has no way to write it.
pub fn written(paths: &[&RepoPath], argument: &'static str) -> Result<Vec<String>, Failure> {
    let text = |path: &&RepoPath| {
        std::str::from_utf8(path.as_bytes()).map(str::to_owned).map_err(|_| {
            let message = format!("the name of `{path}` is not UTF-8, and build.toml can hold nothing else");
            Failure::new(FailureKind::Refused, message)
                .at(argument)
                .evidence(vec![Evidence::file(path)])
                .hint("move it to a name in UTF-8 before this op, or leave it out of the glob")
        })
    };
    paths.iter().map(text).collect()
}

/// Each include directory must hold files.
///
/// # Errors
/// One that is not there.
pub fn directories_hold_files(
    context: &Context<'_>,
    directories: &[String],
    argument: &'static str,
) -> Result<(), Failure> {
    for text in directories {
        let Ok(directory) = include_directory(text) else {
            continue;
        };
        if context.workspace.below(&directory).next().is_some() {
            continue;
        }
        let message = format!("{argument}=\"{text}\" is no directory that holds files");
        let failure = Failure::new(FailureKind::Missing, message).at(argument);
        let file = RepoPath::typed(text).ok().filter(|path| context.workspace.is_file(path));
        return Err(match file.map(|path| path.parent()) {
            Some(Some(parent)) => failure.hint(format!("it is a file; its directory is \"{parent}\"")),
            Some(None) => failure.hint("it is a file; its directory is \".\""),
            None => near_paths(failure, context.workspace, text),
        });
    }
    Ok(())
}
