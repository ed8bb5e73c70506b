//! `kernel`: records one `[kernel.NAME]` section for the manifest after it. Writes nothing.

use super::fields::{self, Fields, Warning};
use super::{Context, Count, Evidence, Example, Failure, FailureKind, Group, Op, OpSpec, Plan, Record};
use crate::manifest::{
    Backend, KernelSection, capability, compiled_backend, depend, rocm_arch, section_name, toolkit_version,
};
use crate::recipe::{ArgSpec, ArgType, Args, BuiltOp, GlobList, RecipeError, ValueError};
use crate::report::plural;
use crate::workspace::RepoPath;

pub(super) const SPEC: OpSpec = OpSpec {
    name: "kernel",
    group: Group::Manifest,
    summary: "Records a [kernel.NAME] section for the manifest",
    args: &[
        ArgSpec::required("name", ArgType::Text, "the section's name: letters, digits and underscores"),
        ArgSpec::required("backend", ArgType::Text, "cpu, cuda, metal, rocm or xpu"),
        ArgSpec::required(
            "src",
            ArgType::GlobList,
            "every file that takes part, headers included; each glob must match",
        ),
        ArgSpec::optional("include", ArgType::List, "include directories, `.` for the top"),
        ArgSpec::optional("depends", ArgType::List, "libraries; torch when not given"),
        ArgSpec::optional(
            "capabilities",
            ArgType::List,
            "cuda: the capabilities to compile for, such as 9.0a",
        ),
        ArgSpec::optional("cxx_flags", ArgType::List, "flags for the C++ compiler"),
        ArgSpec::optional("cuda_flags", ArgType::List, "cuda: flags for nvcc"),
        ArgSpec::optional("hip_flags", ArgType::List, "rocm: flags for hipcc"),
        ArgSpec::optional("sycl_flags", ArgType::List, "xpu: flags for the SYCL compiler"),
        ArgSpec::optional(
            "cuda_minver",
            ArgType::Text,
            "cuda: the oldest toolkit that compiles it, such as 12.8",
        ),
        ArgSpec::optional(
            "rocm_archs",
            ArgType::List,
            "rocm: the architectures to compile for, such as gfx90a",
        ),
        ArgSpec::optional("repeat_src", ArgType::List, "files of src that are compiled twice"),
        ArgSpec::optional("files", ArgType::Pin, "how many files src selects"),
    ],
    guarantees: &["every file that is listed is in the tree", "writes nothing; the manifest after it does"],
    failures: &[
        "a glob of src matches nothing",
        "an include directory holds no files",
        "a file of repeat_src is not in src",
        "a file's name is not UTF-8",
    ],
    example: Some(Example {
        recipe: "kernel name=\"relu\" backend=\"cuda\" src=\"csrc/*.cu\" files=1\n\
                 manifest name=\"relu\" version=1 edition=5 license=\"MIT\" backends=\"cuda\" \
                 torch_src=\"torch-ext/*.cpp\"",
        files: &[("csrc/relu.cu", "// relu\n"), ("torch-ext/torch_binding.cpp", "")],
    }),
    build,
};

/// The arguments that belong to one backend, and their keys.
const OWN: [(&str, &str); 6] = [
    ("capabilities", "cuda-capabilities"),
    ("cuda_flags", "cuda-flags"),
    ("cuda_minver", "cuda-minver"),
    ("hip_flags", "hip-flags"),
    ("sycl_flags", "sycl-flags"),
    ("rocm_archs", "rocm-archs"),
];

struct Kernel {
    /// Without `src`.
    section: KernelSection,
    src: GlobList,
    repeat: Vec<RepoPath>,
    warnings: Vec<Warning>,
}

fn build(args: &mut Args<'_>) -> Option<Box<dyn Op>> {
    let mut fields = Fields::new(args);
    let name = fields.text("name", section_name);
    let backend = fields.parsed("backend", compiled_backend);
    let src = fields.args.get::<GlobList>("src");
    let include = fields.directories("include");
    let depends =
        if fields.args.has("depends") { fields.open_names("depends", depend) } else { vec!["torch".into()] };
    let cuda_capabilities = fields.open_names("capabilities", capability);
    let cxx_flags = fields.flags("cxx_flags");
    let cuda_flags = fields.flags("cuda_flags");
    let hip_flags = fields.flags("hip_flags");
    let sycl_flags = fields.flags("sycl_flags");
    let cuda_minver = fields.text("cuda_minver", toolkit_version);
    let rocm_archs = fields.names("rocm_archs", rocm_arch);
    let repeat = fields.set("repeat_src", |item| {
        RepoPath::typed(item).map_err(|error| ValueError::new(format!("\"{item}\" {error}")))
    });
    if let Some(backend) = backend {
        refuse_other_backends(fields.args, backend);
    }
    let warnings = fields.finish();
    let section = KernelSection {
        cxx_flags,
        cuda_capabilities,
        cuda_flags,
        cuda_minver,
        hip_flags,
        sycl_flags,
        depends,
        rocm_archs,
        include,
        ..KernelSection::new(name?, backend?)
    };
    Some(Box::new(Kernel { section, src: src?, repeat, warnings }))
}

fn refuse_other_backends(args: &mut Args<'_>, backend: &Backend) {
    for (argument, key) in OWN {
        if !args.has(argument) || backend.has_section_key(key) {
            continue;
        }
        let owner = crate::manifest::BACKENDS.iter().find(|b| b.has_section_key(key)).map_or("", |b| b.name);
        let own: Vec<&str> =
            OWN.iter().filter(|(_, k)| backend.has_section_key(k)).map(|(a, _)| *a).collect();
        let message = format!("{argument}= is for {owner}, but backend= is \"{}\"", backend.name);
        let help = if own.is_empty() {
            format!("leave it out; {} has no arguments of its own", backend.name)
        } else {
            format!("leave it out; {} has {}", backend.name, own.join(", "))
        };
        args.error(argument, message, help);
    }
}

impl Op for Kernel {
    fn plan(&self, context: &Context<'_>) -> Result<Plan, Failure> {
        let paths = fields::sources(context, &self.src, "src")?;
        fields::directories_hold_files(context, &self.section.include, "include")?;
        let mut listed = paths.clone();
        for path in &self.repeat {
            if !paths.contains(&path) {
                let message =
                    format!("repeat_src: `{path}` is not in src, so it would be compiled once only");
                let failure = Failure::new(FailureKind::Missing, message).at("repeat_src");
                return Err(failure.hint("add it to src, or take it out of repeat_src"));
            }
            listed.push(path);
        }
        listed.sort();
        let src = fields::written(&listed, "src")?;
        Ok(Plan {
            log: format!(
                "declared [kernel.{}] with {}",
                self.section.name,
                plural(src.len(), ("src file", "src files"))
            ),
            counts: vec![Count::files(paths.iter().map(|p| Evidence::file(p)).collect())],
            records: vec![Record::Kernel(KernelSection { src, ..self.section.clone() })],
            ..Plan::default()
        })
    }

    fn warnings(&self, built: &BuiltOp) -> Vec<RecipeError> {
        fields::show(&self.warnings, built)
    }
}
