//! A port to run: `Port::new().recipe("...").file("a", "x").run().fails_with(1)`.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// The program under test.
pub const BINARY: &str = env!("CARGO_BIN_EXE_kernel-port");

/// A fresh directory with a recipe, an upstream tree and an overlay.
pub struct Port {
    directory: TempDir,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
}

impl Port {
    /// An empty directory.
    pub fn new() -> Self {
        Self { directory: TempDir::new().unwrap(), args: Vec::new(), env: Vec::new() }
    }

    /// An inline run: `-e recipe`.
    pub fn inline(recipe: &str) -> Self {
        Self::new().arg("-e").arg(recipe)
    }

    /// The directory the program runs in.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.directory.path().join(relative)
    }

    /// Writes `port.kdl` and names it as the recipe.
    pub fn recipe(self, text: &str) -> Self {
        self.on_disk("port.kdl", text).arg("port.kdl")
    }

    /// Writes a file below the directory.
    pub fn on_disk(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        let target = self.path(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, content).unwrap();
        self
    }

    /// Writes a file of the upstream tree `up/`; `--dir up` is added once, by [`Port::dir`].
    pub fn upstream(self, path: &str, content: impl AsRef<[u8]>) -> Self {
        self.on_disk(&format!("up/{path}"), content)
    }

    /// `--dir up`.
    pub fn dir(self) -> Self {
        self.args(["--dir", "up"])
    }

    /// `--file path=text`.
    pub fn file(self, path: &str, text: &str) -> Self {
        self.arg("--file").arg(format!("{path}={text}"))
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args<const N: usize>(self, args: [&str; N]) -> Self {
        args.into_iter().fold(self, Self::arg)
    }

    /// The same directory, no arguments.
    pub fn without_args(mut self) -> Self {
        self.args.clear();
        self
    }

    /// An environment variable.
    pub fn env(mut self, name: &str, value: &str) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Runs a shell command in the directory; panics when it fails.
    pub fn sh(self, script: &str) -> Self {
        let status =
            clean(Command::new("bash"), self.directory.path()).args(["-ec", script]).status().unwrap();
        assert!(status.success(), "{script}");
        self
    }

    /// Replaces a text in all arguments so far: for what a script found out, a commit id.
    pub fn with(mut self, name: &str, file: &str) -> Self {
        let value = fs::read_to_string(self.path(file)).unwrap().trim().to_owned();
        for arg in &mut self.args {
            *arg = arg.to_string_lossy().replace(name, &value).into();
        }
        self
    }

    /// Runs the program; the directory can be run in again.
    pub fn run_again(&self) -> Done {
        let mut command = clean(Command::new(BINARY), self.directory.path());
        let output = command.args(&self.args).envs(self.env.iter().cloned()).output().unwrap();
        Done {
            status: output.status.code().unwrap_or(-1),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// Runs the program once.
    pub fn run(self) -> Ran {
        Ran { done: self.run_again(), port: self }
    }

    /// Every file below `relative`: path to content, with the mode before it where it is not 0644. Symlinks are
    /// `-> target`.
    pub fn tree(&self, relative: &str) -> BTreeMap<String, String> {
        let mut found = BTreeMap::new();
        collect(&self.path(relative), Path::new(""), &mut found);
        found
    }
}

fn collect(root: &Path, below: &Path, found: &mut BTreeMap<String, String>) {
    for entry in fs::read_dir(root.join(below)).unwrap() {
        let entry = entry.unwrap();
        let path = below.join(entry.file_name());
        let full = root.join(&path);
        let meta = fs::symlink_metadata(&full).unwrap();
        let shown = if meta.is_dir() {
            collect(root, &path, found);
            continue;
        } else if meta.is_symlink() {
            format!("-> {}", fs::read_link(&full).unwrap().display())
        } else {
            let mode = meta.permissions().mode() & 0o777;
            let text = String::from_utf8_lossy(&fs::read(&full).unwrap()).into_owned();
            if mode == 0o644 { text } else { format!("{mode:o} {text}") }
        };
        assert!(meta.is_symlink() || meta.nlink() >= 1);
        found.insert(path.display().to_string(), shown);
    }
}

/// A command that sees nothing of the machine it runs on but `PATH`.
pub fn clean(mut command: Command, directory: &Path) -> Command {
    let path = std::env::var_os("PATH").unwrap_or_default();
    command.env_clear().env("PATH", path).env("HOME", directory).env("LC_ALL", "C.UTF-8");
    command.env("GIT_CONFIG_NOSYSTEM", "1").current_dir(directory);
    // Where a coverage run wants the counters of this process.
    if let Some(profile) = std::env::var_os("LLVM_PROFILE_FILE") {
        command.env("LLVM_PROFILE_FILE", profile);
    }
    // Commits are the same on every machine.
    for who in ["AUTHOR", "COMMITTER"] {
        command.env(format!("GIT_{who}_NAME"), "t").env(format!("GIT_{who}_EMAIL"), "t@example.com");
        command.env(format!("GIT_{who}_DATE"), "2025-01-01T00:00:00Z");
    }
    command
}

/// What a run printed, and its exit status.
pub struct Done {
    pub status: i32,
    pub out: String,
    pub err: String,
}

/// A finished run and the directory it ran in.
pub struct Ran {
    pub done: Done,
    pub port: Port,
}

impl Ran {
    /// Exit status 0 and nothing on standard error.
    #[track_caller]
    pub fn succeeds(self) -> Self {
        assert_eq!((self.done.status, self.done.err.as_str()), (0, ""), "{}", self.done.out);
        self
    }

    /// Exit status 0, whatever was warned about.
    #[track_caller]
    pub fn passes(self) -> Self {
        assert_eq!(self.done.status, 0, "{}{}", self.done.out, self.done.err);
        self
    }

    /// That exit status.
    #[track_caller]
    pub fn fails_with(self, status: i32) -> Self {
        assert_eq!(self.done.status, status, "{}{}", self.done.out, self.done.err);
        self
    }

    /// Exactly that on standard output.
    #[track_caller]
    pub fn prints(self, expected: &str) -> Self {
        assert_eq!(self.done.out, expected);
        self
    }

    /// Exactly that on standard error.
    #[track_caller]
    pub fn complains(self, expected: &str) -> Self {
        assert_eq!(self.done.err, expected);
        self
    }

    /// That somewhere on standard error.
    #[track_caller]
    pub fn mentions(self, expected: &str) -> Self {
        assert!(self.done.err.contains(expected), "{expected:?} is not in:\n{}", self.done.err);
        self
    }

    /// Exactly these files below `relative`.
    #[track_caller]
    pub fn leaves<const N: usize>(self, relative: &str, files: [(&str, &str); N]) -> Self {
        let expected: BTreeMap<String, String> =
            files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        let mut found = self.port.tree(relative);
        found.remove("port-provenance.json");
        assert_eq!(found, expected);
        self
    }
}
