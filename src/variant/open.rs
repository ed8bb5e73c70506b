//! CPUs and operating systems. The lists grow with the hardware, so an unknown word is read and doubted, not refused.

use std::borrow::Cow;
use std::fmt;

macro_rules! open_list {
    ($(#[$doc:meta])* $name:ident, $known:expr, $aliases:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $name(Cow<'static, str>);

        impl $name {
            /// The words that clients look for.
            pub const KNOWN: &'static [&'static str] = $known;
            /// What systems call it, and the word that stands in a name.
            pub const ALIASES: &'static [(&'static str, &'static str)] = $aliases;

            /// The word of a name: 1 to 32 ASCII letters, digits and underscores, kept as written.
            pub fn from_name(text: &str) -> Option<Self> {
                if let Some(known) = Self::KNOWN.iter().find(|known| **known == text) {
                    return Some(Self(Cow::Borrowed(known)));
                }
                let fine = (1..=32).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
                fine.then(|| Self(Cow::Owned(text.to_owned())))
            }

            /// What a running system calls itself; see [`Self::ALIASES`].
            pub fn of_system(text: &str) -> Option<Self> {
                Self::from_name(Self::alias(text).unwrap_or(text))
            }

            /// The word for a name that `text` is another word for.
            pub fn alias(text: &str) -> Option<&'static str> {
                Self::ALIASES.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(text)).map(|(_, word)| *word)
            }

            /// As it stands in a name.
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// Whether clients look for it.
            pub fn is_known(&self) -> bool {
                Self::KNOWN.contains(&self.as_str())
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

open_list!(
    /// A CPU architecture.
    Platform,
    &["aarch64", "x86_64"],
    &[("arm64", "aarch64"), ("amd64", "x86_64")]
);
open_list!(
    /// An operating system.
    Os,
    &["darwin", "linux", "windows"],
    &[("macos", "darwin"), ("Linux", "linux"), ("Darwin", "darwin"), ("Windows", "windows")]
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_have_other_words_and_names_do_not() {
        assert_eq!(Platform::of_system("arm64").unwrap().as_str(), "aarch64");
        assert_eq!(Platform::of_system("AMD64").unwrap().as_str(), "x86_64");
        assert_eq!(Os::of_system("Darwin").unwrap().as_str(), "darwin");
        assert_eq!(Platform::from_name("arm64").unwrap().as_str(), "arm64");
        assert!(Platform::from_name("riscv64").is_some_and(|p| !p.is_known()));
        for bad in ["", "x86.64", "x86 64", "é", "a/b"] {
            assert_eq!(Platform::from_name(bad), None, "{bad}");
        }
    }
}
