//! Rules about which files are there: generated names, missing sources, what will not ship.

use super::{Finding, Input, Rule, Severity};
use crate::ops::Evidence;
use crate::python::is_python;
use crate::workspace::{Directory, Mode, RepoPath};
use std::collections::BTreeSet;

pub(super) const GENERATED: Rule = Rule {
    id: "generated",
    severity: Severity::Error,
    summary: "a file that the builder generates and refuses to overwrite",
    breaks: "the builder stops before it compiles anything",
    fix: "leave it out: prune or delete it",
    whole: true,
    check: generated,
};

pub(super) const MISSING_SOURCE: Rule = Rule {
    id: "missing-source",
    severity: Severity::Error,
    summary: "build.toml names a file or directory that is not in the final tree",
    breaks: "the build fails at that file",
    fix: "put the kernel and manifest ops after the ops that move files",
    whole: false,
    check: missing_source,
};

pub(super) const MANIFEST: Rule = Rule {
    id: "manifest",
    severity: Severity::Error,
    summary: "build.toml is not one that the builder accepts",
    breaks: "the builder stops before it looks at anything else",
    fix: "correct the value; a manifest op checks all of this when it writes the file",
    whole: true,
    check: manifest,
};

pub(super) const LFS: Rule = Rule {
    id: "lfs",
    severity: Severity::Error,
    summary: "a Git LFS pointer stands where the file should be",
    breaks: "the port holds three lines of text instead of the file",
    fix: "leave the file out; a file of Git LFS is not part of the commit that is pinned",
    whole: false,
    check: lfs,
};

pub(super) const STDLIB_NAME: Rule = Rule {
    id: "stdlib-name",
    severity: Severity::Warning,
    summary: "a top-level module of the package is named like one of the standard library",
    breaks: "the package is installed flat, and its module shadows Python's own",
    fix: "rename it with move, and its imports with remap_module",
    whole: true,
    check: stdlib_name,
};

pub(super) const DROPPED: Rule = Rule {
    id: "dropped-file",
    severity: Severity::Warning,
    summary: "a file beside the Python sources whose extension does not ship",
    breaks: "code that reads it finds nothing",
    fix: "list the extension in torch_pyext or noarch_pyext, or leave the file out",
    whole: true,
    check: dropped,
};

pub(super) const INIT: Rule = Rule {
    id: "init",
    severity: Severity::Warning,
    summary: "a directory of the package holds Python files and no __init__.py",
    breaks: "tools that look for packages miss it",
    fix: "ensure_init adds it",
    whole: true,
    check: init,
};

pub(super) const FLAKE: Rule = Rule {
    id: "flake",
    severity: Severity::Warning,
    summary: "there is no flake.nix at the top",
    breaks: "`nix build` has nothing to build",
    fix: "put one into the overlay",
    whole: true,
    check: flake,
};

pub(super) const VARIANTS: Rule = Rule {
    id: "variants",
    severity: Severity::Warning,
    summary: "upstream's build/ survives into the port",
    breaks: "stale build variants are taken for the kernel's own",
    fix: "leave build/ out: prune or delete it",
    whole: true,
    check: variants,
};

pub(super) const LICENSE: Rule = Rule {
    id: "license",
    severity: Severity::Warning,
    summary: "upstream has a licence file that the port does not carry",
    breaks: "most licences demand that their text travels with the code",
    fix: "keep it: add LICENSE to prune's keep",
    whole: true,
    check: license,
};

fn finding(rule: &Rule, path: &RepoPath, message: impl Into<String>) -> Finding {
    Finding { rule: rule.id, severity: rule.severity, place: Evidence::file(path), message: message.into() }
}

fn manifest(input: &Input<'_>, findings: &mut Vec<Finding>) {
    findings.extend(input.manifest_problems.iter().map(|(place, message, severity)| Finding {
        rule: MANIFEST.id,
        severity: *severity,
        place: place.clone(),
        message: message.clone(),
    }));
}

fn generated(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let ops = format!("torch-ext/{}/_ops.py", manifest.package());
    for (path, _) in input.workspace.iter() {
        let bytes = path.as_bytes();
        let top = path.parent().is_none();
        let metadata = top && bytes.starts_with(b"metadata-") && bytes.ends_with(b".json");
        let named = matches!(
            bytes,
            b"torch-ext/registration.h" | b"setup.py" | b"pyproject.toml" | b"CMakeLists.txt"
        );
        if named || metadata || bytes.starts_with(b"cmake/") || bytes == ops.as_bytes() {
            findings.push(finding(
                &GENERATED,
                path,
                "the builder generates this file and does not overwrite it",
            ));
        }
    }
}

