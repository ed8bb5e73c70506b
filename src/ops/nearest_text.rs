//! Explains a text that is not there: already changed upstream, other line endings, other white space, or the
//! nearest lines as a small diff.

use super::{Evidence, Failure, FailureKind};
use crate::report::{escape, plural};
use crate::workspace::{Mode, RepoPath, Workspace};
use memchr::memmem;

/// Above this many bytes in all files together no near text is searched for: the answer would take seconds.
const MAX_SEARCHED: usize = 8 << 20;
/// Lines of a differing block that are shown.
const MAX_SHOWN: usize = 6;
/// Least likeness of a line to be called near, from 0 to 1.
const NEAR: f32 = 0.6;

/// The failure for a text that none of the files holds. `with` is what an op wants there instead.
pub fn explain_missing(
    workspace: &Workspace,
    paths: &[&RepoPath],
    find: &str,
    with: Option<&str>,
) -> Failure {
    let message = match paths {
        [path] => format!("find= is not in `{path}`"),
        _ => format!("find= is in none of {}", plural(paths.len(), super::select::FILES_NOUN)),
    };
    let failure = Failure::new(FailureKind::Missing, message).at("find");
    let contents: Vec<(&RepoPath, std::sync::Arc<[u8]>)> = paths
        .iter()
        .filter(|path| workspace.get(path).is_some_and(|e| e.mode != Mode::Symlink))
        .filter_map(|path| Some((*path, workspace.read(path).ok()?)))
        .collect();
    if contents.is_empty() {
        return failure.hint("in= matches symlinks only, and symlinks are never followed");
    }
    if let Some(with) = with.filter(|w| !w.is_empty())
        && let Some((path, content, at)) = first_match(&contents, with.as_bytes())
    {
        return failure
            .evidence(vec![Evidence::line(path, content, at)])
            .hint("already upstream, if that is it: with= stands there, and this op can go");
    }
    if let Some(evidence) = in_normal_form(&contents, find, unify_line_ends) {
        return failure
            .evidence(vec![evidence])
            .hint("only the line endings differ: the file ends its lines with CR LF, write \\r\\n in find=");
    }
    if let Some(evidence) = in_normal_form(&contents, find, collapse_blanks) {
        return failure.evidence(vec![evidence]).hint("only white space differs");
    }
    if contents.iter().map(|(_, c)| c.len()).sum::<usize>() > MAX_SEARCHED {
        return failure;
    }
    match nearest(&contents, find) {
        Some(details) => failure.details(details),
        None => failure.hint("nothing like it is there: the text is gone"),
    }
}

type Contents<'a> = [(&'a RepoPath, std::sync::Arc<[u8]>)];

fn first_match<'c>(contents: &'c Contents<'c>, text: &[u8]) -> Option<(&'c RepoPath, &'c [u8], usize)> {
    let finder = memmem::Finder::new(text);
    contents.iter().find_map(|(path, content)| Some((*path, &**content, finder.find(content)?)))
}

/// The kept bytes of a text, and where each stands in it.
type Normal = (Vec<u8>, Vec<usize>);

/// Looks for the text after bringing both to a normal form, which maps each kept byte to its place.
fn in_normal_form(contents: &Contents<'_>, find: &str, normal: fn(&[u8]) -> Normal) -> Option<Evidence> {
    let (needle, _) = normal(find.as_bytes());
    if needle.is_empty() {
        return None;
    }
    contents.iter().find_map(|(path, content)| {
        let (hay, places) = normal(content);
        let at = memmem::find(&hay, &needle)?;
        Some(Evidence::line(path, content, places[at]))
    })
}

fn unify_line_ends(text: &[u8]) -> Normal {
    text.iter().enumerate().filter(|(_, b)| **b != b'\r').map(|(at, b)| (*b, at)).unzip()
}

fn collapse_blanks(text: &[u8]) -> Normal {
    text.iter().enumerate().filter(|(_, b)| !b.is_ascii_whitespace()).map(|(at, b)| (*b, at)).unzip()
}

