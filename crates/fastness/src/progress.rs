//! How far long work at the command line is: one line that is written over, on a terminal only. Elsewhere, and for programs, nothing.

use std::cell::RefCell;
use std::io::{self, IsTerminal, Write};

/// How far something is.
#[derive(Debug)]
pub(crate) struct Progress {
    shown: bool,
    last: RefCell<String>,
}

impl Progress {
    /// For whoever sits at a terminal.
    pub(crate) fn at_terminal(json: bool) -> Self {
        Self::of(!json && io::stderr().is_terminal())
    }

    /// For work that nobody watches.
    pub(crate) fn none() -> Self {
        Self::of(false)
    }

    fn of(shown: bool) -> Self {
        Self { shown, last: RefCell::default() }
    }

    /// What is done now.
    pub(crate) fn step(&self, what: &str) {
        self.write(|| what.to_owned());
    }

    /// How much of it is done.
    pub(crate) fn part(&self, what: &str, done: usize, of: usize) {
        self.write(|| format!("{what} {}", bar(done, of)));
    }

    fn write(&self, line: impl FnOnce() -> String) {
        if !self.shown {
            return;
        }
        let line = line();
        if self.last.replace(line.clone()) != line {
            // Whoever cannot be told misses how far it is, and nothing else.
            let _ = write!(io::stderr(), "\r\u{1b}[K{line}");
        }
    }
}

impl Drop for Progress {
    /// Leaves the line empty for what comes next.
    fn drop(&mut self) {
        if !self.last.borrow().is_empty() {
            let _ = write!(io::stderr(), "\r\u{1b}[K");
        }
    }
}

/// A bar that never overflows.
fn bar(done: usize, of: usize) -> String {
    let (done, of) = (done.min(of), of.max(1));
    let part = done * 20 / of;
    format!("[{}{}] {} %", "#".repeat(part), ".".repeat(20 - part), done * 100 / of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_36_a_bar_never_overflows_and_nothing_is_no_division() {
        assert_eq!(bar(1, 2), "[##########..........] 50 %");
        assert_eq!(bar(9, 2), "[####################] 100 %");
        assert_eq!(bar(0, 0), "[....................] 0 %");
    }

    #[test]
    fn ker_36_nobody_is_told_where_there_is_no_terminal() {
        let quiet = Progress::none();
        quiet.part("blobs", 1, 2);
        assert!(quiet.last.borrow().is_empty());
    }
}
