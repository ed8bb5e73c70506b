//! Whether two URLs name the same repository: by host and path, however they are spelled.

/// A repository's host (empty for a local path) and path, in a form that can be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Location {
    host: String,
    path: String,
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
        let path = path.trim_matches('/');
        let path = path.strip_suffix(".git").unwrap_or(path).trim_end_matches('/');
        Self { host, path: path.to_owned() }
    }
}

/// Whether both URLs name one repository.
pub fn same_repository(a: &str, b: &str) -> bool {
    Location::of(a) == Location::of(b)
}

#[cfg(test)]
mod tests {
    use super::same_repository;

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
        assert!(same_repository("file:///srv/repo.git", "/srv/repo"));
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
