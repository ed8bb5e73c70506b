//! `missing-source`: what `build.toml` names is in the final tree.

use super::{Finding, Input, Rule, Severity};
use crate::workspace::{Directory, RepoPath};

pub(super) const RULE: Rule = Rule {
    id: "missing-source",
    severity: Severity::Error,
    summary: "build.toml names a file or directory that is not in the final tree",
    why: "a kernel op looks its sources up when it runs, and an op after it can move or delete them",
    breaks: "the build fails at that file",
    fix: "put the kernel and manifest ops after the ops that move files",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let framework =
        if matches!(manifest.framework, crate::manifest::Framework::TvmFfi(_)) { "tvm-ffi" } else { "torch" };
    let sections =
        manifest.sections.iter().map(|s| (format!("kernel.{}", s.name), &s.src[..], &s.include[..]));
    let own = (framework.to_owned(), manifest.framework_src(), manifest.framework_include());
    for (table, src, include) in sections.chain([own]) {
        for (index, text) in src.iter().enumerate() {
            if let Ok(path) = RepoPath::typed(text)
                && !input.workspace.is_file(&path)
                && !input.workspace.is_dir(&path)
            {
                let place = input.manifest_place(&format!("{table}.src[{index}]"), &path);
                let message = format!("[{table}] lists {path}, but it is not in the final tree");
                findings.push(RULE.finding(place, message));
            }
        }
        for (index, text) in include.iter().enumerate() {
            if let Ok(Directory::Path(path)) = Directory::typed(text)
                && !input.workspace.is_dir(&path)
            {
                let place = input.manifest_place(&format!("{table}.include[{index}]"), &path);
                let message = format!("[{table}] includes {path}, but the final tree has no such directory");
                findings.push(RULE.finding(place, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BINDING, COMPILED, found};

    fn after(op: &str) -> Vec<String> {
        let files = [
            ("torch-ext/pkg/__init__.py", ""),
            ("torch-ext/binding.cpp", BINDING),
            ("csrc/k.cu", ""),
            ("csrc/other.h", ""),
            ("inc/x.h", ""),
        ];
        found(&format!("{COMPILED}\n{op}"), &files)
    }

    #[test]
    fn what_a_later_op_takes_away_is_missed() {
        assert_eq!(
            after("move from=\"csrc/k.cu\" to=\"csrc/l.cu\""),
            ["missing-source! csrc/k.cu [kernel.k] lists csrc/k.cu, but it is not in the final tree"]
        );
        assert_eq!(
            after("delete in=\"inc/**\""),
            ["missing-source! inc [kernel.k] includes inc, but the final tree has no such directory"]
        );
        let found = after("delete in=\"torch-ext/binding.cpp\"");
        assert!(found[0].starts_with("missing-source! torch-ext/binding.cpp [torch] lists"), "{found:?}");
        assert_eq!(after("move from=\"csrc\" to=\"src\"").len(), 2);
    }

    #[test]
    fn what_stays_or_comes_back_is_not() {
        for op in [
            "expect in=\"csrc/**\" files=2",
            "delete in=\"csrc/other.h\"",
            "move from=\"csrc/k.cu\" to=\"x.cu\"\nmove from=\"x.cu\" to=\"csrc/k.cu\"",
            "move from=\"inc/x.h\" to=\"inc/y.h\"",
        ] {
            assert_eq!(after(op), [""; 0], "{op}");
        }
    }
}
