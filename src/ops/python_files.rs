//! What the ops on Python files share: the files that a glob matches, parsed, and how they fail.

use super::select::matched;
use super::{Count, Evidence, Failure, FailureKind, Note, Plan};
use crate::parallel::{self, PATIENCE};
use crate::python::edit::one_line;
use crate::python::{ByteRange, Module, SyntaxError, is_python};
use crate::recipe::Glob;
use crate::report::plural;
use crate::workspace::{Change, Mode, RepoPath, TextEdit, Workspace};
use std::sync::Arc;

/// A Python file of the tree, parsed.
pub struct PythonFile<'w> {
    /// Where it is.
    pub path: &'w RepoPath,
    /// What it holds.
    pub content: Arc<[u8]>,
    /// What that says.
    pub module: Arc<Module>,
}

impl PythonFile<'_> {
    /// A statement or expression as evidence.
    pub fn evidence(&self, range: &ByteRange) -> Evidence {
        Evidence {
            path: self.path.clone(),
            position: Some(self.module.position(&self.content, range.start)),
            text: one_line(&self.content, range.clone()),
        }
    }

    /// The line around a place as evidence.
    pub fn line(&self, range: &ByteRange) -> Evidence {
        let lines = self.module.lines();
        let line = lines.start(range.start)..lines.next(range.start, &self.content);
        Evidence { text: one_line(&self.content, line), ..self.evidence(range) }
    }
}

/// The Python files that a glob matches.
pub struct Selection<'w> {
    /// Those that mention what the op looks for, parsed, in path order.
    pub files: Vec<PythonFile<'w>>,
    /// All of them.
    pub paths: Vec<&'w RepoPath>,
    /// Notebooks and Cython files among the matches that mention it: no op edits them.
    pub notes: Vec<Note>,
}

/// Reads the Python files that `in=` matches. A file that holds none of the bytes of `mention` is not parsed: it can
/// have no import that the op looks for. Symlinks are skipped.
///
/// # Errors
/// The glob matches nothing; a file cannot be read; files that mention it do not parse, all of which are listed.
pub fn select<'w>(workspace: &'w Workspace, within: &Glob, mention: &str) -> Result<Selection<'w>, Failure> {
    let matches = matched(workspace, within, "in")?;
    let is_file = |path: &&RepoPath| workspace.get(path).is_some_and(|e| e.mode != Mode::Symlink);
    let (paths, others): (Vec<_>, Vec<_>) =
        matches.into_iter().filter(|p| is_file(p)).partition(|path| is_python(path));
    let finder = memchr::memmem::Finder::new(mention.as_bytes());
    let read = parallel::map(&paths, PATIENCE, |path| {
        let content = workspace.read(path).map_err(|e| Failure::read(path, &e))?;
        let mentions = finder.find(&content).is_some();
        // An identifier that is not ASCII may mean the same name in another spelling.
        let module = (mentions || !content.is_ascii()).then(|| workspace.parse(&content));
        Ok((content, mentions, module))
    });
    let files = parsed(paths.iter().copied().zip(read))?;
    let mut notes = Vec::new();
    for path in
        others.into_iter().filter(|p| matches!(p.extension(), Some(b"ipynb" | b"pyx" | b"pxd" | b"pxi")))
    {
        let content = workspace.read(path).map_err(|e| Failure::read(path, &e))?;
        if finder.find(&content).is_some() {
            notes.push(Note::Warning(format!(
                "`{path}` mentions {mention}, but is no Python file and stays as it is"
            )));
        }
    }
    Ok(Selection { files, paths, notes })
}

/// A content, whether it mentions what is looked for, and what it says, if that matters.
type Read = (Arc<[u8]>, bool, Option<Result<Arc<Module>, SyntaxError>>);

fn parsed<'w>(
    read: impl Iterator<Item = (&'w RepoPath, Result<Read, Failure>)>,
) -> Result<Vec<PythonFile<'w>>, Failure> {
    let mut files = Vec::new();
    let mut wrong = Vec::new();
    for (path, read) in read {
        let (content, mentions, Some(module)) = read? else { continue };
        match module {
            Ok(module) => files.push(PythonFile { path, content, module }),
            // What is no Python and does not mention it is upstream's business.
            Err(_) if !mentions => {}
            Err(error) => {
                let line = Evidence::line(path, &content, error.offset.min(content.len()));
                let text = format!("{} ({})", line.text.trim(), error.message);
                wrong.push((error, Evidence { text, ..line }));
            }
        }
    }
    let Some((first, evidence)) = wrong.first() else {
        return Ok(files);
    };
    let more = if wrong.len() > 1 {
        format!(" (and {} more)", plural(wrong.len() - 1, ("file", "files")))
    } else {
        String::new()
    };
    let message = format!("{}:{} does not parse: {}{more}", evidence.path, first.position, first.message);
    Err(Failure::new(FailureKind::Syntax, message)
        .at("in")
        .evidence(wrong.into_iter().map(|(_, evidence)| evidence).collect())
        .hint("narrow in= so that it leaves out files that are no Python 3.8 to 3.14"))
}

