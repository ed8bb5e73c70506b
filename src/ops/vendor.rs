//! `vendor`: copies a directory of a second pinned repository into the tree.

use super::select::{FILES_NOUN, not_there, refuse_absent};
use super::{Context, Count, Evidence, Failure, FailureKind, Group, Note, Op, OpSpec, Plan, Record};
use crate::recipe::{ArgSpec, ArgType, Args, CommitSha, Node, NonEmptyText, RecipeError, Span, Value};
use crate::report::plural;
use crate::workspace::{Change, Directory, Origin, Workspace};

pub(super) const SPEC: OpSpec = OpSpec {
    name: "vendor",
    group: Group::Pins,
    summary: "Copies a directory of a second pinned repository into the tree",
    args: &[
        ArgSpec::required("name", ArgType::Text, "what --vendor NAME=DIR calls the checkout"),
        ArgSpec::required("repo", ArgType::Text, "the repository's URL; a remote of the checkout must be it"),
        ArgSpec::required("commit", ArgType::Commit, "the full commit id that HEAD must be"),
        ArgSpec::required("path", ArgType::Path, "the directory there; `.` is all of it"),
        ArgSpec::required("to", ArgType::Path, "the directory here"),
        ArgSpec::optional("files", ArgType::Pin, "how many files are copied"),
    ],
    guarantees: &["the same as for source; no file is overwritten"],
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
        let sourced = context.checkouts.vendored(&self.name, &self.repo, &self.commit)?;
        let tree = &sourced.tree;
        reaches_no_absent(tree, &self.path)?;
        let files: Vec<_> = tree.below(&self.path).collect();
        if files.is_empty() {
            return Err(match &self.path {
                Directory::Path(path) if tree.is_file(path) => {
                    let message = format!("path=\"{path}\" is a file of {}, not a directory", self.name);
                    Failure::new(FailureKind::Missing, message).at("path")
                }
                Directory::Path(path) => not_there(tree, path, "path"),
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

/// A directory that holds a submodule without its files would be copied in part.
fn reaches_no_absent(tree: &Workspace, path: &Directory) -> Result<(), Failure> {
    refuse_absent(tree, "path", |submodule| match path {
        Directory::Root => true,
        Directory::Path(path) => {
            submodule == path
                || Directory::Path(path.clone()).holds(submodule)
                || Directory::Path(submodule.clone()).holds(path)
        }
    })
}

/// Adds a mistake for each vendor op that uses an earlier one's name for another repository or commit. Values that are
/// wrong by themselves are left to the ops.
pub(super) fn check_names(ops: &[&Node], errors: &mut Vec<RecipeError>) {
    let vendors: Vec<&Node> = ops.iter().copied().filter(|n| n.name.value == SPEC.name).collect();
    for (at, vendor) in vendors.iter().enumerate() {
        let Some((name, _)) = text(vendor, "name") else { continue };
        let Some(first) = vendors[..at].iter().find(|v| text(v, "name").is_some_and(|(n, _)| n == name))
        else {
            continue;
        };
        for argument in ["repo", "commit"] {
            let (Some((theirs, _)), Some((ours, span))) = (text(first, argument), text(vendor, argument))
            else {
                continue;
            };
            if !theirs.eq_ignore_ascii_case(ours) {
                let message = format!("vendor: \"{name}\" has another {argument} above: {theirs}");
                let help =
                    "one name is one checkout: give this one another name, or the same repo and commit";
                errors.push(RecipeError::new(span, message).help(help));
            }
        }
    }
}

fn text<'n>(node: &'n Node, name: &str) -> Option<(&'n str, Span)> {
    let property = node.properties.iter().find(|p| p.name.value == name)?;
    match &property.value.value {
        Value::Text(text) => Some((text, property.value.span.clone())),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    #[test]
    fn one_name_is_one_repository_at_one_commit() {
        let vendor = |repo: &str, digit: &str, to: &str| {
            let commit = digit.repeat(40);
            format!("vendor name=\"v\" repo=\"{repo}\" commit=\"{commit}\" path=\".\" to=\"{to}\"\n")
        };
        let port = |second: String| Port::new(&format!("{}{second}", vendor("https://h/r", "a", "x")));
        assert_eq!(port(vendor("https://h/r", "A", "y")).build_errors(), [""; 0]);
        let errors = port(vendor("https://h/s", "b", "y")).build_errors();
        assert_eq!(errors[0], "2:22: vendor: \"v\" has another repo above: https://h/r");
        assert_eq!(errors[1], format!("2:43: vendor: \"v\" has another commit above: {}", "a".repeat(40)));
        assert_eq!(errors.len(), 2);
    }
}