fn missing_source(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let sections = manifest
        .sections
        .iter()
        .flat_map(|s| s.src.iter().map(move |path| (path, format!("kernel.{}", s.name))));
    let framework = manifest.framework_src().iter().map(|path| (path, "torch".to_owned()));
    for (text, table) in sections.chain(framework) {
        if let Ok(path) = RepoPath::new(text)
            && !input.workspace.is_file(&path)
        {
            findings.push(finding(
                &MISSING_SOURCE,
                &path,
                format!("[{table}] lists it, but it is not in the final tree"),
            ));
        }
    }
    let includes = manifest
        .sections
        .iter()
        .flat_map(|s| s.include.iter().map(move |path| (path, format!("kernel.{}", s.name))));
    let framework = manifest.framework_include().iter().map(|path| (path, "torch".to_owned()));
    for (text, table) in includes.chain(framework) {
        if let Ok(path) = RepoPath::typed(text)
            && !input.workspace.is_dir(&path)
        {
            let message = format!("[{table}] includes it, but the final tree has no such directory");
            findings.push(finding(&MISSING_SOURCE, &path, message));
        }
    }
}

fn lfs(input: &Input<'_>, findings: &mut Vec<Finding>) {
    const START: &[u8] = b"version https://git-lfs.github.com/spec/";
    /// A pointer is a few lines; git-lfs itself looks no further.
    const LARGEST: u64 = 1024;
    for (path, entry) in input.workspace.iter().filter(|(_, e)| e.mode != Mode::Symlink) {
        let large = match &entry.content {
            crate::workspace::Content::Bytes(bytes) => bytes.len() as u64 > LARGEST,
            crate::workspace::Content::Stored(stored) => stored.size().is_some_and(|size| size > LARGEST),
        };
        if large {
            continue;
        }
        if entry.content.read().is_ok_and(|c| c.starts_with(START)) {
            findings.push(finding(&LFS, path, "is a Git LFS pointer, not the file"));
        }
    }
}

fn stdlib_name(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in input.packages.iter().filter(|_| input.manifest.is_some()) {
        let directory = Directory::Path(package.package.directory().clone());
        let mut seen = BTreeSet::new();
        for (path, _) in input.workspace.below(&directory).filter(|(path, _)| is_python(path)) {
            let below = path.below(&directory).unwrap_or_default();
            let first = below.split(|b| *b == b'/').next().unwrap_or_default();
            let stem = first.strip_suffix(b".py").unwrap_or(first);
            if let Ok(name) = std::str::from_utf8(stem)
                && STDLIB.contains(&name)
                && seen.insert(name.to_owned())
                && let Ok(shown) = package.package.directory().join(first)
            {
                findings.push(finding(&STDLIB_NAME, &shown, format!("shadows Python's own module {name}")));
            }
        }
    }
}

fn dropped(input: &Input<'_>, findings: &mut Vec<Finding>) {
    let Some(manifest) = input.manifest else { return };
    let default = ["py".to_owned(), "pyi".to_owned()];
    let ships = manifest.pyext().unwrap_or(&default);
    let sources: BTreeSet<&str> = manifest.framework_src().iter().map(String::as_str).collect();
    for (path, _) in input.workspace.iter() {
        let beside = path.as_bytes().starts_with(format!("torch-ext/{}/", manifest.package()).as_bytes())
            || path.as_bytes().starts_with(b"tests/");
        let extension = path.extension().unwrap_or_default();
        let listed = ships.iter().any(|e| e.trim_start_matches('.').as_bytes() == extension);
        if beside && !listed && !sources.contains(path.to_string().as_str()) {
            findings.push(finding(&DROPPED, path, "its extension is not among those that ship"));
        }
    }
}

fn init(input: &Input<'_>, findings: &mut Vec<Finding>) {
    for package in input.packages.iter().filter(|_| input.manifest.is_some()) {
        let directory = Directory::Path(package.package.directory().clone());
        let mut seen = BTreeSet::new();
        for (path, _) in input.workspace.below(&directory).filter(|(path, _)| is_python(path)) {
            for above in path.ancestors().take_while(|above| directory.holds(above)) {
                let has = |name: &str| above.join(name).is_ok_and(|init| input.workspace.is_file(&init));
                if !has("__init__.py") && !has("__init__.pyi") && seen.insert(above.clone()) {
                    findings.push(finding(&INIT, &above, "holds Python files and has no __init__.py"));
                }
            }
        }
    }
}

fn flake(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if let Ok(path) = RepoPath::new("flake.nix")
        && input.manifest.is_some()
        && !input.workspace.is_file(&path)
    {
        findings.push(finding(&FLAKE, &path, "is missing"));
    }
}

