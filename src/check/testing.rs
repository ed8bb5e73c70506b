//! Small ports for the rules' tests: what is found in them, as text.

use super::{Finding, Input, Severity, run};
use crate::ops::testing::Port;

/// A Python-only port that no rule complains about, apart from its package.
pub const NOARCH: &str = r#"
write to="flake.nix" text=""
write to="tests/test_ci.py" text="import pytest\n\n\n@pytest.mark.kernels_ci\ndef test_it():\n    pass\n"
manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" repo_id="o/pkg" noarch=#true"#;

/// A compiled port that no rule complains about, apart from its sources.
pub const COMPILED: &str = r#"
write to="flake.nix" text=""
write to="tests/test_ci.py" text="import pytest\n@pytest.mark.kernels_ci\ndef test_it(): pass\n"
kernel name="k" backend="cuda" src="csrc/*.cu" include="csrc,inc"
manifest name="pkg" version=1 edition=5 license="MIT" backends="cuda" torch_src="torch-ext/binding.cpp""#;

/// What a binding needs.
pub const BINDING: &str = "#include \"registration.h\"\nTORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)\n";

/// The findings of a port as `rule! path:line message`; `?` instead of `!` for a warning.
pub fn found(recipe: &str, files: &[(&str, &str)]) -> Vec<String> {
    let port = files.iter().fold(Port::new(recipe), |port, (path, text)| port.file(path, text));
    let done = port.run();
    assert!(done.drift.is_empty(), "{:#?}", done.drift);
    let report = run(&Input::new(&done.workspace, &done.records), &done.records, false);
    report.findings.iter().map(show).collect()
}

/// A finding as `rule! path:line message`.
pub fn show(finding: &Finding) -> String {
    let line = finding.place.position.map_or(String::new(), |p| format!(":{}", p.line));
    let word = if finding.severity == Severity::Warning { "?" } else { "!" };
    format!("{}{word} {}{line} {}", finding.rule, finding.place.path, finding.message)
}

/// The findings of a tree without a manifest.
pub fn tree(files: &[(&str, &str)]) -> Vec<String> {
    found("expect in=\"no\" files=0", files)
}

/// The findings of a Python-only port with these files.
pub fn ported(files: &[(&str, &str)]) -> Vec<String> {
    found(NOARCH, files)
}

/// The findings of a Python-only port with this `__init__.py`.
pub fn package(text: &str) -> Vec<String> {
    ported(&[("torch-ext/pkg/__init__.py", text)])
}

/// The findings of a compiled port with this binding, this source and more files.
pub fn compiled(binding: &str, source: &str, more: &[(&str, &str)]) -> Vec<String> {
    let mut files = vec![
        ("torch-ext/pkg/__init__.py", ""),
        ("torch-ext/binding.cpp", binding),
        ("csrc/k.cu", source),
        ("csrc/other.h", ""),
        ("inc/deep/x.h", ""),
    ];
    files.extend_from_slice(more);
    found(COMPILED, &files)
}

/// Checks that each text gives exactly one finding, of that rule; or none at all.
pub fn expect_each(rule: &str, look: impl Fn(&str) -> Vec<String>, bad: &[&str], good: &[&str]) {
    for text in bad {
        let found = look(text);
        assert!(matches!(&found[..], [one] if one.starts_with(rule)), "{text}: {found:#?}");
    }
    for text in good {
        assert_eq!(look(text), [""; 0], "{text}");
    }
}
