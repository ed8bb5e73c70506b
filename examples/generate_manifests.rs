//! Writes random manifests for `scripts/judge-manifests.sh`: `generate_manifests DIR COUNT SEED`.
//!
//! Each case is a directory with `recipe.kdl`, `build.toml` (what the recipe asks for, put together here without any of
//! the program's checks or its writer), `verdict` (the program's mistakes and warnings, one a line, `error: ...` and
//! `warning: ...`) and, when there is no mistake, `written.toml` as the manifest op wrote it.

use kernel_port::git::Checkouts;
use kernel_port::recipe::{BuildContext, Recipe, RecipeInput, RecipeText};
use kernel_port::run::{Mode as RunMode, run};
use kernel_port::workspace::{Content, Entry, Mode, RepoPath, Workspace};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, value};

type Any<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Any<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, count, seed] = &arguments[..] else {
        return Err("usage: generate_manifests DIR COUNT SEED".into());
    };
    let seed: u64 = seed.parse()?;
    for case in 0..count.parse::<u64>()? {
        let mut dice =
            Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (case + 1).wrapping_mul(0xd129_0a6b_4c8f_35e7));
        let trial = Trial::random(&mut dice);
        let directory = Path::new(directory).join(format!("{case:04}"));
        std::fs::create_dir_all(&directory)?;
        std::fs::write(directory.join("recipe.kdl"), trial.recipe())?;
        std::fs::write(directory.join("build.toml"), trial.toml().to_string())?;
        let (verdict, written) = judge(&trial)?;
        std::fs::write(directory.join("verdict"), verdict)?;
        if let Some(written) = written {
            std::fs::write(directory.join("written.toml"), written)?;
        }
    }
    Ok(())
}

/// Builds and runs the recipe.
fn judge(trial: &Trial) -> Any<(String, Option<Vec<u8>>)> {
    let mut verdict = String::new();
    let text = RecipeText::new("recipe.kdl", trial.recipe());
    let built = Recipe::build(&RecipeInput { text, inline: false, context: BuildContext::default() });
    let recipe = match built {
        Ok(recipe) => recipe,
        Err(errors) => {
            for error in &errors.errors {
                writeln!(verdict, "error: {}", error.message.replace('\n', " "))?;
            }
            return Ok((verdict, None));
        }
    };
    for warning in &recipe.warnings {
        writeln!(verdict, "warning: {}", warning.message.replace('\n', " "))?;
    }
    let files: Any<Vec<(RepoPath, Entry)>> = trial
        .files()
        .iter()
        .map(|path| {
            let path = RepoPath::new(path).map_err(|error| error.to_string())?;
            Ok(Entry::upstream(path, Content::from(""), Mode::File))
        })
        .collect();
    let run = run(&recipe, usize::MAX, Workspace::new(files?), &Checkouts::default(), RunMode::Measure);
    for drift in &run.drift {
        writeln!(verdict, "error: {drift:?}")?;
    }
    let written = run.workspace.read(&RepoPath::new("build.toml").map_err(|error| error.to_string())?);
    Ok((verdict, written.ok().map(|bytes| bytes.to_vec())))
}

/// A small generator of numbers, so that a seed means the same everywhere.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % bound
    }

    fn one_in(&mut self, many: usize) -> bool {
        self.below(many) == 0
    }

    fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// Some of the items, in their order, at least one.
    fn some<'t>(&mut self, from: &[&'t str]) -> Vec<&'t str> {
        let mut found: Vec<&str> = from.iter().copied().filter(|_| self.one_in(2)).collect();
        if found.is_empty() {
            found.push(self.pick(from));
        }
        found
    }
}

/// How an argument is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Integer,
    List,
}

/// An argument of an op, the key it becomes, good values for it and bad or doubtful ones.
struct Argument {
    name: &'static str,
    key: &'static str,
    kind: Kind,
    good: &'static [&'static str],
    bad: &'static [&'static str],
}

const fn argument(
    name: &'static str,
    key: &'static str,
    kind: Kind,
    good: &'static [&'static str],
    bad: &'static [&'static str],
) -> Argument {
    Argument { name, key, kind, good, bad }
}

const VERSIONS: &[&str] = &["12.8", "13.0", "2.9", "2.11", "0.0"];
const BAD_VERSIONS: &[&str] =
    &["13", "12.8.0", "12.", "a.b", "-1.2", "+1.2", "1. 2", "99999999999999999999.1", "1_2.8"];
