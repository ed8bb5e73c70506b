//! The rules across keys: what each value alone allows, but all of them together do not.

use super::model::{Framework, Model, StableAbi};
use super::shapes::toolkit_version;
use super::values::{BACKENDS, Backend};

/// Keys that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Breach {
    /// The key to point at, dotted: `general.cuda.maxver`.
    pub key: &'static str,
    /// What does not fit, in words that follow the key's name.
    pub message: String,
    /// What to do.
    pub help: &'static str,
}

/// A backend without a section, or a section of a backend that is not listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SectionBreach {
    /// `general.backends` names a backend that no section is for.
    Unused {
        /// The backend.
        backend: &'static Backend,
        /// What does not fit.
        message: String,
        /// What to do.
        help: String,
    },
    /// A section is for a backend that `general.backends` does not name.
    Unlisted {
        /// Index of the section.
        section: usize,
        /// What does not fit.
        message: String,
        /// What to do.
        help: String,
    },
}

/// Checks all but the sections.
pub fn check(model: &Model) -> Vec<Breach> {
    let mut breaches = Vec::new();
    let general = &model.general;
    if general.edition.is_none() {
        needs_edition(model, &mut breaches);
    }
    let cuda = &general.cuda;
    order("general.cuda.maxver", &cuda.minver, &cuda.maxver, &mut breaches);
    if let Framework::Torch(torch) = &model.framework {
        order("torch.maxver", &torch.minver, &torch.maxver, &mut breaches);
    }
    breaches
}

/// The shape that a file without an edition is read as does not have these keys.
fn needs_edition(model: &Model, breaches: &mut Vec<Breach>) {
    let general = &model.general;
    let tables = model.backend_tables();
    let of_backend = |name: &str| tables.iter().any(|(n, t)| *n == name && !t.kernel_depends.is_empty());
    let per_backend = matches!(
        &model.framework,
        Framework::Torch(torch) if matches!(torch.stable_abi, Some(StableAbi::PerBackend(_)))
    );
    let found = [
        ("general.kernel-depends", !general.kernel_depends.is_empty()),
        ("general.cuda.kernel-depends", of_backend("cuda")),
        ("general.neuron.kernel-depends", of_backend("neuron")),
        ("general.xpu.kernel-depends", of_backend("xpu")),
        ("general.tpu", !general.tpu.python_depends.is_empty()),
        ("torch.stable-abi", per_backend),
    ];
    breaches.extend(found.into_iter().filter(|(_, there)| *there).map(|(key, _)| Breach {
        key,
        message: "needs edition 5; without an edition the builder does not read it".to_owned(),
        help: "add edition=5",
    }));
}

fn order(key: &'static str, oldest: &Option<String>, newest: &Option<String>, breaches: &mut Vec<Breach>) {
    let (Some(oldest), Some(newest)) = (oldest, newest) else {
        return;
    };
    if let (Ok(from), Ok(to)) = (toolkit_version(oldest), toolkit_version(newest))
        && from > to
    {
        breaches.push(Breach {
            key,
            message: format!("is {newest}, but the oldest allowed is {oldest}"),
            help: "swap the two, or leave one out",
        });
    }
}

/// Checks that a compiled kernel has sections for exactly the backends it lists.
pub fn check_sections(
    backends: &[&'static Backend],
    sections: &[(&str, &'static Backend)],
) -> Vec<SectionBreach> {
    let mut breaches = Vec::new();
    for backend in backends {
        if sections.iter().any(|(_, of)| of == backend) {
            continue;
        }
        let name = backend.name;
        let (message, help) = if backend.compiles() {
            let message = format!("{name} is listed, but no kernel section is for it");
            (message, format!("add a kernel with backend=\"{name}\", or take {name} out of backends"))
        } else {
            let can: Vec<&str> = BACKENDS.iter().filter(|b| b.compiles()).map(|b| b.name).collect();
            let message = format!("{name} is listed, but nothing can be compiled for it");
            (
                message,
                format!(
                    "compiled kernels are for {}; take {name} out, or port it with noarch",
                    can.join(", ")
                ),
            )
        };
        breaches.push(SectionBreach::Unused { backend, message, help });
    }
    for (section, (kernel, of)) in sections.iter().enumerate() {
        if !backends.contains(of) {
            let listed: Vec<&str> = backends.iter().map(|b| b.name).collect();
            breaches.push(SectionBreach::Unlisted {
                section,
                message: format!(
                    "section {kernel} is for {}, but backends lists {}",
                    of.name,
                    listed.join(", ")
                ),
                help: format!("add {} to backends, or remove the section", of.name),
            });
        }
    }
    breaches
}
