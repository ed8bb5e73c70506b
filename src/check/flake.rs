//! `flake`: there is something for `nix build` to build.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::workspace::RepoPath;

pub(super) const RULE: Rule = Rule {
    id: "flake",
    severity: Severity::Warning,
    summary: "there is no flake.nix at the top",
    why: "kernels are built with `nix build`, which starts from the flake.nix beside build.toml",
    breaks: "`nix build` has nothing to build",
    fix: "put one into the overlay; `kernel-port explain flake` prints one to copy",
    whole: true,
    check,
};

/// A `flake.nix` that builds any port.
pub(super) const TEMPLATE: &str = r#"{
  description = "A kernel, ported with kernel-port";

  inputs.kernel-builder.url = "github:huggingface/kernel-builder";

  outputs =
    { self, kernel-builder }:
    kernel-builder.lib.genFlakeOutputs {
      inherit self;
      path = ./.;
    };
}
"#;

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if let Ok(path) = RepoPath::new("flake.nix")
        && input.manifest.is_some()
        && !input.workspace.is_file(&path)
    {
        findings.push(RULE.finding(Evidence::file(&path), "is missing"));
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{NOARCH, found, ported, tree};

    #[test]
    fn the_template_is_what_the_examples_carry() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/einops/overlay/flake.nix");
        let carried = std::fs::read_to_string(path).unwrap();
        assert_eq!(super::TEMPLATE.replace("A kernel, ported", "einops, ported"), carried);
    }

    #[test]
    fn a_flake_is_at_the_top() {
        let package = ("torch-ext/pkg/__init__.py", "");
        for elsewhere in ["nix/flake.nix", "flake.nix.in", "torch-ext/flake.nix"] {
            let recipe = NOARCH.replace("to=\"flake.nix\"", &format!("to=\"{elsewhere}\""));
            assert_eq!(found(&recipe, &[package]), ["flake? flake.nix is missing"], "{elsewhere}");
        }
        assert_eq!(ported(&[package]), [""; 0]);
        assert_eq!(ported(&[package, ("flake.lock", "")]), [""; 0]);
        assert_eq!(tree(&[package]), [""; 0]);
    }
}
