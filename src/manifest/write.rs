//! Writes a model in the layout of `kernel-builder update-build`, which published files follow, so that a port that
//! exists comes out byte for byte.

use super::model::{
    BackendTable, Framework, General, KernelDepend, KernelRevision, KernelSection, Model, StableAbi,
};
use toml_edit::{Array, ArrayOfTables, DocumentMut, Item, Table, Value, value};

/// How an array is laid out.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Layout {
    /// One line for 0 or 1 items, else one line an item.
    Auto,
    /// Always one line.
    OneLine,
    /// Always one line an item.
    Lines,
}

const INDENT: &str = "\n    ";

/// The text of the file, with one newline at its end.
pub fn write(model: &Model) -> String {
    let mut document = DocumentMut::new();
    let root = document.as_table_mut();
    root.insert("general", Item::Table(general(model)));
    let (name, table) = match &model.framework {
        Framework::Torch(torch) => {
            let mut table = Table::new();
            if let Some(StableAbi::Version(version)) = &torch.stable_abi {
                table.insert("stable-abi", value(version));
            }
            text(&mut table, "minver", torch.minver.as_ref());
            text(&mut table, "maxver", torch.maxver.as_ref());
            list(&mut table, "pyext", &torch.pyext, Layout::Auto);
            list(&mut table, "include", &torch.include, Layout::OneLine);
            array(&mut table, "src", &torch.src, Layout::Lines);
            list(&mut table, "cxx-flags", &torch.cxx_flags, Layout::Lines);
            if let Some(StableAbi::PerBackend(versions)) = &torch.stable_abi {
                let mut by_backend = Table::new();
                for (backend, version) in versions {
                    by_backend.insert(backend.name, value(version));
                }
                table.insert("stable-abi", Item::Table(by_backend));
            }
            ("torch", table)
        }
        Framework::Noarch(noarch) => {
            let mut table = Table::new();
            list(&mut table, "pyext", &noarch.pyext, Layout::OneLine);
            list(&mut table, "cuda_capabilities", &noarch.cuda_capabilities, Layout::Auto);
            list(&mut table, "rocm_archs", &noarch.rocm_archs, Layout::Auto);
            ("torch-noarch", table)
        }
        Framework::TvmFfi(ffi) => {
            let mut table = Table::new();
            list(&mut table, "pyext", &ffi.pyext, Layout::Auto);
            list(&mut table, "include", &ffi.include, Layout::OneLine);
            array(&mut table, "src", &ffi.src, Layout::Lines);
            list(&mut table, "cxx-flags", &ffi.cxx_flags, Layout::Lines);
            ("tvm-ffi", table)
        }
    };
    root.insert(name, Item::Table(table));
    let mut kernels = Table::new();
    // Without sections the header itself is written: an empty `[kernel]`.
    kernels.set_implicit(!model.sections.is_empty());
    for section in &model.sections {
        kernels.insert(&section.name, Item::Table(kernel(section, model.general.edition)));
    }
    root.insert("kernel", Item::Table(kernels));
    document.to_string()
}

fn general(model: &Model) -> Table {
    let General { name, version, edition, license, upstream, source, .. } = &model.general;
    let mut table = Table::new();
    table.insert("name", value(name));
    integer(&mut table, "version", *version);
    integer(&mut table, "edition", *edition);
    text(&mut table, "license", license.as_ref());
    text(&mut table, "upstream", upstream.as_ref());
    text(&mut table, "source", source.as_ref());
    let backends: Vec<String> = model.general.backends.iter().map(|b| b.name.to_owned()).collect();
    array(&mut table, "backends", &backends, Layout::Auto);
    list(&mut table, "python-depends", &model.general.python_depends, Layout::Auto);
    let [cuda, others @ ..] = model.backend_tables();
    backend_table(&mut table, cuda);
    if model.general.repo_id.is_some() || model.general.branch.is_some() {
        let mut hub = Table::new();
        text(&mut hub, "repo-id", model.general.repo_id.as_ref());
        text(&mut hub, "branch", model.general.branch.as_ref());
        table.insert("hub", Item::Table(hub));
    }
    kernel_depends(&mut table, &model.general.kernel_depends);
    for other in others {
        backend_table(&mut table, other);
    }
    table
}

fn backend_table(general: &mut Table, (name, of): (&str, &BackendTable)) {
    if *of == BackendTable::default() {
        return;
    }
    let mut table = Table::new();
    text(&mut table, "minver", of.minver.as_ref());
    text(&mut table, "maxver", of.maxver.as_ref());
    list(&mut table, "python-depends", &of.python_depends, Layout::Auto);
    // With nothing but `kernel-depends` below it the header says nothing.
    table.set_implicit(table.is_empty());
    kernel_depends(&mut table, &of.kernel_depends);
    general.insert(name, Item::Table(table));
}

fn kernel_depends(parent: &mut Table, depends: &[KernelDepend]) {
    if depends.is_empty() {
        return;
    }
    let tables: ArrayOfTables = depends
        .iter()
        .map(|depend| {
            let mut table = Table::new();
            table.insert("repo-id", value(&depend.repo_id));
            match &depend.at {
                KernelRevision::Version(number) => integer(&mut table, "version", Some(*number)),
                KernelRevision::Revision(revision) => text(&mut table, "revision", Some(revision)),
            }
            table
        })
        .collect();
    parent.insert("kernel-depends", Item::ArrayOfTables(tables));
}

fn kernel(section: &KernelSection, edition: Option<u64>) -> Table {
    let mut table = Table::new();
    if edition == Some(6) {
        table.insert("language", value(section.backend.language()));
    } else {
        table.insert("backend", value(section.backend.name));
    }
    list(&mut table, "cxx-flags", &section.cxx_flags, Layout::Lines);
    list(&mut table, "cuda-capabilities", &section.cuda_capabilities, Layout::OneLine);
    list(&mut table, "cuda-flags", &section.cuda_flags, Layout::Lines);
    text(&mut table, "cuda-minver", section.cuda_minver.as_ref());
    list(&mut table, "hip-flags", &section.hip_flags, Layout::Lines);
    list(&mut table, "sycl-flags", &section.sycl_flags, Layout::Lines);
    array(&mut table, "depends", &section.depends, Layout::OneLine);
    list(&mut table, "rocm-archs", &section.rocm_archs, Layout::Auto);
    list(&mut table, "include", &section.include, Layout::OneLine);
    array(&mut table, "src", &section.src, Layout::Lines);
    table
}

fn text(table: &mut Table, key: &str, text: Option<&String>) {
    if let Some(text) = text {
        table.insert(key, value(text));
    }
}

fn integer(table: &mut Table, key: &str, number: Option<u64>) {
    if let Some(number) = number {
        table.insert(key, value(i64::try_from(number).unwrap_or(i64::MAX)));
    }
}

/// An array that is left out when it is empty.
fn list(table: &mut Table, key: &str, items: &[String], layout: Layout) {
    if !items.is_empty() {
        array(table, key, items, layout);
    }
}

fn array(table: &mut Table, key: &str, items: &[String], layout: Layout) {
    let mut array: Array = items.iter().map(String::as_str).collect();
    if layout == Layout::Lines && !items.is_empty() || layout == Layout::Auto && items.len() > 1 {
        array.iter_mut().for_each(|item: &mut Value| item.decor_mut().set_prefix(INDENT));
        array.set_trailing("\n");
        array.set_trailing_comma(true);
    }
    table.insert(key, value(array));
}
