//! Tests over the whole module, one file a page of the rules.

mod checks;
mod choice;
mod equality;
mod errors;
mod names;
mod properties;
mod renaming;

use super::*;

/// What a name means, in one line: `torch 2.10 cxx11, CUDA 12.8, abi3, x86_64 linux (legacy)`.
fn meaning(text: &str) -> String {
    let reading = match parse(text) {
        Ok(reading) => reading,
        Err(error) => return format!("error: {error}"),
    };
    let notation = match reading.notation {
        Some(Notation::Dotted) => "dotted",
        Some(Notation::Legacy) => "legacy",
        None => "both",
    };
    match reading.variant {
        Variant::Noarch(noarch) => format!("Python only, {} ({notation})", noarch.as_str()),
        Variant::Arch(Arch { framework, backend, python_abi, platform, os }) => {
            let tag = framework.cxx().map(|tag| format!(" {}", tag.as_str())).unwrap_or_default();
            let (name, version) = (framework.title(), framework.version());
            let abi = python_abi.as_str();
            format!("{name} {version}{tag}, {}, {abi}, {platform} {os} ({notation})", backend.title())
        }
    }
}

fn variant(text: &str) -> Variant {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}
