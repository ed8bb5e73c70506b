//! What the final checks found, grouped by rule; and the longer story of a rule.

use super::style::Color;
use super::wrap::hanging;
use super::{Style, escape, plural};
use crate::check::{self, Finding, Report, Rule, Severity};
use std::fmt::Write;

/// Findings of one rule that are shown when not all are wanted.
const MAX_FINDINGS: usize = 30;

/// The findings and idle allowances. The first line is complete; nothing is printed when there is nothing to say.
/// `more` says what lists all of them; without it, all are listed.
pub fn text(report: &Report, strict: bool, more: Option<&str>, style: Style) -> String {
    let mut out = String::new();
    let (errors, warnings) = (report.count(Severity::Error), report.count(Severity::Warning));
    if report.fails(strict) {
        let mut parts = Vec::new();
        if errors > 0 {
            parts.push(plural(errors, ("error", "errors")));
        }
        if warnings > 0 {
            let counted = plural(warnings, ("warning", "warnings"));
            parts.push(if strict { format!("{counted} (--strict)") } else { counted });
        }
        let idle = report.idle().count();
        if idle > 0 {
            parts.push(format!("{} nothing", plural(idle, ("allow that excuses", "allows that excuse"))));
        }
        let word = style.paint(Color::Error, "error:");
        let _ = writeln!(out, "{word} final checks: {}; nothing was written", parts.join(", "));
    }
    for group in report.findings.chunk_by(|a, b| (a.rule, a.severity) == (b.rule, b.severity)) {
        rule(&mut out, group, more, style);
    }
    for idle in report.idle() {
        let _ = writeln!(
            out,
            "allow rule=\"{}\" in=\"{}\" excuses nothing",
            idle.rule,
            escape::line(&idle.within)
        );
        out.push_str(&style.help("delete it from the recipe"));
    }
    out
}

fn rule(out: &mut String, findings: &[Finding], more: Option<&str>, style: Style) {
    let Some(first) = findings.first() else { return };
    let color = match first.severity {
        Severity::Error => Color::Error,
        Severity::Warning => Color::Warning,
    };
    let word = style.paint(color, &format!("{}[{}]:", first.severity.name(), first.rule));
    let Some(rule) = check::find(first.rule) else { return };
    let _ = writeln!(out, "{word} {}", rule.summary);
    let shown = if more.is_some() { findings.len().min(MAX_FINDINGS) } else { findings.len() };
    for finding in &findings[..shown] {
        let place = &finding.place;
        let at = match place.position {
            Some(position) => format!("{}:{position}", place.path),
            None => place.path.to_string(),
        };
        let at = style.paint(Color::Bold, &at);
        let _ = match place.text.as_str() {
            "" => writeln!(out, "  {at}  {}", escape::line(&finding.message)),
            text => writeln!(
                out,
                "  {at}  {}\n      {}",
                escape::line(text.trim()),
                escape::line(&finding.message)
            ),
        };
    }
    if let (Some(more), 1..) = (more, findings.len() - shown) {
        let _ = writeln!(out, "  ... and {} more ({more} lists all)", findings.len() - shown);
    }
    out.push_str(&style.help(rule.fix));
}

/// All rules, a line each.
pub fn table(style: Style) -> String {
    let width = check::RULES.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    let mut out = String::new();
    for rule in check::RULES {
        let start = format!("{:<width$}  {:<7}  ", rule.id, rule.severity.name());
        let text = hanging(&start, rule.summary, style.width);
        out.push_str(&text.replacen(rule.id, &style.paint(Color::Bold, rule.id), 1));
    }
    out.push_str("\n`kernel-port explain NAME` says what is behind it and what to do\n");
    out
}

/// A rule in full.
pub fn story(rule: &Rule, style: Style) -> String {
    let mut out = format!("{} ({})\n\n", style.paint(Color::Bold, rule.id), rule.severity.name());
    let accept = format!("allow rule=\"{}\" in=\"GLOB\" reason=\"WHY\"", rule.id);
    let parts = [
        ("Finds    ", rule.summary),
        ("Why      ", rule.why),
        ("Breaks   ", rule.breaks),
        ("Do       ", rule.fix),
        ("Accept   ", &accept),
    ];
    for (start, text) in parts {
        out.push_str(&hanging(start, text, style.width));
    }
    if let Some((name, text)) = rule.template() {
        let _ = write!(out, "\nA {name} to start from\n\n{text}");
    }
    out
}

/// All rules in full, as the page docs/checks.md.
pub fn page() -> String {
    let mut out = String::from(
        "# The final checks\n\n\
         After the last op, and by `kernel-port verify DIR` on a tree that exists, the ported tree is checked before anything is\n\
         written. An error fails the run; a warning is printed and counted, and fails the run with `--strict`. A recipe accepts\n\
         findings with `allow rule=\"ID\" in=\"GLOB\" reason=\"WHY\"`; an `allow` that excuses nothing is an error. Rules about whole\n\
         ports are skipped for inline recipes. `kernel-port explain ID` prints what follows.\n\n\
         | rule | severity | what it finds |\n| --- | --- | --- |\n",
    );
    for rule in check::RULES {
        let summary = markdown(rule.summary);
        let _ = writeln!(out, "| [{0}](#{0}) | {1} | {summary} |", rule.id, rule.severity.name());
    }
    for rule in check::RULES {
        let _ = write!(
            out,
            "\n## {}\n\n- Why: {}.\n- When it is ignored: {}.\n- What to do: {}.\n",
            rule.id,
            markdown(rule.why),
            markdown(rule.breaks),
            markdown(rule.fix)
        );
    }
    out
}

/// A text in which Markdown finds nothing to format, apart from code between backticks.
fn markdown(text: &str) -> String {
    let escaped = |text: &str| {
        text.chars().fold(String::new(), |mut out, c| {
            if matches!(c, '_' | '*' | '<' | '|') {
                out.push('\\');
            }
            out.push(c);
            out
        })
    };
    let parts = text.split('`').enumerate();
    let parts = parts.map(|(at, part)| if at % 2 == 0 { escaped(part) } else { part.to_owned() });
    parts.collect::<Vec<_>>().join("`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_of_the_checks_says_what_the_rules_say() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/checks.md");
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(path, page()).unwrap();
        }
        assert!(std::fs::read_to_string(path).unwrap() == page(), "{path}: run the tests with UPDATE_DOCS=1");
    }

    #[test]
    fn a_rule_with_many_findings_shows_the_first() {
        let rule = check::find("parse").unwrap();
        let finding = |n: usize| {
            let path = crate::workspace::RepoPath::new(format!("{n}.py")).unwrap();
            rule.finding(crate::ops::Evidence::file(&path), "is no Python")
        };
        let report = Report { findings: (0..32).map(finding).collect(), ..Report::default() };
        let short = text(&report, false, Some("--verbose"), Style::PLAIN);
        assert!(short.contains("  ... and 2 more (--verbose lists all)\n") && !short.contains("30.py"));
        let all = text(&report, false, None, Style::PLAIN);
        assert!(all.contains("31.py") && !all.contains("more ("));
    }

    #[test]
    fn a_story_answers_every_question() {
        let rule = check::find("pybind").unwrap();
        let story = story(rule, Style::PLAIN);
        for text in [rule.summary, rule.why, rule.breaks, rule.fix, "allow rule=\"pybind\" in=\"GLOB\""] {
            let on_one_line = story.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(on_one_line.contains(text), "{text}");
        }
    }
}
