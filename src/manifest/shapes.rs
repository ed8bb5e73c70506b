//! The shapes of values that no list can hold: names, versions, capabilities, flags. Each function says what is wrong
//! in words that follow `argument= `.

use super::model::{KernelDepend, KernelRevision};
use super::values::{Backend, backend};
use crate::recipe::ValueError;
use crate::workspace::Directory;

/// The editions that are written, newest last.
const EDITIONS: [u64; 2] = [5, 6];
/// The builder reads TOML integers, which are signed.
const LARGEST_VERSION: u64 = i64::MAX as u64;

/// `general.name`: `[a-z][-a-z0-9]*[a-z0-9]`.
///
/// # Errors
/// Another shape; the help has the nearest name of this shape.
pub fn kernel_name(text: &str) -> Result<(), ValueError> {
    let inner = |c: char| c == '-' || c.is_ascii_lowercase() || c.is_ascii_digit();
    let fits = text.len() >= 2
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.chars().all(inner)
        && !text.ends_with('-');
    if fits {
        return Ok(());
    }
    let error = ValueError::new(format!(
        "\"{text}\" is no kernel name: lower-case letters, digits and dashes, at least two characters, the first a \
         letter, the last no dash"
    ));
    let near: String = text.to_lowercase().chars().map(|c| if inner(c) { c } else { '-' }).collect();
    let near = near.trim_matches('-');
    Err(if near != text && kernel_name(near).is_ok() {
        error.help(format!("write \"{near}\"; the Python package is {}", near.replace('-', "_")))
    } else {
        error
    })
}

/// The name of a kernel section: `[A-Za-z0-9_]+`, as it becomes part of a CMake target.
///
/// # Errors
/// Another shape; the help has the nearest name of this shape.
pub fn section_name(text: &str) -> Result<(), ValueError> {
    let fits = |c: char| c == '_' || c.is_ascii_alphanumeric();
    if !text.is_empty() && text.chars().all(fits) {
        return Ok(());
    }
    let error =
        ValueError::new(format!("\"{text}\" is no section name: letters, digits and underscores only"));
    let near: String = text.chars().map(|c| if fits(c) { c } else { '_' }).collect();
    Err(if near.bytes().any(|b| b != b'_') {
        error.help(format!("it becomes part of a CMake target; write \"{near}\""))
    } else {
        error.help("it becomes part of a CMake target")
    })
}

/// `general.version`.
///
/// # Errors
/// More than a TOML integer holds.
pub fn version_number(number: u64) -> Result<(), ValueError> {
    if number <= LARGEST_VERSION {
        return Ok(());
    }
    Err(ValueError::new(format!("is {number}, which is too large")).help("versions count from 1"))
}

/// `general.edition`.
///
/// # Errors
/// An edition that is not written.
pub fn edition(number: u64) -> Result<(), ValueError> {
    if EDITIONS.contains(&number) {
        return Ok(());
    }
    Err(ValueError::new(format!("is {number}, but must be 5 or 6"))
        .help("5 is the released edition; 6 is not released yet"))
}

/// A version of a toolkit or of Torch: exactly two numbers.
///
/// # Errors
/// Any other number of them, or other characters.
pub fn toolkit_version(text: &str) -> Result<(u64, u64), ValueError> {
    let number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()).then(|| part.parse().ok()).flatten();
    let parts: Vec<Option<u64>> = text.split('.').map(number).collect();
    if let [Some(major), Some(minor)] = parts[..] {
        return Ok((major, minor));
    }
    let error = ValueError::new(format!("\"{text}\" is no version of two numbers, such as \"12.8\""));
    let mut numbers = text.trim().split('.').map(number);
    Err(match (numbers.next().flatten(), numbers.next()) {
        (Some(major), None) => error.help(format!("write \"{major}.0\"")),
        (Some(major), Some(Some(minor))) => error.help(format!("write \"{major}.{minor}\"")),
        _ => error,
    })
}

/// A CUDA capability: `8.0`, `9.0a`, `10.0f`, `8.0+PTX`.
///
/// # Errors
/// Another shape. A warning where recipes are read: new shapes appear.
pub fn capability(text: &str) -> Result<(), ValueError> {
    let bare = text.strip_suffix("+PTX").unwrap_or(text);
    let bare = bare.strip_suffix(['a', 'f']).unwrap_or(bare);
    let digits = |part: &str| (1..=2).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_digit());
    if bare.split_once('.').is_some_and(|(major, minor)| digits(major) && minor.len() == 1 && digits(minor)) {
        return Ok(());
    }
    let error = ValueError::new(format!("\"{text}\" does not look like a CUDA capability"));
    let number: String = text.trim_start_matches(|c: char| !c.is_ascii_digit()).to_owned();
    let end = number.find(|c: char| !c.is_ascii_digit()).unwrap_or(number.len());
    let (number, rest) = number.split_at(end);
    Err(if matches!(number.len(), 2 | 3) && (rest.is_empty() || rest == "a" || rest == "f") {
        let (major, minor) = number.split_at(number.len() - 1);
        error.help(format!("write \"{major}.{minor}{rest}\""))
    } else {
        error.help("they look like 8.0, 9.0a, 10.0f or 8.0+PTX")
    })
}

