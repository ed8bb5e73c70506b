//! From a text to what it means: the framework and the notation first, then the rest by [`super::legacy`] or
//! [`super::dotted`].

use super::error::{NameError, NameErrorKind as Kind};
use super::tokens::{Token, Tokens};
use super::version::VersionError;
use super::{Arch, CxxAbi, Framework, NoarchBackend, Notation, Os, Platform, Reading, Variant, Version};
use super::{dotted, legacy};
use std::str::FromStr;

/// The longest name of a directory, in bytes.
pub const MAX_LENGTH: usize = 255;

/// Reads a name in either notation.
///
/// # Errors
/// The first offending part from the left.
pub fn parse(text: &str) -> Result<Reading, NameError> {
    if text.is_empty() {
        return Err(NameError::new(0..0, Kind::Empty, "").expected(Framework::NAMES));
    }
    if text.len() > MAX_LENGTH {
        return Err(NameError::new(0..text.len(), Kind::TooLong, ""));
    }
    let mut tokens = Tokens::new(text);
    let Some(first) = tokens.next() else { return Err(unknown_framework(text)) };
    match first.text {
        "torch" => after_torch(text, tokens),
        "tvm" => match tokens.next() {
            Some(ffi) if ffi.text.starts_with("ffi") => {
                let (version, notation) = name_end(text, ffi, "ffi", "tvm-ffi", &mut tokens)?;
                arch(Framework::TvmFfi(version), notation, tokens)
            }
            _ => Err(unknown_framework(text)),
        },
        _ if starts_with_digits(first.text, "torch") => {
            let (version, notation) = name_end(text, first, "torch", "torch", &mut tokens)?;
            torch(version, notation, tokens)
        }
        _ => Err(unknown_framework(text)),
    }
}

impl FromStr for Variant {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        parse(text).map(|reading| reading.variant)
    }
}

/// `torch-2.10...`, `torch-stable-abi...`, or Python only: `torch-cuda`.
fn after_torch(text: &str, mut tokens: Tokens<'_>) -> Result<Reading, NameError> {
    let mut ahead = tokens.clone();
    if let (Some("stable"), Some(abi)) = (ahead.next().map(|t| t.text), ahead.next())
        && abi.text.starts_with("abi")
    {
        let (version, notation) = name_end(text, abi, "abi", "torch-stable-abi", &mut ahead)?;
        return arch(Framework::TorchStableAbi(version), notation, ahead);
    }
    if tokens.peek().is_some_and(|t| t.is_number()) {
        let version = dotted::version("torch", 0, &mut tokens)?;
        return torch(version, Notation::Dotted, tokens);
    }
    let word = tokens.next().unwrap_or(Token { text: "", start: text.len() });
    let Some(backend) = NoarchBackend::from_name(word.text) else {
        let error = NameError::at(word, Kind::Noarch).expected(NoarchBackend::names());
        return Err(match tokens.rest() {
            Some(_) => error
                .hint("a compiled variant begins with a version, as in `torch-2.10-...` or `torch210-...`"),
            None => error,
        });
    };
    match tokens.rest() {
        Some(rest) => Err(NameError::at(rest, Kind::Trailing).hint(format!(
            "a Python-only name ends after `torch-{backend}`; a compiled one has torch's version, as in `torch-2.10-...`",
            backend = backend.as_str()
        ))),
        None => {
            let notation = NoarchBackend::is_alias(word.text).then_some(Notation::Legacy);
            Ok(Reading { variant: Variant::Noarch(backend), notation })
        }
    }
}

