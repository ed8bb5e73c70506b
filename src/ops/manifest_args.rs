//! The arguments of `manifest`: what they are, and how they become the tables of `build.toml`.

use super::fields::Fields;
use crate::manifest::{
    BackendTable, General, Model, Noarch, StableAbi, Torch, backend, branch, capability, check_rules,
    edition, extension, git_url, kernel_depend, kernel_name, license, python_depend, repo_id, rocm_arch,
    stable_abi_entry, toolkit_version, version_number,
};
use crate::recipe::{ArgSpec, ArgType, Args};

use ArgType::{Flag, GlobList, Integer, List as Items, Text};

/// All arguments, in the order of the reference.
pub const SPECS: &[ArgSpec] = &[
    ArgSpec::required("name", Text, "the kernel's name on the Hub; `-` becomes `_` in the Python package"),
    ArgSpec::optional("version", Integer, "the kernel's version; may be left out only in an inline trial"),
    ArgSpec::required("backends", Items, "cann, cpu, cuda, metal, neuron, rocm, tpu, xpu"),
    ArgSpec::optional("edition", Integer, "the format: 5, or 6 (not released)"),
    ArgSpec::optional("license", Text, "as SPDX spells it; may be left out only in an inline trial"),
    ArgSpec::optional("upstream", Text, "the git URL where upstream develops"),
    ArgSpec::optional("source_repo", Text, "the git URL where the port is kept"),
    ArgSpec::optional("repo_id", Text, "the repository on the Hub, owner/name"),
    ArgSpec::optional("hub_branch", Text, "the branch of that repository"),
    ArgSpec::optional("python_depends", Items, "Python packages: einops, helion, tvm-ffi"),
    ArgSpec::optional("kernel_depends", Items, "other kernels: org/a@1, org/b@rev:abc"),
    ArgSpec::optional("cuda_minver", Text, "the oldest CUDA, such as 12.8"),
    ArgSpec::optional("cuda_maxver", Text, "the newest CUDA"),
    ArgSpec::optional("cuda_python_depends", Items, "Python packages on CUDA: nvidia-cutlass-dsl"),
    ArgSpec::optional("xpu_python_depends", Items, "Python packages on XPU: onednn"),
    ArgSpec::optional("neuron_python_depends", Items, "Python packages on Neuron: nki"),
    ArgSpec::optional("torch_src", GlobList, "compiled: the binding and its headers; each glob must match"),
    ArgSpec::optional("torch_include", Items, "compiled: include directories of torch_src"),
    ArgSpec::optional("torch_pyext", Items, "compiled: extensions of package files that ship"),
    ArgSpec::optional("torch_minver", Text, "compiled: the oldest Torch, such as 2.9"),
    ArgSpec::optional("torch_maxver", Text, "compiled: the newest Torch"),
    ArgSpec::optional("torch_cxx_flags", Items, "compiled: flags for the C++ compiler"),
    ArgSpec::optional("stable_abi", Items, "compiled: Torch's stable ABI a backend, cuda=2.11,rocm=2.11"),
    ArgSpec::optional("stable_abi_version", Text, "compiled: Torch's stable ABI for every backend, 2.11"),
    ArgSpec::optional("noarch", Flag, "Python only: nothing is compiled"),
    ArgSpec::optional("noarch_pyext", Items, "Python only: extensions of package files that ship"),
    ArgSpec::optional("noarch_cuda_capabilities", Items, "Python only: the CUDA capabilities it runs on"),
    ArgSpec::optional("noarch_rocm_archs", Items, "Python only: the ROCm architectures it runs on"),
];

/// The arguments that only one framework has.
const TORCH: [&str; 8] = [
    "torch_src",
    "torch_include",
    "torch_pyext",
    "torch_minver",
    "torch_maxver",
    "torch_cxx_flags",
    "stable_abi",
    "stable_abi_version",
];
const NOARCH: [&str; 3] = ["noarch_pyext", "noarch_cuda_capabilities", "noarch_rocm_archs"];

/// The backend that an argument is about.
const OF_BACKEND: [(&str, &str); 7] = [
    ("cuda_minver", "cuda"),
    ("cuda_maxver", "cuda"),
    ("cuda_python_depends", "cuda"),
    ("xpu_python_depends", "xpu"),
    ("neuron_python_depends", "neuron"),
    ("noarch_cuda_capabilities", "cuda"),
    ("noarch_rocm_archs", "rocm"),
];

/// Where the value of a key stands in the recipe.
const ARGUMENT_OF: [(&str, &str); 4] = [
    ("general.kernel-depends", "kernel_depends"),
    ("general.cuda.maxver", "cuda_maxver"),
    ("torch.maxver", "torch_maxver"),
    ("torch.stable-abi", "stable_abi"),
];

/// Which framework the arguments choose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framework {
    /// A compiled Torch extension.
    Torch,
    /// Python only.
    Noarch,
}

