//! Rules between the `kernel` ops and the `manifest` that uses them, checked on the text, so that they come out with
//! all other mistakes of a recipe.

use crate::manifest::{Backend, SectionBreach, backend, check_sections, compiled_backend};
use crate::recipe::{ArgValue, List, Node, RecipeError, Span, Value};

/// Adds a mistake for each section that repeats a name, and for each backend that has no section or is not listed.
/// Values that are wrong by themselves are left to the ops.
pub fn check(ops: &[&Node], errors: &mut Vec<RecipeError>) {
    let kernels: Vec<&Node> = ops.iter().copied().filter(|n| n.name.value == "kernel").collect();
    repeated_names(&kernels, errors);
    let Some(manifest) = ops.iter().find(|n| n.name.value == "manifest") else {
        return;
    };
    match value(manifest, "noarch") {
        Some((Value::Bool(true), _)) => {
            errors.extend(kernels.iter().map(|kernel| {
                RecipeError::new(
                    kernel.name.span.clone(),
                    "kernel: the manifest has noarch=#true, and a Python-only kernel has no sections",
                )
                .help("remove this op, or give the manifest torch_src= instead of noarch=#true")
            }));
            return;
        }
        None | Some((Value::Bool(false), _)) => {}
        Some(_) => return,
    }
    let Some((backends, place)) = listed_backends(manifest) else {
        return;
    };
    let mut sections = Vec::new();
    for kernel in &kernels {
        let Some((of, span)) = text(kernel, "backend") else {
            return;
        };
        let Ok(of) = compiled_backend(of) else {
            return;
        };
        sections.push((text(kernel, "name").map_or("", |(name, _)| name), of, span));
    }
    let pairs: Vec<(&str, &'static Backend)> = sections.iter().map(|(name, of, _)| (*name, *of)).collect();
    for breach in check_sections(&backends, &pairs) {
        errors.push(match breach {
            SectionBreach::Unused { message, help, .. } => {
                RecipeError::new(place.clone(), format!("manifest: backends= {message}")).help(help)
            }
            SectionBreach::Unlisted { section, message, help } => {
                RecipeError::new(sections[section].2.clone(), format!("kernel: {message}")).help(help)
            }
        });
    }
}

fn repeated_names(kernels: &[&Node], errors: &mut Vec<RecipeError>) {
    let names: Vec<(&str, Span)> = kernels.iter().filter_map(|kernel| text(kernel, "name")).collect();
    for (at, (name, span)) in names.iter().enumerate() {
        if names[..at].iter().any(|(other, _)| other == name) {
            let message = format!("kernel: a second section \"{name}\"");
            errors.push(RecipeError::new(span.clone(), message).help("give it another name"));
        }
    }
}

/// The manifest's backends; `None` when they cannot be read, which the op reports.
fn listed_backends(manifest: &Node) -> Option<(Vec<&'static Backend>, Span)> {
    let (value, span) = value(manifest, "backends")?;
    let items = List::read(value).ok()?.0;
    let backends: Result<Vec<_>, _> = items.iter().map(|item| backend(item)).collect();
    Some((backends.ok()?, span))
}

fn value<'n>(node: &'n Node, name: &str) -> Option<(&'n Value, Span)> {
    let property = node.properties.iter().find(|p| p.name.value == name)?;
    Some((&property.value.value, property.value.span.clone()))
}

fn text<'n>(node: &'n Node, name: &str) -> Option<(&'n str, Span)> {
    match value(node, name)? {
        (Value::Text(text), span) => Some((text, span)),
        _ => None,
    }
}
