//! What an op hands to the runner: changes, counts with evidence, notes, or the reason why it does not apply.

use crate::manifest::{KernelSection, Model};
use crate::recipe::{CommitSha, Position, Text};
use crate::workspace::{Change, RepoPath, Workspace};
use std::path::{Path, PathBuf};

/// What an op may look at while it plans.
pub struct Context<'a> {
    /// The tree as the ops before left it.
    pub workspace: &'a Workspace,
    /// What the ops before recorded.
    pub records: &'a [Record],
    /// The checkouts the command line gave.
    pub checkouts: &'a crate::git::Checkouts,
}

/// One place that an op found: what a maintainer looks at when a number changed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Evidence {
    /// The file.
    pub path: RepoPath,
    /// Where in it; `None` when the file as a whole is meant.
    pub position: Option<Position>,
    /// The matched line or statement, without its line end; empty when the path says it all.
    pub text: String,
}

impl Evidence {
    /// The file as a whole.
    pub fn file(path: &RepoPath) -> Self {
        Self { path: path.clone(), position: None, text: String::new() }
    }

    /// The line of `content` that holds the byte `offset`.
    pub fn line(path: &RepoPath, content: &[u8], offset: usize) -> Self {
        Self::at(path, content, offset, Position::of(content, offset))
    }

    /// The lines of many places, in the order of the file: as [`Evidence::line`], without counting from the top each time.
    pub fn lines(path: &RepoPath, content: &[u8], offsets: &[usize]) -> Vec<Self> {
        let mut known: Option<(usize, Position)> = None;
        let place = |offset: &usize| {
            let between = known.map_or(content, |(from, _)| &content[from..*offset]);
            let position = match known {
                Some((_, before)) if between.is_ascii() => {
                    let lines = between.iter().filter(|b| **b == b'\n').count();
                    let behind = between.iter().rev().take_while(|b| **b != b'\n').count();
                    let column = if lines == 0 { before.column + behind } else { 1 + behind };
                    Position { line: before.line + lines, column }
                }
                _ => Position::of(content, *offset),
            };
            known = Some((*offset, position));
            Self::at(path, content, *offset, position)
        };
        offsets.iter().map(place).collect()
    }

    fn at(path: &RepoPath, content: &[u8], offset: usize, position: Position) -> Self {
        /// A longer line is shown in part: this much before the place and behind it.
        const AROUND: usize = 200;
        let (head, tail) = content.split_at(offset);
        let before = &head[head.len().saturating_sub(AROUND)..];
        let behind = &tail[..tail.len().min(AROUND)];
        let start = before.iter().rposition(|b| *b == b'\n').map(|at| at + 1);
        let end = behind.iter().position(|b| *b == b'\n');
        let cut_before = start.is_none() && before.len() < head.len();
        let cut_behind = end.is_none() && behind.len() < tail.len();
        let line = [&before[start.unwrap_or(0)..], &behind[..end.unwrap_or(behind.len())]].concat();
        let line = String::from_utf8_lossy(&line);
        let text = format!(
            "{}{}{}",
            if cut_before { "... " } else { "" },
            line.trim_end_matches('\r'),
            if cut_behind { " ..." } else { "" }
        );
        Self { path: path.clone(), position: Some(position), text }
    }
}

/// A number that the op found and that a pin may fix.
#[derive(Debug, Clone)]
pub struct Count {
    /// The pin's name: `count`, `files`, `changes`, `overwrites`.
    pub pin: &'static str,
    /// What is counted, singular and plural: `("change", "changes")`.
    pub noun: (&'static str, &'static str),
    /// How many there are.
    pub found: u64,
    /// Each of them, in path and line order.
    pub evidence: Vec<Evidence>,
}

/// Something a reader of the log should know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Note {
    /// Shown always, to stderr, and counted.
    Warning(String),
    /// Shown below the log line: the names of overwritten files.
    Info(String),
    /// Shown below the log line with `--verbose`.
    Detail(String),
}

