//! `source`: says which repository and commit the tree is.

use super::{Context, Failure, Group, Note, Op, OpSpec, Plan, Record};
use crate::recipe::{ArgSpec, ArgType, Args, CommitSha, NonEmptyText};
use crate::report::plural;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "source",
    group: Group::Pins,
    summary: "Pins the upstream repository and commit; the tree is what that commit tracks",
    args: &[
        ArgSpec::required("repo", ArgType::Text, "the repository's URL; a remote of the checkout must be it"),
        ArgSpec::required("commit", ArgType::Commit, "the full commit id that HEAD must be"),
    ],
    guarantees: &[
        "the tree is what the commit holds, byte for byte, whatever the machine's git is set to",
        "nothing of the repository is run",
    ],
    failures: &[
        "--dir is not the top of a checkout",
        "HEAD is another commit",
        "no remote is that repository",
        "the checkout is not clean, untracked files included",
    ],
    example: None,
    build,
};

struct Source {
    repo: String,
    commit: CommitSha,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let (repo, commit) = (args.get::<NonEmptyText>("repo"), args.get("commit"));
    Some(Box::new(Source { repo: repo?.0, commit: commit? }))
}

impl Op for Source {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let sourced = context.checkouts.upstream(&self.repo, &self.commit)?;
        let mut notes = Vec::new();
        if !sourced.dirty.is_empty() {
            let number = plural(sourced.dirty.len(), ("file differs", "files differ"));
            notes.push(Note::Warning(format!("the checkout is not clean: {number}; provenance says dirty")));
            notes.extend(sourced.dirty.iter().map(|e| Note::Detail(format!("{}  {}", e.path, e.text))));
        }
        Ok(Plan {
            log: format!("verified {} @ {}", self.repo, self.commit.short()),
            notes,
            records: vec![Record::Source {
                name: "upstream".to_owned(),
                repo: self.repo.clone(),
                commit: self.commit.clone(),
                dirty: !sourced.dirty.is_empty(),
            }],
            tree: Some(sourced.tree.clone()),
            ..Plan::default()
        })
    }
}
