//! Whether two URLs name the same repository: by host and path, however they are spelled.

/// A repository's host (empty for a local path) and path, in a form that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    pub(super) host: String,
    pub(super) path: String,
}

impl Location {
    /// Reads `https://host/path`, `ssh://user@host:port/path`, `user@host:path`, `file:///path` or a local path. Scheme, user,
    /// port, the host's case, a trailing `.git` and trailing slashes make no difference.
    pub fn of(url: &str) -> Self {
        let url = url.trim();
        let (host, path) = match url.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("file") => ("", rest),
            Some((_, rest)) => {
                let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
                (authority, path)
            }
            // `host:path`, as ssh takes it; a colon after a slash belongs to a path.
            None => match url.split_once(':') {
                Some((authority, path)) if !authority.contains('/') => (authority, path),
                _ => ("", url),
            },
        };
        let host = host.rsplit('@').next().unwrap_or(host);
        let host = host.split_once(':').map_or(host, |(name, _)| name).to_ascii_lowercase();
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        let path = parts.join("/");
        let path = path.strip_suffix(".git").unwrap_or(&path).trim_end_matches('/');
        Self { host, path: path.to_owned() }
    }
}

/// Whether both URLs name one repository.
pub fn same_repository(a: &str, b: &str) -> bool {
    Location::of(a) == Location::of(b)
}

/// A password or token in a URL stays out of logs; the user name may stay.
pub fn without_password(url: &str) -> String {
    let Some((scheme, rest)) = url.split_once("://") else { return url.to_owned() };
    let authority_end = rest.find('/').unwrap_or(rest.len());
    match rest[..authority_end].rsplit_once('@') {
        Some((user, host)) => {
            let name = user.split(':').next().unwrap_or("");
            // A token alone stands where the user's name would.
            let name = if user.contains(':') || scheme == "ssh" { name } else { "..." };
            format!("{scheme}://{name}@{host}{}", &rest[authority_end..])
        }
        None => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::{same_repository, without_password};

    #[test]
    fn passwords_are_not_shown() {
        for (url, shown) in [
            ("https://me:secret@h/r", "https://me@h/r"),
            ("https://ghp_token@h/r", "https://...@h/r"),
            ("https://me:p@ss@h/r@1", "https://me@h/r@1"),
            ("ssh://git@h/r", "ssh://git@h/r"),
            ("git@h:r", "git@h:r"),
            ("https://h/a@b", "https://h/a@b"),
        ] {
            assert_eq!(without_password(url), shown);
        }
    }

    #[test]
    fn spellings_of_one_repository_are_equal() {
        let all = [
            "https://github.com/org/repo",
            "https://github.com/org/repo.git",
            "https://GitHub.com/org/repo/",
            "https://user:token@github.com/org/repo.git/",
            "ssh://git@github.com:22/org/repo",
            "git@github.com:org/repo.git",
            "github.com:org/repo",
            "git+ssh://git@github.com/org/repo",
        ];
        for a in all {
            for b in all {
                assert!(same_repository(a, b), "{a} {b}");
            }
        }
        assert!(same_repository("file:///srv/repo.git", "/srv//repo"));
    }

    #[test]
    fn other_repositories_are_not() {
        for other in [
            "https://github.com/org/repo2",
            "https://github.com/Org/repo",
            "https://gitlab.com/org/repo",
            "https://github.com/evil/org/repo",
            "https://github.com.evil.com/org/repo",
            "/org/repo",
        ] {
            assert!(!same_repository("https://github.com/org/repo", other), "{other}");
        }
    }
}
