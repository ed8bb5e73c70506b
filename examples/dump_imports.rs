//! Prints the imports of Python files as JSON lines, for `scripts/oracle_imports.py`. Reads paths from stdin.
#![allow(clippy::print_stdout)]

use kernel_port::python::{Import, ImportKind, Module};
use std::io::BufRead;

fn main() -> std::io::Result<()> {
    for path in std::io::stdin().lock().lines() {
        let path = path?;
        let content = std::fs::read(&path)?;
        let line = match Module::parse(&content) {
            Ok(module) => {
                let imports: Vec<_> = module.imports.iter().map(|i| json(&content, i)).collect();
                serde_json::json!({ "path": path, "imports": imports })
            }
            Err(error) => {
                serde_json::json!({ "path": path, "error": format!("{}: {}", error.position, error.message) })
            }
        };
        println!("{line}");
    }
    Ok(())
}

/// Kind, level, module, names with `as`, line and column; then the names again as the ranges in the source say.
fn json(content: &[u8], import: &Import) -> serde_json::Value {
    let spelled = |ranges: &[std::ops::Range<usize>]| {
        let parts: Vec<_> = ranges.iter().map(|r| String::from_utf8_lossy(&content[r.clone()])).collect();
        parts.join(".")
    };
    let mut names: Vec<_> = import.aliases.iter().map(|a| serde_json::json!([a.name, a.asname])).collect();
    if import.star.is_some() {
        names.push(serde_json::json!(["*", null]));
    }
    let from_ranges: Vec<_> = import.aliases.iter().map(|a| spelled(&a.components)).collect();
    let dots = content[import.module_range.clone()].iter().filter(|b| **b == b'.').count();
    let between = import.components.len().saturating_sub(1);
    serde_json::json!({
        "kind": if import.kind == ImportKind::From { "from" } else { "import" },
        "level": import.level,
        "module": import.module,
        "names": names,
        "line": import.position.line,
        "column": import.position.column,
        "spelled": [spelled(&import.components), from_ranges],
        "dots": dots - between,
        "parentheses": import.parentheses.is_some(),
    })
}
