//! The git URLs that `general.upstream` and `general.source` may hold. Narrower than the builder's own reading: what
//! is accepted here is accepted there, and forms that nobody means (`https:a`, blanks) are refused.

use crate::recipe::ValueError;
use std::net::Ipv4Addr;

const SCHEMES: [&str; 7] = ["https", "http", "git", "ssh", "git+ssh", "git+https", "git+http"];

/// A git URL: a scheme that git speaks over a network, or `user@host:path`.
///
/// # Errors
/// Another scheme, a local path, no host, a port out of range.
pub fn git_url(text: &str) -> Result<(), ValueError> {
    let refuse = |why: &str| {
        Err(ValueError::new(format!("\"{text}\" is no git URL: {why}")).help(format!(
            "write {}://host/path (or {}), or user@host:path",
            SCHEMES[0],
            SCHEMES[1..].join(", ")
        )))
    };
    if text.chars().any(|c| c.is_whitespace() || c.is_control()) {
        return refuse("it holds white space");
    }
    let Some((scheme, rest)) = text.split_once("://") else {
        return match text.split_once('@').map(|(user, rest)| (user, rest.split_once(':'))) {
            Some((user, Some((host, path)))) => match scp(user, host, path) {
                None => Ok(()),
                Some(why) => refuse(why),
            },
            _ => refuse("there is no scheme"),
        };
    };
    if !SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) {
        return refuse(&format!("the scheme {scheme} is not accepted"));
    }
    let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
    if path.is_empty() {
        return refuse("there is no path");
    }
    let host = match authority.rsplit_once('@') {
        Some(("", _)) => return refuse("there is nothing before the @"),
        Some((_, host)) => host,
        None => authority,
    };
    let (host, port) = match host.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (host, None),
    };
    if !is_host(host) {
        return refuse("there is no host of letters, digits, dots and dashes");
    }
    match port {
        Some(port) if port.parse::<u16>().is_err() || port.starts_with('+') => {
            refuse(&format!("\"{port}\" is no port"))
        }
        _ => Ok(()),
    }
}

/// Why it is no `user@host:path`.
fn scp(user: &str, host: &str, path: &str) -> Option<&'static str> {
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    if user.is_empty() || !user.chars().all(word) {
        Some("there is no user of letters, digits, dots and dashes")
    } else if !is_host(host) {
        Some("there is no host of letters, digits, dots and dashes")
    } else if path.is_empty() {
        Some("there is no path")
    } else if path.starts_with('/') {
        Some("the path after the colon starts with /")
    } else {
        None
    }
}

/// A name, or an address of four numbers: a name whose last label is a number is neither.
fn is_host(host: &str) -> bool {
    let label = |label: &str| {
        label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_')) && !label.is_empty()
    };
    let last = host.rsplit('.').next().unwrap_or_default();
    if last.starts_with(|c: char| c.is_ascii_digit()) {
        return host.parse::<Ipv4Addr>().is_ok();
    }
    host.split('.').all(label) && !host.to_ascii_lowercase().split('.').any(|l| l.starts_with("xn--"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_git_speaks_over_a_network() {
        for url in [
            "https://github.com/a/b.git",
            "http://h/a",
            "git://h/a",
            "ssh://git@h:22/a",
            "git+ssh://h/a",
            "git+https://h/a",
            "git+http://h/a",
            "HTTPS://h/a",
            "git@github.com:a/b.git",
            "https://1.2.3.4/b",
        ] {
            assert_eq!(git_url(url), Ok(()), "{url}");
        }
    }

    #[test]
    fn what_the_builder_rejects_or_nobody_means() {
        for (url, why) in [
            ("file:///a/b", "the scheme file is not accepted"),
            ("ftp://h/a", "the scheme ftp is not accepted"),
            ("/a/b", "there is no scheme"),
            ("a/b", "there is no scheme"),
            ("", "there is no scheme"),
            ("https:a/b", "there is no scheme"),
            ("host:path", "there is no scheme"),
            ("https://", "there is no path"),
            ("https:///a", "there is no host of letters, digits, dots and dashes"),
            ("https://h", "there is no path"),
            ("https://h b/c", "it holds white space"),
            ("https://h:99999/b", "\"99999\" is no port"),
            ("ssh://git@h:org/repo", "\"org\" is no port"),
            ("https://@h/b", "there is nothing before the @"),
            ("https://1.2.3.4.5/b", "there is no host of letters, digits, dots and dashes"),
            ("https://[::1/b", "there is no host of letters, digits, dots and dashes"),
            ("@h:p", "there is no user of letters, digits, dots and dashes"),
            ("u:x@h:p", "there is no user of letters, digits, dots and dashes"),
            ("u@:p", "there is no host of letters, digits, dots and dashes"),
            ("u@h:", "there is no path"),
            ("u@h:/p", "the path after the colon starts with /"),
        ] {
            let expected = format!("\"{url}\" is no git URL: {why}");
            assert_eq!(git_url(url).unwrap_err().message, expected);
        }
    }
}
