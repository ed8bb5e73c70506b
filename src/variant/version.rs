//! Versions of two numbers, as frameworks and backends have them in a variant name.

use serde::{Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// `2.10`: compared by number, so that 2.9 is before 2.10.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Version {
    /// Before the dot.
    pub major: u32,
    /// After the dot.
    pub minor: u32,
}

/// Why a text is no version.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VersionError {
    /// It is not two numbers with a dot between.
    Shape,
    /// A number is beyond what any version reaches.
    TooLarge,
}

impl Version {
    /// `major.minor`.
    pub const fn new(major: u32, minor: u32) -> Self {
        Self { major, minor }
    }

    /// Reads digits that stand without a dot, the first `split` of them before it. The caller has checked that all
    /// are digits and that some are on both sides.
    pub(super) fn from_digits(digits: &str, split: usize) -> Result<Self, VersionError> {
        let (major, minor) = digits.split_at_checked(split).ok_or(VersionError::Shape)?;
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }

    /// The first two numbers of a full version, as `torch.__version__` has it: `2.10.1+cu130` is 2.10.
    pub fn of_release(text: &str) -> Result<Self, VersionError> {
        let mut parts = text.split('.');
        let (Some(major), Some(rest)) = (parts.next(), parts.next()) else { return Err(VersionError::Shape) };
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (minor, tail) = rest.split_at(digits);
        // A local or pre-release tag may follow; a letter right after the first number may not.
        if !(tail.is_empty() || tail.starts_with(['+', '-', 'a', 'b', 'r'])) {
            return Err(VersionError::Shape);
        }
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

impl FromStr for Version {
    type Err = VersionError;

    fn from_str(text: &str) -> Result<Self, VersionError> {
        let (major, minor) = text.split_once('.').ok_or(VersionError::Shape)?;
        Ok(Self { major: number(major)?, minor: number(minor)? })
    }
}

fn number(digits: &str) -> Result<u32, VersionError> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return Err(VersionError::Shape);
    }
    digits.parse().map_err(|_| VersionError::TooLarge)
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_numbers_and_nothing_else() {
        assert_eq!("2.10".parse(), Ok(Version::new(2, 10)));
        assert_eq!("2.010".parse(), Ok(Version::new(2, 10)));
        for text in ["", "2", "2.", ".1", "2.1.0", "2.x", "+2.1", "2.-1", "２.1", " 2.1"] {
            assert_eq!(text.parse::<Version>(), Err(VersionError::Shape), "{text}");
        }
        assert_eq!("2.99999999999".parse::<Version>(), Err(VersionError::TooLarge));
        assert!(Version::new(2, 9) < Version::new(2, 10));
    }

    #[test]
    fn releases_lose_patch_and_tag() {
        for text in ["2.10", "2.10.1", "2.10.0+cu130", "2.10+cpu", "2.10a0", "2.10rc1"] {
            assert_eq!(Version::of_release(text), Ok(Version::new(2, 10)), "{text}");
        }
        for text in ["2", "", "2.", "x.1", "2.1é", "2.é"] {
            assert_eq!(Version::of_release(text), Err(VersionError::Shape), "{text}");
        }
    }
}
