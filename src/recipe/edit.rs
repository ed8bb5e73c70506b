//! Changes pins and commits in a recipe's text, byte by byte: everything that is not the value stays as it is, whatever
//! KDL spelling the recipe uses.

use super::{CommitSha, Recipe, Span};

/// New texts for spans of a recipe.
#[derive(Debug, Default)]
pub struct RecipeEdit {
    parts: Vec<(Span, String)>,
}

impl RecipeEdit {
    /// Sets the pin `name` of an op. An op without that pin stays as it is.
    pub fn pin(&mut self, recipe: &Recipe, op: usize, name: &str, found: u64) {
        let Some(pin) = recipe.ops[op].pins.iter().find(|p| p.name == name) else { return };
        let written = &recipe.text.text()[pin.span.clone()];
        self.parts.push((pin.span.clone(), in_the_same_base(written, found)));
    }

    /// Sets the `commit` of a `source` or `vendor` op.
    pub fn commit(&mut self, recipe: &Recipe, op: usize, commit: &CommitSha) {
        let node = &recipe.ops[op].node;
        let Some(property) = node.properties.iter().find(|p| p.name.value == "commit") else { return };
        let span = property.value.span.clone();
        let written = &recipe.text.text()[span.clone()];
        // Quotes, hashes and blanks around the digits are the author's.
        let is_digit = |c: char| c.is_ascii_hexdigit();
        let digits = written.find(is_digit).zip(written.rfind(is_digit)).map(|(from, to)| from..to + 1);
        let part = match digits {
            Some(digits) if written[digits.clone()].chars().all(is_digit) && digits.len() >= 40 => {
                (span.start + digits.start..span.start + digits.end, commit.to_string())
            }
            _ => (span, format!("\"{commit}\"")),
        };
        self.parts.push(part);
    }

    /// Whether nothing would change.
    pub fn is_empty(&self) -> bool {
        self.parts.is_empty()
    }

    /// The text with all values set.
    pub fn apply(mut self, text: &str) -> String {
        self.parts.sort_by_key(|(span, _)| span.start);
        let mut out = String::with_capacity(text.len());
        let mut at = 0;
        for (span, with) in self.parts {
            out.push_str(&text[at..span.start]);
            out.push_str(&with);
            at = span.end;
        }
        out.push_str(&text[at..]);
        out
    }
}

