//! What a `build.toml` says, as plain data. Values are those of the file; nothing here checks them.

use super::values::Backend;

/// A whole `build.toml`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// `[general]` and the tables below it.
    pub general: General,
    /// `[torch]`, `[torch-noarch]` or `[tvm-ffi]`.
    pub framework: Framework,
    /// `[kernel.NAME]`, in the file's order.
    pub sections: Vec<KernelSection>,
}

impl Model {
    /// The name of the Python package: the kernel's name with `-` replaced by `_`.
    pub fn package(&self) -> String {
        self.general.name.replace('-', "_")
    }

    /// The sources that `torch` or `tvm-ffi` lists; empty for a Python-only kernel.
    pub fn framework_src(&self) -> &[String] {
        match &self.framework {
            Framework::Torch(torch) => &torch.src,
            Framework::TvmFfi(ffi) => &ffi.src,
            Framework::Noarch(_) => &[],
        }
    }

    /// The include directories that `torch` or `tvm-ffi` lists.
    pub fn framework_include(&self) -> &[String] {
        match &self.framework {
            Framework::Torch(torch) => &torch.include,
            Framework::TvmFfi(ffi) => &ffi.include,
            Framework::Noarch(_) => &[],
        }
    }

    /// The C++ flags that `torch` or `tvm-ffi` lists.
    pub fn framework_cxx_flags(&self) -> &[String] {
        match &self.framework {
            Framework::Torch(torch) => &torch.cxx_flags,
            Framework::TvmFfi(ffi) => &ffi.cxx_flags,
            Framework::Noarch(_) => &[],
        }
    }

    /// The extensions of the package's files that ship besides `py` and `pyi`; `None` when the file does not say.
    pub fn pyext(&self) -> Option<&[String]> {
        let list = match &self.framework {
            Framework::Torch(torch) => &torch.pyext,
            Framework::TvmFfi(ffi) => &ffi.pyext,
            Framework::Noarch(noarch) => &noarch.pyext,
        };
        (!list.is_empty()).then_some(list)
    }

    /// Whether nothing is compiled.
    pub fn is_noarch(&self) -> bool {
        matches!(self.framework, Framework::Noarch(_))
    }

    /// The tables `[general.BACKEND]` in the order in which they are written, by the backend's name.
    pub fn backend_tables(&self) -> [(&'static str, &BackendTable); 4] {
        let general = &self.general;
        [("cuda", &general.cuda), ("neuron", &general.neuron), ("tpu", &general.tpu), ("xpu", &general.xpu)]
    }
}

/// `[general]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct General {
    /// The kernel's name on the Hub.
    pub name: String,
    /// Its version; missing only in an inline trial.
    pub version: Option<u64>,
    /// The edition of the format; missing means an older shape.
    pub edition: Option<u64>,
    /// The licence; missing only in an inline trial.
    pub license: Option<String>,
    /// Where upstream develops.
    pub upstream: Option<String>,
    /// Where the port is kept.
    pub source: Option<String>,
    /// What the kernel runs on.
    pub backends: Vec<&'static Backend>,
    /// Python packages for every backend.
    pub python_depends: Vec<String>,
    /// Other kernels of the Hub.
    pub kernel_depends: Vec<KernelDepend>,
    /// `[general.hub]` `repo-id`.
    pub repo_id: Option<String>,
    /// `[general.hub]` `branch`.
    pub branch: Option<String>,
    /// `[general.cuda]`.
    pub cuda: BackendTable,
    /// `[general.neuron]`.
    pub neuron: BackendTable,
    /// `[general.tpu]`.
    pub tpu: BackendTable,
    /// `[general.xpu]`.
    pub xpu: BackendTable,
}

/// What a kernel needs on one backend only.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BackendTable {
    /// Oldest toolkit; only CUDA has it.
    pub minver: Option<String>,
    /// Newest toolkit; only CUDA has it.
    pub maxver: Option<String>,
    /// Python packages.
    pub python_depends: Vec<String>,
    /// Other kernels of the Hub.
    pub kernel_depends: Vec<KernelDepend>,
}

/// Another kernel of the Hub that this one uses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelDepend {
    /// `owner/name`.
    pub repo_id: String,
    /// Which state of it.
    pub at: KernelRevision,
}

/// Which state of another kernel is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum KernelRevision {
    /// A version branch.
    Version(u64),
    /// A git revision.
    Revision(String),
}

/// How the Python side is built.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Framework {
    /// A compiled Torch extension.
    Torch(Torch),
    /// Python only.
    Noarch(Noarch),
    /// A compiled TVM FFI extension: read from ports that exist, not written by a recipe yet.
    TvmFfi(TvmFfi),
}

/// `[torch]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Torch {
    /// The bindings and what else is compiled with them.
    pub src: Vec<String>,
    /// Include directories.
    pub include: Vec<String>,
    /// Extensions of package files that ship.
    pub pyext: Vec<String>,
    /// Oldest Torch.
    pub minver: Option<String>,
    /// Newest Torch.
    pub maxver: Option<String>,
    /// Builds against Torch's stable ABI.
    pub stable_abi: Option<StableAbi>,
    /// Flags for the C++ compiler.
    pub cxx_flags: Vec<String>,
}

/// `torch.stable-abi`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StableAbi {
    /// One version for every backend.
    Version(String),
    /// A version a backend, in the file's order.
    PerBackend(Vec<(&'static Backend, String)>),
}

/// `[torch-noarch]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Noarch {
    /// Extensions of package files that ship.
    pub pyext: Vec<String>,
    /// The CUDA capabilities that the kernel runs on.
    pub cuda_capabilities: Vec<String>,
    /// The ROCm architectures that the kernel runs on.
    pub rocm_archs: Vec<String>,
}

/// `[tvm-ffi]`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct TvmFfi {
    /// The bindings and what else is compiled with them.
    pub src: Vec<String>,
    /// Include directories.
    pub include: Vec<String>,
    /// Extensions of package files that ship.
    pub pyext: Vec<String>,
    /// Flags for the C++ compiler.
    pub cxx_flags: Vec<String>,
}

/// One `[kernel.NAME]` section.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelSection {
    /// The name after `kernel.`.
    pub name: String,
    /// What it is compiled for.
    pub backend: &'static Backend,
    /// Flags for the C++ compiler.
    pub cxx_flags: Vec<String>,
    /// CUDA only.
    pub cuda_capabilities: Vec<String>,
    /// CUDA only.
    pub cuda_flags: Vec<String>,
    /// CUDA only: oldest toolkit that compiles it.
    pub cuda_minver: Option<String>,
    /// ROCm only.
    pub hip_flags: Vec<String>,
    /// XPU only.
    pub sycl_flags: Vec<String>,
    /// Libraries.
    pub depends: Vec<String>,
    /// ROCm only.
    pub rocm_archs: Vec<String>,
    /// Include directories.
    pub include: Vec<String>,
    /// Every file that takes part, headers included; one that is compiled twice stands there twice.
    pub src: Vec<String>,
}

impl KernelSection {
    /// A section with nothing in it.
    pub fn new(name: impl Into<String>, backend: &'static Backend) -> Self {
        Self {
            name: name.into(),
            backend,
            cxx_flags: Vec::new(),
            cuda_capabilities: Vec::new(),
            cuda_flags: Vec::new(),
            cuda_minver: None,
            hip_flags: Vec::new(),
            sycl_flags: Vec::new(),
            depends: Vec::new(),
            rocm_archs: Vec::new(),
            include: Vec::new(),
            src: Vec::new(),
        }
    }
}