/// A ROCm architecture: `gfx90a`, perhaps with features behind it (`gfx90a:xnack-`).
///
/// # Errors
/// Another shape.
pub fn rocm_arch(text: &str) -> Result<(), ValueError> {
    let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || matches!(c, ':' | '+' | '-');
    let rest = text.strip_prefix("gfx");
    if rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()) && rest.chars().all(fits)) {
        return Ok(());
    }
    Err(ValueError::new(format!("\"{text}\" is no ROCm architecture")).help("they look like gfx90a"))
}

/// A compiler flag.
///
/// # Errors
/// A `;`, at which CMake would cut it in two, or nothing at all.
pub fn flag(text: &str) -> Result<(), ValueError> {
    if text.is_empty() {
        return Err(ValueError::new("holds an empty flag").help("leave it out"));
    }
    if text.contains(';') {
        return Err(ValueError::new(format!("\"{text}\" holds `;`, at which CMake cuts it in two"))
            .help("write two flags, separated by a comma"));
    }
    Ok(())
}

/// `general.license`: any text; the ports that exist use SPDX names.
///
/// # Errors
/// Nothing at all.
pub fn license(text: &str) -> Result<(), ValueError> {
    if text.trim().is_empty() {
        return Err(
            ValueError::new("is empty").help("name the licence as SPDX does: \"Apache-2.0\", \"MIT\"")
        );
    }
    Ok(())
}

/// A repository of the Hub, `owner/name`.
///
/// # Errors
/// Another shape.
pub fn repo_id(text: &str) -> Result<(), ValueError> {
    let part = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.'))
            && !part.bytes().all(|b| b == b'.')
    };
    if text.split_once('/').is_some_and(|(owner, name)| part(owner) && part(name)) {
        return Ok(());
    }
    Err(ValueError::new(format!("\"{text}\" is no repository of the Hub"))
        .help("write owner/name, for example \"kernels-community/relu\""))
}

/// A branch of the Hub repository.
///
/// # Errors
/// What git takes for no branch name.
pub fn branch(text: &str) -> Result<(), ValueError> {
    let refused = |c: char| c.is_whitespace() || c.is_control() || "~^:?*[\\".contains(c);
    let component = |part: &str| part.is_empty() || part.starts_with('.') || part.ends_with(".lock");
    let wrong = text.chars().any(refused)
        || text.split('/').any(component)
        || text.contains("..")
        || text.contains("@{")
        || text.starts_with('-')
        || text.ends_with('.')
        || text == "@";
    if wrong { Err(ValueError::new(format!("\"{text}\" is no branch name"))) } else { Ok(()) }
}

/// An extension of package files that ship: `json`, without a dot.
///
/// # Errors
/// A leading dot, a glob or a path.
pub fn extension(text: &str) -> Result<(), ValueError> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '+' | '.');
    if !text.is_empty() && !text.starts_with('.') && text.chars().all(fits) {
        return Ok(());
    }
    let error = ValueError::new(format!("\"{text}\" is no file extension"));
    let bare = text.trim_start_matches(['*', '.']);
    Err(if bare != text && extension(bare).is_ok() {
        error.help(format!("write it without the dot: \"{bare}\""))
    } else {
        error.help("write the letters after the dot: \"json\"")
    })
}

/// An include directory; it is written as it is given.
///
/// # Errors
/// A path that leaves the tree.
pub fn include_directory(text: &str) -> Result<Directory, ValueError> {
    Directory::typed(text).map_err(|error| ValueError::new(format!("\"{text}\" {error}")))
}

/// A kernel to depend on, as a recipe writes it: `org/a@1`, `org/b@rev:abc`.
///
/// # Errors
/// No version, a repository of another shape.
pub fn kernel_depend(text: &str) -> Result<KernelDepend, ValueError> {
    const HELP: &str = "write owner/name@VERSION, for example org/a@1, or owner/name@rev:REVISION";
    let Some((repo, at)) = text.split_once('@') else {
        return Err(ValueError::new(format!("\"{text}\" names no version")).help(HELP));
    };
    repo_id(repo)?;
    let at = match at.strip_prefix("rev:") {
        Some(revision) => {
            branch(revision).map_err(|_| {
                ValueError::new(format!("\"{text}\": \"{revision}\" is no revision")).help(HELP)
            })?;
            KernelRevision::Revision(revision.to_owned())
        }
        None => match at.parse() {
            Ok(number) if at.bytes().all(|b| b.is_ascii_digit()) && number <= LARGEST_VERSION => {
                KernelRevision::Version(number)
            }
            _ => {
                return Err(ValueError::new(format!("\"{text}\": \"{at}\" is no version number")).help(HELP));
            }
        },
    };
    Ok(KernelDepend { repo_id: repo.to_owned(), at })
}

