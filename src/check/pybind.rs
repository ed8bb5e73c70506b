//! `pybind`: operators are registered with torch, not bound with pybind11.

use super::{Finding, Input, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "pybind",
    severity: Severity::Error,
    summary: "a listed source uses pybind11 or torch's Python headers",
    why: "one binary serves all versions of Python, and pybind11 ties it to one",
    breaks: "the source does not compile in the builder, or the binary loads in one Python only",
    fix: "bind with TORCH_LIBRARY_EXPAND in the overlay; include <torch/all.h> or <torch/library.h> instead",
    whole: true,
    check,
};

/// Torch's own headers that need pybind11.
const HEADERS: &[&[u8]] = &[b"torch/extension.h", b"torch/python.h", b"torch/csrc/utils/pybind.h"];

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for listed in &input.sources().code {
        for include in &listed.source.includes {
            if HEADERS.contains(&&*include.path) || include.path.starts_with(b"pybind11/") {
                let message = format!("includes {}", String::from_utf8_lossy(&include.path));
                findings.push(listed.finding(&RULE, include.range.start, message));
            }
        }
        for used in listed.source.macros.iter().filter(|m| m.name == "PYBIND11_MODULE") {
            findings.push(listed.finding(&RULE, used.start, "defines a pybind11 module".to_owned()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BINDING, compiled, expect_each};

    #[test]
    fn pybind_is_found_in_code_only() {
        expect_each(
            "pybind! csrc/k.cu:",
            |source| compiled(BINDING, source, &[]),
            &[
                "#include <torch/extension.h>",
                "#include \"torch/python.h\"",
                "#include <pybind11/stl.h>",
                "#  include <torch/csrc/utils/pybind.h>",
                "PYBIND11_MODULE(a, m) {}",
                "PYBIND11_\\\nMODULE(a, m) {}",
                "#if X\n#include <torch/extension.h>\n#endif",
                "#define BIND PYBIND11_MODULE(a, m)",
            ],
            &[
                "// PYBIND11_MODULE(a, m)",
                "/* #include <torch/extension.h> */",
                "s = \"PYBIND11_MODULE\";",
                "auto s = R\"x(\n#include <torch/extension.h>\n)x\";",
                "#if 0\nPYBIND11_MODULE(a, m)\n#endif",
                "#ifdef _WIN32\n#include <torch/python.h>\n#endif",
                "MY_PYBIND11_MODULE(a)",
                "#include <torch/all.h>\n#include \"my/torch/extension.h\"",
            ],
        );
    }

    #[test]
    fn only_listed_sources_count() {
        let more =
            [("csrc/pybind.cpp", "PYBIND11_MODULE(a, m) {}"), ("csrc/x.cc", "#include <torch/python.h>")];
        assert_eq!(compiled(BINDING, "", &more), [""; 0]);
    }
}
