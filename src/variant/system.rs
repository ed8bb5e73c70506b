//! The system that a variant is chosen for, and how it is written on a command line:
//! `torch=2.14,cuda=13.0,python=abi3t,cpu=x86_64,os=linux,cxx11=true`.

use super::version::VersionError;
use super::{Backend, CxxAbi, Os, PLAIN, Platform, PythonAbi, VERSIONED, Version};
use crate::report::nearest;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// What a client knows about the machine it runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct System {
    /// torch's version, when there is a torch.
    pub torch: Option<Version>,
    /// What torch was built with, where that is a question (Linux).
    pub cxx: Option<CxxAbi>,
    /// tvm-ffi's version, when there is one.
    pub tvm_ffi: Option<Version>,
    /// The backend in use.
    pub backend: Backend,
    /// abi3t for a free-threaded Python.
    pub python: PythonAbi,
    /// The CPU.
    pub cpu: Platform,
    /// The operating system.
    pub os: Os,
    /// The version of macOS, when it is one and known. Metal kernels need 26.0.
    pub macos: Option<Version>,
}

/// A mistake in a system's text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SystemError {
    /// The offending bytes.
    pub span: Range<usize>,
    /// Expected and found.
    pub message: String,
    /// What to write.
    pub help: Option<String>,
}

impl fmt::Display for SystemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SystemError {}

/// The keys beside the versioned backends.
const KEYS: [&str; 8] = ["torch", "tvm-ffi", "cxx11", "backend", "python", "cpu", "os", "macos"];

/// What was typed so far.
#[derive(Default)]
struct Typed {
    torch: Option<Version>,
    cxx: Option<CxxAbi>,
    tvm_ffi: Option<Version>,
    backend: Option<(&'static str, Backend)>,
    python: Option<PythonAbi>,
    cpu: Option<Platform>,
    os: Option<Os>,
    macos: Option<Version>,
}

impl FromStr for System {
    type Err = SystemError;

    /// `cpu` and `os` must be given; no backend is the backend cpu, no `python` is abi3.
    fn from_str(text: &str) -> Result<Self, SystemError> {
        let mut typed = Typed::default();
        let mut start = 0;
        for item in text.split(',') {
            let span = start..start + item.len();
            start = span.end + 1;
            if !item.trim().is_empty() {
                typed.add(item, span)?;
            }
        }
        let missing = |key: &str, example: &str| SystemError {
            span: text.len()..text.len(),
            message: format!("`{key}` is missing"),
            help: Some(format!("add `{key}={example}`")),
        };
        Ok(Self {
            torch: typed.torch,
            cxx: typed.cxx,
            tvm_ffi: typed.tvm_ffi,
            backend: match typed.backend.or(Backend::plain("cpu").map(|cpu| ("backend", cpu))) {
                Some((_, backend)) => backend,
                None => return Err(missing("backend", "cpu")),
            },
            python: typed.python.unwrap_or_default(),
            cpu: typed.cpu.ok_or_else(|| missing("cpu", "x86_64"))?,
            os: typed.os.ok_or_else(|| missing("os", "linux"))?,
            macos: typed.macos,
        })
    }
}

impl Typed {
    fn add(&mut self, item: &str, span: Range<usize>) -> Result<(), SystemError> {
        let fail = |message: String, help: Option<String>| SystemError { span: span.clone(), message, help };
        let Some((key, value)) = item.split_once('=') else {
            let help = PLAIN
                .iter()
                .find(|(name, _)| *name == item.trim())
                .map(|(name, _)| format!("`backend={name}`"));
            let help = help.unwrap_or_else(|| "`torch=2.14`".to_owned());
            return Err(fail(
                format!("`{item}` has no value"),
                Some(format!("write KEY=VALUE, as in {help}")),
            ));
        };
        let (key, value) = (key.trim(), value.trim());
        let version = || {
            Version::of_release(value).map_err(|error| match error {
                VersionError::Shape => {
                    fail(format!("`{value}` is no version"), Some(format!("write `{key}=MAJOR.MINOR`")))
                }
                VersionError::TooLarge => fail(format!("the version `{value}` is too large"), None),
            })
        };
        let one_of = |known: &[&str]| {
            fail(
                format!("`{value}` is no value of `{key}`"),
                Some(format!("write one of {}", known.join(", "))),
            )
        };
        let twice = || fail(format!("`{key}` is given twice"), None);
        if let Some(spec) = VERSIONED.iter().find(|b| b.name == key) {
            return self.set_backend(spec.name, spec.at(version()?)).map_err(|message| fail(message, None));
        }
        let again = match key {
            "torch" => self.torch.replace(version()?).is_some(),
            "tvm-ffi" => self.tvm_ffi.replace(version()?).is_some(),
            "macos" => self.macos.replace(macos(value).map_or_else(version, Ok)?).is_some(),
            "cxx11" => {
                let cxx = match value {
                    "true" => CxxAbi::Cxx11,
                    "false" => CxxAbi::Cxx98,
                    _ => return Err(one_of(&["true", "false"])),
                };
                self.cxx.replace(cxx).is_some()
            }
            "python" => {
                let abi = PythonAbi::from_name(value)
                    .ok_or_else(|| one_of(&PythonAbi::ALL.map(PythonAbi::as_str)))?;
                self.python.replace(abi).is_some()
            }
            "cpu" => {
                let cpu = Platform::of_system(value).ok_or_else(|| one_of(Platform::KNOWN))?;
                self.cpu.replace(cpu).is_some()
            }
            "os" => self.os.replace(Os::of_system(value).ok_or_else(|| one_of(Os::KNOWN))?).is_some(),
            "backend" => {
                let Some(plain) = Backend::plain(value) else {
                    let with = VERSIONED.iter().find(|b| value.starts_with(b.name));
                    return Err(match with {
                        Some(spec) => fail(
                            format!("backend `{}` needs a version", spec.name),
                            Some(format!("write `{}=MAJOR.MINOR`", spec.name)),
                        ),
                        None => one_of(&PLAIN.iter().map(|(name, _)| *name).collect::<Vec<_>>()),
                    });
                };
                return self.set_backend("backend", plain).map_err(|message| fail(message, None));
            }
            _ => return Err(unknown_key(key, span)),
        };
        if again { Err(twice()) } else { Ok(()) }
    }