const FLAGS: &[&str] = &[
    "-O3",
    "-Wl,-z,now",
    "-DX=\"1\"",
    "-D'a'",
    "it's \"both\"",
    "C:\\x",
    "\u{e9}e\u{301}",
    "\u{1b}[31m",
    "a\nb",
    "tab\there",
    "\u{7f}",
    "\u{0}",
    "#",
    "=",
    "[x]",
    "\u{1F600}",
    "\"\"\"",
    "'''",
    "a\r\nb",
    "a\u{85}b",
    "a\u{2028}b",
];
const BAD_FLAGS: &[&str] = &["-O3;-g", ";"];
const URLS: &[&str] =
    &["https://example.com/a/b.git", "git@example.com:a/b", "ssh://git@h:22/a", "git+https://h/a"];
const BAD_URLS: &[&str] = &[
    "file:///a",
    "ftp://h/a",
    "/a/b",
    "a/b",
    "https://",
    "u@h:",
    "u@:p",
    "https://h b/c",
    "https://h:99999/a",
    "host:path",
    "ssh://git@h:o/r",
    "git+git://a/b",
    "https:a/b",
    "@h:p",
    "https://1.2.3.4.5/b",
    "https://xn--a/b",
];
const CAPABILITIES: &[&str] = &["8.0", "9.0a", "10.0f", "8.0+PTX", "12.0"];
const REPOS: &[&str] = &["org/a", "Org-1/b.c_d"];
const DIRECTORIES: &[&str] = &[".", "k0", "k1", "torch-ext"];
const EXTENSIONS: &[&str] = &["json", "txt", "pyi"];

use Kind::{Integer, List, Text};

const GENERAL: &[Argument] = &[
    argument(
        "version",
        "general.version",
        Integer,
        &["0", "1", "9223372036854775807"],
        &["-1", "9223372036854775808"],
    ),
    argument("edition", "general.edition", Integer, &["5"], &["1", "4", "6", "7"]),
    argument(
        "license",
        "general.license",
        Text,
        &["MIT", "Apache-2.0", "a\nb", "\u{1b}", "it's \"x\"", "\\"],
        &[""],
    ),
    argument("upstream", "general.upstream", Text, URLS, BAD_URLS),
    argument("source_repo", "general.source", Text, URLS, BAD_URLS),
    argument(
        "python_depends",
        "general.python-depends",
        List,
        &["einops", "helion", "tvm-ffi"],
        &["numpy", "nki"],
    ),
    argument("cuda_minver", "general.cuda.minver", Text, &["12.6", "12.8"], &["13.1", "13", "12.8.0"]),
    argument("cuda_maxver", "general.cuda.maxver", Text, &["12.9", "13.0"], BAD_VERSIONS),
    argument(
        "cuda_python_depends",
        "general.cuda.python-depends",
        List,
        &["nvidia-cutlass-dsl"],
        &["einops"],
    ),
    argument("xpu_python_depends", "general.xpu.python-depends", List, &["onednn"], &["nki"]),
    argument("neuron_python_depends", "general.neuron.python-depends", List, &["nki"], &["onednn"]),
    argument("repo_id", "general.hub.repo-id", Text, REPOS, &["relu", "a/b/c", "a b/c"]),
    argument("hub_branch", "general.hub.branch", Text, &["main", "v1/x", "\u{e9}"], &["a b", "-x", "a..b"]),
];

const TORCH: &[Argument] = &[
    argument("torch_include", "torch.include", List, DIRECTORIES, &["../x", "/x"]),
    argument("torch_pyext", "torch.pyext", List, EXTENSIONS, &[".json", "*"]),
    argument("torch_minver", "torch.minver", Text, &["2.8", "2.9"], BAD_VERSIONS),
    argument("torch_maxver", "torch.maxver", Text, &["2.10", "2.11"], BAD_VERSIONS),
    argument("torch_cxx_flags", "torch.cxx-flags", List, FLAGS, BAD_FLAGS),
    argument("stable_abi_version", "torch.stable-abi", Text, VERSIONS, BAD_VERSIONS),
];

