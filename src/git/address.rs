//! Where a repository is fetched from, as a recipe writes it. A recipe may come from a stranger: what git would take for an
//! option or for a command never reaches it.

use super::checkout::source;
use super::url::{Location, without_password};
use crate::ops::Failure;
use crate::report::hex;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;

/// What git may fetch over. `ext::` and other helpers run commands.
pub(super) const TRANSPORTS: &str = "file:git:http:https:ssh";

/// A repository that can be fetched from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    /// What git is given: a URL, `host:path`, or an absolute path.
    pub url: String,
    /// Names the repository's directory in the cache.
    pub key: String,
}

impl Address {
    /// Reads `repo=`.
    ///
    /// # Errors
    /// A scheme that is not fetched over, what git would take for an option or a helper, a local path that is not there.
    pub(super) fn of(repo: &str) -> Result<Self, Failure> {
        let repo = repo.trim();
        if repo.starts_with('-') || repo.contains(char::is_control) || is_helper(repo) {
            return Err(refused(repo, "is no address of a repository"));
        }
        let url = match repo.split_once("://") {
            Some((scheme, rest)) => {
                let scheme = scheme.to_ascii_lowercase();
                let plain = scheme.strip_prefix("git+").or(scheme.strip_suffix("+git")).unwrap_or(&scheme);
                if !TRANSPORTS.split(':').any(|known| known == plain) {
                    return Err(refused(
                        repo,
                        &format!("cannot be fetched: {scheme} is no transport of git's"),
                    ));
                }
                let authority = rest.split('/').next().unwrap_or("");
                let host = authority.rsplit('@').next().unwrap_or(authority);
                if is_option(host) || authority.starts_with('-') {
                    return Err(refused(repo, "is no address of a repository"));
                }
                format!("{plain}://{rest}")
            }
            None if is_remote(repo) => {
                let host = repo.split(':').next().unwrap_or("");
                if host.rsplit('@').next().is_some_and(is_option) {
                    return Err(refused(repo, "is no address of a repository"));
                }
                repo.to_owned()
            }
            None => {
                let path = fs::canonicalize(repo).ok().filter(|path| path.is_dir());
                let path = path.ok_or_else(|| refused(repo, "is no directory"))?;
                path.to_str().ok_or_else(|| refused(repo, "has a name that is not UTF-8"))?.to_owned()
            }
        };
        Ok(Self { key: key(&url), url })
    }

    /// For messages.
    pub(super) fn shown(&self) -> String {
        without_password(&self.url)
    }
}

fn refused(repo: &str, why: &str) -> Failure {
    source(format!("repo=\"{}\" {why}", without_password(repo)))
        .at("repo")
        .hint("https://, ssh://, git@host:path, file:// and local paths are fetched")
}

/// A host that ssh would take for an option. Brackets around it are not part of it.
fn is_option(host: &str) -> bool {
    host.trim_start_matches('[').starts_with('-')
}

/// `helper::address`.
fn is_helper(repo: &str) -> bool {
    repo.split_once("::").is_some_and(|(name, _)| !name.contains(['/', ':', '[']))
}

/// `host:path`: a colon before the first slash, and nothing of that name here.
fn is_remote(repo: &str) -> bool {
    repo.split_once(':').is_some_and(|(host, _)| !host.contains('/')) && !Path::new(repo).exists()
}

/// The last component of the path, for people, and a hash of host and path.
fn key(url: &str) -> String {
    let location = Location::of(url);
    let last = location.path.rsplit('/').next().unwrap_or("");
    let name: String =
        last.chars().filter(|c| c.is_ascii_alphanumeric() || "-_".contains(*c)).take(40).collect();
    let digest = hex(&Sha256::digest(format!("{}\0{}", location.host, location.path)));
    format!("{}-{}", if name.is_empty() { "repository" } else { &name }, &digest[..16])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_one_repository_share_the_cache() {
        let key = |repo: &str| Address::of(repo).unwrap().key;
        assert!(key("https://github.com/org/repo").starts_with("repo-"));
        for other in [
            "ssh://git@GitHub.com/org/repo.git",
            "git@github.com:org/repo",
            "git+ssh://git@github.com/org/repo/",
        ] {
            assert_eq!(key(other), key("https://github.com/org/repo"));
        }
        assert_ne!(key("https://github.com/org/repo"), key("https://github.com/other/repo"));
        assert!(key("https://host").starts_with("repository-"));
        assert_eq!(Address::of("git+ssh://h/r").unwrap().url, "ssh://h/r");
    }

    #[test]
    fn what_git_would_run_or_take_for_an_option_is_refused() {
        for repo in [
            "--upload-pack=touch x",
            "ext::sh -c touch% x",
            "fd::3",
            "ssh://-oProxyCommand=touch/x",
            "ssh://git@-oProxyCommand=touch/x",
            "git@-oProxyCommand=x:y",
            "[-oProxyCommand=x]:y",
            "git@[-oProxyCommand=x]:y",
            "ssh://[-oProxyCommand=x]/y",
            "-oProxyCommand=x:y",
            "https://h/r\n--x",
            "\u{1b}[2J",
            "ftp://h/r",
            "ext://x",
            "no/such/directory",
            "",
        ] {
            let failure = Address::of(repo).expect_err(repo);
            assert_eq!(failure.argument, Some("repo"));
        }
    }

    #[test]
    fn a_relative_path_becomes_absolute() {
        let address = Address::of("src/git").unwrap();
        assert!(address.url.starts_with('/') && address.url.ends_with("/src/git"));
        assert_eq!(address.key, Address::of(&format!("file://{}", address.url)).unwrap().key);
    }
}
