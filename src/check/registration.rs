//! `registration`: the binding registers operators under the namespace that the builder generates.

use super::listed::Listed;
use super::{Finding, Input, Rule, Severity};
use crate::manifest::Framework;
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "registration",
    severity: Severity::Error,
    summary: "operators are not registered under the generated namespace",
    why: "each build has a namespace of its own, so that two versions of a kernel live in one process",
    breaks: "the extension does not load, or two kernels register the same names",
    fix: "the binding holds TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) and REGISTER_EXTENSION(TORCH_EXTENSION_NAME)",
    whole: true,
    check,
};

/// The macro that stands for the generated name.
const GENERATED: &str = "TORCH_EXTENSION_NAME";

/// A binding to start from: one operator with two backends.
pub(super) const TEMPLATE: &str = r#"#include <torch/library.h>

#include "registration.h"
#include "relu.h"

TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {
  ops.def("relu(Tensor! out, Tensor input) -> ()");
#if defined(CPU_KERNEL)
  ops.impl("relu", torch::kCPU, &relu_cpu);
#elif defined(CUDA_KERNEL)
  ops.impl("relu", torch::kCUDA, &relu_cuda);
#endif
}

REGISTER_EXTENSION(TORCH_EXTENSION_NAME)
"#;

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if !input.manifest.is_some_and(|m| matches!(m.framework, Framework::Torch(_))) {
        return;
    }
    let code = &input.sources().code;
    for listed in code {
        for used in listed.source.macros.iter().filter(|m| !m.in_define) {
            if let Some(message) = used.argument.as_deref().and_then(|name| fixed_name(&used.name, name)) {
                findings.push(listed.finding(&RULE, used.start, message));
            }
        }
    }
    let bindings = || code.iter().filter(|listed| listed.torch && !listed.is_header());
    let registers = |listed: &&Listed| listed.source.macros.iter().any(|m| m.name.contains("TORCH_LIBRARY"));
    let Some(binding) = bindings().find(registers).or_else(|| bindings().next()) else { return };
    let any = |wanted: &dyn Fn(&str, &str) -> bool| {
        let mut uses = code.iter().flat_map(|listed| &listed.source.macros);
        uses.any(|used| wanted(&used.name, used.argument.as_deref().unwrap_or_default()))
    };
    let expands = |name: &str, argument: &str| {
        name.starts_with("TORCH_LIBRARY_EXPAND")
            || name.starts_with("STABLE_TORCH_LIBRARY")
            || (name == "TORCH_LIBRARY_FRAGMENT" && argument == GENERATED)
    };
    for (there, macro_name) in [
        (any(&expands), "TORCH_LIBRARY_EXPAND"),
        (any(&|name, _| name == "REGISTER_EXTENSION"), "REGISTER_EXTENSION"),
    ] {
        if !there {
            let message = format!("no [torch] source holds {macro_name}");
            findings.push(RULE.finding(Evidence::file(&binding.path), message));
        }
    }
}

/// What is wrong with the name that a registration macro gets; `None` when it is the generated one.
fn fixed_name(macro_name: &str, name: &str) -> Option<String> {
    match macro_name {
        // It pastes its argument before that is expanded.
        "TORCH_LIBRARY" if name == GENERATED => {
            Some(format!("does not expand {GENERATED}; TORCH_LIBRARY_EXPAND does"))
        }
        // Another library's operators, or all of them, get an implementation.
        "TORCH_LIBRARY_IMPL" | "STABLE_TORCH_LIBRARY_IMPL" if matches!(name, "_" | "aten") => None,
        "TORCH_LIBRARY"
        | "TORCH_LIBRARY_FRAGMENT"
        | "TORCH_LIBRARY_IMPL"
        | "STABLE_TORCH_LIBRARY"
        | "STABLE_TORCH_LIBRARY_FRAGMENT"
        | "STABLE_TORCH_LIBRARY_IMPL"
            if name != GENERATED && !name.is_empty() =>
        {
            Some(format!("registers under the fixed name {name}"))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{BINDING, compiled, expect_each};

    #[test]
    fn the_template_is_what_an_example_carries() {
        let path =
            concat!(env!("CARGO_MANIFEST_DIR"), "/examples/relu-aot/overlay/torch-ext/torch_binding.cpp");
        assert_eq!(super::TEMPLATE, std::fs::read_to_string(path).unwrap());
    }

    #[test]
    fn both_macros_must_be_used() {
        for (binding, message) in [
            ("TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}", "REGISTER_EXTENSION"),
            ("REGISTER_EXTENSION(TORCH_EXTENSION_NAME)", "TORCH_LIBRARY_EXPAND"),
            ("// TORCH_LIBRARY_EXPAND\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)", "TORCH_LIBRARY_EXPAND"),
            ("#define REGISTER_EXTENSION(N)\nTORCH_LIBRARY_EXPAND(N, ops) {}", "REGISTER_EXTENSION"),
            (
                "#define TORCH_LIBRARY_EXPAND(N, M) TORCH_LIBRARY(N, M)\nREGISTER_EXTENSION(N)",
                "TORCH_LIBRARY_EXPAND",
            ),
        ] {
            let expected = format!("registration! torch-ext/binding.cpp no [torch] source holds {message}");
            assert_eq!(compiled(binding, "", &[]), [expected], "{binding}");
        }
        assert_eq!(compiled("", "", &[]).len(), 2);
        let stable = "STABLE_TORCH_LIBRARY_EXPAND(TORCH_EXTENSION_NAME, ops) {}\nREGISTER_EXTENSION(TORCH_EXTENSION_NAME)";
        assert_eq!(compiled(stable, "", &[]), [""; 0]);
        // One source may hold the one, another the other.
        let (first, second) = BINDING.split_once("REGISTER").unwrap();
        assert_eq!(compiled(first, &format!("REGISTER{second}"), &[]), [""; 0]);
    }

    #[test]
    fn fixed_names_are_found() {
        expect_each(
            "registration! torch-ext/binding.cpp:4 ",
            |more| compiled(&format!("{BINDING}{more}"), "", &[]),
            &[
                "TORCH_LIBRARY(mylib, m) {}",
                "TORCH_LIBRARY_IMPL(mylib, CUDA, m) {}",
                "TORCH_LIBRARY_FRAGMENT(\n  mylib, m) {}",
                "STABLE_TORCH_LIBRARY(mylib, m) {}",
                "TORCH_LIBRARY(TORCH_EXTENSION_NAME, m) {}",
            ],
            &[
                "// TORCH_LIBRARY(mylib, m)",
                "s = \"TORCH_LIBRARY(mylib, m)\";",
                "#if 0\nTORCH_LIBRARY(mylib, m) {}\n#endif",
                "#define TORCH_LIBRARY_EXPAND(NAME, M) TORCH_LIBRARY(NAME, M)",
                "MY_TORCH_LIBRARY(mylib, m)",
                "TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {}",
                "TORCH_LIBRARY_IMPL_EXPAND(TORCH_EXTENSION_NAME, CUDA, m) {}",
                "STABLE_TORCH_LIBRARY_IMPL(TORCH_EXTENSION_NAME, CUDA, m) {}",
                "TORCH_LIBRARY_IMPL(aten, CUDA, m) {}",
            ],
        );
        let in_a_source = compiled(BINDING, "TORCH_LIBRARY(mylib, m) {}", &[]);
        assert_eq!(in_a_source, ["registration! csrc/k.cu:1 registers under the fixed name mylib"]);
    }
}
