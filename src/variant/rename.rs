//! Converting the names of a folder's directories. All is planned first; nothing is renamed when anything stands in the
//! way.

use super::{Doubt, LegacyError, Notation, convert, doubts, parse};
use crate::report::escape;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::io;
use std::path::Path;

/// What will be renamed, and what stands in the way.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Plan {
    /// Sorted by old name.
    pub renames: Vec<Rename>,
    /// Names that are fine as they are.
    pub unchanged: Vec<String>,
    /// Names that are no variants, left alone.
    pub ignored: Vec<String>,
    /// While there is one, nothing is renamed.
    pub refusals: Vec<Refusal>,
}

/// One directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rename {
    /// Its name.
    pub from: String,
    /// What it becomes.
    pub to: String,
}

/// Why a directory cannot be renamed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// Something else has the new name, or will have it.
    Taken {
        /// The directory.
        from: String,
        /// The new name.
        to: String,
        /// The directory that becomes it too; none when something is there already.
        by: Option<String>,
    },
    /// The name may mean something else than it reads as.
    Doubtful {
        /// The directory.
        from: String,
        /// What is odd.
        doubt: Doubt,
    },
    /// The notation cannot say it.
    NoName {
        /// The directory.
        from: String,
        /// Why.
        error: LegacyError,
    },
}

/// Plans the renaming of the directories `names`. `existing` is everything in the folder, files included.
pub fn plan(names: &[String], existing: &BTreeSet<String>, notation: Notation) -> Plan {
    let mut plan = Plan::default();
    let mut taken: BTreeMap<String, &str> = BTreeMap::new();
    for name in names {
        let Ok(reading) = parse(name) else {
            plan.ignored.push(name.clone());
            continue;
        };
        let to = match convert(name, &reading, notation) {
            Ok(to) if to == *name => {
                plan.unchanged.push(to);
                continue;
            }
            Ok(to) => to,
            Err(error) => {
                plan.refusals.push(Refusal::NoName { from: name.clone(), error });
                continue;
            }
        };
        if let Some(doubt) = doubts(name, &reading).into_iter().find(Doubt::is_about_meaning) {
            plan.refusals.push(Refusal::Doubtful { from: name.clone(), doubt });
            continue;
        }
        let other = taken.insert(to.clone(), name);
        if other.is_some() || existing.contains(&to) {
            let by = other.map(str::to_owned);
            plan.refusals.push(Refusal::Taken { from: name.clone(), to, by });
        } else {
            plan.renames.push(Rename { from: name.clone(), to });
        }
    }
    plan
}

/// Everything in a folder, as [`plan`] needs it.
///
/// # Errors
/// When the folder cannot be read.
pub fn existing(dir: &Path) -> io::Result<BTreeSet<String>> {
    std::fs::read_dir(dir)?.map(|entry| Ok(entry?.file_name().to_string_lossy().into_owned())).collect()
}

/// Renames. When one fails, those before it get their old names back.
///
/// # Errors
/// A refusal of the plan, or what the system said, with the directory's name.
pub fn apply(dir: &Path, plan: &Plan) -> Result<(), String> {
    if let Some(refusal) = plan.refusals.first() {
        return Err(refusal.to_string());
    }
    for (done, Rename { from, to }) in plan.renames.iter().enumerate() {
        if let Err(error) = rename(&dir.join(from), &dir.join(to)) {
            let mut message = format!("cannot rename `{from}` to `{to}`: {error}");
            for Rename { from, to } in plan.renames.iter().take(done).rev() {
                if let Err(error) = rename(&dir.join(to), &dir.join(from)) {
                    message.push_str(&format!("; `{to}` did not get its name `{from}` back: {error}"));
                }
            }
            return Err(message);
        }
    }
    Ok(())
}

/// Renames, and never replaces: `std::fs::rename` would replace an empty directory that appeared meanwhile.
fn rename(from: &Path, to: &Path) -> io::Result<()> {
    #[cfg(any(target_os = "linux", target_os = "macos"))]
    {
        use rustix::fs::{CWD, RenameFlags, renameat_with};
        use rustix::io::Errno;
        match renameat_with(CWD, from, CWD, to, RenameFlags::NOREPLACE) {
            Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {}
            result => return Ok(result?),
        }
    }
    if to.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    std::fs::rename(from, to)
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Taken { from, to, by: Some(by) } => {
                write!(f, "`{from}` and `{by}` would both become `{to}`; delete one")
            }
            Self::Taken { from, to, by: None } => {
                write!(f, "`{from}` would become `{to}`, which is there already; delete one")
            }
            Self::Doubtful { from, doubt } => {
                write!(f, "`{}` {doubt}; rename it by hand", escape::line(from))
            }
            Self::NoName { from, error } => write!(f, "`{from}`: {error}"),
        }
    }
}

impl Serialize for Refusal {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
