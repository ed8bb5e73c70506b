//! The only code that prints, and the words it prints with.

pub mod caret;
pub mod diff;
pub mod escape;
pub mod failure;
pub mod findings;
pub mod findings_json;
pub mod json;
pub mod json_run;
pub mod log;
pub mod nearest;
pub mod print;
pub mod progress;
pub mod reference;
pub mod review;
pub mod snippets;
pub mod stories;
mod style;
mod terminal;
pub mod tree;
mod wrap;

pub use style::{Color, Style};
pub use terminal::{Out, color_wanted, terminal_width, unicode_wanted};

/// `1 file`, `3 files`.
pub fn plural(number: usize, (one, many): (&str, &str)) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

/// Lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
