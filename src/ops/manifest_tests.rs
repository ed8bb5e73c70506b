//! `kernel` and `manifest` together: whole files byte for byte, and each way to fail with its message.

use crate::manifest::read;
use crate::ops::testing::Port;

const TAIL: &str = r#"version=1 edition=5 license="MIT""#;

/// A compiled port with all files that the recipes below name.
fn port(recipe: &str) -> Port {
    let mut port = Port::new(recipe);
    for path in [
        "cpu/relu.cpp",
        "cuda/a.cu",
        "cuda/b.cu",
        "cuda/b.h",
        "metal/relu.metal",
        "rocm/relu.hip",
        "xpu/relu.cpp",
        "torch-ext/torch_binding.cpp",
        "torch-ext/torch_binding.h",
    ] {
        port = port.file(path, "");
    }
    port
}

/// Runs, reads the file back with our own reader, which must find nothing wrong, and hands it over.
fn build_toml(recipe: &str) -> String {
    let text = port(recipe).ok().1["build.toml"].clone();
    let problems = read(&text).problems.into_iter().filter(|p| !p.warning);
    assert_eq!(problems.collect::<Vec<_>>(), []);
    text
}

#[test]
fn a_noarch_kernel() {
    let recipe = r#"manifest name="relu-jit" version=3 edition=5 license="Apache-2.0" backends="cuda, rocm" noarch=#true
        noarch_pyext="json,txt" noarch_cuda_capabilities="8.0" noarch_rocm_archs="gfx90a,gfx942""#;
    let expected = r#"[general]
name = "relu-jit"
version = 3
edition = 5
license = "Apache-2.0"
backends = [
    "cuda",
    "rocm",
]

[torch-noarch]
pyext = ["json", "txt"]
cuda_capabilities = ["8.0"]
rocm_archs = [
    "gfx90a",
    "gfx942",
]

[kernel]
"#;
    assert_eq!(build_toml(&recipe.replace('\n', " ")), expected);
    let bare = r#"manifest name="a1" version=0 edition=5 license="MIT" backends="xpu" noarch=#true"#;
    let expected = r#"[general]
name = "a1"
version = 0
edition = 5
license = "MIT"
backends = ["xpu"]

[torch-noarch]

[kernel]
"#;
    assert_eq!(build_toml(bare), expected);
}

#[test]
fn a_cuda_kernel() {
    let recipe = r#"kernel name="hello" backend="cuda" src="cuda/a.cu" capabilities="8.0,9.0"
manifest name="hello" version=1 edition=5 license="Apache-2.0" backends="cuda" repo_id="example/hello" torch_src="torch-ext/*.cpp""#;
    let expected = r#"[general]
name = "hello"
version = 1
edition = 5
license = "Apache-2.0"
backends = ["cuda"]

[general.hub]
repo-id = "example/hello"

[torch]
src = [
    "torch-ext/torch_binding.cpp",
]

[kernel.hello]
backend = "cuda"
cuda-capabilities = ["8.0", "9.0"]
depends = ["torch"]
src = [
    "cuda/a.cu",
]
"#;
    assert_eq!(build_toml(recipe), expected);
}

const EVERY_KEY: &str = r#"kernel name="relu_cpu" backend="cpu" src="cpu/*" cxx_flags="-O3,-Wl,,-z" include="."
kernel name="relu_cuda" backend="cuda" src="cuda/b.*,cuda/*.cu" include="cuda,cpu" depends="torch,cutlass_4_0" capabilities="9.0a,10.0f,8.0+PTX" cxx_flags="-O3" cuda_flags="--use_fast_math" cuda_minver="12.8" repeat_src="cuda/a.cu"
kernel name="relu_metal" backend="metal" src="metal/*" depends="torch,metal-cpp"
kernel name="relu_rocm" backend="rocm" src="rocm/*" hip_flags="-O3,-DX=\"1\"" rocm_archs="gfx90a"
kernel name="relu_xpu" backend="xpu" src="xpu/*" sycl_flags="-fsycl" depends="sycl_tla"
manifest name="relu" version=2 edition=5 license="MIT AND Apache-2.0" upstream="https://example.com/a/relu.git" source_repo="git@example.com:b/relu" backends="cpu,cuda,metal,rocm,xpu" python_depends="einops,tvm-ffi" kernel_depends="org/a@1,org/b@rev:abc" repo_id="org/relu" hub_branch="v2" cuda_minver="12.6" cuda_maxver="13.0" cuda_python_depends="nvidia-cutlass-dsl" xpu_python_depends="onednn" neuron_python_depends="nki" torch_src="torch-ext/*" torch_include="torch-ext" torch_pyext="json" torch_minver="2.8" torch_maxver="2.11" torch_cxx_flags="-DNDEBUG" stable_abi="cuda=2.11,tpu=2.9""#;

