//! Where hostile input is run: beside canaries, under limits of time and memory, everything looked at before and after.

use crate::harness::{BINARY, clean};
use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// One hostile input: what it is, how it is made, what is run on it, how that must end and what must be said.
pub struct Case(
    /// What it is.
    pub &'static str,
    /// A script of bash that makes it; see `PRELUDE`.
    pub &'static str,
    /// The arguments, as bash reads them.
    pub &'static str,
    /// The exit status.
    pub i32,
    /// A text that is printed.
    pub &'static str,
);

/// Long enough for a loaded machine; what is not bounded takes for ever.
const TIME_LIMIT: Duration = Duration::from_secs(30);
/// Address space, in KiB. The stacks of the worker threads count.
const MEMORY_LIMIT: u32 = 3_000_000;

/// What the scripts share. `evil` is a program that leaves a trace; `canary/` must stay as it is.
const PRELUDE: &str = r#"
HERE=$PWD EVIL=$PWD/evil
w() { mkdir -p "$(dirname -- "$1")"; printf "${@:2}" > "$1"; }
commit() { git -C $1 add -A; git -C $1 commit -qm one; git -C $1 rev-parse HEAD > sha; }
repo() { w up/pkg/a.py 'import pkg\n'; w up/run.sh '#!/bin/sh\n'; (cd up; git init -q; git remote add origin https://host/org/r); commit up; sourced; }
sourced() { w port.kdl 'recipe version=1\nsource repo="https://host/org/r" commit="%s"\n' $(cat sha); }
bin() { printf "$(echo $1 | sed 's/../\\x&/g')"; }
raw() { git -C up hash-object -t ${1:-tree} --literally -w --stdin; }
forged() { git -C up commit-tree -m x $1 > sha; git -C up update-ref HEAD $(cat sha); sourced; }
blob() { git -C up rev-parse HEAD:pkg/a.py; }
stranger() { git -C up commit-tree -m x $1 > sha; git -C up update-ref HEAD $(cat sha); fetched; }
fetched() { w port.kdl 'recipe version=1\nsource repo="%s/up" commit="%s"\n' "$HERE" $(cat sha); }
many() { printf "%0$2d" 0 | sed "s|0|$1|g"; }
"#;

/// Runs every case; one that misbehaves does not hide the next.
pub fn withstands(cases: &[Case]) {
    let mut wrong = String::new();
    for case in cases {
        if let Err(why) = case.run() {
            let _ =
                writeln!(wrong, "--- {}: {why}\n    made by: {}\n    run with: {}", case.0, case.1, case.2);
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

impl Case {
    fn run(&self) -> Result<(), String> {
        let arena = TempDir::new().unwrap();
        let here = arena.path();
        fs::create_dir(here.join("canary")).unwrap();
        fs::write(here.join("canary/secret"), "SECRET\n").unwrap();
        fs::write(here.join("evil"), format!("#!/bin/sh\ntouch '{}'\ncat\n", here.join("ran").display()))
            .unwrap();
        fs::set_permissions(here.join("evil"), fs::Permissions::from_mode(0o755)).unwrap();
        let made = clean(Command::new("bash"), here)
            .args(["-ec", &format!("{PRELUDE}{}", self.1)])
            .output()
            .map_err(|e| e.to_string())?;
        if !made.status.success() {
            return Err(format!("the input was not made: {}", String::from_utf8_lossy(&made.stderr)));
        }
        let _ = fs::remove_file(here.join("ran"));
        let before = snapshot(here);
        // As text, then as JSON for programs, which must not be misled either.
        self.judge(here, &before, "")?;
        let shapes = ["--print", "--diff", "repin", "outdated"];
        if !shapes.iter().any(|word| self.2.contains(word)) {
            self.judge(here, &before, "--format=json")?;
        }
        Ok(())
    }

    fn judge(&self, here: &Path, before: &BTreeMap<Vec<u8>, String>, more: &str) -> Result<(), String> {
        let (out, err) = (here.join(".stdout"), here.join(".stderr"));
        let script = format!("{PRELUDE}ulimit -v {MEMORY_LIMIT}; exec '{BINARY}' {more} {}", self.2);
        let mut child = clean(Command::new("bash"), here)
            .args(["-c", &script])
            .stdin(Stdio::null())
            .stdout(File::create(&out).unwrap())
            .stderr(File::create(&err).unwrap())
            .spawn()
            .map_err(|e| e.to_string())?;
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
                break status.code();
            }
            if start.elapsed() > TIME_LIMIT {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("no end in {TIME_LIMIT:?} {more}"));
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        let printed = [fs::read(&out).unwrap(), fs::read(&err).unwrap()];
        let both =
            format!("{}{}", String::from_utf8_lossy(&printed[0]), String::from_utf8_lossy(&printed[1]));
        let shown: String =
            both.chars().take(3000).collect::<String>().escape_debug().to_string().replace("\\n", "\n");
        let fail = |why: String| Err(format!("{why} {more}\n{shown}"));
        if status != Some(self.3) {
            return fail(format!("exit status {status:?}, expected {}", self.3));
        }
        if both.contains("panicked") {
            return fail("panic".into());
        }
        if let Some(raw) = printed.iter().find_map(|bytes| sends(bytes)) {
            return fail(format!("sends {raw:?} to the terminal"));
        }
        if more.is_empty() && !both.contains(self.4) {
            return fail(format!("does not say {:?}", self.4));
        }
        if !more.is_empty()
            && !printed[0].is_empty()
            && serde_json::from_slice::<serde_json::Value>(&printed[0]).is_err()
        {
            return fail("what it prints is not JSON".into());
        }
        let after = snapshot(here);
        let changed: Vec<_> = before
            .keys()
            .chain(after.keys())
            .filter(|path| before.get(*path) != after.get(*path))
            .map(|path| String::from_utf8_lossy(path))
            .collect();
        if !changed.is_empty() {
            return fail(format!("changed outside the output: {changed:?}"));
        }
        match fs::symlink_metadata(here.join("out")) {
            Ok(meta) if meta.is_dir() && status == Some(0) => escapes(here),
            _ => Ok(()),
        }
    }
}

/// What may never reach a terminal: control characters but line ends and tabs, bidirectional controls, half characters.
fn sends(bytes: &[u8]) -> Option<String> {
    let Ok(text) = std::str::from_utf8(bytes) else { return Some("bytes that are no UTF-8".into()) };
    let bad = |c: &char| {
        (c.is_control() && !"\n\t".contains(*c))
            || matches!(*c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2028}' | '\u{2029}' | '\u{2066}'..='\u{2069}')
    };
    text.chars().find(bad).map(String::from)
}

/// Everything but the output, the cache and what the program prints: kind, mode, time and content.
fn snapshot(here: &Path) -> BTreeMap<Vec<u8>, String> {
    let mut found = BTreeMap::new();
    let mut pending = vec![here.to_path_buf()];
    while let Some(directory) = pending.pop() {
        let Ok(entries) = fs::read_dir(&directory) else { continue };
        for entry in entries {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(here).unwrap();
            if relative == Path::new("out")
                || relative == Path::new(".cache")
                || relative.starts_with(".stdout")
                || relative.starts_with(".stderr")
            {
                continue;
            }
            // What is too deep for one path is left to the directory above.
            let Ok(meta) = fs::symlink_metadata(&path) else { continue };
            let mut shown = format!("{:o} {:?}", meta.mode(), meta.modified().unwrap());
            if meta.is_symlink() {
                let _ = write!(shown, " {:?}", fs::read_link(&path).unwrap());
            } else if meta.is_dir() {
                pending.push(path.clone());
                // Staging directories come and go beside the output.
                if directory == here {
                    shown = "directory".into();
                }
            } else if meta.is_file() {
                let _ = write!(shown, " {} {}", meta.len(), meta.nlink());
            }
            found.insert(relative.as_os_str().as_bytes().to_vec(), shown);
        }
    }
    found
}

/// No link of the output leaves it, and nothing of the canaries got into it.
fn escapes(here: &Path) -> Result<(), String> {
    let out = fs::canonicalize(here.join("out")).map_err(|e| e.to_string())?;
    let mut pending = vec![out.clone()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).unwrap() {
            let path = entry.unwrap().path();
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_symlink() {
                if let Ok(target) = fs::canonicalize(&path)
                    && !target.starts_with(&out)
                {
                    return Err(format!("{} leads out of the output", path.display()));
                }
            } else if meta.is_dir() {
                pending.push(path);
            } else if meta.is_file()
                && meta.len() < 1 << 20
                && fs::read(&path).unwrap().windows(6).any(|text| text == b"SECRET")
            {
                return Err(format!("{} holds the canary's secret", path.display()));
            }
        }
    }
    Ok(())
}
