//! `parse`: Python that the port wrote or changed must be Python.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;

pub(super) const RULE: Rule = Rule {
    id: "parse",
    severity: Severity::Error,
    summary: "a Python file that the port wrote or changed does not parse",
    why: "an edit of text can leave a file that is no Python any more; files of upstream's that no op touched are not judged",
    breaks: "importing the kernel fails with a SyntaxError",
    fix: "look at the op that last changed the file; `--until LINE` shows the tree before an op",
    whole: false,
    check,
};

fn check(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for (path, source) in input.python() {
        let written = input.all_written || input.workspace.get(path).is_some_and(|entry| entry.written);
        if let (true, Err(error)) = (written, &source.module) {
            let place = Evidence::line(path, &source.content, error.offset.min(source.content.len()));
            findings.push(RULE.finding(place, format!("does not parse: {}", error.message)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::found;

    #[test]
    fn what_the_port_wrote_must_parse() {
        for (recipe, file) in [
            ("replace in=\"a.py\" find=\"x\" with=\"(\" count=1", ("a.py", "x\n")),
            ("write to=\"a.pyi\" text=\"def\"", ("b", "")),
            ("strip_suffix in=\"a.py\" suffix=\")\" files=1", ("a.py", "f()")),
            ("replace in=\"p/a.py\" find=\"x\" with=\"print 1\" count=1", ("p/a.py", "x")),
        ] {
            let found = found(recipe, &[file]);
            assert!(matches!(&found[..], [one] if one.starts_with("parse! ")), "{recipe}: {found:?}");
            assert!(found[0].contains(" does not parse: "), "{found:?}");
        }
    }

    #[test]
    fn what_upstream_has_is_its_own_business() {
        let moved = "move from=\"t\" to=\"tests\"";
        assert_eq!(found(moved, &[("t/bad.py", "def f(:"), ("t/py2.py", "print \"hi\"\n")]), [""; 0]);
        assert_eq!(found("write to=\"a.txt\" text=\"def\"", &[]), [""; 0]);
        let match_statement = "match x:\n    case 1: pass\ntype A[T] = T\n";
        let replaced = "replace in=\"a.py\" find=\"pass\" with=\"y\" count=1";
        assert_eq!(found(replaced, &[("a.py", match_statement)]), [""; 0]);
    }
}
