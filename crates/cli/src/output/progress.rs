//! How far long work is: one line that is written over on a terminal, and nothing at all elsewhere.

use std::io::{self, IsTerminal, Write};

use super::{Output, escaped};

/// A line that tells how far something is.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
    last: String,
}

impl Progress {
    pub(crate) fn of(out: &Output) -> Self {
        Self { shown: io::stderr().is_terminal() && !out.json && !out.quiet, last: String::new() }
    }

    /// Writes over the line before.
    pub(crate) fn show(&mut self, line: &str) {
        if !self.shown || self.last == line {
            return;
        }
        line.clone_into(&mut self.last);
        // Whoever cannot be told misses how far it is, and nothing else.
        let _ = write!(io::stderr(), "\r\u{1b}[K{}", escaped(line));
    }

    /// Leaves the line empty for what comes next.
    pub(crate) fn clear(&self) {
        if !self.last.is_empty() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}