const NOARCH: &[Argument] = &[
    argument("noarch_pyext", "torch-noarch.pyext", List, EXTENSIONS, &[".json", "*"]),
    argument("noarch_cuda_capabilities", "torch-noarch.cuda_capabilities", List, CAPABILITIES, &["80", "x"]),
    argument("noarch_rocm_archs", "torch-noarch.rocm_archs", List, &["gfx90a", "gfx942"], &["90a", "sm_90"]),
];

const DEPENDS: &[&str] = &[
    "torch",
    "cutlass_2_10",
    "cutlass_3_5",
    "cutlass_3_6",
    "cutlass_3_8",
    "cutlass_3_9",
    "cutlass_4_0",
    "cutlass_4_4",
    "cutlass_4_5",
    "sycl_tla",
    "metal-cpp",
];

const SHARED: &[Argument] = &[
    argument("include", "include", List, DIRECTORIES, &["../x"]),
    argument("depends", "depends", List, DEPENDS, &["cutlass_9_9", "Torch"]),
    argument("cxx_flags", "cxx-flags", List, FLAGS, BAD_FLAGS),
];
const CUDA: &[Argument] = &[
    argument("capabilities", "cuda-capabilities", List, CAPABILITIES, &["80", "x"]),
    argument("cuda_flags", "cuda-flags", List, FLAGS, BAD_FLAGS),
    argument("cuda_minver", "cuda-minver", Text, VERSIONS, BAD_VERSIONS),
];
const ROCM: &[Argument] = &[
    argument("hip_flags", "hip-flags", List, FLAGS, BAD_FLAGS),
    argument("rocm_archs", "rocm-archs", List, &["gfx90a", "gfx942:xnack-"], &["90a", "sm_90"]),
];
const XPU: &[Argument] = &[argument("sycl_flags", "sycl-flags", List, FLAGS, BAD_FLAGS)];

const COMPILED: &[&str] = &["cpu", "cuda", "metal", "rocm", "xpu"];
const BACKENDS: &[&str] = &["cann", "cpu", "cuda", "metal", "neuron", "rocm", "tpu", "xpu"];
const BAD_BACKENDS: &[&str] = &["hip", "CUDA", "", "tpu", "cann", "neuron"];
const NAMES: &[&str] = &["relu", "ab", "a-b", "a--b", "flash-attn3"];
const BAD_NAMES: &[&str] = &["a", "1a", "a-", "A", "a_b", "\u{e9}a", "ab\n"];
const FILES: &[&str] = &[
    "a.cu",
    "b.h",
    "cafe\u{301}.cu",
    "caf\u{e9}.cu",
    "a \"b\".cu",
    "it's.cu",
    "tab\there.cu",
    "new\nline.cu",
    "semi;colon.cu",
    "\u{1b}[31m.cu",
    "back\\slash.cu",
    "#.cu",
    "[x].cu",
    "\u{1F600}.cu",
];

/// A value of an argument that was chosen.
struct Chosen {
    argument: &'static Argument,
    values: Vec<&'static str>,
}

struct Section {
    name: String,
    backend: &'static str,
    arguments: Vec<Chosen>,
    files: BTreeSet<&'static str>,
    repeat: bool,
}

struct Trial {
    name: &'static str,
    backends: Vec<&'static str>,
    noarch: bool,
    general: Vec<Chosen>,
    framework: Vec<Chosen>,
    per_backend_abi: Vec<(&'static str, &'static str)>,
    kernel_depends: Vec<(&'static str, &'static str, bool)>,
    sections: Vec<Section>,
}

/// Chooses values; once in `bad_one_in` a bad one, never with 0.
struct Chooser<'d> {
    dice: &'d mut Dice,
    bad_one_in: usize,
}

