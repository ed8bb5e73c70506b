//! Fetches one commit into an empty bare repository with the user's own git, which knows the credentials, proxies and keys.
//! The repository is new and ours, so no configuration, hook or template of a stranger has a say; what the environment
//! could point elsewhere is removed.

use super::address::{Address, TRANSPORTS};
use super::cache::Progress;
use super::checkout::source;
use super::url::without_password;
use crate::ops::Failure;
use crate::recipe::CommitSha;
use std::collections::VecDeque;
use std::io::{self, IsTerminal, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Settings that keep git to the one thing asked for. A silent connection is given up after a minute.
const SETTINGS: [&str; 12] = [
    "core.hooksPath=/dev/null",
    "core.fsmonitor=false",
    "init.defaultBranch=main",
    "init.defaultRefFormat=files",
    "init.defaultObjectFormat=sha1",
    "fetch.recurseSubmodules=false",
    "fetch.writeCommitGraph=false",
    "fetch.unpackLimit=1",
    "gc.auto=0",
    "maintenance.auto=false",
    "http.lowSpeedLimit=1",
    "http.lowSpeedTime=60",
];

/// Variables that would make git work on another repository, or read this one differently.
const FOREIGN: [&str; 16] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_SHALLOW_FILE",
    "GIT_GRAFT_FILE",
    "GIT_REPLACE_REF_BASE",
    "GIT_TEMPLATE_DIR",
    "GIT_DEFAULT_HASH",
    "GIT_DEFAULT_REF_FORMAT",
    "GIT_PROTOCOL_FROM_USER",
    "GIT_QUARANTINE_PATH",
];

/// As many of git's last lines are kept for the error.
const KEPT_LINES: usize = 12;
/// A line of a server's that is longer is cut.
const LINE_LIMIT: usize = 1000;

/// Fetches `commit` alone, or, from a server that refuses a bare commit id, all branches and tags.
///
/// # Errors
/// There is no git, no network, no access, no such repository or no such commit.
pub(super) fn commit(
    address: &Address,
    commit: &CommitSha,
    into: &Path,
    progress: Option<&Progress>,
) -> Result<(), Failure> {
    init(into, commit)?;
    let pinned = format!("{commit}:refs/heads/pinned");
    let mut done = fetch(address, into, &["--depth=1"], &[&pinned], progress)?;
    if !done.success && refuses_ids(&done.lines) {
        done = fetch(address, into, &[], &BRANCHES_AND_TAGS, progress)?;
        if done.success && !has(into, commit).map_err(|error| not_run(&error))? {
            return Err(no_commit(address, commit));
        }
    }
    if done.success { Ok(()) } else { Err(explain(address, commit, done.lines)) }
}

/// What `HEAD` is in a history: the remote's default branch.
const HEAD: &str = "refs/kernel-port/head";

const BRANCHES_AND_TAGS: [&str; 2] = ["refs/heads/*:refs/heads/*", "refs/tags/*:refs/tags/*"];

/// Brings a bare repository up to date with all branches and tags of another, whole histories; makes it when it is not
/// there. A `commit` that none of them reaches is fetched by its id.
///
/// # Errors
/// As [`commit`].
pub(super) fn history(
    address: &Address,
    commit: &CommitSha,
    into: &Path,
    progress: Option<&Progress>,
) -> Result<(), Failure> {
    if !into.join("HEAD").exists() {
        init(into, commit)?;
    }
    let head = format!("HEAD:{HEAD}");
    let refs = [&BRANCHES_AND_TAGS[..], &[head.as_str()]].concat();
    let done = fetch(address, into, &[], &refs, progress)?;
    if !done.success {
        return Err(explain(address, commit, done.lines));
    }
    let pointed = run(git(into).args(["update-ref", "--no-deref", "HEAD", HEAD]), None);
    let pointed = pointed.map_err(|error| not_run(&error))?;
    if !pointed.success {
        return Err(source("git cannot write in the cache").details(pointed.lines));
    }
    if !has(into, commit).map_err(|error| not_run(&error))? {
        let pinned = format!("{commit}:refs/kernel-port/{commit}");
        let done = fetch(address, into, &[], &[&pinned], progress)?;
        if !done.success {
            return Err(explain(address, commit, done.lines));
        }
    }
    Ok(())
}