const EVERY_KEY_WRITTEN: &str = r#"[general]
name = "relu"
version = 2
edition = 5
license = "MIT AND Apache-2.0"
upstream = "https://example.com/a/relu.git"
source = "git@example.com:b/relu"
backends = [
    "cpu",
    "cuda",
    "metal",
    "rocm",
    "xpu",
]
python-depends = [
    "einops",
    "tvm-ffi",
]

[general.cuda]
minver = "12.6"
maxver = "13.0"
python-depends = ["nvidia-cutlass-dsl"]

[general.hub]
repo-id = "org/relu"
branch = "v2"

[[general.kernel-depends]]
repo-id = "org/a"
version = 1

[[general.kernel-depends]]
repo-id = "org/b"
revision = "abc"

[general.neuron]
python-depends = ["nki"]

[general.xpu]
python-depends = ["onednn"]

[torch]
minver = "2.8"
maxver = "2.11"
pyext = ["json"]
include = ["torch-ext"]
src = [
    "torch-ext/torch_binding.cpp",
    "torch-ext/torch_binding.h",
]
cxx-flags = [
    "-DNDEBUG",
]

[torch.stable-abi]
cuda = "2.11"
tpu = "2.9"

[kernel.relu_cpu]
backend = "cpu"
cxx-flags = [
    "-O3",
    "-Wl,-z",
]
depends = ["torch"]
include = ["."]
src = [
    "cpu/relu.cpp",
]

[kernel.relu_cuda]
backend = "cuda"
cxx-flags = [
    "-O3",
]
cuda-capabilities = ["9.0a", "10.0f", "8.0+PTX"]
cuda-flags = [
    "--use_fast_math",
]
cuda-minver = "12.8"
depends = ["torch", "cutlass_4_0"]
include = ["cuda", "cpu"]
src = [
    "cuda/a.cu",
    "cuda/a.cu",
    "cuda/b.cu",
    "cuda/b.h",
]

[kernel.relu_metal]
backend = "metal"
depends = ["torch", "metal-cpp"]
src = [
    "metal/relu.metal",
]

[kernel.relu_rocm]
backend = "rocm"
hip-flags = [
    "-O3",
    '-DX="1"',
]
depends = ["torch"]
rocm-archs = ["gfx90a"]
src = [
    "rocm/relu.hip",
]

[kernel.relu_xpu]
backend = "xpu"
sycl-flags = [
    "-fsycl",
]
depends = ["sycl_tla"]
src = [
    "xpu/relu.cpp",
]
"#;

#[test]
fn five_backends_with_every_key() {
    assert_eq!(build_toml(EVERY_KEY), EVERY_KEY_WRITTEN);
}

#[test]
fn edition_6_tags_sections_with_a_language() {
    let recipe = EVERY_KEY.replace("edition=5", "edition=6");
    let mut expected = EVERY_KEY_WRITTEN.replace("edition = 5", "edition = 6");
    for name in ["cpu", "cuda", "metal", "rocm", "xpu"] {
        expected = expected.replace(&format!("backend = \"{name}\""), &format!("language = \"cpp-{name}\""));
    }
    assert_eq!(build_toml(&recipe), expected);
    assert_eq!(expected.matches("language = ").count(), 5);
}

#[test]
fn one_stable_abi_version_stands_first() {
    let recipe = format!(
        "kernel name=\"k\" backend=\"cpu\" src=\"cpu/*\"\n\
         manifest name=\"relu\" {TAIL} backends=\"cpu\" torch_src=\"torch-ext/*.cpp\" torch_minver=\"2.9\" stable_abi_version=\"2.11\""
    );
    let text = build_toml(&recipe);
    assert!(text.contains("[torch]\nstable-abi = \"2.11\"\nminver = \"2.9\"\nsrc = [\n"), "{text}");
}

