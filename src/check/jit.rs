//! `jit`: nothing is compiled when the kernel is used.

use super::{Finding, Input, Rule, Severity};

pub(super) const RULE: Rule = Rule {
    id: "jit",
    severity: Severity::Warning,
    summary: "an extension is compiled when the package is imported or called",
    why: "the builder compiles sources once, for every variant, and users get the binaries",
    breaks: "users need a compiler and a toolkit, and wait for them",
    fix: "list the sources in a kernel section, so that they are compiled once",
    whole: true,
    check,
};

const LOADERS: &[&str] = &["torch.utils.cpp_extension.load", "torch.utils.cpp_extension.load_inline"];

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if input.manifest.is_none() {
        return;
    }
    for (_, file) in input.package_modules().filter(|(_, file)| file.spells("cpp_extension", "torch")) {
        for call in &file.module.calls {
            let callee =
                call.root.get().map(|root| file.module.meanings(file.content, root)).unwrap_or_default();
            if let Some(loader) = callee.iter().find(|c| LOADERS.contains(&c.as_str())) {
                let message = format!("{loader} compiles at run time");
                findings.push(RULE.finding(file.evidence(&call.span.range()), message));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{expect_each, package};

    #[test]
    fn builds_at_run_time() {
        expect_each(
            "jit? torch-ext/pkg/__init__.py:",
            package,
            &[
                "from torch.utils.cpp_extension import load\nload('x')",
                "from torch.utils.cpp_extension import load as l\ndef f():\n    return l(name='x')",
                "import torch.utils.cpp_extension as c\nc.load_inline('x')",
                "from torch.utils import cpp_extension\nm = cpp_extension.load(\n    name='x')",
                "import torch.utils.cpp_extension\ndef f(): return torch.utils.cpp_extension.load()",
                "from torch.utils import cpp_extension\nbuild = cpp_extension.load\nbuild('x')",
            ],
            &[
                "from json import load\nload('x')",
                "load('x')",
                "# load_inline()\nx.load_inline()",
                "from torch.utils.cpp_extension import CUDA_HOME, load",
                "s = 'torch.utils.cpp_extension.load()'",
                "def load(cpp_extension): pass\nload('x')",
                "from torch.utils.cpp_extension import include_paths\ninclude_paths()",
            ],
        );
    }
}