/// What an op leaves for later ops, the checks and provenance.
#[derive(Debug, Clone)]
pub enum Record {
    /// A verified source or vendor.
    Source {
        /// `upstream` for the source, else the vendor's name.
        name: String,
        /// As the recipe writes it.
        repo: String,
        /// The pinned commit.
        commit: CommitSha,
        /// Whether the checkout was not clean and `--allow-dirty` let it pass.
        dirty: bool,
    },
    /// An overlay directory that was copied.
    Overlay(PathBuf),
    /// A `[kernel.<name>]` section.
    Kernel(KernelSection),
    /// The manifest was written.
    Manifest(Box<Model>),
    /// A finding of the final checks that is accepted.
    Allow {
        /// The rule's id.
        rule: String,
        /// Where.
        within: crate::recipe::Glob,
        /// Why.
        reason: Text,
    },
    /// A package directory and the import name it had upstream.
    Package {
        /// Its import name before it was moved or remapped.
        name: String,
    },
}

/// What an op would do.
#[derive(Debug, Default)]
pub struct Plan {
    /// Applied together, after the pins matched.
    pub changes: Vec<Change>,
    /// What was counted. A count of zero without a pin is an error, see [`Plan::none`].
    pub counts: Vec<Count>,
    /// The log line, without the op's name: `rewrote 6 imports in 3 files`.
    pub log: String,
    /// What to say besides.
    pub notes: Vec<Note>,
    /// What to remember.
    pub records: Vec<Record>,
    /// Set when the op found nothing to do: the failure to report unless a pin of 0 asked for exactly that.
    pub none: Option<Failure>,
    /// Replaces the whole tree: a `source` narrows it to what the commit tracks.
    pub tree: Option<Workspace>,
}

/// What kind of failure it is; decides the exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// A number differs from its pin.
    Pin,
    /// Something is not there (any more): a text, a path, a glob's files.
    Missing,
    /// The op found nothing to do.
    NoEffect,
    /// A destination is taken.
    Conflict,
    /// The op cannot do it safely and says why.
    Refused,
    /// The tree would be larger than any port is; nothing after it is measured.
    Limit,
    /// A Python file does not parse.
    Syntax,
    /// Wrong commit, wrong repository, not clean, no checkout.
    Source,
    /// A file could not be read.
    Read,
}

/// Why an op does not apply.
#[derive(Debug, Clone)]
pub struct Failure {
    /// The kind.
    pub kind: FailureKind,
    /// One complete line: expected and found.
    pub message: String,
    /// The argument under which the caret is drawn; the op's name without one.
    pub argument: Option<&'static str>,
    /// Every place concerned.
    pub evidence: Vec<Evidence>,
    /// A small diff or other lines that explain, shown as they are.
    pub details: Vec<String>,
    /// What to do next.
    pub hints: Vec<String>,
}

impl Failure {
    /// A failure with its one line.
    pub fn new(kind: FailureKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            argument: None,
            evidence: Vec::new(),
            details: Vec::new(),
            hints: Vec::new(),
        }
    }

    /// Puts the caret under an argument.
    #[must_use]
    pub fn at(mut self, argument: &'static str) -> Self {
        self.argument = Some(argument);
        self
    }

    /// With every place concerned.
    #[must_use]
    pub fn evidence(mut self, evidence: Vec<Evidence>) -> Self {
        self.evidence = evidence;
        self
    }

    /// With lines that explain.
    #[must_use]
    pub fn details(mut self, details: Vec<String>) -> Self {
        self.details = details;
        self
    }

    /// With what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// A file that cannot be read.
    pub fn read(path: &RepoPath, error: &std::io::Error) -> Self {
        Self::new(FailureKind::Read, format!("cannot read `{path}`: {error}"))
    }

    /// A directory of the machine that cannot be read.
    pub fn read_dir(path: &Path, error: &std::io::Error) -> Self {
        Self::new(FailureKind::Read, format!("cannot read {}: {error}", path.display()))
    }
}