fn init(into: &Path, commit: &CommitSha) -> Result<(), Failure> {
    let mut init = git(into);
    init.args(["init", "--quiet", "--bare", "--template="]);
    if commit.as_str().len() == 64 {
        init.arg("--object-format=sha256");
    }
    let made = run(init.arg("."), None).map_err(|error| not_run(&error))?;
    match made.success {
        true => Ok(()),
        false => Err(source("git cannot make a repository in the cache").details(made.lines)),
    }
}

fn fetch(
    address: &Address,
    into: &Path,
    more: &[&str],
    refs: &[&str],
    progress: Option<&Progress>,
) -> Result<Done, Failure> {
    let mut fetch = git(into);
    fetch.args(["fetch", "--no-tags", "--no-recurse-submodules", "--force"]).args(more);
    if progress.is_some() {
        fetch.arg("--progress");
    }
    run(fetch.arg("--").arg(&address.url).args(refs), progress).map_err(|error| not_run(&error))
}

fn git(repository: &Path) -> Command {
    let mut git = Command::new("git");
    git.current_dir(repository).arg("--git-dir=.");
    for setting in SETTINGS {
        git.arg("-c").arg(setting);
    }
    for name in FOREIGN {
        git.env_remove(name);
    }
    // The messages are looked at below.
    git.env("LC_ALL", "C").env("LANGUAGE", "").env("GIT_ALLOW_PROTOCOL", TRANSPORTS);
    if !io::stdin().is_terminal() {
        git.env("GIT_TERMINAL_PROMPT", "0");
    }
    git
}

/// How a command ended.
struct Done {
    success: bool,
    /// Its last lines, without those that only tell of progress.
    lines: Vec<String>,
}

fn run(command: &mut Command, progress: Option<&Progress>) -> io::Result<Done> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    let mut lines = Lines { progress, kept: VecDeque::new(), current: Vec::new() };
    if let Some(mut messages) = child.stderr.take() {
        let mut buffer = [0; 4096];
        loop {
            match messages.read(&mut buffer) {
                Ok(0) => break,
                Ok(length) => lines.add(&buffer[..length]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
    }
    lines.end();
    if let Some(progress) = progress {
        progress("");
    }
    Ok(Done { success: child.wait()?.success(), lines: lines.kept.into() })
}

/// Splits what git says into lines, tells of each, and keeps the last.
struct Lines<'p> {
    progress: Option<&'p Progress>,
    kept: VecDeque<String>,
    current: Vec<u8>,
}

impl Lines<'_> {
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            match byte {
                b'\n' | b'\r' => self.end(),
                byte if self.current.len() < LINE_LIMIT => self.current.push(*byte),
                _ => {}
            }
        }
    }

    fn end(&mut self) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.current)).trim_end().to_owned();
        if line.is_empty() {
            return;
        }
        if let Some(progress) = self.progress {
            progress(&line);
        }
        if line.contains('%') {
            return;
        }
        if self.kept.len() == KEPT_LINES {
            self.kept.pop_front();
        }
        self.kept.push_back(line);
    }
}

/// Whether a fetch of everything may still find the commit: the server gives out branches and tags only, or knows no
/// shallow fetches. `not our ref` comes from one that would give out any commit it has.
fn refuses_ids(lines: &[String]) -> bool {
    const SIGNS: [&str; 5] =
        ["unadvertised object", "not valid", "does not support shallow", "dumb http", "want not allowed"];
    let text = lines.join("\n").to_ascii_lowercase();
    SIGNS.iter().any(|sign| text.contains(sign))
}

fn has(repository: &Path, commit: &CommitSha) -> io::Result<bool> {
    let object = format!("{commit}^{{commit}}");
    run(git(repository).args(["cat-file", "-e", &object]), None).map(|done| done.success)
}

fn not_run(error: &io::Error) -> Failure {
    let reason = match error.kind() {
        io::ErrorKind::NotFound => "it is not installed".to_owned(),
        _ => error.to_string(),
    };
    source(format!("git is needed to fetch a source, and cannot be run: {reason}"))
}

fn no_commit(address: &Address, commit: &CommitSha) -> Failure {
    source(format!("{} has no commit {commit}", address.shown()))
        .at("commit")
        .hint("check the id; a commit that was pushed away by force is gone")
}