/// The framework, with a mistake for each argument of the other one. `None` when `noarch` cannot be read.
pub fn kind(args: &mut Args<'_>) -> Option<Framework> {
    let noarch = if args.has("noarch") { args.get::<bool>("noarch")? } else { false };
    let (kind, strangers): (Framework, &[&str]) =
        if noarch { (Framework::Noarch, &TORCH) } else { (Framework::Torch, &NOARCH) };
    for stranger in strangers.iter().filter(|name| args.has(name)).copied().collect::<Vec<_>>() {
        let (message, help) = match kind {
            Framework::Noarch => (
                format!("{stranger}= is for a compiled kernel, but noarch=#true makes it Python only"),
                "leave out one of the two",
            ),
            Framework::Torch => (
                format!("{stranger}= is for a Python-only kernel, but without noarch=#true it is compiled"),
                "add noarch=#true, or leave it out",
            ),
        };
        args.error(stranger, message, help);
    }
    if kind == Framework::Torch && !args.has("torch_src") {
        args.error(
            "torch_src",
            "missing argument `torch_src`",
            "a compiled kernel lists its binding there; for a Python-only kernel write noarch=#true",
        );
    }
    Some(kind)
}

/// `[general]` and the tables below it.
pub fn general(fields: &mut Fields<'_, '_>) -> General {
    let general = General {
        name: fields.text("name", kernel_name).unwrap_or_default(),
        version: fields.number("version", version_number),
        edition: fields.number("edition", edition),
        license: fields.text("license", license),
        upstream: fields.text("upstream", git_url),
        source: fields.text("source_repo", git_url),
        backends: fields.set("backends", backend),
        python_depends: fields.names("python_depends", |item| python_depend(item, None)),
        kernel_depends: fields.set("kernel_depends", kernel_depend),
        repo_id: fields.text("repo_id", repo_id),
        branch: fields.text("hub_branch", branch),
        cuda: BackendTable {
            minver: fields.text("cuda_minver", toolkit_version),
            maxver: fields.text("cuda_maxver", toolkit_version),
            ..packages(fields, "cuda_python_depends", "cuda")
        },
        neuron: packages(fields, "neuron_python_depends", "neuron"),
        tpu: BackendTable::default(),
        xpu: packages(fields, "xpu_python_depends", "xpu"),
    };
    what_the_builder_needs(fields);
    for (argument, of) in OF_BACKEND {
        let listed = general.backends.iter().any(|b| b.name == of);
        if fields.args.has(argument) && !listed && !general.backends.is_empty() {
            let message = format!("has no effect: backends= does not list {of}");
            fields.warn(argument, message, format!("add {of} to backends, or leave it out"));
        }
    }
    general
}

/// Mistakes in a recipe file, warnings in an inline trial: nobody builds what a trial writes.
fn what_the_builder_needs(fields: &mut Fields<'_, '_>) {
    let inline = fields.args.context().inline;
    for (argument, example) in [("version", "version=1"), ("license", "license=\"Apache-2.0\"")] {
        if fields.args.has(argument) {
            continue;
        }
        let help = format!("the builder refuses a build.toml without it; write {example}");
        if inline {
            fields.warn(argument, "is not given", help);
        } else {
            fields.args.error(argument, format!("missing argument `{argument}`"), help);
        }
    }
    if !fields.args.has("edition") {
        let message = "is not given; the builder reads such a build.toml in an older shape";
        fields.warn("edition", message, "add edition=5");
    } else if fields.args.get::<u64>("edition") == Some(6) {
        fields.warn(
            "edition",
            "is 6, which kernel-builder 0.17.2 does not read",
            "edition=5 is the released one",
        );
    }
}

fn packages(fields: &mut Fields<'_, '_>, argument: &str, of: &str) -> BackendTable {
    let of = backend(of).ok();
    let python_depends = fields.names(argument, |item| python_depend(item, of));
    BackendTable { python_depends, ..BackendTable::default() }
}

/// `[torch]` without its sources.
pub fn torch(fields: &mut Fields<'_, '_>) -> Torch {
    let per_backend = fields.items("stable_abi", stable_abi_entry);
    let version = fields.text("stable_abi_version", toolkit_version);
    for (at, (of, _)) in per_backend.iter().enumerate() {
        if per_backend[..at].iter().any(|(other, _)| other == of) {
            let message = format!("stable_abi= names \"{}\" twice", of.name);
            fields.args.error("stable_abi", message, "give each backend one version");
        }
    }
    if fields.args.has("stable_abi") && fields.args.has("stable_abi_version") {
        fields.args.error(
            "stable_abi_version",
            "stable_abi= and stable_abi_version= exclude each other",
            "stable_abi=\"cuda=2.11\" is a version a backend, stable_abi_version=\"2.11\" one for all",
        );
    }
    Torch {
        src: Vec::new(),
        include: fields.directories("torch_include"),
        pyext: fields.names("torch_pyext", extension),
        minver: fields.text("torch_minver", toolkit_version),
        maxver: fields.text("torch_maxver", toolkit_version),
        stable_abi: match version {
            Some(version) => Some(StableAbi::Version(version)),
            None => (!per_backend.is_empty()).then_some(StableAbi::PerBackend(per_backend)),
        },
        cxx_flags: fields.flags("torch_cxx_flags"),
    }
}

/// `[torch-noarch]`.
pub fn noarch(fields: &mut Fields<'_, '_>) -> Noarch {
    Noarch {
        pyext: fields.names("noarch_pyext", extension),
        cuda_capabilities: fields.open_names("noarch_cuda_capabilities", capability),
        rocm_archs: fields.names("noarch_rocm_archs", rocm_arch),
    }
}

/// Adds a mistake for each rule between keys that is broken.
pub fn refuse_breaches(args: &mut Args<'_>, model: &Model) {
    for breach in check_rules(model) {
        let argument = ARGUMENT_OF.iter().find(|(key, _)| *key == breach.key).map_or("name", |(_, a)| a);
        args.error(argument, format!("{argument}= {}", breach.message), breach.help);
    }
}
