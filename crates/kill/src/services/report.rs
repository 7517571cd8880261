//! The figures of a drill.

use std::fmt;
use std::time::Duration;

/// What a drill came to.
#[derive(Debug, Clone, Default)]
pub struct Report {
    /// Nodes.
    pub nodes: usize,
    /// What struck, in order, and how long it took until every service had gone on without the node.
    pub strikes: Vec<(String, Duration)>,
    /// Commits of documents.
    pub commits: usize,
    /// Attachments of documents, each read byte for byte.
    pub attachments: u64,
    /// Messages that were processed and answered.
    pub messages: usize,
    /// Processes of the workflow.
    pub processes: usize,
    /// Signals that were acknowledged, events that were told, and calls that told them.
    pub signals: (u64, usize, u64),
    /// Files on both devices and at the server, byte for byte, each in a folder of its own.
    pub files: usize,
    /// From the end of the work until nothing was left to do.
    pub settled: Duration,
    /// All of it.
    pub took: Duration,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { nodes, strikes, commits, attachments, messages, processes, signals, files, settled, took } = self;
        writeln!(
            f,
            "{nodes} nodes, {} strikes, in {:.0} s; each of these exactly once:",
            strikes.len(),
            took.as_secs_f64()
        )?;
        writeln!(
            f,
            "  {commits} commits of documents, {attachments} attachments, {messages} messages and their replies"
        )?;
        writeln!(
            f,
            "  {processes} processes, {} signals, told as {} events by {} calls",
            signals.0, signals.1, signals.2
        )?;
        writeln!(f, "  {files} files in folders")?;
        write!(f, "  nothing left to do {:.1} s after the last of them", settled.as_secs_f64())
    }
}
