//! Keeps two runs from replacing one output at the same time.

use super::error::{ErrorKind, OutputError, shown};
use super::syscalls::try_lock;
use std::fs::File;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a run waits for another one. It takes the lock only while it swaps, which is a matter of milliseconds.
const PATIENCE: Duration = Duration::from_secs(60);
const PAUSE: Duration = Duration::from_millis(20);

/// A lock on a directory; ends when it is dropped, and with the process.
pub(super) struct Lock {
    _file: Option<File>,
}

impl Lock {
    /// Waits for the lock on `directory`.
    ///
    /// # Errors
    /// Somebody else holds it for a minute, or the directory cannot be opened.
    pub(super) fn wait(directory: &Path) -> Result<Self, OutputError> {
        Self::wait_for(directory, PATIENCE)
    }

    fn wait_for(directory: &Path, patience: Duration) -> Result<Self, OutputError> {
        let failed = |e| OutputError::io("lock", directory, &e);
        let file = match File::open(directory) {
            // Who may not list a directory cannot lock it either; the swap is one step all the same.
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Ok(Self { _file: None }),
            opened => opened.map_err(failed)?,
        };
        let start = Instant::now();
        while !try_lock(&file).map_err(failed)? {
            if start.elapsed() >= patience {
                let message = format!("{} is locked by another process", shown(directory));
                return Err(OutputError::new(ErrorKind::Write, message)
                    .at(directory)
                    .help("wait until the other run has ended, then run again"));
            }
            std::thread::sleep(PAUSE);
        }
        Ok(Self { _file: Some(file) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_waits_and_then_says_who_is_in_the_way() {
        let dir = tempfile::tempdir().unwrap();
        let first = Lock::wait(dir.path()).unwrap();
        let Err(error) = Lock::wait_for(dir.path(), Duration::ZERO) else { panic!("locked twice") };
        assert!(error.message.ends_with("is locked by another process"), "{error}");
        drop(first);
        assert!(Lock::wait_for(dir.path(), Duration::ZERO).is_ok());
    }
}
