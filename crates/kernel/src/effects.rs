//! Effects (KER-13): what must happen later, written as rows in the operation's own transaction.
//!
//! After COMMIT there are only wake-ups, which may be lost without harm: whoever works on these rows also looks for
//! them by itself.

use base::limits::OP_EFFECTS_MAX;
use base::{Id, OpError, OpResult, Stamp, Tx, Wall, codes};

use crate::counters::{Counted, Field};
use crate::cx::OpCx;
use crate::tasks::{Cron, Start, TaskConfig};
use crate::wake::Hint;
use crate::{alerts, feed, journal, tasks};

/// A task to create (KER-15): `NewTask::new(cx.id(), "mail.send").param(json)`.
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
    /// Queue; `None` for the one of the operation.
    pub queue: Option<i64>,
    /// One in flight per lane, oldest first.
    pub lane: Option<String>,
    /// When to start.
    pub start: Start,
    /// When to run again and again (KER-21).
    pub cron: Option<Cron>,
    /// A URL to be called in place of a built-in operation (KER-19).
    pub target: Option<String>,
    /// At most one of its operation with this key waits.
    pub unique_key: Option<String>,
}

impl NewTask {
    /// A task that starts at once, with no parameter.
    #[must_use]
    pub fn new(id: Id, op: &str) -> Self {
        let (param, info) = ("null".into(), String::new());
        let (op, start) = (op.into(), Start::Now);
        Self { id, op, param, info, queue: None, lane: None, start, cron: None, target: None, unique_key: None }
    }

    /// With a parameter, JSON.
    #[must_use]
    pub fn param(self, param: impl Into<String>) -> Self {
        Self { param: param.into(), ..self }
    }

    /// With a text that people find it by.
    #[must_use]
    pub fn info(self, info: impl Into<String>) -> Self {
        Self { info: info.into(), ..self }
    }

    /// In a lane: one in flight, oldest first.
    #[must_use]
    pub fn lane(self, lane: impl Into<String>) -> Self {
        Self { lane: Some(lane.into()), ..self }
    }

    /// At most one of its operation with this key waits: where one does, it stays with its id and its parameter, and the
    /// earlier start of the two counts. One that runs already is not one that waits. Neither with a lane nor with cron.
    #[must_use]
    pub fn unique(self, key: impl Into<String>) -> Self {
        Self { unique_key: Some(key.into()), ..self }
    }

    /// At that calendar moment, which somebody chose.
    #[must_use]
    pub fn at(self, at: Wall) -> Self {
        Self { start: Start::At(at), ..self }
    }

    /// So many milliseconds later.
    #[must_use]
    pub fn after_ms(self, ms: i64) -> Self {
        Self { start: Start::After(ms), ..self }
    }
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
#[derive(Default)]
pub struct Effects {
    list: Vec<Effect>,
    /// What to wake once they are committed.
    hints: Vec<Hint>,
    /// Who is told how the attempt ended.
    settles: Vec<Settle>,
    /// What is counted in memory once they are committed.
    counts: Vec<Counted>,
}

/// What follows an attempt.
#[derive(Default)]
pub(crate) struct After {
    /// What to wake after the commit.
    pub(crate) hints: Vec<Hint>,
    /// Who is told how it ended.
    pub(crate) settles: Vec<Settle>,
    /// What is counted after the commit.
    pub(crate) counts: Vec<Counted>,
}

/// How an attempt ended, for what is kept in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Settled {
    /// What it wrote is durable.
    Committed,
    /// It wrote nothing.
    Undone,
    /// Nobody can tell yet.
    Unknown,
}

type Told = Box<dyn FnOnce(Settled) + Send>;

/// Somebody who is told exactly once. An attempt that panics drops its effects, and with them this: then it wrote nothing.
pub(crate) struct Settle(Option<Told>);

impl Settle {
    pub(crate) fn tell(mut self, how: Settled) {
        self.0.take().into_iter().for_each(|told| told(how));
    }
}

impl Drop for Settle {
    fn drop(&mut self) {
        self.0.take().into_iter().for_each(|told| told(Settled::Undone));
    }
}

impl Effects {
    pub(crate) fn of(effects: Vec<Effect>) -> Self {
        Self { list: effects, ..Self::default() }
    }

    /// What to do after the attempt: whom to wake, whom to tell, what to count.
    pub(crate) fn after(self) -> After {
        After { hints: self.hints, settles: self.settles, counts: self.counts }
    }

    /// Counts something (KER-29) once the operation is committed: in memory, so that a crash may lose it, and never twice.
    pub fn count(&mut self, kind: &'static str, name: impl Into<String>, counts: &[(Field, i64)]) {
        self.counts.push(Counted { kind, name: name.into(), counts: counts.to_vec() });
    }

    /// Tells `told` how this attempt ended, exactly once: after COMMIT, or when its work is undone. For caches, which may change
    /// only then; it may be called by any thread and must return at once.
    pub fn when_settled(&mut self, told: impl FnOnce(Settled) + Send + 'static) {
        self.settles.push(Settle(Some(Box::new(told))));
    }

    /// Wakes somebody after the commit, on all nodes.
    pub fn wake(&mut self, hint: Hint) {
        if self.hints.last() != Some(&hint) {
            self.hints.push(hint);
        }
    }

    pub(crate) fn take(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.list)
    }

    /// Adds an effect.
    pub fn push(&mut self, effect: Effect) {
        self.list.push(effect);
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

/// Writes the effects of `cx` as rows; the context is used up for effects.
pub(crate) fn write(tx: &mut dyn Tx, cx: &mut OpCx<'_>, config: &TaskConfig) -> OpResult<()> {
    let mut effects = cx.fx.take();
    if effects.len() > OP_EFFECTS_MAX {
        let message = format!("{} effects in one operation, at most {OP_EFFECTS_MAX}", effects.len());
        return Err(OpError::new(codes::BDETECTED, message));
    }
    // Writing one may leave another (a cancelled task closes its alert), never more than one more.
    while !effects.is_empty() {
        for effect in &effects {
            let id = cx.id();
            write_one(tx, cx, id, effect, config)?;
        }
        effects = cx.fx.take();
    }
    Ok(())
}

fn write_one(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: Id, effect: &Effect, config: &TaskConfig) -> OpResult<()> {
    match effect {
        Effect::Task(task) => tasks::inscribe(tx, cx, task, config),
        Effect::CancelTask(id) => tasks::cancel(tx, cx, *id).map(drop),
        Effect::Event(event) => {
            cx.fx.wake(Hint::Events);
            feed::write(tx, id, event)
        }
        Effect::Alert(alert) => alerts::write(tx, cx, id, alert),
        Effect::Journal(line) => journal::write(tx, cx, id, line),
    }
}
