//! Standard output as it really is: a pipe somebody may close, a disk that may be full, a terminal or not.

use std::cell::Cell;
use std::io::{self, BufWriter, Stdout, Write};
use std::rc::Rc;

/// Standard output. A closed pipe ends the printing, not the program; any other error is kept for the end.
pub struct Out {
    inner: BufWriter<Stdout>,
    closed: Rc<Cell<bool>>,
    error: Option<io::Error>,
}

impl Out {
    /// Standard output, buffered.
    pub fn stdout() -> Self {
        Self { inner: BufWriter::with_capacity(1 << 16, io::stdout()), closed: Rc::default(), error: None }
    }

    /// Becomes true when nobody reads any more.
    pub fn closed(&self) -> Rc<Cell<bool>> {
        Rc::clone(&self.closed)
    }

    /// Flushes; the first error that was no closed pipe.
    pub fn finish(mut self) -> Option<io::Error> {
        let _ = self.flush();
        self.error
    }

    fn note(&mut self, error: io::Error) {
        self.closed.set(true);
        if error.kind() != io::ErrorKind::BrokenPipe {
            self.error.get_or_insert(error);
        }
    }
}

impl Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if !self.closed.get()
            && let Err(error) = self.inner.write_all(bytes)
        {
            self.note(error);
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if !self.closed.get()
            && let Err(error) = self.inner.flush()
        {
            self.note(error);
        }
        Ok(())
    }
}

/// Whether `--color auto` sends colour to a stream: `NO_COLOR` and `CLICOLOR_FORCE` decide before the terminal does.
pub fn color_wanted(terminal: bool, env: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| env(name).is_some_and(|v| !v.is_empty());
    if set("NO_COLOR") {
        return false;
    }
    if env("CLICOLOR_FORCE").is_some_and(|v| !v.is_empty() && v != "0") {
        return true;
    }
    terminal && env("TERM").is_none_or(|t| t != "dumb") && env("CLICOLOR").is_none_or(|v| v != "0")
}

/// Whether the locale says that the terminal shows UTF-8.
pub fn unicode_wanted(env: impl Fn(&str) -> Option<String>) -> bool {
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().filter_map(env).find(|v| !v.is_empty());
    locale.is_some_and(|l| {
        let l = l.to_ascii_lowercase();
        l.contains("utf-8") || l.contains("utf8")
    })
}

/// Columns to wrap at: `COLUMNS`, or what the terminal says; 80 where there is none.
pub fn terminal_width(env: impl Fn(&str) -> Option<String>) -> usize {
    let typed = env("COLUMNS").and_then(|c| c.parse().ok());
    let asked = || rustix::termios::tcgetwinsize(io::stderr()).ok().map(|size| usize::from(size.ws_col));
    typed.or_else(asked).filter(|c| *c >= 20).unwrap_or(80)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env<'a>(pairs: &'a [(&'a str, &'a str)]) -> impl Fn(&str) -> Option<String> + 'a {
        |name| pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| (*v).to_owned())
    }

    #[test]
    fn colour_follows_the_environment_before_the_terminal() {
        assert!(color_wanted(true, env(&[])));
        assert!(!color_wanted(false, env(&[])));
        assert!(!color_wanted(true, env(&[("NO_COLOR", "1"), ("CLICOLOR_FORCE", "1")])));
        assert!(color_wanted(false, env(&[("CLICOLOR_FORCE", "1")])));
        assert!(!color_wanted(true, env(&[("TERM", "dumb")])));
    }

    #[test]
    fn boxes_follow_the_locale() {
        assert!(unicode_wanted(env(&[("LANG", "de_DE.UTF-8")])));
        assert!(!unicode_wanted(env(&[("LC_ALL", "C"), ("LANG", "de_DE.UTF-8")])));
        assert!(!unicode_wanted(env(&[])));
    }
}
