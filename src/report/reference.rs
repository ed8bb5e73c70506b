//! The op reference: the table, one op in full, and the same as Markdown. Everything comes from the ops' own data;
//! examples are run, never typed.

use super::wrap::hanging;
use super::{Color, Style};
use crate::ops::{Example, Group, OpSpec, TABLE};
use std::fmt::Write;

/// All ops, a line each.
pub fn table(style: Style) -> String {
    let width = TABLE.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for group in Group::ALL {
        let _ = writeln!(out, "{}", style.paint(Color::Bold, group.title()));
        for spec in group.ops() {
            let text = hanging(&format!("  {:<width$}  ", spec.name), spec.summary, style.width);
            out.push_str(&text.replacen(spec.name, &style.paint(Color::Bold, spec.name), 1));
        }
    }
    out.push_str("\n`kernel-port ops NAME` shows the arguments and an example\n");
    out
}

/// `name in find [count]`: the arguments in one line, optional ones in brackets.
pub fn signature(spec: &OpSpec) -> String {
    let args = spec.args.iter().map(|a| if a.required { a.name.to_owned() } else { format!("[{}]", a.name) });
    std::iter::once(spec.name.to_owned()).chain(args).collect::<Vec<_>>().join(" ")
}

/// One op in full. `run` gives the output of an example's command.
pub fn op(spec: &OpSpec, style: Style, run: impl Fn(&Example) -> String) -> String {
    let mut out = hanging("", &signature(spec), style.width);
    if style.color {
        out = out.lines().map(|line| style.paint(Color::Bold, line) + "\n").collect();
    }
    let _ = write!(out, "\n{}\nArguments\n", hanging("", spec.summary, style.width));
    let width = spec.args.iter().map(|a| a.name.len()).max().unwrap_or(0);
    for arg in spec.args {
        let optional = if arg.required { "" } else { " (optional)" };
        let start = format!("  {:<width$}  ", arg.name);
        let text = hanging(&start, &format!("{}: {}{optional}", arg.ty.name(), arg.help), style.width);
        out.push_str(&text.replacen(arg.name, &style.paint(Color::Bold, arg.name), 1));
    }
    out.push_str("\nGuarantees\n");
    for guarantee in spec.guarantees {
        out.push_str(&hanging("  - ", guarantee, style.width));
    }
    out.push_str("\nFails when\n");
    for failure in spec.failures {
        out.push_str(&hanging("  - ", failure, style.width));
    }
    if spec.pins().next().is_some() {
        out.push_str("  - a pin differs from what is found\n");
    }
    if let Some(example) = &spec.example {
        let _ = write!(out, "\nExample\n  $ {}\n", command(example));
        for line in run(example).lines() {
            let _ = writeln!(out, "  {line}");
        }
    }
    out
}

/// The shell command that runs an example.
pub fn command(example: &Example) -> String {
    let mut out = format!("kernel-port -e {}", quoted(example.recipe));
    for (path, text) in example.files {
        let _ = write!(out, " --file {}", quoted(&format!("{path}={text}")));
    }
    out
}

/// The shell's spelling of a text.
pub fn quoted(text: &str) -> String {
    if text.contains(['\n', '\'', '\t']) {
        let escaped =
            text.replace('\\', "\\\\").replace('\n', "\\n").replace('\'', "\\'").replace('\t', "\\t");
        return format!("$'{escaped}'");
    }
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,".contains(c);
    if !text.is_empty() && text.chars().all(plain) { text.to_owned() } else { format!("'{text}'") }
}

/// The cookbook of the README: what each op does, and a command with its real output. Where only the names of files
/// matter, a dry run shows them; one build.toml, that of `kernel`, is enough.
pub fn cookbook(run: impl Fn(&Example, bool) -> String) -> String {
    let mut out = String::new();
    for group in Group::ALL {
        let _ = write!(out, "\n### {}\n\n| | |\n| --- | --- |\n", group.title());
        for spec in group.ops() {
            let _ = writeln!(out, "| [{0}](docs/ops.md#{0}) | {1} |", spec.name, spec.summary);
        }
        out.push_str("\n```console\n");
        for (name, example) in group.ops().filter_map(|spec| Some((spec.name, spec.example?))) {
            let dry = group == Group::Tree || name == "manifest";
            let option = if dry { " --dry-run" } else { "" };
            let _ = write!(out, "$ {}{option}\n{}", command(&example), run(&example, dry));
        }
        out.push_str("```\n");
    }
    out
}

/// The whole reference: arguments, failures and the example of each op.
pub fn markdown(run: impl Fn(&Example) -> String) -> String {
    let cell = |text: &str| text.replace('|', "\\|");
    let mut out = String::new();
    for group in Group::ALL {
        let _ = write!(out, "\n## {}\n", group.title());
        for spec in group.ops() {
            let _ = write!(out, "\n### {}\n\n{}.\n\n| | | |\n| --- | --- | --- |\n", spec.name, spec.summary);
            for arg in spec.args {
                let optional = if arg.required { "" } else { ", optional" };
                let _ =
                    writeln!(out, "| `{}` | {}{optional} | {} |", arg.name, arg.ty.name(), cell(arg.help));
            }
            out.push_str("\nGuarantees\n\n");
            for guarantee in spec.guarantees {
                let _ = writeln!(out, "- {guarantee}");
            }
            out.push_str("\nFails when\n\n");
            for failure in spec.failures {
                let _ = writeln!(out, "- {failure}");
            }
            if spec.pins().next().is_some() {
                out.push_str("- a pin differs from what is found\n");
            }
            if let Some(example) = &spec.example {
                let _ = write!(out, "\n```console\n$ {}\n{}```\n", command(example), run(example));
            }
        }
    }
    out
}

/// The ops as a section of the man page.
pub fn roff() -> String {
    let escape = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let mut out = String::from(".SH OPS\n");
    for group in Group::ALL {
        let _ = writeln!(out, ".SS {}", group.title());
        for spec in group.ops() {
            let _ = write!(out, ".TP\n\\fB{}\\fR\n{}\n", escape(&signature(spec)), escape(spec.summary));
            for arg in spec.args {
                let _ = write!(out, ".br\n\\fI{}\\fR: {}\n", escape(arg.name), escape(arg.help));
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn shell_words_are_quoted_only_where_they_must_be() {
        assert_eq!(quoted("a/b=c"), "a/b=c");
        assert_eq!(quoted("in=\"a\""), "'in=\"a\"'");
        assert_eq!(quoted("a=it's\n"), "$'a=it\\'s\\n'");
    }
}
