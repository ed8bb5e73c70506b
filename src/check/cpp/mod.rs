//! Just enough of C++ to judge a source: what it includes and which macros of interest it uses, told apart from comments,
//! strings, raw strings, continued lines and parts that the preprocessor drops. No macro is expanded.

mod condition;
mod lexer;
mod source;

pub use source::Source;
