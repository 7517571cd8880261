//! What happened: a hash over all of it, and the last lines for people.

use std::collections::VecDeque;
use std::fmt::Write as _;

/// Lines kept for the report of a failure.
const LINES_KEPT: usize = 60;

/// The trace of a run.
#[derive(Debug, Clone)]
pub struct Trace {
    hash: u64,
    events: u64,
    last: VecDeque<String>,
    print: bool,
}

impl Trace {
    /// An empty trace; `print` also prints every line.
    pub fn new(print: bool) -> Self {
        Self { hash: 0xcbf2_9ce4_8422_2325, events: 0, last: VecDeque::new(), print }
    }

    /// One more line.
    pub fn line(&mut self, at_us: u64, text: &str) {
        let line = format!("{:>12.3} ms  {text}", at_us as f64 / 1000.0);
        let fold = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        self.hash = line.bytes().fold(self.hash, fold);
        if self.print {
            println!("{line}");
        }
        self.last.push_back(line);
        if self.last.len() > LINES_KEPT {
            self.last.pop_front();
        }
    }

    /// One more event, whether or not it left a line.
    pub fn event(&mut self) {
        self.events += 1;
    }

    /// Events so far.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// Hash over all lines: the same seed gives the same.
    pub fn hash(&self) -> u64 {
        self.hash
    }

    /// The last lines.
    pub fn last(&self) -> String {
        self.last.iter().fold(String::new(), |mut text, line| {
            let _ = writeln!(text, "  {line}");
            text
        })
    }
}