#[test]
fn hostile_strings_are_valid_toml() {
    let recipe = format!(
        r#"kernel name="k" backend="cpu" src="k/**" cxx_flags="-D'a'=\"b\",\u{{1b}}[31m,C:\\x,\u{{e9}}e\u{{301}}"
manifest name="relu" {} backends="cpu" torch_src="torch-ext/*.cpp""#,
        TAIL.replace("MIT", r"a\nb")
    );
    let decomposed = "k/cafe\u{301} \"x\".cpp";
    let text = port(&recipe).file(decomposed, "").ok().1["build.toml"].clone();
    let model = read(&text).model.unwrap();
    assert_eq!(model.general.license.as_deref(), Some("a\nb"));
    assert_eq!(model.sections[0].src, [decomposed]);
    assert_eq!(model.sections[0].cxx_flags, ["-D'a'=\"b\"", "\u{1b}[31m", "C:\\x", "\u{e9}e\u{301}"]);
    assert!(text.contains("\"\\u001B[31m\"") && text.contains("'k/cafe\u{301} \"x\".cpp'"), "{text}");
    assert!(!text.contains('\u{1b}'));
}

#[test]
fn a_source_name_that_is_not_utf_8_is_refused() {
    let recipe = format!(
        "kernel name=\"k\" backend=\"cpu\" src=\"cpu/*\"\nmanifest name=\"relu\" {TAIL} backends=\"cpu\" torch_src=\"t/*\""
    );
    let failure = Port::new(&recipe).file(b"cpu/caf\xe9.cpp", "").file("t/a.cpp", "").fails();
    assert_eq!(
        failure.message,
        r"the name of `cpu/caf\xe9.cpp` is not UTF-8, and build.toml can hold nothing else"
    );
    assert_eq!(failure.argument, Some("src"));
}

#[test]
fn the_log_counts_sources_and_sections() {
    let recipe = format!(
        "kernel name=\"k\" backend=\"cuda\" src=\"cuda/*.cu\" repeat_src=\"cuda/b.cu\" files=2\n\
         manifest name=\"relu\" {TAIL} backends=\"cuda\" torch_src=\"torch-ext/*\""
    );
    let (log, _) = port(&recipe).ok();
    assert_eq!(
        log,
        ["declared [kernel.k] with 3 src files", "wrote build.toml (2 torch src files, 1 kernel section)"]
    );
    let (log, _) = port("manifest name=\"ab\" backends=\"cpu\" noarch=#true").ok();
    assert_eq!(log, ["wrote build.toml (noarch)"]);
}

/// A recipe whose only mistake is in the arguments of its kernel, of backend `cuda` unless they say so.
fn kernel_errors(arguments: &str) -> Vec<String> {
    let backend = if arguments.contains("backend=") { "" } else { "backend=\"cuda\"" };
    let listed =
        ["cpu", "rocm", "xpu", "metal"].into_iter().find(|b| arguments.contains(&format!("backend=\"{b}\"")));
    let name = if arguments.contains("name=") { "" } else { "name=\"k\"" };
    let recipe = format!(
        "kernel {name} {backend} src=\"a\" {arguments}\nmanifest name=\"relu\" {TAIL} backends=\"{}\" torch_src=\"a\"",
        listed.unwrap_or("cuda")
    );
    Port::new(&recipe).build_errors()
}

