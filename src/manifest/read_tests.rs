//! What the reader finds, and where: each kind of mistake in a file that is sound otherwise.

use super::read::{Problem, read};

const COMPILED: &str = r#"[general]
name = "relu"
version = 1
edition = 5
license = "MIT"
backends = ["cuda"]

[torch]
src = ["torch-ext/a.cpp"]

[kernel.relu]
backend = "cuda"
depends = ["torch"]
src = ["a.cu", "b.cu"]
"#;

/// The problems of a text as `"what stands there": message`.
fn problems(text: &str) -> Vec<String> {
    let show = |p: Problem| {
        let mark = if p.warning { "~" } else { "" };
        format!("{mark}{}: {}", text[p.span].lines().next().unwrap_or_default(), p.message)
    };
    read(text).problems.into_iter().map(show).collect()
}

fn changed(from: &str, to: &str) -> Vec<String> {
    assert!(COMPILED.contains(from), "{from}");
    problems(&COMPILED.replace(from, to))
}

#[test]
fn a_sound_file_has_no_problems_and_every_value_its_place() {
    let reading = read(COMPILED);
    assert_eq!(reading.problems, []);
    let model = reading.model.unwrap();
    assert_eq!((model.package().as_str(), model.framework_src().len()), ("relu", 1));
    assert_eq!(&COMPILED[reading.places["kernel.relu.src[1]"].clone()], "\"b.cu\"");
    assert_eq!(&COMPILED[reading.places["general.backends"].clone()], "[\"cuda\"]");
}

#[test]
fn what_is_written_reads_back_as_the_same_model() {
    let model = read(COMPILED).model.unwrap();
    assert_eq!(read(&crate::manifest::write(&model)).model, Some(model));
}

#[test]
fn each_value_is_checked_where_it_stands() {
    for (from, to, expected) in [
        ("\"relu\"", "\"Relu\"", "\"Relu\": general.name \"Relu\" is no kernel name"),
        ("version = 1", "version = -1", "-1: general.version must be an integer of 0 or more"),
        ("version = 1\n", "", "[general]: general.version is missing"),
        ("license = \"MIT\"\n", "", "[general]: general.license is missing"),
        ("edition = 5", "edition = 4", "4: general.edition is 4, but must be 5 or 6"),
        ("edition = 5\n", "", "~[general]: general.edition has no edition"),
        ("[\"cuda\"]", "[\"cuda\", \"cuda\"]", "\"cuda\": general.backends names \"cuda\" twice"),
        ("[\"cuda\"]", "[\"cuda\", \"kuda\"]", "\"kuda\": general.backends \"kuda\" is no backend"),
        ("[\"cuda\"]", "\"cuda\"", "\"cuda\": general.backends must be a list of strings"),
        ("[torch]\n", "[torch]\nminver = \"2\"\n", "\"2\": torch.minver \"2\" is no version of two numbers"),
        (
            "[torch]\n",
            "[torch]\ncxx_flags = []\n",
            "cxx_flags: torch.cxx_flags is no key that the builder knows",
        ),
        ("[torch]\n", "[torch]\nstable-abi = 2.9\n", "2.9: torch.stable-abi must be a table"),
        ("[\"torch\"]", "[\"torhc\"]", "~\"torhc\": kernel.relu.depends \"torhc\" is no dependency"),
        ("depends = [\"torch\"]\n", "", "[kernel.relu]: kernel.relu.depends is missing"),
        ("\"a.cu\"", "\"../a.cu\"", "\"../a.cu\": kernel.relu.src \"../a.cu\" holds `..`"),
        ("\"a.cu\"", "1", "1: kernel.relu.src holds an item that is no string"),
        ("[kernel.relu]", "[kernel.a-b]", "a-b: \"a-b\" is no section name"),
        ("depends", "hip-flags = []\ndepends", "hip-flags: kernel.relu.hip-flags is no key"),
        ("[torch]\n", "[general.rocm]\n[torch]\n", "rocm: general.rocm is no key that the builder knows"),
        ("[torch]\n", "[general.hub]\nrepo-id = \"relu\"\n[torch]\n", "\"relu\": general.hub.repo-id"),
        ("[torch]\n", "[tvm-ffi]\n[torch]\n", "[tvm-ffi]: [torch] and [tvm-ffi] exclude each other"),
        ("[torch]\n", "[x]\n[torch]\n", "x: x is no key that the builder knows"),
        (
            "[torch]\n",
            "[[general.kernel-depends]]\nrepo-id = \"a/b\"\n[torch]\n",
            "[[general.kernel-depends]]: general.kernel-depends.version must be given",
        ),
    ] {
        let found = changed(from, to);
        assert_eq!(found.len(), 1, "{to}: {found:?}");
        assert!(found[0].starts_with(expected), "{to}: {found:?}");
    }
}