fn explain(address: &Address, commit: &CommitSha, lines: Vec<String>) -> Failure {
    let text = lines.join("\n").to_ascii_lowercase();
    let says = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    if says(&["not our ref", "couldn't find remote ref"]) {
        return no_commit(address, commit);
    }
    let (reason, hint) = if says(&[
        "could not resolve host",
        "name or service not known",
        "connection refused",
        "network is unreachable",
        "timed out",
        "failed to connect",
        "could not connect",
    ]) {
        ("the host cannot be reached", None)
    } else if says(&[
        "authentication failed",
        "permission denied",
        "could not read username",
        "access denied",
        "terminal prompts disabled",
        "returned error: 403",
        "returned error: 401",
    ]) {
        ("access is denied", Some("credentials are git's business: `git ls-remote` with this URL must work"))
    } else if says(&["dubious ownership"]) {
        ("it belongs to another user", Some("git config --global --add safe.directory DIR trusts it"))
    } else if says(&["not found", "does not appear to be a git repository", "does not exist", "no such file"])
    {
        ("there is no such repository", None)
    } else if says(&["no space left", "quota exceeded"]) {
        ("the disk of the cache is full", Some("KERNEL_PORT_CACHE names another place"))
    } else if says(&["early eof", "unexpected disconnect", "hung up", "rpc failed", "connection reset"]) {
        ("the connection broke", Some("run again"))
    } else if says(&["mismatched algorithms", "object format"]) {
        ("its commit ids have another number of digits", None)
    } else {
        ("git failed", None)
    };
    let message = format!("cannot fetch {} from {}: {reason}", commit.short(), address.shown());
    let argument = if reason.starts_with("its commit ids") { "commit" } else { "repo" };
    let lines = lines.into_iter().map(|line| line.replace(&address.url, &without_password(&address.url)));
    let failure = source(message).at(argument).details(lines.collect());
    hint.map_or(failure.clone(), |hint| failure.hint(hint))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::{Arc, Mutex};

    #[test]
    fn progress_is_told_and_not_kept() {
        let told = Arc::new(Mutex::new(Vec::new()));
        let sink: Progress = {
            let told = told.clone();
            Arc::new(move |line: &str| told.lock().unwrap().push(line.to_owned()))
        };
        let mut lines = Lines { progress: Some(&sink), kept: VecDeque::new(), current: Vec::new() };
        lines.add(b"Receiving:  10%\rReceiving: 20%\r\nfatal: no");
        lines.add(b"\n");
        lines.end();
        assert_eq!(*told.lock().unwrap(), ["Receiving:  10%", "Receiving: 20%", "fatal: no"]);
        assert_eq!(lines.kept, ["fatal: no"]);
    }

    #[test]
    fn a_flood_of_messages_is_bounded() {
        let mut lines = Lines { progress: None, kept: VecDeque::new(), current: Vec::new() };
        lines.add(&vec![b'x'; 100_000]);
        for number in 0..100 {
            lines.add(format!("\n{number}").as_bytes());
        }
        lines.end();
        assert_eq!(lines.kept.len(), KEPT_LINES);
        assert!(lines.kept.iter().all(|line| line.len() <= LINE_LIMIT));
    }

    #[test]
    fn what_git_says_is_explained() {
        let address = Address::of("https://me:secret@h/r").unwrap();
        let commit = CommitSha::new(&"a".repeat(40)).unwrap();
        for (line, part) in [
            (
                "fatal: unable to access 'https://me:secret@h/r/': Could not resolve host: h",
                "the host cannot be reached",
            ),
            ("fatal: Authentication failed for 'https://me:secret@h/r'", "access is denied"),
            ("remote: Repository not found.", "there is no such repository"),
            ("fatal: remote error: upload-pack: not our ref aaaa", "has no commit aaaa"),
            ("fatal: write error: No space left on device", "the disk of the cache is full"),
            ("fatal: something new", "git failed"),
        ] {
            let failure = explain(&address, &commit, vec![line.to_owned()]);
            assert!(failure.message.contains(part), "{}", failure.message);
            assert!(!format!("{failure:?}").contains("secret"), "{failure:?}");
        }
        assert!(refuses_ids(&["error: Server does not allow request for unadvertised object".into()]));
        assert!(!refuses_ids(&["fatal: remote error: upload-pack: not our ref".into()]));
    }
}
