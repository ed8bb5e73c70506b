//! The legacy notation's own parts: digits without a dot, and backends whose version is glued to them.

use super::error::{NameError, NameErrorKind as Kind};
use super::parse::{starts_with_digits, version_error};
use super::tokens::{Token, Tokens};
use super::{Backend, PLAIN, PythonAbi, VERSIONED, Version, VersionedBackend};

/// Splits a framework's digits after the first `split`. `token` is the part that the error points at.
pub fn version(token: Token<'_>, digits: &str, split: usize) -> Result<Version, NameError> {
    check_digits(token, digits)?;
    Version::from_digits(digits, split).map_err(|error| version_error(token, error))
}

/// The backend. A legacy name says nothing about Python, and means abi3.
pub fn backend(tokens: &mut Tokens<'_>) -> Result<(Backend, PythonAbi), NameError> {
    let Some(token) = tokens.next() else {
        return Err(NameError::new(tokens.end(), Kind::Backend, "").expected(forms()));
    };
    let backend = read(token, tokens)?;
    if let Some(next) = tokens.peek() {
        if PythonAbi::from_name(next.text).is_some() && tokens.left() > 2 {
            let hint = "a legacy name has no Python ABI; write the whole name in dotted notation";
            return Err(NameError::at(next, Kind::MixedNotation).hint(hint));
        }
        if next.is_number() && tokens.left() > 2 && backend.version().is_none() {
            return Err(NameError::at(next, Kind::VersionNotAllowed)
                .hint(format!("write `{}` alone", backend.name())));
        }
    }
    Ok((backend, PythonAbi::Abi3))
}

fn read(token: Token<'_>, tokens: &Tokens<'_>) -> Result<Backend, NameError> {
    if let Some(plain) = Backend::plain(token.text) {
        return Ok(plain);
    }
    if let Some(spec) = VERSIONED.iter().find(|b| starts_with_digits(token.text, b.legacy)) {
        return versioned(spec, token);
    }
    if let Some(spec) = VERSIONED.iter().find(|b| b.name == token.text || b.legacy == token.text) {
        return Err(without_digits(spec, token, tokens));
    }
    if let Some(spec) = VERSIONED.iter().find(|b| starts_with_digits(token.text, b.name)) {
        let digits: String = token.text.chars().filter(char::is_ascii_digit).collect();
        let error = NameError::at(token, Kind::Backend).expected(forms());
        return Err(
            error.hint(format!("{} is spelled `{}{digits}` in this notation", spec.title, spec.legacy))
        );
    }
    if let Some((name, _)) = PLAIN.iter().find(|(name, _)| starts_with_digits(token.text, name)) {
        return Err(NameError::at(token, Kind::VersionNotAllowed).hint(format!("write `{name}`")));
    }
    let mut error = NameError::at(token, Kind::Backend).expected(forms());
    let letters = token.text.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let words = VERSIONED.iter().map(|b| b.legacy).chain(PLAIN.iter().map(|(name, _)| *name));
    error.nearest = crate::report::nearest::one(letters, words).map(str::to_owned);
    Err(error)
}

fn versioned(spec: &VersionedBackend, token: Token<'_>) -> Result<Backend, NameError> {
    let digits = token.text.strip_prefix(spec.legacy).unwrap_or_default();
    if let Ok(version) = digits.parse::<Version>() {
        let joined = format!("`{}{}{}` in legacy", spec.legacy, version.major, version.minor);
        let hint = format!("write {joined} or `{}-{version}` in dotted notation", spec.name);
        return Err(NameError::at(token, Kind::MixedNotation).hint(hint));
    }
    if let Some((_, version)) = spec.exceptions.iter().find(|(exception, _)| *exception == digits) {
        return Ok(spec.at(*version));
    }
    Ok(spec.at(version(token, digits, digits.len().saturating_sub(1))?))
}

/// `cuda-13.0` in a legacy name, or no version at all.
fn without_digits(spec: &VersionedBackend, token: Token<'_>, tokens: &Tokens<'_>) -> NameError {
    match tokens.peek().filter(|t| t.is_number() && t.text.contains('.')) {
        Some(next) => {
            let both = format!("{}-{}", token.text, next.text);
            let digits = next.text.replace('.', "");
            let hint = format!("write `{}{digits}` here, or the whole name in dotted notation", spec.legacy);
            NameError::new(token.start..next.span().end, Kind::MixedNotation, &both).hint(hint)
        }
        None => NameError::at(token, Kind::VersionMissing)
            .hint(format!("write the digits right behind, as in `{}`", example(spec))),
    }
}

fn example(spec: &VersionedBackend) -> String {
    format!("{}{}0", spec.legacy, spec.majors.start())
}

fn check_digits(token: Token<'_>, digits: &str) -> Result<(), NameError> {
    if !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(NameError::at(token, Kind::Version).hint("only digits follow the name in this notation"));
    }
    if digits.len() < 2 {
        let hint = "two digits or more: major and minor version without the dot";
        return Err(NameError::at(token, Kind::TooFewDigits).hint(hint));
    }
    Ok(())
}

/// What a backend looks like.
fn forms() -> impl Iterator<Item = String> {
    let versioned = VERSIONED.iter().map(|b| format!("{}DIGITS", b.legacy));
    PLAIN.iter().map(|(name, _)| (*name).to_owned()).chain(versioned)
}
