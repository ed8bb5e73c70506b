//! `unlisted-header`: what a listed source includes from the tree is listed as well.

use super::{Finding, Input, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "unlisted-header",
    severity: Severity::Error,
    summary: "a listed source includes a file of the tree that no `src` lists",
    why: "the builder compiles in a tree that holds the listed files and nothing else",
    breaks: "the compiler does not find the header",
    fix: "add the header to the `src` of the section that includes it",
    whole: true,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let sources = input.sources();
    for listed in &sources.code {
        for include in &listed.source.includes {
            let candidates = listed.candidates(input.workspace, &include.path, include.quoted);
            if let Some(header) = candidates.first()
                && !candidates.iter().any(|path| sources.lists(path))
            {
                let message = format!("{header} is in the tree, but no `src` lists it");
                findings.push(listed.finding(&RULE, include.range.start, message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BINDING, COMPILED, compiled, expect_each, found};

    #[test]
    fn includes_that_reach_a_file_which_is_not_listed() {
        expect_each(
            "unlisted-header! csrc/k.cu:",
            |source| compiled(BINDING, source, &[]),
            &[
                "#include \"other.h\"",
                "#include \"../csrc/other.h\"",
                "  #  include \"deep/x.h\" // x",
                "#include <deep/x.h>",
                "#in\\\nclude \"other.h\"",
                "#if X\n#include \"other.h\"\n#endif",
                "#ifdef __CUDACC__\n#include \"other.h\"\n#endif",
                "#if 0\n#else\n#include \"other.h\"\n#endif",
                "/* x */ #include \"other.h\"",
            ],
            &[
                "// #include \"other.h\"",
                "// \\\n#include \"other.h\"",
                "/*\n#include \"other.h\"\n*/",
                "#include <string.h>",
                "#if 0\n#include \"other.h\"\n#endif",
                "#ifdef USE_ROCM\n#include \"other.h\"\n#endif",
                "#ifdef _WIN32\n#include \"other.h\"\n#endif",
                "s = \"#include \\\"other.h\\\"\";",
                "auto s = R\"(\n#include \"other.h\"\n)\";",
                "#include \"gone.h\"",
                "#include \"k.cu\"",
                "#include \"x.h\"",
                "#include \"../../other.h\"",
            ],
        );
    }

    #[test]
    fn headers_of_headers_and_bindings_count() {
        let files = [
            ("torch-ext/pkg/__init__.py", ""),
            ("torch-ext/binding.cpp", BINDING),
            ("csrc/k.cu", "#include \"a.h\""),
            ("csrc/a.h", "#include \"deep/b.h\""),
            ("csrc/deep/b.h", ""),
            ("inc/x.h", ""),
        ];
        let listed = COMPILED.replace("csrc/*.cu", "csrc/*");
        assert_eq!(
            found(&listed, &files),
            ["unlisted-header! csrc/a.h:1 csrc/deep/b.h is in the tree, but no `src` lists it"]
        );
        assert_eq!(found(&listed.replace("csrc/*", "csrc/**"), &files), [""; 0]);
        let binding = format!("#include \"binding.h\"\n{BINDING}");
        let more = ("torch-ext/binding.h", "");
        assert!(compiled(&binding, "", &[more])[0].starts_with("unlisted-header! torch-ext/binding.cpp:1"));
    }

    #[test]
    fn a_header_listed_by_another_section_reaches_the_build() {
        let recipe = COMPILED.replace(
            "manifest ",
            "kernel name=\"h\" backend=\"cuda\" src=\"csrc/other.h,csrc/l.cu\"\nmanifest ",
        );
        let files = [
            ("torch-ext/pkg/__init__.py", ""),
            ("torch-ext/binding.cpp", BINDING),
            ("csrc/k.cu", "#include \"other.h\""),
            ("csrc/l.cu", ""),
            ("csrc/other.h", ""),
            ("inc/x.h", ""),
        ];
        assert_eq!(found(&recipe.replace("csrc/*.cu", "csrc/k.cu"), &files), [""; 0]);
    }

    #[test]
    fn code_for_rocm_counts_when_a_rocm_section_lists_the_source() {
        let rocm = COMPILED.replace("\"cuda\"", "\"rocm\"");
        let files = [
            ("torch-ext/pkg/__init__.py", ""),
            ("torch-ext/binding.cpp", BINDING),
            ("csrc/k.cu", "#ifdef USE_ROCM\n#include \"other.h\"\n#endif"),
            ("csrc/other.h", ""),
            ("inc/x.h", ""),
        ];
        assert_eq!(found(&rocm, &files).len(), 1);
        let flag = COMPILED.replace("name=\"k\"", "name=\"k\" cuda_flags=\"-DUSE_ROCM\"");
        assert_eq!(found(&flag, &files).len(), 1);
    }
}
