//! Reads a `build.toml` that exists, leniently: whatever can be understood ends up in the model, and everything that
//! the builder would reject, or that a recipe could not say, is a problem with its place.

use super::model::{
    BackendTable, Framework, General, KernelDepend, KernelRevision, KernelSection, Model, Noarch, StableAbi,
    Torch, TvmFfi,
};
use super::reader::{Reader, span};
use super::values::{self, BACKENDS, Backend};
use super::{Breach, SectionBreach, check_rules, check_sections, git_url, shapes};
use crate::recipe::ValueError;
use std::collections::BTreeMap;
use std::ops::Range;
use toml_edit::{Array, Document, Item, Key, TableLike};

/// One thing that is wrong in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Bytes of the file's text.
    pub span: Range<usize>,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
    /// Whether the builder may accept it nevertheless: a list that grows, an older shape.
    pub warning: bool,
}

/// What a file says.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// `None` when it is not TOML, or says too little to be one.
    pub model: Option<Model>,
    /// In text order.
    pub problems: Vec<Problem>,
    /// Where values stand, by dotted key: `general.name`, `kernel.relu.src`, and `kernel.relu.src[0]` for items.
    pub places: BTreeMap<String, Range<usize>>,
}

/// Reads a file's text.
pub fn read(text: &str) -> Reading {
    let mut reader =
        Reader { reading: Reading::default(), path: Vec::new(), edition: None, incomplete: false };
    match Document::parse(text) {
        Ok(document) => {
            let model = reader.model(document.as_table());
            if let Some(model) = &model {
                reader.across(model);
            }
            reader.reading.model = model;
        }
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            reader.problem(span, false, ValueError::new(format!("not TOML: {}", error.message())));
        }
    }
    reader.reading.problems.sort_by_key(|p| p.span.start);
    reader.reading
}

impl Reader {
    fn model(&mut self, root: &dyn TableLike) -> Option<Model> {
        const FRAMEWORKS: [&str; 3] = ["torch", "torch-noarch", "tvm-ffi"];
        self.known_keys(root, &["general", "torch", "torch-noarch", "tvm-ffi", "kernel"]);
        const GENERAL: &[&str] = &[
            "name",
            "version",
            "edition",
            "license",
            "upstream",
            "source",
            "backends",
            "python-depends",
            "kernel-depends",
            "cuda",
            "hub",
            "neuron",
            "tpu",
            "xpu",
        ];
        let general = self.table(root, "general", GENERAL, Self::general);
        if general.is_none() && root.get("general").is_none() {
            self.problem(0..0, false, ValueError::new("the table [general] is missing"));
        }
        let framework = self.framework(root);
        let given: Vec<&str> = FRAMEWORKS.into_iter().filter(|name| root.get(name).is_some()).collect();
        match given[..] {
            [_] => {}
            [] => {
                let error = ValueError::new("there is no [torch], [torch-noarch] or [tvm-ffi]");
                self.problem(0..0, false, error.help("add the one that the kernel is built with"));
            }
            [_, second, ..] => {
                let place = self.reading.places.get(second).cloned().unwrap_or(0..0);
                self.problem(
                    place,
                    false,
                    ValueError::new(format!("[{}] and [{second}] exclude each other", given[0])),
                );
            }
        }
        let mut sections = Vec::new();
        if let Some(kernels) = root.get("kernel") {
            match kernels.as_table_like() {
                Some(kernels) => {
                    self.path.push("kernel".into());
                    let names: Vec<String> = kernels.iter().map(|(name, _)| name.to_owned()).collect();
                    sections.extend(names.iter().filter_map(|name| self.section(kernels, name)));
                    self.path.pop();
                }
                None => {
                    self.refuse(span(kernels).unwrap_or(0..0), "kernel", ValueError::new("must be a table"))
                }
            }
        }
        Some(Model { general: general?, framework: framework?, sections })
    }

    fn general(&mut self, table: &dyn TableLike) -> General {
        for key in ["name", "version", "license", "backends"] {
            self.missing(table, key);
        }
        self.edition = self.integer(table, "edition", shapes::edition);
        if table.get("edition").is_none() {
            let place = self.reading.places.get("general").cloned().unwrap_or(0..0);
            let error = ValueError::new("has no edition; the builder reads an older shape");
            self.complain(place, "edition", error.help("add edition = 5"), true);
        }
        let hub = self.table(table, "hub", &["repo-id", "branch"], |reader, hub| {
            let repo_id = reader.text(hub, "repo-id", shapes::repo_id);
            (repo_id, reader.text(hub, "branch", shapes::branch))
        });
        let (repo_id, branch) = hub.unwrap_or_default();
        General {
            name: self.text(table, "name", shapes::kernel_name).unwrap_or_default(),
            version: self.integer(table, "version", shapes::version_number),
            edition: self.edition,
            license: self.text(table, "license", shapes::license),
            upstream: self.text(table, "upstream", git_url),
            source: self.text(table, "source", git_url),
            backends: self.backends(table),
            python_depends: self.texts(table, "python-depends", |text| values::python_depend(text, None)),
            kernel_depends: self.kernel_depends(table),
            repo_id,
            branch,
            cuda: self.backend_table(table, "cuda"),
            neuron: self.backend_table(table, "neuron"),
            tpu: self.backend_table(table, "tpu"),
            xpu: self.backend_table(table, "xpu"),
        }
    }

