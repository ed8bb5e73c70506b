//! `vendor`: copies a directory of a second pinned repository into the tree.

use super::select::{FILES_NOUN, not_there};
use super::{Context, Count, Evidence, Failure, FailureKind, Note, Op, OpSpec, Plan, Record};
use crate::recipe::{ArgSpec, ArgType, Args, CommitSha, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Change, Directory, Origin};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "vendor",
    summary: "Copies a directory of a second pinned repository into the tree",
    args: &[
        ArgSpec::required("name", ArgType::Text, "what --vendor NAME=DIR calls the checkout"),
        ArgSpec::required("repo", ArgType::Text, "the repository's URL; a remote of the checkout must be it"),
        ArgSpec::required("commit", ArgType::Commit, "the full commit id that HEAD must be"),
        ArgSpec::required("path", ArgType::Path, "the directory there; `.` is all of it"),
        ArgSpec::required("to", ArgType::Path, "the directory here"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are copied"),
    ],
    failures: &[
        "no --vendor names the checkout",
        "the checkout is another commit or repository, or not clean",
        "`path` is no directory there",
        "a destination exists",
    ],
    example: None,
    build,
};

struct Vendor {
    name: String,
    repo: String,
    commit: CommitSha,
    path: Directory,
    to: Directory,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (name, repo) = (args.get::<NonEmptyText>("name"), args.get::<NonEmptyText>("repo"));
    let (commit, path, to) = (args.get("commit"), args.get("path"), args.get("to"));
    if name.as_ref().is_some_and(|n| n.0 == "upstream") {
        args.error(
            "name",
            "the name \"upstream\" is the source's",
            "give the vendored repository another name",
        );
    }
    if name.as_ref().is_some_and(|n| n.0.contains('=')) {
        args.error("name", "a name holds no `=`", "--vendor NAME=DIR splits there");
    }
    Some(Box::new(Vendor { name: name?.0, repo: repo?.0, commit: commit?, path: path?, to: to? }))
}

impl Op for Vendor {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let Some(directory) = context.checkouts.vendors.get(&self.name) else {
            let message = format!("there is no checkout of the vendored repository {}", self.name);
            return Err(Failure::new(FailureKind::Source, message)
                .at("name")
                .hint(format!("--vendor {}=CHECKOUT names it", self.name)));
        };
        let sourced = context.checkouts.pinned(directory, &self.repo, &self.commit)?;
        let tree = sourced.tree.clone().without(&sourced.absent);
        let files: Vec<_> = tree.below(&self.path).collect();
        if files.is_empty() {
            return Err(match &self.path {
                Directory::Path(path) if tree.is_file(path) => {
                    let message = format!("path=\"{path}\" is a file of {}, not a directory", self.name);
                    Failure::new(FailureKind::Missing, message).at("path")
                }
                Directory::Path(path) => not_there(&tree, path, "path"),
                Directory::Root => {
                    Failure::new(FailureKind::Missing, format!("{} holds no file", self.name)).at("path")
                }
            });
        }
        let (mut copied, mut changes, mut taken) = (Vec::new(), Vec::new(), Vec::new());
        for (path, entry) in files {
            let below = path.below(&self.path).unwrap_or(path.as_bytes());
            let to = self.to.join(below).map_err(|e| {
                Failure::new(FailureKind::Refused, format!("the destination of `{path}` {e}")).at("to")
            })?;
            if context.workspace.is_file(&to) {
                taken.push(Evidence::file(&to));
            }
            copied.push(Evidence::file(&to));
            changes.push(Change::Put {
                path: to,
                content: entry.content.clone(),
                mode: entry.mode,
                origin: Origin::Vendor(self.name.clone()),
            });
        }
        if !taken.is_empty() {
            let message =
                format!("{} already", plural(taken.len(), ("destination exists", "destinations exist")));
            return Err(Failure::new(FailureKind::Conflict, message)
                .at("to")
                .evidence(taken)
                .hint("vendor into a directory of its own, or delete those files first"));
        }
        let dirty = !sourced.dirty.is_empty();
        let warning = dirty.then(|| {
            Note::Warning(format!("the checkout of {} is not clean; provenance says dirty", self.name))
        });
        Ok(Plan {
            log: format!(
                "vendored {} from {}:{} @ {}",
                plural(copied.len(), FILES_NOUN),
                self.name,
                self.path,
                self.commit.short()
            ),
            notes: warning.into_iter().collect(),
            counts: vec![Count::files(copied)],
            changes,
            records: vec![Record::Source {
                name: self.name.clone(),
                repo: self.repo.clone(),
                commit: self.commit.clone(),
                dirty,
            }],
            ..Plan::default()
        })
    }
}
