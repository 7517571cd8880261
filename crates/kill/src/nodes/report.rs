//! The figures of a drill.

use std::fmt;
use std::time::Duration;

/// What a drill came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// Nodes.
    pub nodes: usize,
    /// Tasks, each done once.
    pub tasks: u64,
    /// Marks, one per cycle of each task.
    pub marks: u64,
    /// Kills and pauses.
    pub struck: (u32, u32),
    /// Marks left by a second or later attempt.
    pub taken_over: u64,
    /// Settles of overtaken attempts that were refused, as far as nodes lived to tell.
    pub late: u64,
    /// Calls that the partner got, and how many tasks it heard of more than once.
    pub calls: (u64, u64),
    /// Readers of the feed, and how often they resumed.
    pub readers: (usize, u64),
    /// What the last fault was, and how long after it everything was done.
    pub last: (String, Duration),
    /// The bound of that.
    pub bound: Duration,
    /// All of it.
    pub took: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, tasks, marks, struck, taken_over, late, calls, readers, last, bound, took } = self;
        writeln!(f, "{nodes} nodes, {tasks} tasks, {marks} marks, each once, in {:.1} s", took.as_secs_f64())?;
        writeln!(f, "  struck by {} kills and {} pauses longer than the lease", struck.0, struck.1)?;
        writeln!(f, "  {taken_over} marks by a later attempt; {late} settles of overtaken attempts, all refused")?;
        writeln!(f, "  {} calls outside, {} tasks called more than once", calls.0, calls.1)?;
        writeln!(f, "  {} readers saw every event once, in one order; they resumed {} times", readers.0, readers.1)?;
        let (what, done) = last;
        write!(f, "  all done {:.1} s after the last fault, {what} (bound {} s)", done.as_secs_f64(), bound.as_secs())
    }
}