fn license(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if input.manifest.is_none() {
        return;
    }
    let names: [&[u8]; 4] = [b"LICENSE", b"LICENCE", b"COPYING", b"NOTICE"];
    let is_licence = |path: &RepoPath| {
        let name = path.name().to_ascii_uppercase();
        names.iter().any(|n| {
            name.strip_prefix(*n).is_some_and(|rest| rest.first().is_none_or(|b| !b.is_ascii_alphabetic()))
        })
    };
    let carried = |upstream: &RepoPath| {
        input.workspace.iter().any(|(path, e)| e.upstream_path.as_ref() == Some(upstream) || path == upstream)
    };
    for path in input.workspace.base().keys().filter(|p| p.parent().is_none() && is_licence(p)) {
        if !carried(path) {
            findings.push(finding(&LICENSE, path, "upstream's, and not in the port"));
        }
    }
}

fn variants(input: &Input<'_>, findings: &mut Vec<Finding>) {
    if let Ok(path) = RepoPath::new("build")
        && input.manifest.is_some()
        && input.workspace.is_dir(&path)
    {
        let directory = Directory::Path(path.clone());
        let below = input.workspace.below(&directory).filter_map(|(file, _)| file.below(&directory));
        let names: BTreeSet<String> = below
            .filter_map(|b| std::str::from_utf8(b.split(|c| *c == b'/').next()?).ok())
            .filter(|name| name.parse::<crate::variant::Variant>().is_ok())
            .map(str::to_owned)
            .collect();
        let which = match names.len() {
            0 => String::new(),
            _ => format!(": {}", names.into_iter().collect::<Vec<_>>().join(", ")),
        };
        findings.push(finding(&VARIANTS, &path, format!("upstream's build output is in the port{which}")));
    }
}

/// Top-level modules of Python's standard library, 3.9 to 3.14, that a package might name a module after.
pub(super) const STDLIB: &[&str] = &[
    "abc",
    "argparse",
    "array",
    "ast",
    "asyncio",
    "atexit",
    "base64",
    "bisect",
    "builtins",
    "bz2",
    "calendar",
    "cmath",
    "cmd",
    "code",
    "codecs",
    "collections",
    "colorsys",
    "compression",
    "concurrent",
    "configparser",
    "contextlib",
    "contextvars",
    "copy",
    "copyreg",
    "csv",
    "ctypes",
    "curses",
    "dataclasses",
    "datetime",
    "dbm",
    "decimal",
    "difflib",
    "dis",
    "doctest",
    "email",
    "encodings",
    "enum",
    "errno",
    "faulthandler",
    "fcntl",
    "filecmp",
    "fileinput",
    "fnmatch",
    "fractions",
    "ftplib",
    "functools",
    "gc",
    "getopt",
    "getpass",
    "gettext",
    "glob",
    "graphlib",
    "grp",
    "gzip",
    "hashlib",
    "heapq",
    "hmac",
    "html",
    "http",
    "imaplib",
    "importlib",
    "inspect",
    "io",
    "ipaddress",
    "itertools",
    "json",
    "keyword",
    "linecache",
    "locale",
    "logging",
    "lzma",
    "mailbox",
    "marshal",
    "math",
    "mimetypes",
    "mmap",
    "modulefinder",
    "multiprocessing",
    "netrc",
    "numbers",
    "operator",
    "optparse",
    "os",
    "pathlib",
    "pdb",
    "pickle",
    "pickletools",
    "pkgutil",
    "platform",
    "plistlib",
    "posix",
    "posixpath",
    "pprint",
    "profile",
    "pstats",
    "pty",
    "pwd",
    "pyclbr",
    "pydoc",
    "queue",
    "quopri",
    "random",
    "re",
    "readline",
    "reprlib",
    "resource",
    "runpy",
    "sched",
    "secrets",
    "select",
    "selectors",
    "shelve",
    "shlex",
    "shutil",
    "signal",
    "site",
    "smtplib",
    "socket",
    "socketserver",
    "sqlite3",
    "ssl",
    "stat",
    "statistics",
    "string",
    "stringprep",
    "struct",
    "subprocess",
    "symtable",
    "sys",
    "sysconfig",
    "syslog",
    "tarfile",
    "tempfile",
    "termios",
    "test",
    "textwrap",
    "threading",
    "time",
    "timeit",
    "tkinter",
    "token",
    "tokenize",
    "tomllib",
    "trace",
    "traceback",
    "tracemalloc",
    "tty",
    "turtle",
    "types",
    "typing",
    "unicodedata",
    "unittest",
    "urllib",
    "uuid",
    "venv",
    "warnings",
    "wave",
    "weakref",
    "webbrowser",
    "wsgiref",
    "xml",
    "xmlrpc",
    "zipapp",
    "zipfile",
    "zipimport",
    "zlib",
    "zoneinfo",
];
