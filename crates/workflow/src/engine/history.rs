//! What happened beyond the usual: failed attempts, late results, repairs, each with its source (WFL-7, WFL-19).

use base::{OpResult, Sql, args};

use super::Engine;
use crate::measures::Count;
use crate::names::TaskId;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&INSERT];

/// The source of what the server does by itself.
pub(crate) const AUTOMATIC: &str = "automatic";

static INSERT: Sql = Sql::new(
    "wfl_history.insert",
    "INSERT INTO wfl_history (process, id, number, attempt, at, kind, source, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
);

/// A line of the history of a process.
pub(crate) struct Note<'a> {
    /// `late`, `failed`, `work-timeout`, `task-timeout`, `requeued`, `applied`, `rebuilt`, `restarted`, `aborted`, `inconsistent` …
    pub(crate) kind: &'static str,
    pub(crate) attempt: Option<i64>,
    pub(crate) text: &'a str,
}

impl Engine<'_, '_> {
    /// Notes something of a task.
    pub(crate) fn note(&mut self, task: &TaskId, note: &Note<'_>) -> OpResult<()> {
        self.note_of(&task.process, Some(task.number), note)
    }

    /// Notes something of a process.
    pub(crate) fn note_of(&mut self, process: &str, number: Option<i64>, note: &Note<'_>) -> OpResult<()> {
        Count::of_note(note.kind).into_iter().for_each(|count| self.tally.one(count));
        let text: String = note.text.chars().take(4_000).collect();
        let row = args![process, self.cx.id(), number, note.attempt, self.cx.wall, note.kind, &self.source, text];
        Ok(self.tx.write(&INSERT, row)?)
    }
}