    fn set_backend(&mut self, key: &'static str, backend: Backend) -> Result<(), String> {
        match self.backend.replace((key, backend)) {
            Some((before, _)) if before == key => Err(format!("`{key}` is given twice")),
            Some((before, _)) => {
                Err(format!("a system has one backend, and both `{before}` and `{key}` are given"))
            }
            None => Ok(()),
        }
    }
}

/// `macos=26` is a whole version.
fn macos(value: &str) -> Option<Version> {
    value.parse().ok().map(|major| Version::new(major, 0))
}

fn unknown_key(key: &str, span: Range<usize>) -> SystemError {
    let known = || KEYS.into_iter().chain(VERSIONED.iter().map(|b| b.name));
    let help = match nearest::one(key, known()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("the keys are {}", known().collect::<Vec<_>>().join(", ")),
    };
    let help = match PLAIN.iter().any(|(name, _)| *name == key) {
        true => format!("write `backend={key}`"),
        false => help,
    };
    SystemError { span, message: format!("unknown key `{key}`"), help: Some(help) }
}

impl fmt::Display for System {
    /// In the form it is typed in.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(torch) = self.torch {
            write!(f, "torch={torch},")?;
        }
        if let Some(tvm_ffi) = self.tvm_ffi {
            write!(f, "tvm-ffi={tvm_ffi},")?;
        }
        match self.backend.version() {
            Some(version) => write!(f, "{}={version},", self.backend.name())?,
            None => write!(f, "backend={},", self.backend.name())?,
        }
        if let Some(cxx) = self.cxx {
            write!(f, "cxx11={},", cxx == CxxAbi::Cxx11)?;
        }
        if let Some(macos) = self.macos {
            write!(f, "macos={macos},")?;
        }
        write!(f, "python={},cpu={},os={}", self.python.as_str(), self.cpu, self.os)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn systems_are_read() {
        let text = "torch=2.14.1+cu130, cuda=13.0,python=abi3t,cpu=AMD64,os=linux,cxx11=true,tvm-ffi=0.1";
        let system: System = text.parse().unwrap();
        let shown = "torch=2.14,tvm-ffi=0.1,cuda=13.0,cxx11=true,python=abi3t,cpu=x86_64,os=linux";
        assert_eq!(system.to_string(), shown);
        assert_eq!(shown.parse(), Ok(system));
        let metal: System = "backend=metal,cpu=arm64,os=macOS,macos=26".parse().unwrap();
        assert_eq!(metal.to_string(), "backend=metal,macos=26.0,python=abi3,cpu=aarch64,os=darwin");
        let least: System = "cpu=x86_64,os=linux".parse().unwrap();
        assert_eq!(least.to_string(), "backend=cpu,python=abi3,cpu=x86_64,os=linux");
    }

    #[test]
    fn mistakes_are_pointed_at() {
        let rows = [
            ("os=linux", "`cpu` is missing | add `cpu=x86_64`", 8..8),
            ("cpu=x86_64,", "`os` is missing | add `os=linux`", 11..11),
            ("cpu=x86_64,metal", "`metal` has no value | write KEY=VALUE, as in `backend=metal`", 11..16),
            ("cpu=x86_64,linux", "`linux` has no value | write KEY=VALUE, as in `torch=2.14`", 11..16),
            ("cdua=12.8", "unknown key `cdua` | did you mean `cuda`?", 0..9),
            ("metal=4.0", "unknown key `metal` | write `backend=metal`", 0..9),
            ("torch=2", "`2` is no version | write `torch=MAJOR.MINOR`", 0..7),
            ("torch=2.9,torch=2.10", "`torch` is given twice | ", 10..20),
            ("cuda=12.8,cuda=13.0", "`cuda` is given twice | ", 10..19),
            (
                "cuda=12.8,rocm=7.0",
                "a system has one backend, and both `cuda` and `rocm` are given | ",
                10..18,
            ),
            ("backend=cuda", "backend `cuda` needs a version | write `cuda=MAJOR.MINOR`", 0..12),
            ("backend=gpu", "`gpu` is no value of `backend` | write one of cpu, metal, neuron, tpu", 0..11),
            ("python=cp312", "`cp312` is no value of `python` | write one of abi3, abi3t", 0..12),
            ("cxx11=yes", "`yes` is no value of `cxx11` | write one of true, false", 0..9),
            ("cpu=x86-64", "`x86-64` is no value of `cpu` | write one of aarch64, x86_64", 0..10),
            ("torch=2.99999999999", "the version `2.99999999999` is too large | ", 0..19),
        ];
        for (text, expected, span) in rows {
            let error = text.parse::<System>().unwrap_err();
            assert_eq!(format!("{} | {}", error.message, error.help.unwrap_or_default()), expected, "{text}");
            assert_eq!(error.span, span, "{text}");
        }
    }
}
