//! Git LFS: a tracked file may be a few lines that point at the real content, which git itself does not have.

/// What such a file says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pointer {
    /// Of the real content, 64 lower-case digits.
    pub sha256: String,
    /// Of the real content, in bytes.
    pub size: u64,
}

impl Pointer {
    /// A pointer is smaller than this many bytes.
    pub(super) const MAX_SIZE: u64 = 1023;

    /// Reads a pointer; `None` for any other file.
    pub(super) fn parse(content: &[u8]) -> Option<Self> {
        const VERSIONS: [&str; 3] = [
            "version https://git-lfs.github.com/spec/v1",
            "version https://hawser.github.com/spec/v1",
            "version http://git-media.io/v/2",
        ];
        if content.len() as u64 > Self::MAX_SIZE || !content.starts_with(b"version ") {
            return None;
        }
        let mut lines = std::str::from_utf8(content).ok()?.lines();
        if !VERSIONS.contains(&lines.next()?) {
            return None;
        }
        let (mut sha256, mut size) = (None, None);
        for line in lines {
            match line.split_once(' ')? {
                ("oid", id) => sha256 = id.strip_prefix("sha256:").map(str::to_ascii_lowercase),
                ("size", number) => size = number.parse().ok(),
                _ => {}
            }
        }
        let sha256 = sha256.filter(|s| s.len() == 64 && s.bytes().all(|b| b.is_ascii_hexdigit()))?;
        Some(Self { sha256, size: size? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POINTER: &str = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n";

    #[test]
    fn pointers_are_told_from_files_that_speak_of_them() {
        assert_eq!(Pointer::parse(POINTER.as_bytes()).unwrap().size, 12345);
        let extended = POINTER.replacen("\n", "\next-0-a sha256:00\n", 1);
        assert!(Pointer::parse(extended.as_bytes()).is_some());
        let long = format!("{POINTER}{}", "x y\n".repeat(300));
        for other in [
            &POINTER[1..],
            &POINTER[..60],
            "version https://git-lfs.github.com/spec/v1\n",
            "version 2\n",
            &long,
        ] {
            assert!(Pointer::parse(other.as_bytes()).is_none(), "{other}");
        }
    }
}