impl Chooser<'_> {
    fn bad(&mut self) -> bool {
        self.bad_one_in > 0 && self.dice.one_in(self.bad_one_in)
    }

    fn arguments(&mut self, table: &'static [Argument], always: &[&str]) -> Vec<Chosen> {
        let mut chosen = Vec::new();
        for argument in table {
            // What must be there is left out now and then.
            let there = if always.contains(&argument.name) { !self.bad() } else { self.dice.one_in(2) };
            if !there {
                continue;
            }
            let values = match argument.kind {
                List => {
                    let mut values = self.dice.some(argument.good);
                    if self.bad() {
                        values.push(self.dice.pick(argument.bad));
                    }
                    values
                }
                _ if self.bad() => vec![self.dice.pick(argument.bad)],
                _ => vec![self.dice.pick(argument.good)],
            };
            chosen.push(Chosen { argument, values });
        }
        chosen
    }

    fn section(&mut self, at: usize, backend: &'static str) -> Section {
        let mut arguments = self.arguments(SHARED, &[]);
        let own = match backend {
            "cuda" => CUDA,
            "rocm" => ROCM,
            "xpu" => XPU,
            _ => &[],
        };
        arguments.extend(self.arguments(own, &[]));
        if self.bad() {
            let others = self.dice.pick(&[CUDA, ROCM, XPU]);
            arguments.extend(
                self.arguments(others, &[])
                    .into_iter()
                    .filter(|c| own.iter().all(|a| a.name != c.argument.name)),
            );
        }
        let name = if self.bad() {
            self.dice.pick(&["a-b", "", "a.b", "\u{e9}"]).to_owned()
        } else {
            format!("k{at}")
        };
        let files = self.dice.some(FILES).into_iter().collect();
        Section { name, backend, arguments, files, repeat: self.dice.one_in(4) }
    }
}

impl Trial {
    fn random(dice: &mut Dice) -> Self {
        let bad_one_in = if dice.one_in(2) { 0 } else { dice.pick(&[12, 40]) };
        let noarch = dice.one_in(3);
        let mut chooser = Chooser { dice, bad_one_in };
        let mut backends = chooser.dice.some(if noarch { BACKENDS } else { COMPILED });
        let mut sections: Vec<Section> = Vec::new();
        if !noarch {
            for backend in backends.clone() {
                let at = sections.len();
                sections.push(chooser.section(at, backend));
            }
            if chooser.bad() {
                sections.pop();
            }
            if chooser.bad() {
                let stray = chooser.dice.pick(BAD_BACKENDS);
                let at = sections.len();
                sections.push(chooser.section(at, stray));
            }
        }
        if chooser.bad() {
            let bad = chooser.dice.pick(BAD_BACKENDS);
            if !bad.is_empty() {
                backends.push(bad);
            }
        }
        let name = if chooser.bad() { chooser.dice.pick(BAD_NAMES) } else { chooser.dice.pick(NAMES) };
        let general = chooser.arguments(GENERAL, &["version", "license", "edition"]);
        let framework = chooser.arguments(if noarch { NOARCH } else { TORCH }, &[]);
        let has_abi = framework.iter().any(|c| c.argument.name == "stable_abi_version");
        let per_backend_abi = if !noarch && !has_abi && chooser.dice.one_in(2) {
            let names = chooser.dice.some(BACKENDS);
            names.into_iter().map(|name| (name, if chooser.bad() { "2" } else { "2.11" })).collect()
        } else {
            Vec::new()
        };
        let mut kernel_depends = Vec::new();
        if chooser.dice.one_in(3) {
            kernel_depends.push((chooser.dice.pick(REPOS), "1", false));
            kernel_depends.push(("org/rev", if chooser.bad() { "x y" } else { "abc" }, true));
        }
        Self { name, backends, noarch, general, framework, per_backend_abi, kernel_depends, sections }
    }

    fn files(&self) -> Vec<String> {
        let mut files = vec!["torch-ext/binding.cpp".to_owned(), "k0/x.h".to_owned(), "k1/x.h".to_owned()];
        for (at, section) in self.sections.iter().enumerate() {
            files.extend(section.files.iter().map(|file| format!("src{at}/{file}")));
        }
        files
    }

    fn recipe(&self) -> String {
        let mut text = String::from("recipe version=1\n");
        for (at, section) in self.sections.iter().enumerate() {
            let (name, backend) = (kdl(&section.name), kdl(section.backend));
            let _ = write!(text, "kernel name={name} backend={backend} src=\"src{at}/**\"");
            section.arguments.iter().for_each(|c| c.write(&mut text));
            if let (true, Some(first)) = (section.repeat, section.files.first()) {
                let _ = write!(text, " repeat_src={}", kdl(&format!("src{at}/{first}")));
            }
            text.push('\n');
        }
        let _ = write!(text, "manifest name={} backends={}", kdl(self.name), kdl(&self.backends.join(",")));
        self.general.iter().chain(&self.framework).for_each(|c| c.write(&mut text));
        if !self.per_backend_abi.is_empty() {
            let entries: Vec<String> = self.per_backend_abi.iter().map(|(b, v)| format!("{b}={v}")).collect();
            let _ = write!(text, " stable_abi={}", kdl(&entries.join(",")));
        }
        if !self.kernel_depends.is_empty() {
            let show = |(repo, at, revision): &(&str, &str, bool)| {
                if *revision { format!("{repo}@rev:{at}") } else { format!("{repo}@{at}") }
            };
            let entries: Vec<String> = self.kernel_depends.iter().map(show).collect();
            let _ = write!(text, " kernel_depends={}", kdl(&entries.join(",")));
        }
        text.push_str(if self.noarch { " noarch=#true\n" } else { " torch_src=\"torch-ext/*.cpp\"\n" });
        text
    }