/// One `backend=version` of `stable_abi`.
///
/// # Errors
/// No `=`, an unknown backend, no version of two numbers.
pub fn stable_abi_entry(text: &str) -> Result<(&'static Backend, String), ValueError> {
    let Some((name, version)) = text.split_once('=') else {
        return Err(ValueError::new(format!("\"{text}\" is no backend=version")).help(
            "write stable_abi=\"cuda=2.11,rocm=2.11\", or stable_abi_version=\"2.11\" for every backend",
        ));
    };
    let (name, version) = (name.trim(), version.trim());
    let found = backend(name)?;
    toolkit_version(version)?;
    Ok((found, version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is written instead, or the general help; `None` for a value that is accepted.
    fn help<T>(found: Result<T, ValueError>) -> Option<String> {
        found.err().map(|error| error.help.unwrap_or_default())
    }

    #[test]
    fn kernel_names_that_are_near_are_suggested() {
        for name in ["ab", "a1", "a-b", "a--b", "flash-attn3"] {
            assert_eq!(help(kernel_name(name)), None, "{name}");
        }
        for (name, near) in [
            ("Causal_Conv1d", "write \"causal-conv1d\"; the Python package is causal_conv1d"),
            ("a-", ""),
            ("relu-", "write \"relu\"; the Python package is relu"),
            ("a", ""),
            ("1a", ""),
            ("ab\n", "write \"ab\"; the Python package is ab"),
        ] {
            assert_eq!(help(kernel_name(name)).as_deref(), Some(near), "{name}");
        }
    }

    #[test]
    fn section_names_are_cmake_words() {
        assert_eq!(help(section_name("Relu_2")), None);
        let near = "it becomes part of a CMake target; write \"a_b\"";
        assert_eq!(help(section_name("a.b")).as_deref(), Some(near));
        assert_eq!(help(section_name("-")).as_deref(), Some("it becomes part of a CMake target"));
        assert!(section_name("").is_err());
    }

    #[test]
    fn versions_are_two_numbers() {
        assert_eq!(toolkit_version("12.8"), Ok((12, 8)));
        assert!(toolkit_version("2.9").unwrap() < toolkit_version("2.11").unwrap());
        for (text, near) in [
            ("13", "write \"13.0\""),
            ("12.8.1", "write \"12.8\""),
            (" 12.8", "write \"12.8\""),
            ("12.", ""),
            ("+1.2", ""),
            ("a.b", ""),
            ("99999999999999999999.1", ""),
        ] {
            assert_eq!(help(toolkit_version(text)).as_deref(), Some(near), "{text}");
        }
    }

    #[test]
    fn capabilities_look_like_nvidia_s() {
        for text in ["8.0", "9.0a", "10.0f", "8.0+PTX", "12.1a+PTX"] {
            assert_eq!(help(capability(text)), None, "{text}");
        }
        for (text, near) in [
            ("80", "write \"8.0\""),
            ("sm_90a", "write \"9.0a\""),
            ("compute_100", "write \"10.0\""),
            ("8", "they look like 8.0, 9.0a, 10.0f or 8.0+PTX"),
            ("8.0;9.0", "they look like 8.0, 9.0a, 10.0f or 8.0+PTX"),
            ("", "they look like 8.0, 9.0a, 10.0f or 8.0+PTX"),
        ] {
            assert_eq!(help(capability(text)).as_deref(), Some(near), "{text}");
        }
    }

    #[test]
    fn architectures_and_extensions() {
        assert!(rocm_arch("gfx90a").is_ok() && rocm_arch("gfx942:xnack-").is_ok());
        assert!(rocm_arch("gfx").is_err() && rocm_arch("90a").is_err());
        assert!(extension("json").is_ok() && extension("tar.gz").is_ok());
        assert_eq!(help(extension("*.json")).as_deref(), Some("write it without the dot: \"json\""));
        assert_eq!(help(extension("a/b")).as_deref(), Some("write the letters after the dot: \"json\""));
    }

    #[test]
    fn repositories_branches_and_depends() {
        assert!(repo_id("Org-1/b.c_d").is_ok());
        for text in ["relu", "/b", "a/", "a/b/c", "a b/c", "a/..", ""] {
            assert!(repo_id(text).is_err(), "{text}");
        }
        assert!(branch("v1/x").is_ok());
        for text in ["", "a b", "-x", "a..b", "a.lock", "/a", "a@{1}", "@"] {
            assert!(branch(text).is_err(), "{text}");
        }
        let depend = |text| kernel_depend(text).map(|d| d.at).map_err(|e| e.message);
        assert_eq!(depend("org/a@12"), Ok(KernelRevision::Version(12)));
        assert_eq!(depend("org/b@rev:abc"), Ok(KernelRevision::Revision("abc".into())));
        assert_eq!(depend("org/b@+1"), Err("\"org/b@+1\": \"+1\" is no version number".into()));
    }
}
