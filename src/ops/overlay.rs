//! `overlay`: copies a directory of checked-in files over the tree.

use super::select::FILES_NOUN;
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Note, Op, OpSpec, Plan, Record};
use crate::manifest;
use crate::recipe::{ArgSpec, ArgType, Args, NonEmptyText};
use crate::report::plural;
use crate::workspace::{Change, Origin, load};
use std::path::PathBuf;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "overlay",
    group: Group::Tree,
    summary: "Copies a directory of checked-in files over the tree",
    args: &[
        ArgSpec::required(
            "from",
            ArgType::Text,
            "the directory, relative to the recipe (to the working directory for -e)",
        ),
        ArgSpec::optional("files", ArgType::Pin, "how many files are copied"),
        ArgSpec::optional("overwrites", ArgType::Pin, "how many files of the tree they replace"),
    ],
    guarantees: &["the log names each file of upstream's that is replaced"],
    failures: &[
        "the directory is missing or empty",
        "it brings a build.toml, which the manifest op writes",
        "a file would have to be a directory",
    ],
    example: Some(Example {
        recipe: r#"overlay from="examples/relu-jit/overlay" files=1 overwrites=0"#,
        files: &[("torch-ext/relu/__init__.py", "")],
    }),
    build,
};

struct Overlay {
    from: String,
    directory: PathBuf,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let from = args.get::<NonEmptyText>("from")?.0;
    let directory = args.context().base.join(&from);
    if !directory.is_dir() {
        let found = if directory.exists() { "is no directory" } else { "does not exist" };
        let message = format!("the overlay directory `{from}` {found}");
        args.error(
            "from",
            message,
            format!("looked for {}: from= is relative to the recipe", directory.display()),
        );
        return None;
    }
    Some(Box::new(Overlay { from, directory }))
}

impl Op for Overlay {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let (files, mut notes) = load::directory(&self.directory)?;
        if files.is_empty() {
            let message = format!("the overlay {} holds no file", self.from);
            return Err(Failure::new(FailureKind::Missing, message).at("from"));
        }
        if files.iter().any(|(path, _)| path.as_bytes() == manifest::FILE_NAME.as_bytes()) {
            let message = format!("the overlay brings a {}, which is always generated", manifest::FILE_NAME);
            return Err(Failure::new(FailureKind::Conflict, message)
                .at("from")
                .hint("say what it says with kernel and manifest ops, and delete it from the overlay"));
        }
        let (mut copied, mut replaced, mut changes) = (Vec::new(), Vec::new(), Vec::new());
        for (path, entry) in files.iter() {
            copied.push(Evidence::file(path));
            if let Some(old) = context.workspace.get(path) {
                let whose = if old.origin == Origin::Upstream { "upstream's" } else { "an earlier op's" };
                notes.push(Note::Info(format!("replaces {whose} {path}")));
                replaced.push(Evidence::file(path));
            }
            changes.push(Change::Put {
                path: path.clone(),
                content: entry.content.clone(),
                mode: entry.mode,
                origin: Origin::Overlay,
            });
        }
        let mut log = format!("copied {}", plural(copied.len(), FILES_NOUN));
        if !replaced.is_empty() {
            log.push_str(&format!(", replacing {}", replaced.len()));
        }
        let overwrites = Count {
            pin: "overwrites",
            noun: ("overwritten file", "overwritten files"),
            found: replaced.len() as u64,
            evidence: replaced,
        };
        Ok(Plan {
            log,
            notes,
            changes,
            counts: vec![Count::files(copied), overwrites],
            records: vec![Record::Overlay(self.directory.clone())],
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;
    use std::fs;

    fn overlay(files: &[(&str, &str)]) -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in files {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        directory
    }

    fn recipe(directory: &tempfile::TempDir, more: &str) -> String {
        format!("overlay from={:?} {more}", directory.path().display().to_string())
    }

    #[test]
    fn files_are_copied_and_overwritten_ones_are_named() {
        let directory = overlay(&[("a", "new"), ("d/b", "b")]);
        let run =
            Port::new(&recipe(&directory, "files=2 overwrites=1")).file("a", "old").file("c", "c").run();
        assert!(run.drift.is_empty());
        assert_eq!(run.steps[0].log, "copied 2 files, replacing 1");
        assert_eq!(run.steps[0].notes, [crate::ops::Note::Info("replaces upstream's a".into())]);
        assert_eq!(run.workspace.len(), 3);
    }

    #[test]
    fn a_file_that_appears_under_an_overlay_file_is_drift_when_pinned() {
        let directory = overlay(&[("a", "new")]);
        let failure = Port::new(&recipe(&directory, "overwrites=0")).file("a", "old").fails();
        assert!(failure.message.starts_with("expected exactly 0 overwritten files but found 1"));
    }

    #[test]
    fn a_build_toml_an_empty_directory_and_a_file_in_the_way_are_refused() {
        let failure = Port::new(&recipe(&overlay(&[("build.toml", "")]), "")).fails();
        assert_eq!(failure.message, "the overlay brings a build.toml, which is always generated");
        let empty = overlay(&[]);
        assert!(Port::new(&recipe(&empty, "")).fails().message.ends_with("holds no file"));
        let failure = Port::new(&recipe(&overlay(&[("a/b", "")]), "")).file("a", "").fails();
        assert_eq!(failure.message, "`a` is a file, but `a/b` needs a directory there");
    }

    #[test]
    fn a_missing_directory_is_a_mistake_of_the_recipe() {
        let errors = Port::new("overlay from=\"no/such\"").build_errors();
        assert_eq!(errors, ["1:14: overlay: the overlay directory `no/such` does not exist"]);
    }
}
