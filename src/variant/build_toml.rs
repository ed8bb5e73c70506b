//! What a `build.toml` says about backends; nothing else of it is read here.

use toml_edit::{DocumentMut, Item};

/// The backends a kernel is built for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Declared {
    /// Their names, in the file's order; none when the file does not say.
    pub backends: Option<Vec<String>>,
}

/// Reads `general.backends`, or in files of an older shape the backends of the kernel sections.
///
/// # Errors
/// When the text is no TOML: the parser's message.
pub fn declared(text: &str) -> Result<Declared, String> {
    let document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let strings = |item: &Item| -> Option<Vec<String>> {
        Some(item.as_array()?.iter().filter_map(|v| v.as_str()).map(str::to_owned).collect())
    };
    let general = document.get("general").and_then(|general| general.get("backends")).and_then(strings);
    let sections = || {
        let kernels = document.get("kernel")?.as_table_like()?;
        let mut found: Vec<String> = Vec::new();
        for (_, section) in kernels.iter() {
            let name = section.get("backend").and_then(Item::as_str)?;
            if !found.iter().any(|known| known == name) {
                found.push(name.to_owned());
            }
        }
        (!found.is_empty()).then_some(found)
    };
    Ok(Declared { backends: general.or_else(sections) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn backends_are_found_in_both_shapes() {
        let backends = |text: &str| declared(text).unwrap().backends;
        assert_eq!(
            backends("[general]\nbackends = [\"cuda\", \"rocm\"]\n"),
            Some(vec!["cuda".into(), "rocm".into()])
        );
        let older = "[kernel.a]\nbackend = \"cuda\"\n[kernel.b]\nbackend = \"metal\"\n[kernel.c]\nbackend = \"cuda\"\n";
        assert_eq!(backends(older), Some(vec!["cuda".into(), "metal".into()]));
        assert_eq!(backends("[general]\nname = \"a\"\n[kernel]\n"), None);
        assert_eq!(backends("[kernel.a]\nlanguage = \"cuda-hipify\"\n"), None);
        assert_eq!(backends("general = 1\nkernel = 2\n"), None);
        assert!(declared("[general").unwrap_err().contains("TOML parse error at line 1"));
    }
}
