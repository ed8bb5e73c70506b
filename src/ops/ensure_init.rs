//! `ensure_init`: an empty `__init__.py` for every directory that Python files make a package.

use super::select::{files_at, refuse_absent};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan};
use crate::python::is_python;
use crate::recipe::{ArgSpec, ArgType, Args};
use crate::report::plural;
use crate::workspace::{Change, Content, Directory, Mode, Origin, RepoPath};
use std::collections::BTreeSet;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "ensure_init",
    group: Group::Tree,
    summary: "Adds an empty __init__.py to every directory that holds Python files and has none",
    args: &[
        ArgSpec::required("under", ArgType::Path, "the directory to begin at; `.` is the top"),
        ArgSpec::optional("changes", ArgType::Pin, "how many files are added"),
    ],
    guarantees: &["an `__init__.py` that is there stays as it is"],
    failures: &["the directory is not there", "every directory has one already"],
    example: Some(Example {
        recipe: r#"ensure_init under="pkg" changes=2"#,
        files: &[("pkg/__init__.py", "x = 1\n"), ("pkg/sub/deep/mod.py", "y = 2\n")],
    }),
    build,
};

struct EnsureInit {
    under: Directory,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    Some(Box::new(EnsureInit { under: args.get("under")? }))
}

impl Op for EnsureInit {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        refuse_absent(context.workspace, "under", |submodule| self.under.holds(submodule))?;
        if let Directory::Path(path) = &self.under
            && context.workspace.is_file(path)
        {
            let message = format!("under=\"{path}\" is a file, not a directory");
            return Err(Failure::new(FailureKind::Missing, message)
                .at("under")
                .hint("name the directory above it"));
        }
        let mut needed: BTreeSet<RepoPath> = BTreeSet::new();
        for path in files_at(context.workspace, &self.under, "under")?.into_iter().filter(|p| is_python(p)) {
            for directory in path.ancestors() {
                let inside = self.under.holds(&directory) || self.under == Directory::Path(directory.clone());
                if !inside {
                    break;
                }
                if let Ok(init) = directory.join("__init__.py") {
                    needed.insert(init);
                }
            }
            // The top of the tree is a directory as well when it is what `under` names.
            if self.under == Directory::Root
                && path.parent().is_none()
                && let Ok(init) = RepoPath::new("__init__.py")
            {
                needed.insert(init);
            }
        }
        let added: Vec<RepoPath> = needed.into_iter().filter(|p| !context.workspace.is_file(p)).collect();
        let put = |path: RepoPath| Change::Put {
            path,
            content: Content::from(""),
            mode: Mode::File,
            origin: Origin::Generated,
        };
        let none = added.is_empty().then(|| {
            let message = format!("no directory at or below {} lacks an __init__.py", self.under);
            Failure::new(FailureKind::NoEffect, message).at("under").hint("this op can go")
        });
        Ok(Plan {
            log: format!(
                "added {}",
                plural(added.len(), ("missing __init__.py file", "missing __init__.py files"))
            ),
            counts: vec![Count {
                pin: "changes",
                noun: ("change", "changes"),
                found: added.len() as u64,
                evidence: added.iter().map(Evidence::file).collect(),
            }],
            changes: added.into_iter().map(put).collect(),
            none,
            ..Plan::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    fn added(under: &str, files: &[&str]) -> Vec<String> {
        let port = Port::new(&format!("ensure_init under=\"{under}\""));
        let (_, tree) = files.iter().fold(port, |port, file| port.file(file, "x")).ok();
        tree.into_keys().filter(|path| !files.contains(&path.as_str())).collect()
    }

    #[test]
    fn directories_between_are_packages_too() {
        assert_eq!(
            added("p", &["p/a/b/c.py", "p/d/x.cu"]),
            ["p/__init__.py", "p/a/__init__.py", "p/a/b/__init__.py"]
        );
        assert_eq!(added("p/a", &["p/a/b/c.pyi"]), ["p/a/__init__.py", "p/a/b/__init__.py"]);
    }

    #[test]
    fn the_top_can_be_named_in_every_spelling() {
        for under in [".", "", "./"] {
            assert_eq!(added(under, &["p/a.py"]), ["p/__init__.py"]);
        }
        assert_eq!(added(".", &["a.py"]), ["__init__.py"]);
        assert_eq!(added("./p", &["p/a.py", "q.py"]), ["p/__init__.py"]);
    }

    #[test]
    fn nothing_to_add_is_an_error_unless_it_is_pinned() {
        let port = |pin: &str| Port::new(&format!("ensure_init under=\"csrc\" {pin}")).file("csrc/k.cu", "x");
        assert_eq!(port("").fails().message, "no directory at or below csrc lacks an __init__.py");
        assert_eq!(port("changes=0").ok().0, ["added 0 missing __init__.py files"]);
        let failure = Port::new("ensure_init under=\"p\" changes=2").file("p/a.py", "").fails();
        assert_eq!(
            failure.message,
            "expected exactly 2 changes but found 1: upstream drifted; review them and update changes="
        );
        let failure = Port::new("ensure_init under=\"p/a.py\"").file("p/a.py", "").fails();
        assert_eq!(failure.message, "under=\"p/a.py\" is a file, not a directory");
        let failure = Port::new("ensure_init under=\"q\"").file("p/a.py", "").fails();
        assert_eq!(failure.message, "under=\"q\" is neither a file nor a directory of the tree");
    }
}