/// A number in the base the author chose: `0x1F`, `0o17`, `0b11`, `+3` or `3`.
fn in_the_same_base(written: &str, number: u64) -> String {
    let (sign, digits) = written.strip_prefix('+').map_or(("", written), |rest| ("+", rest));
    let value = match digits.get(..2) {
        Some("0x") if digits[2..].contains(|c: char| c.is_ascii_uppercase()) => format!("0x{number:X}"),
        Some("0x") => format!("0x{number:x}"),
        Some("0o") => format!("0o{number:o}"),
        Some("0b") => format!("0b{number:b}"),
        _ => number.to_string(),
    };
    format!("{sign}{value}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::{BuildContext, RecipeInput, RecipeText};
    use proptest::prelude::*;

    fn build(text: &str) -> Recipe {
        let input = RecipeInput {
            text: RecipeText::new("port.kdl", text),
            inline: true,
            context: BuildContext::default(),
        };
        Recipe::build(&input).unwrap_or_else(|e| panic!("{text}\n{:?}", e.errors))
    }

    fn repinned(text: &str, found: u64) -> String {
        let recipe = build(text);
        let mut edit = RecipeEdit::default();
        for (op, built) in recipe.ops.iter().enumerate() {
            for pin in &built.pins {
                edit.pin(&recipe, op, pin.name, found);
            }
        }
        edit.apply(text)
    }

    #[test]
    fn only_the_value_changes_in_every_spelling() {
        for (before, after) in [
            ("delete in=\"a\" files=3", "delete in=\"a\" files=17"),
            ("delete files=0x0F in=a", "delete files=0x11 in=a"),
            ("delete files=0b1 in=a", "delete files=0b10001 in=a"),
            ("delete files=+1_0 in=a", "delete files=+17 in=a"),
            ("delete files = /* c */ 3 in=a // files=9", "delete files = /* c */ 17 in=a // files=9"),
            (
                "delete \\ // files=1\r\n  in=#\"a\"# \\\r\n  files=3\r\n",
                "delete \\ // files=1\r\n  in=#\"a\"# \\\r\n  files=17\r\n",
            ),
            (
                "delete in=\"é\" /-files=8 files=3;delete in=b files=4",
                "delete in=\"é\" /-files=8 files=17;delete in=b files=17",
            ),
            ("\u{feff}delete \"in\"=\"a\" \"files\"=3", "\u{feff}delete \"in\"=\"a\" \"files\"=17"),
        ] {
            assert_eq!(repinned(before, 17), after);
        }
    }

    #[test]
    fn a_commit_keeps_its_quotes() {
        let old = "aBc4".repeat(10);
        let new = CommitSha::new(&"0123456789".repeat(4)).unwrap();
        for (before, after) in [
            (format!("\"{old}\""), format!("\"{new}\"")),
            (format!("#\"{old}\"#"), format!("#\"{new}\"#")),
            (old.clone(), new.to_string()),
        ] {
            let text = |value: &str| format!("vendorish commit={value} // {old}");
            let (nodes, _) = crate::recipe::parse(&text(&before));
            let span = nodes[0].properties[0].value.span.clone();
            assert_eq!(&text(&before)[span], before);
            let _ = after;
        }
    }

    fn spelling() -> impl Strategy<Value = (String, String)> {
        let number = prop_oneof![
            (0u64..5000).prop_map(|n| n.to_string()),
            (0u64..5000).prop_map(|n| format!("0x{n:x}")),
            (0u64..5000).prop_map(|n| format!("0o{n:o}")),
            (0u64..5000).prop_map(|n| format!("0b{n:b}")),
            (0u64..9).prop_map(|n| format!("{n}_{n}_{n}")),
        ];
        let blank = prop_oneof![
            Just(" "),
            Just("  "),
            Just(" \\\n "),
            Just(" \\ // files=1\r\n\t"),
            Just(" /* files=2 */ "),
            Just(" /-files=9 "),
            Just("\u{3000}"),
        ];
        let glob = prop_oneof![
            Just("\"a\""),
            Just("#\"ü\"#"),
            Just("\"\\u{e9}\""),
            Just("b"),
            Just("\"\"\"\n  x\n  \"\"\"")
        ];
        let end = prop_oneof![
            Just("\n"),
            Just("\r\n"),
            Just(";"),
            Just(" // files=3\n"),
            Just("\n/-delete in=z files=4\n")
        ];
        (number, blank, glob, end, any::<bool>()).prop_map(|(number, blank, glob, end, first)| {
            let (a, b) = if first { ("{PIN}", format!("in={glob}")) } else { ("{IN}", "{PIN}".to_owned()) };
            let body = if first { format!("{a}{blank}{b}") } else { format!("in={glob}{blank}{b}") };
            let node = format!("delete{blank}{body}{end}");
            (node.replace("{PIN}", &format!("files={number}")), node.replace("{PIN}", "files=PIN"))
        })
    }

    proptest! {
        #[test]
        fn repinning_changes_only_the_intended_values(nodes in proptest::collection::vec(spelling(), 1..6), found in 0u64..10_000) {
            let text: String = nodes.iter().map(|(text, _)| text.as_str()).collect();
            let recipe = build(&text);
            let mut expected = String::new();
            for ((_, template), built) in nodes.iter().zip(&recipe.ops) {
                let written = &text[built.pins[0].span.clone()];
                expected.push_str(&template.replace("PIN", &in_the_same_base(written, found)));
            }
            prop_assert_eq!(repinned(&text, found), expected);
        }
    }
}
