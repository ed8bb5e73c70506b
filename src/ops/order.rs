//! Rules about the order and number of ops, checked on the text before anything is built.

use crate::recipe::{Node, RecipeError};

/// Adds a mistake for each op that stands where it may not.
pub fn check_order(nodes: &[Node], errors: &mut Vec<RecipeError>) {
    let ops: Vec<&Node> = nodes.iter().filter(|n| n.name.value != "recipe").collect();
    at_most_one(&ops, "source", "one recipe ports one repository; further ones are vendored", errors);
    at_most_one(&ops, "manifest", "put all arguments into the first", errors);
    let first_reader = ops.iter().position(|n| n.name.value != "source" && n.name.value != "allow");
    let source = ops.iter().position(|n| n.name.value == "source");
    if let (Some(reader), Some(source)) = (first_reader, source)
        && reader < source
    {
        errors.push(
            RecipeError::new(ops[source].name.span.clone(), "source: stands after an op that reads the tree")
                .help("source is the first op: it says what the tree is"),
        );
    }
    let manifest = ops.iter().position(|n| n.name.value == "manifest");
    for (at, node) in ops.iter().enumerate().filter(|(_, n)| n.name.value == "kernel") {
        match manifest {
            Some(manifest) if at < manifest => {}
            Some(_) => errors.push(
                RecipeError::new(
                    node.name.span.clone(),
                    "kernel: stands after the manifest, which would miss it",
                )
                .help("move it above the manifest"),
            ),
            None => errors.push(
                RecipeError::new(node.name.span.clone(), "kernel: no manifest uses this section")
                    .help("add a manifest after it: it writes build.toml"),
            ),
        }
    }
    super::sections::check(&ops, errors);
    super::vendor::check_names(&ops, errors);
}

fn at_most_one(ops: &[&Node], name: &str, help: &str, errors: &mut Vec<RecipeError>) {
    for node in ops.iter().filter(|n| n.name.value == name).skip(1) {
        errors.push(RecipeError::new(node.name.span.clone(), format!("a second {name}")).help(help));
    }
}
