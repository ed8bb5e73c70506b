//! "Did you mean": the nearest known name, the nearest paths.

use crate::workspace::Workspace;
use std::collections::BTreeSet;

/// Most paths that a hint lists.
const MAX_PATHS: usize = 3;

/// The known name nearest to `typed`, when it is near enough to be a slip.
pub fn one<'a>(typed: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let limit = (typed.chars().count() / 2).clamp(1, 4);
    let scored = known.into_iter().map(|name| (distance(&typed.to_lowercase(), &name.to_lowercase()), name));
    scored.filter(|(d, _)| *d <= limit).min_by_key(|(d, _)| *d).map(|(_, name)| name)
}

/// The paths of the tree nearest to a glob or path: those with the same name elsewhere first, then those whose
/// text is alike.
pub fn paths(text: &str, workspace: &Workspace) -> Vec<String> {
    let name = text.rsplit('/').next().unwrap_or(text);
    let limit = (text.len() / 2).max(2);
    let mut scored: Vec<(usize, String)> = Vec::new();
    let mut directories = BTreeSet::new();
    for (path, _) in workspace.iter() {
        for directory in path.ancestors() {
            if !directories.insert(directory) {
                break;
            }
        }
    }
    for path in workspace.iter().map(|(path, _)| path).chain(&directories) {
        let shown = path.to_string();
        let own = shown.rsplit('/').next().unwrap_or(&shown);
        let score = if shown.eq_ignore_ascii_case(text) {
            0
        } else if own == name {
            1
        } else {
            // A cheap bound first: the distance is at least the difference in length.
            if shown.len().abs_diff(text.len()) > limit {
                continue;
            }
            1 + distance(text, &shown)
        };
        if score <= limit {
            scored.push((score, shown));
        }
    }
    scored.sort();
    scored.truncate(MAX_PATHS);
    scored.into_iter().map(|(_, path)| path).collect()
}

/// Edits from one text to another: insertions, deletions, replacements, and swaps of neighbours.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, y) in b.iter().enumerate() {
            let mut best = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                best = best.min(before[j - 1] + 1);
            }
            row.push(best);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_are_found_and_strangers_are_not() {
        let ops = ["delete", "move", "relativize_imports"];
        assert_eq!(one("moev", ops), Some("move"));
        assert_eq!(one("relativise_import", ops), Some("relativize_imports"));
        assert_eq!(one("Move", ops), Some("move"));
        assert_eq!(one("frobnicate", ops), None);
    }
}