#[test]
fn kernel_values_are_checked_where_they_stand() {
    for (arguments, message) in [
        (r#"name="a-b""#, r#"kernel: name= "a-b" is no section name: letters, digits and underscores only"#),
        (r#"backend="cudaa""#, r#"kernel: backend= "cudaa" is no backend of a kernel section"#),
        (r#"backend="tpu""#, r#"kernel: backend= "tpu" has no compiled kernels"#),
        (r#"cxx_flags="-O3;-g""#, r#"kernel: cxx_flags= "-O3;-g" holds `;`, at which CMake cuts it in two"#),
        (r#"cuda_flags="a;""#, r#"kernel: cuda_flags= "a;" holds `;`, at which CMake cuts it in two"#),
        (r#"cuda_minver="13""#, r#"kernel: cuda_minver= "13" is no version of two numbers, such as "12.8""#),
        (r#"hip_flags="a""#, r#"kernel: hip_flags= is for rocm, but backend= is "cuda""#),
        (r#"sycl_flags="a""#, r#"kernel: sycl_flags= is for xpu, but backend= is "cuda""#),
        (r#"rocm_archs="gfx90a""#, r#"kernel: rocm_archs= is for rocm, but backend= is "cuda""#),
        (
            r#"backend="cpu" capabilities="8.0""#,
            r#"kernel: capabilities= is for cuda, but backend= is "cpu""#,
        ),
        (r#"backend="xpu" cuda_flags="a""#, r#"kernel: cuda_flags= is for cuda, but backend= is "xpu""#),
        (
            r#"backend="rocm" cuda_minver="12.8""#,
            r#"kernel: cuda_minver= is for cuda, but backend= is "rocm""#,
        ),
        (r#"backend="rocm" rocm_archs="sm_90""#, r#"kernel: rocm_archs= "sm_90" is no ROCm architecture"#),
        (r#"include="../x""#, r#"kernel: include= "../x" holds `..`; a path may not leave the tree"#),
        (r#"include="x,x""#, r#"kernel: include= names "x" twice"#),
        (r#"depends="torch,torch""#, r#"kernel: depends= names "torch" twice"#),
        (r#"capabilities="8.0,8.0""#, r#"kernel: capabilities= names "8.0" twice"#),
        (
            r#"repeat_src="/a""#,
            r#"kernel: repeat_src= "/a" is absolute; paths are relative to the top of the tree"#,
        ),
    ] {
        let errors = kernel_errors(arguments);
        assert_eq!(errors.len(), 1, "{arguments}: {errors:?}");
        assert_eq!(errors[0].split_once(": ").unwrap().1, message, "{arguments}");
        assert!(errors[0].starts_with("1:"), "{}", errors[0]);
    }
    assert_eq!(
        kernel_errors(r#"cxx_flags="-Xa,-Xa" depends="foo" capabilities="99z""#),
        Vec::<String>::new()
    );
}

/// The mistakes of a manifest's arguments beside those that make a recipe complete.
fn manifest_errors(arguments: &str) -> Vec<String> {
    let defaults = [
        ("name=", "name=\"relu\""),
        ("backends=", "backends=\"cuda\""),
        ("version=", "version=1"),
        ("edition=", "edition=5"),
        ("license=", "license=\"MIT\""),
    ];
    let mut line = String::from("manifest ");
    line.push_str(arguments);
    for (key, default) in defaults {
        if !format!(" {arguments}").contains(&format!(" {key}")) {
            line.push(' ');
            line.push_str(default);
        }
    }
    if !arguments.contains("noarch") {
        line = format!("{line} torch_src=\"a\"\n");
        line = format!("kernel name=\"k\" backend=\"cuda\" src=\"a\"; {line}");
    }
    Port::new(&line).build_errors().into_iter().map(|e| e.split_once(": ").unwrap().1.to_owned()).collect()
}

#[test]
fn manifest_values_are_checked_where_they_stand() {
    for (arguments, message) in [
        (
            r#"name="Relu_x""#,
            r#"name= "Relu_x" is no kernel name: lower-case letters, digits and dashes, at least two characters, the first a letter, the last no dash"#,
        ),
        ("version=9223372036854775808", "version= is 9223372036854775808, which is too large"),
        ("version=-1", "version= is -1, but must be 0 or more"),
        ("edition=4", "edition= is 4, but must be 5 or 6"),
        (r#"license=" ""#, "license= is empty"),
        (
            r#"upstream="file:///x""#,
            r#"upstream= "file:///x" is no git URL: the scheme file is not accepted"#,
        ),
        (r#"source_repo="/x""#, r#"source_repo= "/x" is no git URL: there is no scheme"#),
        (r#"backends="cuda,kuda""#, r#"backends= "kuda" is no backend"#),
        (r#"backends="cuda,cuda""#, r#"backends= names "cuda" twice"#),
        (
            r#"python_depends="numpy""#,
            r#"python_depends= "numpy" is no Python package that the builder provides here"#,
        ),
        (
            r#"cuda_python_depends="nki""#,
            r#"cuda_python_depends= "nki" is no Python package that the builder provides here"#,
        ),
        (r#"kernel_depends="org/a""#, r#"kernel_depends= "org/a" names no version"#),
        (r#"kernel_depends="a@1""#, r#"kernel_depends= "a" is no repository of the Hub"#),
        (r#"kernel_depends="org/a@-1""#, r#"kernel_depends= "org/a@-1": "-1" is no version number"#),
        (r#"kernel_depends="org/a@rev:""#, r#"kernel_depends= "org/a@rev:": "" is no revision"#),
        (r#"cuda_minver="12.8.0""#, r#"cuda_minver= "12.8.0" is no version of two numbers, such as "12.8""#),
        (r#"cuda_minver="13.0" cuda_maxver="12.9""#, "cuda_maxver= is 12.9, but the oldest allowed is 13.0"),
        (r#"torch_minver="2.11" torch_maxver="2.9""#, "torch_maxver= is 2.9, but the oldest allowed is 2.11"),
        (r#"repo_id="relu""#, r#"repo_id= "relu" is no repository of the Hub"#),
        (r#"hub_branch="a b""#, r#"hub_branch= "a b" is no branch name"#),
        (r#"torch_pyext=".json""#, r#"torch_pyext= ".json" is no file extension"#),
        (r#"torch_cxx_flags="a;b""#, r#"torch_cxx_flags= "a;b" holds `;`, at which CMake cuts it in two"#),
        (
            r#"torch_include="/x""#,
            r#"torch_include= "/x" is absolute; paths are relative to the top of the tree"#,
        ),
        (r#"stable_abi="2.11""#, r#"stable_abi= "2.11" is no backend=version"#),
        (r#"stable_abi="hip=2.11""#, r#"stable_abi= "hip" is no backend"#),
        (r#"stable_abi="cuda=2""#, r#"stable_abi= "2" is no version of two numbers, such as "12.8""#),
        (r#"stable_abi="cuda=2.9,cuda=2.10""#, r#"stable_abi= names "cuda" twice"#),
        (
            r#"stable_abi="cuda=2.9" stable_abi_version="2.9""#,
            "stable_abi= and stable_abi_version= exclude each other",
        ),
        (
            r#"noarch_pyext="json" torch_minver="2.9""#,
            "noarch_pyext= is for a Python-only kernel, but without noarch=#true it is compiled",
        ),
        (
            r#"noarch=#true torch_minver="2.9""#,
            "torch_minver= is for a compiled kernel, but noarch=#true makes it Python only",
        ),
        (r#"noarch=#true noarch_rocm_archs="90a""#, r#"noarch_rocm_archs= "90a" is no ROCm architecture"#),
        ("noarch=#false", "missing argument `torch_src`"),
    ] {
        let errors = manifest_errors(arguments);
        let expected = format!("manifest: {message}");
        let others: Vec<_> = errors.iter().filter(|e| !e.contains("backends= cuda is listed")).collect();
        if arguments.contains("noarch_pyext") {
            assert!(errors.contains(&expected), "{arguments}: {errors:?}");
        } else {
            assert_eq!(others, [&expected], "{arguments}");
        }
    }
}

#[test]
fn keys_of_edition_5_need_it() {
    let recipe = "kernel name=\"k\" backend=\"cpu\" src=\"a\"\nmanifest name=\"relu\" version=1 license=\"MIT\" \
                  backends=\"cpu\" torch_src=\"a\" kernel_depends=\"a/b@1\" stable_abi=\"cpu=2.9\"";
    let rest = "needs edition 5; without an edition the builder does not read it";
    assert_eq!(
        Port::new(recipe).build_errors(),
        [format!("2:90: manifest: kernel_depends= {rest}"), format!("2:109: manifest: stable_abi= {rest}"),]
    );
}

#[test]
fn backends_and_sections_agree() {
    let recipe = "kernel name=\"k\" backend=\"cpu\" src=\"a\"\nkernel name=\"k\" backend=\"rocm\" src=\"a\"\n\
                  manifest name=\"relu\" version=1 edition=5 license=\"MIT\" backends=\"cuda,cpu,tpu\" torch_src=\"a\"";
    assert_eq!(
        Port::new(recipe).build_errors(),
        [
            "2:13: kernel: a second section \"k\"",
            "2:25: kernel: section k is for rocm, but backends lists cuda, cpu, tpu",
            "3:65: manifest: backends= cuda is listed, but no kernel section is for it",
            "3:65: manifest: backends= tpu is listed, but nothing can be compiled for it",
        ]
    );
    let recipe = "kernel name=\"k\" backend=\"cpu\" src=\"a\"\nmanifest name=\"relu\" version=1 edition=5 \
                  license=\"MIT\" backends=\"cpu\" noarch=#true";
    assert_eq!(
        Port::new(recipe).build_errors(),
        ["1:1: kernel: the manifest has noarch=#true, and a Python-only kernel has no sections"]
    );
}

#[test]
fn a_recipe_file_needs_version_and_license_an_inline_trial_does_not() {
    let recipe = "recipe version=1\nmanifest name=\"relu\" backends=\"cuda\" noarch=#true";
    assert_eq!(
        Port::new(recipe).file_errors(),
        ["2:1: manifest: missing argument `version`", "2:1: manifest: missing argument `license`"]
    );
    let (_, tree) = Port::new(recipe).file("a", "").ok();
    assert!(tree["build.toml"].starts_with("[general]\nname = \"relu\"\nbackends = [\"cuda\"]\n"));
}

#[test]
fn what_is_odd_but_allowed_is_a_warning() {
    let recipe = "kernel name=\"k\" backend=\"cuda\" src=\"a\" depends=\"cutlass_9_9\" capabilities=\"80\"\n\
                  manifest name=\"relu\" backends=\"cuda\" torch_src=\"a\" xpu_python_depends=\"onednn\"";
    assert_eq!(
        Port::new(recipe).build_warnings(),
        [
            "1:48: kernel: depends= \"cutlass_9_9\" is no dependency that kernel-builder 0.17.2 knows",
            "1:75: kernel: capabilities= \"80\" does not look like a CUDA capability",
            "2:1: manifest: version= is not given",
            "2:1: manifest: license= is not given",
            "2:1: manifest: edition= is not given; the builder reads such a build.toml in an older shape",
            "2:71: manifest: xpu_python_depends= has no effect: backends= does not list xpu",
        ]
    );
}

#[test]
fn build_toml_is_always_generated() {
    let recipe = format!("manifest name=\"ab\" {TAIL} backends=\"cpu\" noarch=#true");
    let failure = Port::new(&recipe).file("build.toml", "").fails();
    assert_eq!(failure.message, "upstream has a build.toml, but it is always generated");
    assert_eq!(failure.hints, ["delete upstream's first: delete in=\"build.toml\""]);
    let recipe = format!("write to=\"build.toml\" text=\"x\"\n{recipe}");
    let failure = Port::new(&recipe).file("a", "").fails();
    assert_eq!(failure.message, "an op before this one wrote a build.toml, but it is always generated");
    let recipe =
        format!("delete in=\"build.toml\"\nmanifest name=\"ab\" {TAIL} backends=\"cpu\" noarch=#true");
    assert!(Port::new(&recipe).file("build.toml", "x").ok().1["build.toml"].starts_with("[general]"));
}

#[test]
fn sources_and_directories_must_be_there() {
    let manifest = format!("manifest name=\"relu\" {TAIL} backends=\"cuda\" torch_src=\"torch-ext/*.cpp\"");
    for (kernel, more, message, argument, hint) in [
        ("src=\"cuda/*.hip\"", "", "src=\"cuda/*.hip\" matches no file", "src", ""),
        (
            "src=\"cuda/*,cpu\"",
            "",
            "src=\"cpu\" matches no file",
            "src",
            "cpu is a directory; \"cpu/**\" matches",
        ),
        (
            "src=\"cuda/*\" include=\"inc\"",
            "",
            "include=\"inc\" is no directory that holds files",
            "include",
            "",
        ),
        (
            "src=\"cuda/*\" include=\"cuda/b.h\"",
            "",
            "include=\"cuda/b.h\" is no directory that holds files",
            "include",
            "it is a file; its directory is \"cuda\"",
        ),
        (
            "src=\"cuda/*.cu\" repeat_src=\"cuda/b.h\"",
            "",
            "repeat_src: `cuda/b.h` is not in src, so it would be compiled once only",
            "repeat_src",
            "add it to src",
        ),
        (
            "src=\"cuda/*\"",
            "torch_include=\"inc\"",
            "torch_include=\"inc\" is no directory that holds files",
            "torch_include",
            "",
        ),
    ] {
        let failure =
            port(&format!("kernel name=\"k\" backend=\"cuda\" {kernel}\n{manifest} {more}")).fails();
        assert_eq!(failure.message, message);
        assert_eq!(failure.argument, Some(argument));
        assert!(failure.hints.concat().contains(hint), "{:?}", failure.hints);
    }
    let failure = port(&format!(
        "kernel name=\"k\" backend=\"cuda\" src=\"cuda/*\"\n{}",
        manifest.replace("*.cpp", "*.cc")
    ));
    assert_eq!(failure.fails().message, "torch_src=\"torch-ext/*.cc\" matches no file");
}

#[test]
fn a_new_source_is_drift_when_the_files_are_pinned() {
    let recipe = format!(
        "kernel name=\"k\" backend=\"cuda\" src=\"cuda/*\" files=2\n\
         manifest name=\"relu\" {TAIL} backends=\"cuda\" torch_src=\"torch-ext/*\""
    );
    let failure = port(&recipe).fails();
    assert!(failure.message.starts_with("expected exactly 2 files but found 3"), "{}", failure.message);
}
