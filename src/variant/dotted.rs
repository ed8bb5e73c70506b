//! The dotted notation's own parts: versions with a dot, backends by full name, and the Python ABI.

use super::error::{NameError, NameErrorKind as Kind};
use super::parse::{starts_with_digits, version_error};
use super::tokens::{Token, Tokens};
use super::{Backend, PLAIN, PythonAbi, VERSIONED, Version, VersionedBackend, legacy};

/// The version that must come next, after `name`, which stands at `start`.
pub fn version(name: &str, start: usize, tokens: &mut Tokens<'_>) -> Result<Version, NameError> {
    let Some(token) = tokens.next().filter(Token::is_number) else {
        let error = NameError::new(start..start + name.len(), Kind::VersionMissing, name);
        return Err(error.hint(format!("write `{name}-MAJOR.MINOR`")));
    };
    token.text.parse().map_err(|error| {
        let error = version_error(token, error);
        match token.text.bytes().all(|b| b.is_ascii_digit()) && error.kind == Kind::Version {
            true => error.hint(format!("write `{name}-MAJOR.MINOR`, with a dot")),
            false if error.kind == Kind::Version => error.hint("a version is two numbers, as in `2.10`"),
            false => error,
        }
    })
}

/// The backend and the Python ABI, which may be left out and then is abi3.
pub fn backend(tokens: &mut Tokens<'_>) -> Result<(Backend, PythonAbi), NameError> {
    let Some(token) = tokens.next() else {
        return Err(NameError::new(tokens.end(), Kind::Backend, "").expected(forms()));
    };
    let backend = read(token, tokens)?;
    Ok((backend, python_abi(tokens)?))
}

fn read(token: Token<'_>, tokens: &mut Tokens<'_>) -> Result<Backend, NameError> {
    if let Some(plain) = Backend::plain(token.text) {
        return match tokens.peek().filter(|t| t.is_number()) {
            Some(next) => {
                let error = NameError::at(next, Kind::VersionNotAllowed);
                Err(error.hint(format!("write `{}` alone", token.text)))
            }
            None => Ok(plain),
        };
    }
    if let Some(spec) = VERSIONED.iter().find(|b| b.name == token.text) {
        return Ok(spec.at(version(spec.name, token.start, tokens)?));
    }
    for spec in VERSIONED {
        if starts_with_digits(token.text, spec.legacy) || starts_with_digits(token.text, spec.name) {
            return Err(glued(spec, token));
        }
        if spec.legacy == token.text {
            let error = NameError::at(token, Kind::Backend).expected(forms());
            return Err(error.hint(format!("{} is spelled `{}-MAJOR.MINOR`", spec.title, spec.name)));
        }
    }
    if let Some((name, _)) = PLAIN.iter().find(|(name, _)| starts_with_digits(token.text, name)) {
        return Err(NameError::at(token, Kind::VersionNotAllowed).hint(format!("write `{name}`")));
    }
    let mut error = NameError::at(token, Kind::Backend).expected(forms());
    error.nearest = crate::report::nearest::one(token.text, super::backend_names()).map(str::to_owned);
    Err(error)
}

/// `cu130` or `cuda13.0` in a dotted name.
fn glued(spec: &VersionedBackend, token: Token<'_>) -> NameError {
    let digits = token.text.trim_start_matches(|c: char| !c.is_ascii_digit());
    let meant = digits.parse().ok().or_else(|| {
        let exception = spec.exceptions.iter().find(|(exception, _)| *exception == digits).map(|(_, v)| *v);
        exception.or_else(|| legacy::version(token, digits, digits.len().saturating_sub(1)).ok())
    });
    let version = meant.map_or("MAJOR.MINOR".to_owned(), |v: Version| v.to_string());
    NameError::at(token, Kind::MixedNotation)
        .hint(format!("write `{}-{version}` in a dotted name", spec.name))
}

fn python_abi(tokens: &mut Tokens<'_>) -> Result<PythonAbi, NameError> {
    let Some(token) = tokens.peek() else { return Ok(PythonAbi::default()) };
    if let Some(abi) = PythonAbi::from_name(token.text) {
        tokens.next();
        return Ok(abi);
    }
    // With platform and os alone left, there is no Python ABI.
    if tokens.left() > 2 || token.text.starts_with("abi") {
        return Err(NameError::at(token, Kind::PythonAbi).expected(PythonAbi::ALL.map(PythonAbi::as_str)));
    }
    Ok(PythonAbi::default())
}

/// What a backend looks like.
fn forms() -> impl Iterator<Item = String> {
    let versioned = VERSIONED.iter().map(|b| format!("{}-MAJOR.MINOR", b.name));
    PLAIN.iter().map(|(name, _)| (*name).to_owned()).chain(versioned)
}