    fn backends(&mut self, table: &dyn TableLike) -> Vec<&'static Backend> {
        let mut backends: Vec<&'static Backend> = Vec::new();
        for (at, (_, found)) in self.list(table, "backends", false, values::backend).into_iter().enumerate() {
            let Some(found) = found else {
                self.incomplete = true;
                continue;
            };
            if backends.contains(&found) {
                let place = self.reading.places.get(&format!("{}[{at}]", self.key("backends"))).cloned();
                let error = ValueError::new(format!("names \"{}\" twice", found.name)).help("name it once");
                self.refuse(place.unwrap_or(0..0), "backends", error);
                continue;
            }
            backends.push(found);
        }
        if backends.is_empty() && !self.incomplete && table.get("backends").is_some() {
            self.incomplete = true;
            let place = self.reading.places.get(&self.key("backends")).cloned().unwrap_or(0..0);
            if table.get("backends").is_some_and(Item::is_array) {
                self.refuse(place, "backends", ValueError::new("names no backend"));
            }
        }
        backends
    }

    fn backend_table(&mut self, general: &dyn TableLike, name: &'static str) -> BackendTable {
        let Some(backend) = BACKENDS.iter().find(|b| b.name == name) else {
            return BackendTable::default();
        };
        let known = backend.general_keys.unwrap_or_default();
        let table = self.table(general, name, known, |reader, table| BackendTable {
            minver: reader.text(table, "minver", shapes::toolkit_version),
            maxver: reader.text(table, "maxver", shapes::toolkit_version),
            python_depends: reader
                .list(table, "python-depends", false, |text| values::python_depend(text, Some(backend)))
                .into_iter()
                .map(|(text, _)| text)
                .collect(),
            kernel_depends: reader.kernel_depends(table),
        });
        table.unwrap_or_default()
    }

    fn kernel_depends(&mut self, parent: &dyn TableLike) -> Vec<KernelDepend> {
        let Some(item) = parent.get("kernel-depends") else {
            return Vec::new();
        };
        let place = self.place(parent, "kernel-depends", item);
        let tables: Vec<&dyn TableLike> = match item {
            Item::ArrayOfTables(tables) => tables.iter().map(|t| t as &dyn TableLike).collect(),
            Item::Value(value) => {
                let inline = value.as_array().into_iter().flatten().filter_map(|v| v.as_inline_table());
                inline.map(|t| t as &dyn TableLike).collect()
            }
            _ => Vec::new(),
        };
        let length = item.as_array().map(Array::len);
        if length.is_some_and(|length| length != tables.len())
            || item.is_table()
            || item.is_value() && length.is_none()
        {
            self.refuse(place.clone(), "kernel-depends", ValueError::new("must be a list of tables"));
        }
        self.path.push("kernel-depends".into());
        let found = tables.into_iter().filter_map(|table| self.kernel_depend(table, &place)).collect();
        self.path.pop();
        found
    }

    fn kernel_depend(&mut self, table: &dyn TableLike, place: &Range<usize>) -> Option<KernelDepend> {
        self.known_keys(table, &["repo-id", "version", "revision"]);
        let repo_id = self.text(table, "repo-id", shapes::repo_id);
        let version = self.integer(table, "version", shapes::version_number);
        let revision = self.text(table, "revision", shapes::branch);
        if table.get("repo-id").is_none() {
            self.refuse(place.clone(), "repo-id", ValueError::new("is missing"));
        }
        let at = match (version, revision) {
            (Some(version), None) => KernelRevision::Version(version),
            (None, Some(revision)) => KernelRevision::Revision(revision),
            _ => {
                let error = ValueError::new("must be given, or else revision; one of the two");
                self.refuse(place.clone(), "version", error);
                return None;
            }
        };
        Some(KernelDepend { repo_id: repo_id?, at })
    }

    fn framework(&mut self, root: &dyn TableLike) -> Option<Framework> {
        const TORCH: &[&str] = &["include", "minver", "maxver", "pyext", "src", "stable-abi", "cxx-flags"];
        let torch = self.table(root, "torch", TORCH, |reader, table| Torch {
            src: reader.paths(table, "src"),
            include: reader.paths(table, "include"),
            pyext: reader.texts(table, "pyext", shapes::extension),
            minver: reader.text(table, "minver", shapes::toolkit_version),
            maxver: reader.text(table, "maxver", shapes::toolkit_version),
            stable_abi: reader.stable_abi(table),
            cxx_flags: reader.texts(table, "cxx-flags", shapes::flag),
        });
        const NOARCH: &[&str] = &["pyext", "cuda_capabilities", "rocm_archs"];
        let noarch = self.table(root, "torch-noarch", NOARCH, |reader, table| Noarch {
            pyext: reader.texts(table, "pyext", shapes::extension),
            cuda_capabilities: reader.soft(table, "cuda_capabilities", shapes::capability),
            rocm_archs: reader.texts(table, "rocm_archs", shapes::rocm_arch),
        });
        let ffi =
            self.table(root, "tvm-ffi", &["include", "pyext", "src", "cxx-flags"], |reader, table| TvmFfi {
                src: reader.paths(table, "src"),
                include: reader.paths(table, "include"),
                pyext: reader.texts(table, "pyext", shapes::extension),
                cxx_flags: reader.texts(table, "cxx-flags", shapes::flag),
            });
        torch.map(Framework::Torch).or(noarch.map(Framework::Noarch)).or(ffi.map(Framework::TvmFfi))
    }

    fn stable_abi(&mut self, torch: &dyn TableLike) -> Option<StableAbi> {
        if torch.get("stable-abi")?.is_str() {
            return self.text(torch, "stable-abi", shapes::toolkit_version).map(StableAbi::Version);
        }
        let names: Vec<&str> = BACKENDS.iter().map(|b| b.name).collect();
        let versions = self.table(torch, "stable-abi", &names, |reader, table| {
            let keys: Vec<&str> = table.iter().map(|(key, _)| key).collect();
            let entry = |key: &&str| {
                let backend = BACKENDS.iter().find(|b| b.name == *key)?;
                Some((backend, reader.text(table, key, shapes::toolkit_version)?))
            };
            keys.iter().filter_map(entry).collect()
        });
        versions.map(StableAbi::PerBackend)
    }

    fn section(&mut self, kernels: &dyn TableLike, name: &str) -> Option<KernelSection> {
        let tag = if self.edition == Some(6) { "language" } else { "backend" };
        let table = kernels.get(name)?.as_table_like();
        let written = table.and_then(|t| t.get(tag)).and_then(Item::as_str);
        let known_as = if tag == "backend" { values::compiled_backend } else { values::language };
        let backend = written.and_then(|text| known_as(text).ok());
        let mut known = vec![tag, "cxx-flags", "depends", "include", "src"];
        // With no backend to go by, the keys of all are let through: one problem is enough.
        let own = BACKENDS.iter().filter(|b| backend.is_none_or(|found| found == *b));
        known.extend(own.flat_map(|b| b.section_keys.unwrap_or_default()));
        let section = self.table(kernels, name, &known, |reader, table| {
            if let Err(error) = shapes::section_name(name) {
                let place = kernels.key(name).and_then(Key::span).unwrap_or(0..0);
                reader.problem(place, false, error);
            }
            for key in [tag, "depends", "src"] {
                reader.missing(table, key);
            }
            reader.text(table, tag, known_as);
            Some(KernelSection {
                name: name.to_owned(),
                cxx_flags: reader.texts(table, "cxx-flags", shapes::flag),
                cuda_capabilities: reader.soft(table, "cuda-capabilities", shapes::capability),
                cuda_flags: reader.texts(table, "cuda-flags", shapes::flag),
                cuda_minver: reader.text(table, "cuda-minver", shapes::toolkit_version),
                hip_flags: reader.texts(table, "hip-flags", shapes::flag),
                sycl_flags: reader.texts(table, "sycl-flags", shapes::flag),
                depends: reader.soft(table, "depends", values::depend),
                rocm_archs: reader.texts(table, "rocm-archs", shapes::rocm_arch),
                include: reader.paths(table, "include"),
                src: reader.paths(table, "src"),
                backend: backend?,
            })
        });
        let section = section.flatten();
        self.incomplete |= section.is_none();
        section
    }

    fn across(&mut self, model: &Model) {
        let place = |reading: &Reading, key: &str| {
            let table = key.rsplit_once('.').map_or("general", |(table, _)| table);
            reading.places.get(key).or_else(|| reading.places.get(table)).cloned().unwrap_or(0..0)
        };
        for Breach { key, message, help } in check_rules(model) {
            let place = place(&self.reading, key);
            self.problem(place, false, ValueError::new(format!("{key} {message}")).help(help));
        }
        if model.is_noarch() {
            for section in &model.sections {
                let place = place(&self.reading, &format!("kernel.{}", section.name));
                let error = ValueError::new(format!(
                    "a Python-only kernel has no section, but {} is one",
                    section.name
                ));
                self.problem(place, false, error.help("end the file with an empty [kernel]"));
            }
            return;
        }
        if self.incomplete {
            return;
        }
        let sections: Vec<(&str, &'static Backend)> =
            model.sections.iter().map(|s| (s.name.as_str(), s.backend)).collect();
        for breach in check_sections(&model.general.backends, &sections) {
            let (key, message, help) = match breach {
                SectionBreach::Unused { message, help, .. } => ("general.backends".to_owned(), message, help),
                SectionBreach::Unlisted { section, message, help } => {
                    (format!("kernel.{}.backend", sections[section].0), message, help)
                }
            };
            let place = place(&self.reading, &key);
            self.problem(place, false, ValueError::new(message).help(help));
        }
    }
}
