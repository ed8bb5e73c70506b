//! The remotes of a checkout, under every URL they may go by.

use super::config::Config;

/// One remote.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Remote {
    /// `origin`.
    pub name: String,
    /// As configured, then as the `insteadOf` settings of the user and the repository rewrite it.
    pub urls: Vec<String>,
}

/// The remotes of a repository, origin first.
pub(super) fn of(config: &Config) -> Vec<Remote> {
    let mut rewrites: Vec<(String, String)> =
        config.each("url", "insteadof").map(|(base, short)| (short.to_owned(), base.to_owned())).collect();
    rewrites.extend(user_rewrites());
    let mut remotes: Vec<Remote> = Vec::new();
    for (name, url) in config.each("remote", "url") {
        let mut urls = vec![url.to_owned()];
        urls.extend(rewritten(url, &rewrites));
        match remotes.iter_mut().find(|remote| remote.name == name) {
            Some(remote) => remote.urls.append(&mut urls),
            None => remotes.push(Remote { name: name.to_owned(), urls }),
        }
    }
    remotes.sort_by_key(|remote| remote.name != "origin");
    remotes
}

/// The URL that git would use: the longest prefix that matches is replaced.
fn rewritten(url: &str, rewrites: &[(String, String)]) -> Option<String> {
    let matching = rewrites.iter().filter(|(short, _)| !short.is_empty() && url.starts_with(short.as_str()));
    let (short, base) = matching.max_by_key(|(short, _)| short.len())?;
    Some(format!("{base}{}", &url[short.len()..]))
}

/// Short forms that the user has set up for all repositories: `gh:` for `https://github.com/`.
fn user_rewrites() -> Vec<(String, String)> {
    let mut found = Vec::new();
    let Ok(config) = git2::Config::open_default() else { return found };
    let Ok(mut entries) = config.entries(Some(r"^url\..*\.insteadof$")) else { return found };
    while let Some(Ok(entry)) = entries.next() {
        if let (Ok(name), Ok(value)) = (entry.name(), entry.value())
            && let Some(base) = name.strip_prefix("url.").and_then(|n| n.strip_suffix(".insteadof"))
        {
            found.push((value.to_owned(), base.to_owned()));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn origin_comes_first_and_short_forms_are_expanded() {
        let config = Config::parse(
            b"[remote \"fork\"]\nurl = gh:me/r\n[remote \"origin\"]\nurl = ghx:r\n[remote \"none\"]\n\
              [url \"https://github.com/\"]\ninsteadOf = gh:\n[url \"https://x/\"]\ninsteadOf = gh\n",
        );
        let remotes = of(&config);
        assert_eq!(remotes[0].name, "origin");
        assert_eq!(remotes[0].urls, ["ghx:r", "https://x/x:r"]);
        assert_eq!(remotes[1].urls, ["gh:me/r", "https://github.com/me/r"]);
        assert_eq!(remotes.len(), 2);
    }
}