/// Imports that cannot be rewritten exactly, in all files.
#[derive(Default)]
pub struct Refusals {
    imports: usize,
    evidence: Vec<Evidence>,
    details: Vec<String>,
}

impl Refusals {
    /// Adds an import of a file and what is in the way.
    pub fn add(&mut self, file: &PythonFile<'_>, refusal: &crate::python::unalias::Refusal) {
        for import in refusal.imports.iter().map(|index| &file.module.imports[*index]) {
            let statement = one_line(&file.content, import.range.clone());
            self.details.push(format!("{}:{}: {statement}", file.path, import.position));
            self.imports += 1;
        }
        let places = refusal.obstacles.iter().map(|o| {
            let position = file.module.position(&file.content, o.range.start);
            format!("    {}:{position}: {}", file.path, o.reason)
        });
        self.details.extend(places);
        self.evidence.extend(refusal.obstacles.iter().map(|o| file.line(&o.range)));
    }

    /// The failure that lists them all.
    ///
    /// # Errors
    /// There is one at least.
    pub fn check(mut self) -> Result<(), Failure> {
        if self.imports == 0 {
            return Ok(());
        }
        self.evidence.dedup();
        let message = format!(
            "{} cannot be rewritten without changing what {}",
            plural(self.imports, ("import", "imports")),
            if self.imports == 1 { "it means" } else { "they mean" }
        );
        Err(Failure::new(FailureKind::Refused, message)
            .at("in")
            .details(self.details)
            .evidence(self.evidence)
            .hint("import what is used with `from ... import` first (replace), or leave the file out of in="))
    }
}

/// The edits and the evidence of all files.
#[derive(Default)]
pub struct Rewrites {
    changes: Vec<Change>,
    evidence: Vec<Evidence>,
    files: usize,
}

impl Rewrites {
    /// Adds a file's edits and the ranges of the rewritten statements.
    pub fn add(&mut self, file: &PythonFile<'_>, edits: Vec<TextEdit>, statements: &[ByteRange]) {
        if self.count(file, statements) {
            self.changes.push(Change::Edit { path: file.path.clone(), edits });
        }
    }

    /// Adds the ranges of a file's rewritten statements; whether there are any.
    pub fn count(&mut self, file: &PythonFile<'_>, statements: &[ByteRange]) -> bool {
        self.files += usize::from(!statements.is_empty());
        self.evidence.extend(statements.iter().map(|range| file.evidence(range)));
        !statements.is_empty()
    }

    /// Adds files whose statements were counted before, as they are once these are rewritten.
    pub fn edited(&mut self, files: impl IntoIterator<Item = Change>) {
        self.changes.extend(files);
    }

    /// Whether nothing was rewritten.
    pub fn is_empty(&self) -> bool {
        self.evidence.is_empty()
    }

    /// The plan: `rewrote 6 imports in 3 files`, and `none` when there was nothing.
    pub fn plan(self, notes: Vec<Note>, none: Failure) -> Plan {
        let number = self.evidence.len();
        Plan {
            log: format!(
                "rewrote {} in {}",
                plural(number, ("import", "imports")),
                plural(self.files, ("file", "files"))
            ),
            none: (number == 0).then_some(none),
            counts: vec![Count {
                pin: "changes",
                noun: ("change", "changes"),
                found: number as u64,
                evidence: self.evidence,
            }],
            changes: self.changes,
            notes,
            ..Plan::default()
        }
    }
}

/// The start of a failure for an op that found nothing to rewrite.
pub fn nothing(selection: &Selection<'_>, within: &Glob, what: &str) -> Failure {
    let message = match selection.paths.len() {
        0 => format!("in=\"{}\" matches no Python file", within.as_str()),
        number => {
            format!("no {what} in the {} that in= matches", plural(number, ("Python file", "Python files")))
        }
    };
    Failure::new(FailureKind::NoEffect, message).at("in")
}