/// The version after a framework's name, which ends in `prefix` within `token`, and thereby the notation.
fn name_end(
    text: &str,
    token: Token<'_>,
    prefix: &str,
    framework: &'static str,
    tokens: &mut Tokens<'_>,
) -> Result<(Version, Notation), NameError> {
    let digits = token.text.strip_prefix(prefix).unwrap_or_default();
    if digits.is_empty() {
        return Ok((dotted::version(framework, 0, tokens)?, Notation::Dotted));
    }
    let whole = Token { text: text.get(..token.span().end).unwrap_or(token.text), start: 0 };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return Err(unknown_framework_until(text, whole.text.len()));
    }
    if let Ok(version) = digits.parse::<Version>() {
        let both = format!(
            "write `{framework}{}{}` in legacy or `{framework}-{version}` in dotted notation",
            version.major, version.minor
        );
        return Err(NameError::at(whole, Kind::MixedNotation).hint(both));
    }
    Ok((legacy::version(whole, digits, 1)?, Notation::Legacy))
}

/// The rest after torch's version, a cxx tag first.
fn torch(version: Version, notation: Notation, mut tokens: Tokens<'_>) -> Result<Reading, NameError> {
    let mut cxx = None;
    if let Some(tag) = tokens.peek().filter(|t| is_tag(t.text)) {
        cxx = CxxAbi::from_name(tag.text);
        if cxx.is_none() {
            return Err(NameError::at(tag, Kind::Tag).expected(CxxAbi::ALL.map(CxxAbi::as_str)));
        }
        tokens.next();
    }
    arch(Framework::Torch { version, cxx }, notation, tokens)
}

/// The rest after the framework.
fn arch(framework: Framework, notation: Notation, mut tokens: Tokens<'_>) -> Result<Reading, NameError> {
    if let Some(tag) = tokens.peek().filter(|t| is_tag(t.text)) {
        return Err(NameError::at(tag, Kind::TagNotAllowed).hint(format!("leave `{}` out", tag.text)));
    }
    let (backend, python_abi) = match notation {
        Notation::Legacy => legacy::backend(&mut tokens)?,
        Notation::Dotted => dotted::backend(&mut tokens)?,
    };
    let end = Token { text: "", start: tokens.end().start };
    let word = tokens.next().unwrap_or(end);
    let platform = Platform::from_name(word.text)
        .ok_or_else(|| NameError::at(word, Kind::Platform).expected(Platform::KNOWN.iter().copied()))?;
    let word = tokens.next().unwrap_or(end);
    let os = Os::from_name(word.text)
        .ok_or_else(|| NameError::at(word, Kind::Os).expected(Os::KNOWN.iter().copied()))?;
    if let Some(rest) = tokens.rest() {
        return Err(NameError::at(rest, Kind::Trailing).hint("a name ends after the operating system"));
    }
    let variant = Variant::Arch(Arch { framework, backend, python_abi, platform, os });
    Ok(Reading { variant, notation: Some(notation) })
}

fn is_tag(text: &str) -> bool {
    text.as_bytes().get(..3).is_some_and(|start| start.eq_ignore_ascii_case(b"cxx"))
}

pub(super) fn starts_with_digits(text: &str, prefix: &str) -> bool {
    text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The offending part is what stands before the first dash.
fn unknown_framework(text: &str) -> NameError {
    unknown_framework_until(text, text.split('-').next().unwrap_or(text).len())
}

fn unknown_framework_until(text: &str, end: usize) -> NameError {
    let found = text.get(..end).unwrap_or(text);
    let error = NameError::new(0..found.len(), Kind::Framework, found).expected(Framework::NAMES);
    if error.nearest.is_some() {
        return error;
    }
    // `torhc210` is nearer to torch than it looks, and half of `tvm-ffi` is not meant to be something else.
    let letters = found.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let whole = Framework::NAMES.into_iter().find(|name| name.split('-').next() == Some(letters));
    let nearest = whole.or_else(|| crate::report::nearest::one(letters, Framework::NAMES));
    NameError { nearest: nearest.filter(|_| !letters.is_empty()).map(str::to_owned), ..error }
}

/// What is wrong with a version that is spelled `token`.
pub(super) fn version_error(token: Token<'_>, error: VersionError) -> NameError {
    match error {
        VersionError::Shape => NameError::at(token, Kind::Version),
        VersionError::TooLarge => NameError::at(token, Kind::VersionTooLarge),
    }
}