    fn toml(&self) -> DocumentMut {
        let mut document = DocumentMut::new();
        let root = document.as_table_mut();
        set(root, "general.name", value(self.name));
        set(root, "general.backends", list(&self.backends));
        for chosen in self.general.iter().chain(&self.framework) {
            set(root, chosen.argument.key, chosen.item());
        }
        if self.noarch {
            root.entry("torch-noarch").or_insert_with(|| Item::Table(Table::new()));
            root.entry("kernel").or_insert_with(|| Item::Table(Table::new()));
        } else {
            set(root, "torch.src", list(&["torch-ext/binding.cpp"]));
        }
        for (backend, version) in &self.per_backend_abi {
            set(root, &format!("torch.stable-abi.{backend}"), value(*version));
        }
        let mut depends = ArrayOfTables::new();
        for (repo, at, revision) in &self.kernel_depends {
            let mut table = Table::new();
            table.insert("repo-id", value(*repo));
            if *revision {
                table.insert("revision", value(*at));
            } else {
                table.insert("version", value(at.parse::<i64>().unwrap_or_default()));
            }
            depends.push(table);
        }
        if !depends.is_empty() {
            set(root, "general.kernel-depends", Item::ArrayOfTables(depends));
        }
        let mut kernels = Table::new();
        for (at, section) in self.sections.iter().enumerate() {
            let mut table = Table::new();
            table.insert("backend", value(section.backend));
            table.insert("depends", list(&["torch"]));
            for chosen in &section.arguments {
                table.insert(chosen.argument.key, chosen.item());
            }
            let mut src: Vec<String> = section.files.iter().map(|file| format!("src{at}/{file}")).collect();
            if section.repeat {
                src.insert(0, src[0].clone());
            }
            table.insert("src", list(&src.iter().map(String::as_str).collect::<Vec<_>>()));
            kernels.insert(&section.name, Item::Table(table));
        }
        if !self.sections.is_empty() {
            root.insert("kernel", Item::Table(kernels));
        }
        document
    }
}

impl Chosen {
    fn write(&self, text: &mut String) {
        let written = match self.argument.kind {
            Integer => self.values[0].to_owned(),
            Text => kdl(self.values[0]),
            List => kdl(&self.values.iter().map(|v| v.replace(',', ",,")).collect::<Vec<_>>().join(",")),
        };
        let _ = write!(text, " {}={written}", self.argument.name);
    }

    fn item(&self) -> Item {
        match self.argument.kind {
            Integer => self.values[0].parse::<i64>().map_or_else(
                // More than a TOML integer holds: written as digits all the same.
                |_| {
                    format!("x = {}", self.values[0])
                        .parse::<DocumentMut>()
                        .map_or_else(|_| value(self.values[0]), |d| d["x"].clone())
                },
                value,
            ),
            Text => value(self.values[0]),
            List => list(&self.values),
        }
    }
}

fn list(items: &[&str]) -> Item {
    value(items.iter().copied().collect::<Array>())
}

/// Sets a dotted key, with real tables on the way.
fn set(root: &mut Table, key: &str, item: Item) {
    match key.split_once('.') {
        None => {
            root.insert(key, item);
        }
        Some((first, rest)) => {
            let table = root.entry(first).or_insert_with(|| Item::Table(Table::new()));
            if let Some(table) = table.as_table_mut() {
                set(table, rest, item);
            }
        }
    }
}

/// A KDL string; everything that is no plain character as an escape.
fn kdl(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                out.push('\\');
                out.push(c);
            }
            c if c.is_control() || c == '\u{2028}' => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