/// The place that agrees with the text for the most lines, then by its likest line.
fn nearest(contents: &Contents<'_>, find: &str) -> Option<Vec<String>> {
    let wanted: Vec<&str> = find.lines().collect();
    let first = wanted.iter().position(|line| !line.trim().is_empty())?;
    let mut best: Option<(usize, f32, &RepoPath, usize)> = None;
    let texts: Vec<(&RepoPath, String)> = contents
        .iter()
        .map(|(path, content)| (*path, String::from_utf8_lossy(content).into_owned()))
        .collect();
    for (path, text) in &texts {
        let lines: Vec<&str> = text.lines().collect();
        for at in 0..lines.len() {
            let same = wanted[first..].iter().zip(&lines[at..]).take_while(|(a, b)| a == b).count();
            let score = if same > 0 { 1.0 } else { likeness(wanted[first].trim(), lines[at].trim()) };
            if score >= NEAR && best.is_none_or(|(n, s, ..)| (same, score) > (n, s)) {
                best = Some((same, score, path, at));
            }
        }
    }
    let (same, _, path, at) = best?;
    let text = texts.iter().find(|(p, _)| *p == path).map(|(_, text)| text.as_str())?;
    let lines: Vec<&str> = text.lines().collect();
    let mut details = Vec::new();
    let line = at + same + 1;
    details.push(match same {
        0 => format!("nearest text, {path}:{line}:"),
        1 => format!("line {} of find= is at {path}:{}, the next one differs:", first + 1, at + 1),
        _ => format!("lines {} to {} of find= are at {path}:{}, then:", first + 1, first + same, at + 1),
    });
    let left = &wanted[first + same..];
    let shown = left.len().clamp(1, MAX_SHOWN);
    details.extend(left.iter().take(shown).map(|l| format!("- {}", escape::line(l))));
    details.extend(lines[at + same..].iter().take(shown).map(|l| format!("+ {}", escape::line(l))));
    if left.len() > shown {
        details.push(format!("  ({} more lines)", left.len() - shown));
    }
    Some(details)
}

/// Share of letter pairs two lines have in common, from 0 to 1.
fn likeness(a: &str, b: &str) -> f32 {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() < 2 || b.len() < 2 || a.len() > 3 * b.len() || b.len() > 3 * a.len() {
        return 0.0;
    }
    let mut pairs: Vec<&[u8]> = a.windows(2).collect();
    let total = pairs.len() + b.len() - 1;
    pairs.sort_unstable();
    let mut used = vec![false; pairs.len()];
    let mut common = 0;
    for pair in b.windows(2) {
        let mut at = pairs.partition_point(|p| *p < pair);
        while at < pairs.len() && pairs[at] == pair && used[at] {
            at += 1;
        }
        if at < pairs.len() && pairs[at] == pair {
            used[at] = true;
            common += 1;
        }
    }
    #[expect(clippy::cast_precision_loss, reason = "lines are short")]
    let share = 2.0 * common as f32 / total as f32;
    share
}

#[cfg(test)]
mod tests {
    use crate::ops::testing::Port;

    fn explained(find: &str, with: &str, file: &str) -> (String, Vec<String>, Vec<String>) {
        let recipe = format!("replace in=\"a\" find={find:?} with={with:?} count=1");
        let failure = Port::new(&recipe).file("a", file).fails();
        (failure.message, failure.details, failure.hints)
    }

    #[test]
    fn already_upstream() {
        let (message, _, hints) = explained("old", "new", "a new thing\n");
        assert_eq!(message, "expected exactly 1 match but found 0: find= is not in `a`");
        assert_eq!(hints, ["already upstream, if that is it: with= stands there, and this op can go"]);
    }

    #[test]
    fn line_ends_and_white_space() {
        let (_, _, hints) = explained("x\ny", "z", "x\r\ny\r\n");
        assert!(hints[0].starts_with("only the line endings differ"));
        let (_, _, hints) = explained("foo(x, y)", "z", "    foo(x,  y)\n");
        assert_eq!(hints, ["only white space differs"]);
    }

    #[test]
    fn the_nearest_line_is_shown_as_a_diff() {
        let (_, details, _) = explained("launch(stream, x);", "z", "int a;\nlaunch(streams, x);\n");
        assert_eq!(details, ["nearest text, a:2:", "- launch(stream, x);", "+ launch(streams, x);"]);
    }

    #[test]
    fn a_block_that_begins_alike_shows_where_it_ends_to_be() {
        let (_, details, _) = explained("one\ntwo\nthree", "new", "zero\none\ntwo\nfour\n");
        assert_eq!(details, ["lines 1 to 2 of find= are at a:2, then:", "- three", "+ four"]);
    }

    #[test]
    fn a_text_that_is_gone() {
        let (_, details, hints) = explained("completely", "z", "1234\n");
        assert_eq!((details.len(), hints[0].as_str()), (0, "nothing like it is there: the text is gone"));
    }
}
