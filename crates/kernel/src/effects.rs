//! Effects (KER-13): what must happen later, written as rows in the operation's own transaction.
//!
//! After COMMIT there are only wake-ups, which may be lost without harm: whoever works on these rows also looks for
//! them by itself.

use base::limits::OP_EFFECTS_MAX;
use base::{Id, OpError, OpResult, Sql, Stamp, Tx, Wall, args, codes};

use crate::cx::OpCx;

/// A task to create (KER-15).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its id, from [`OpCx::id`], so that the operation can remember what it created.
    pub id: Id,
    /// Name of the operation.
    pub op: String,
    /// Its parameter, JSON.
    pub param: String,
    /// Indexed text for people.
    pub info: String,
    /// Queue.
    pub queue: i64,
    /// One in flight per lane, oldest first.
    pub lane: Option<String>,
    /// When to start.
    pub start_at: Wall,
}

/// An event of the change feed (KER-25).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What subscribers name.
    pub topic: String,
    /// What changed.
    pub subject: String,
    /// Version of the change.
    pub version: Stamp,
    /// JSON for the subscriber.
    pub data: String,
}

/// A condition that a person should know of (KER-27).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Alert {
    /// It holds now.
    Open {
        /// Key of the condition.
        key: String,
        /// Many of one kind become one message.
        kind: String,
        /// For a person.
        message: String,
    },
    /// It holds no more.
    Close {
        /// Key of the condition.
        key: String,
    },
}

/// What an operator would want to read later (KER-28).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JournalLine {
    /// `key.created`, `login.failed` …
    pub kind: String,
    /// What it is about.
    pub subject: String,
    /// For a person.
    pub text: String,
}

/// One effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Create a task.
    Task(NewTask),
    /// Remove a task that is not wanted any more; one that is gone already is no error.
    CancelTask(Id),
    /// Tell subscribers.
    Event(Event),
    /// Open or close an alert.
    Alert(Alert),
    /// Write a journal line.
    Journal(JournalLine),
}

/// The effects of one attempt, in order.
#[derive(Debug, Default)]
pub struct Effects(Vec<Effect>);

impl Effects {
    pub(crate) fn of(effects: Vec<Effect>) -> Self {
        Self(effects)
    }

    pub(crate) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.0)
    }

    /// Adds an effect.
    pub fn push(&mut self, effect: Effect) {
        self.0.push(effect);
    }

    /// Creates a task.
    pub fn task(&mut self, task: NewTask) {
        self.push(Effect::Task(task));
    }

    /// Removes a task; what came of a call that is still under way then settles nothing.
    pub fn cancel_task(&mut self, id: Id) {
        self.push(Effect::CancelTask(id));
    }

    /// Tells subscribers of a topic.
    pub fn event(&mut self, event: Event) {
        self.push(Effect::Event(event));
    }

    /// Writes a journal line.
    pub fn journal(&mut self, kind: &str, subject: impl Into<String>, text: impl Into<String>) {
        let line = JournalLine { kind: kind.to_owned(), subject: subject.into(), text: text.into() };
        self.push(Effect::Journal(line));
    }

    /// Opens an alert; one that is open already stays as it is.
    pub fn open_alert(&mut self, key: impl Into<String>, kind: &str, message: impl Into<String>) {
        let alert = Alert::Open { key: key.into(), kind: kind.to_owned(), message: message.into() };
        self.push(Effect::Alert(alert));
    }

    /// Closes an alert; one that is not open is no error.
    pub fn close_alert(&mut self, key: impl Into<String>) {
        self.push(Effect::Alert(Alert::Close { key: key.into() }));
    }
}

pub(crate) static TASK_INSERT: Sql = Sql::new(
    "task.insert",
    "INSERT INTO task (id, op, param, info, queue, lane, start_at, attempt, retry, created_at) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 0, 0, ?8)",
);
pub(crate) static TASK_DELETE: Sql = Sql::new("task.delete", "DELETE FROM task WHERE id = ?1");
pub(crate) static EVENT_INSERT: Sql =
    Sql::new("event.insert", "INSERT INTO event (id, topic, subject, version, data) VALUES (?1, ?2, ?3, ?4, ?5)");
pub(crate) static ALERT_OPEN: Sql = Sql::new(
    "alert.open",
    "INSERT INTO alert (key, kind, message, opened_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (key) DO UPDATE SET kind = ?2, message = ?3, opened_at = ?4, closed_at = NULL \
     WHERE alert.closed_at IS NOT NULL",
);
pub(crate) static ALERT_CLOSE: Sql =
    Sql::new("alert.close", "UPDATE alert SET closed_at = ?2 WHERE key = ?1 AND closed_at IS NULL");
pub(crate) static JOURNAL_INSERT: Sql = Sql::new(
    "journal.insert",
    "INSERT INTO journal (id, at, kind, subject, caller, text) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
);

/// Writes the effects of `cx` as rows; the context is used up for effects.
pub(crate) fn write(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    let effects = cx.fx.take();
    if effects.len() > OP_EFFECTS_MAX {
        let message = format!("{} effects in one operation, at most {OP_EFFECTS_MAX}", effects.len());
        return Err(OpError::new(codes::BDETECTED, message));
    }
    for effect in &effects {
        let id = cx.id();
        write_one(tx, cx, id, effect)?;
    }
    Ok(())
}

fn write_one(tx: &mut dyn Tx, cx: &OpCx<'_>, id: Id, effect: &Effect) -> OpResult<()> {
    match effect {
        Effect::Task(task) => tx.write(
            &TASK_INSERT,
            args![task.id, &task.op, &task.param, &task.info, task.queue, task.lane.as_ref(), task.start_at, cx.wall],
        )?,
        Effect::CancelTask(id) => tx.write(&TASK_DELETE, args![*id])?,
        Effect::Event(event) => {
            tx.write(&EVENT_INSERT, args![id, &event.topic, &event.subject, event.version, &event.data])?;
        }
        Effect::Alert(Alert::Open { key, kind, message }) => {
            tx.write(&ALERT_OPEN, args![key, kind, message, cx.wall])?;
        }
        Effect::Alert(Alert::Close { key }) => tx.write(&ALERT_CLOSE, args![key, cx.wall])?,
        Effect::Journal(line) => {
            tx.write(&JOURNAL_INSERT, args![id, cx.wall, &line.kind, &line.subject, &cx.caller.name, &line.text])?;
        }
    }
    Ok(())
}