#[test]
fn rules_across_tables_point_at_the_key() {
    for (from, to, expected) in [
        ("[\"cuda\"]", "[\"cuda\", \"cpu\"]", "[\"cuda\", \"cpu\"]: cpu is listed, but no kernel section"),
        ("[\"cuda\"]", "[\"cuda\", \"tpu\"]", "[\"cuda\", \"tpu\"]: tpu is listed, but nothing can be"),
        ("backend = \"cuda\"", "backend = \"cpu\"", "\"cpu\": section relu is for cpu, but backends"),
        ("[torch]\n", "[torch]\nminver = \"2.9\"\nmaxver = \"2.8\"\n", "\"2.8\": torch.maxver is 2.8, but"),
    ] {
        let found = changed(from, to);
        assert!(found.iter().any(|f| f.starts_with(expected)), "{to}: {found:?}");
    }
    let noarch = COMPILED.replace("[torch]\nsrc = [\"torch-ext/a.cpp\"]\n", "[torch-noarch]\n");
    assert_eq!(
        problems(&noarch),
        ["[kernel.relu]: a Python-only kernel has no section, but relu is one".to_owned()]
    );
}

#[test]
fn mixed_up_dashes_are_told_apart() {
    let noarch = "[general]\nname = \"ab\"\nversion = 1\nedition = 5\nlicense = \"MIT\"\nbackends = [\"cpu\"]\n\
                  [torch-noarch]\nrocm-archs = []\n";
    let problem = &read(noarch).problems[0];
    assert_eq!(problem.help.as_deref(), Some("here it is spelled rocm_archs"));
}

#[test]
fn edition_6_reads_languages() {
    let text = COMPILED.replace("edition = 5", "edition = 6").replace("backend =", "language =");
    assert_eq!(problems(&text.replace("\"cuda\"\ndepends", "\"cpp-cuda\"\ndepends")), Vec::<String>::new());
    assert!(problems(&text)[0].starts_with("\"cuda\": kernel.relu.language"));
}

#[test]
fn no_toml_and_no_tables_are_problems_not_panics() {
    assert!(problems("a = ")[0].contains("not TOML"));
    assert_eq!(
        problems(""),
        [": the table [general] is missing", ": there is no [torch], [torch-noarch] or [tvm-ffi]"]
    );
    for text in ["general = 1", "kernel = 1", "kernel.a = 1", "[general]\nkernel-depends = [1]", "[[torch]]"]
    {
        assert!(read(text).model.is_none() && !read(text).problems.is_empty(), "{text}");
    }
}

#[test]
fn a_tvm_ffi_kernel_reads_and_writes() {
    let text = "[general]\nname = \"ab\"\nversion = 1\nedition = 5\nlicense = \"MIT\"\nbackends = [\"tpu\", \"cuda\"]\n\n\
                [general.tpu]\npython-depends = [\"x\"]\n\n[[general.cuda.kernel-depends]]\nrepo-id = \"a/b\"\nversion = 1\n\n\
                [tvm-ffi]\npyext = [\"json\"]\nsrc = [\"a.cpp\"]\n\n[kernel.k]\nbackend = \"cuda\"\ndepends = []\nsrc = []\n";
    let reading = read(text);
    let model = reading.model.unwrap();
    assert_eq!(model.framework_src(), ["a.cpp"]);
    assert_eq!(model.pyext().unwrap(), ["json"]);
    assert_eq!(read(&crate::manifest::write(&model)).model.as_ref(), Some(&model));
    let written = crate::manifest::write(&model);
    assert!(
        written.contains("]\n\n[[general.cuda.kernel-depends]]\nrepo-id = \"a/b\"\nversion = 1\n"),
        "{written}"
    );
}
