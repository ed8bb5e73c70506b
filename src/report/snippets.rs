//! Snippets for editors, in the form of Visual Studio Code, which many others read: an op with its required arguments,
//! its pins and what its example shows, from the op table.

use super::reference;
use crate::ops::TABLE;
use crate::recipe::{ArgSpec, ArgType};
use serde_json::{Map, Value, json};

/// The whole file.
pub fn file() -> String {
    let mut all = Map::new();
    let header = json!({
        "scope": "kdl",
        "prefix": "recipe",
        "body": "recipe version=1\n\nsource repo=\"$1\" commit=\"$2\"\n$0",
        "description": "The head of a recipe",
    });
    all.insert("recipe".to_owned(), header);
    for spec in TABLE {
        let shown =
            |arg: &ArgSpec| spec.example.is_some_and(|e| e.recipe.contains(&format!(" {}=", arg.name)));
        let wanted = spec.args.iter().filter(|arg| arg.required || arg.ty == ArgType::Pin || shown(arg));
        let args: Vec<String> = wanted.enumerate().map(|(at, arg)| placeholder(arg, at + 1)).collect();
        let snippet = json!({
            "scope": "kdl",
            "prefix": spec.name,
            "body": format!("{} {}$0", spec.name, args.join(" ")),
            "description": format!("{}: {}", spec.summary, reference::signature(spec)),
        });
        all.insert(spec.name.to_owned(), snippet);
    }
    super::json::document(&Value::Object(all))
}

/// `in="${1:glob}"`: where the cursor stops, and what belongs there.
fn placeholder(arg: &ArgSpec, at: usize) -> String {
    match arg.ty {
        ArgType::Pin | ArgType::Integer => format!("{}=${{{at}:1}}", arg.name),
        ArgType::Flag => format!("{}=#${{{at}:true}}", arg.name),
        _ => format!("{}=\"${{{at}:{}}}\"", arg.name, arg.ty.name()),
    }
}
