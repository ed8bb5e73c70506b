//! A repository's own configuration file, read for the few values that matter here. Included files are not followed and
//! nothing in it can make this program do anything.

/// One value, in file order.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Setting {
    /// Lower case.
    section: String,
    /// Between the quotes of the section's header, as written.
    subsection: Option<String>,
    /// Lower case.
    key: String,
    /// `None` when only the key stands there, which means true.
    value: Option<String>,
}

/// The values of one file.
#[derive(Debug, Clone, Default)]
pub(super) struct Config {
    settings: Vec<Setting>,
}

impl Config {
    /// Reads a file's text. What is malformed is skipped: git itself complains about it.
    pub(super) fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let text = text.strip_prefix('\u{feff}').unwrap_or(&text);
        let mut config = Self::default();
        let (mut section, mut subsection) = (String::new(), None);
        let mut rest = text;
        while let Some(line) = next_statement(&mut rest) {
            let mut line = line.trim_start();
            if let Some(header) = line.strip_prefix('[') {
                let Some((name, after)) = read_header(header) else { continue };
                (section, subsection) = name;
                line = after.trim_start();
            }
            let end = line.find(|c: char| !c.is_ascii_alphanumeric() && c != '-').unwrap_or(line.len());
            let (key, after) = line.split_at(end);
            if key.is_empty() || section.is_empty() {
                continue;
            }
            let value = after.trim_start().strip_prefix('=').map(read_value);
            config.settings.push(Setting {
                section: section.clone(),
                subsection: subsection.clone(),
                key: key.to_ascii_lowercase(),
                value,
            });
        }
        config
    }

    /// The last value of a key without a subsection.
    pub(super) fn get(&self, section: &str, key: &str) -> Option<&str> {
        let named = |s: &&Setting| s.section == section && s.subsection.is_none() && s.key == key;
        self.settings.iter().rev().find(named).map(|s| s.value.as_deref().unwrap_or("true"))
    }

    /// Whether a key without a subsection is set to true.
    pub(super) fn is_true(&self, section: &str, key: &str) -> bool {
        let value = self.get(section, key).map(str::to_ascii_lowercase);
        value.is_some_and(|v| matches!(v.as_str(), "true" | "yes" | "on" | "1"))
    }

    /// Subsection and value of a key, for each section of that name that has one.
    pub(super) fn each<'a>(
        &'a self,
        section: &'a str,
        key: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> {
        let named = move |s: &&Setting| s.section == section && s.key == key;
        self.settings
            .iter()
            .filter(named)
            .filter_map(|s| Some((s.subsection.as_deref()?, s.value.as_deref()?)))
    }
}

/// The next line, joined with the one after it where it ends in a backslash.
fn next_statement<'a>(rest: &mut &'a str) -> Option<&'a str> {
    if rest.is_empty() {
        return None;
    }
    let mut end = 0;
    loop {
        match rest[end..].find('\n') {
            None => {
                end = rest.len();
                break;
            }
            Some(at) => {
                let line = rest[end..end + at].trim_end_matches('\r');
                let backslashes = line.len() - line.trim_end_matches('\\').len();
                end += at + 1;
                if backslashes.is_multiple_of(2) {
                    break;
                }
            }
        }
    }
    let (line, after) = rest.split_at(end);
    *rest = after;
    Some(line)
}

type SectionName = (String, Option<String>);

/// `section]`, `section "sub"]` or the old `section.sub]`, and what follows.
fn read_header(text: &str) -> Option<(SectionName, &str)> {
    let end = text.find(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != '.')?;
    let name = text[..end].to_ascii_lowercase();
    let after = text[end..].trim_start();
    if let Some(after) = after.strip_prefix(']') {
        let name = match name.split_once('.') {
            Some((section, sub)) => (section.to_owned(), Some(sub.to_owned())),
            None => (name, None),
        };
        return Some((name, after));
    }
    let quoted = after.strip_prefix('"')?;
    let mut sub = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, c)) = characters.next() {
        match c {
            '"' => return Some(((name, Some(sub)), quoted[at + 1..].trim_start().strip_prefix(']')?)),
            '\\' => sub.push(characters.next()?.1),
            '\n' => return None,
            c => sub.push(c),
        }
    }
    None
}

/// A value: quotes group, a backslash escapes, `#` and `;` begin a comment, blanks at both ends go.
fn read_value(text: &str) -> String {
    let mut value = String::new();
    let mut kept = 0;
    let mut quoted = false;
    let mut characters = text.trim_start().chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '"' => quoted = !quoted,
            '#' | ';' if !quoted => break,
            '\\' => match characters.next() {
                Some('n') => value.push('\n'),
                Some('t') => value.push('\t'),
                Some('\r') if characters.peek() == Some(&'\n') => {
                    characters.next();
                }
                Some('\n') | None => {}
                Some(c) => value.push(c),
            },
            '\n' => break,
            c => value.push(c),
        }
        if quoted || !c.is_whitespace() {
            kept = value.len();
        }
    }
    value.truncate(kept);
    value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_git_reads_them() {
        let config = Config::parse(
            b"[core]\n\tbare = false ; no\n[Extensions] objectFormat = SHA256\n[remote \"or\\\"igin\"]\r\n\turl = \"https://h/a#b\" # c\r\n\
              \turl = two\\\nlines  \n[url.x]\ninsteadof=y\n[broken\n[core]\nbare\nworktree = \"../ a \"\n",
        );
        assert!(config.is_true("core", "bare"));
        assert_eq!(config.get("extensions", "objectformat"), Some("SHA256"));
        assert_eq!(config.get("core", "worktree"), Some("../ a "));
        let urls: Vec<_> = config.each("remote", "url").collect();
        assert_eq!(urls, [("or\"igin", "https://h/a#b"), ("or\"igin", "twolines")]);
        assert_eq!(config.each("url", "insteadof").collect::<Vec<_>>(), [("x", "y")]);
    }

    #[test]
    fn includes_are_not_followed() {
        let config = Config::parse(b"[include]\n\tpath = /dev/zero\n[core]\n\tbare\n");
        assert_eq!(config.get("core", "bare"), Some("true"));
    }

    #[test]
    fn nonsense_is_skipped() {
        for text in [
            "[",
            "[a",
            "[a \"",
            "[a \"b",
            "[a \"b\\",
            "=",
            "[a]=",
            "[a]\n\\",
            "\\",
            "[a]\nb=\\\n\\\n",
            "[a]b=\"\n",
        ] {
            Config::parse(text.as_bytes());
        }
        assert!(Config::parse(b"[a]\n=x\n").settings.is_empty());
    }
}
