//! What carries a process on (WFL-2 to WFL-9): tasks are laid out, become ready, are queued, end, and with the last of them the process
//! does, all within the transaction of whoever brought the news.
//!
//! A process is loaded when it is first touched, changed in memory, and kept once at the end ([`Engine::settle`]), however many results
//! one call brings. Where its graph is lost it is made anew from tasks and decisions.

mod end;
mod graphs;
mod history;
mod layout;
mod own;
mod ready;

use std::collections::{BTreeMap, BTreeSet};

use base::{OpResult, Sql, Tx};
use kernel::{Hint, OpCx, Topic};

pub(crate) use end::{ACTORS, Made, Outcome, TYPES};
use graphs::Held;
pub(crate) use graphs::{kept, known};
pub(crate) use history::{AUTOMATIC, Note};
pub(crate) use layout::{Layout, TASKS_AT_ONCE};
pub(crate) use ready::BEGIN;

use crate::actors::rules::{self, TypeRules};
use crate::decision::next::ActorRules;
use crate::measures::Tally;
use crate::names::TaskId;
use crate::task::row::Task;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&[&Sql]] = &[graphs::STATEMENTS, history::STATEMENTS, own::STATEMENTS];

/// The processes that a transaction works on.
pub(crate) struct Engine<'a, 'b> {
    pub(crate) tx: &'a mut dyn Tx,
    pub(crate) cx: &'a mut OpCx<'b>,
    held: BTreeMap<String, Held>,
    /// Processes in which something became possible.
    touched: BTreeSet<String>,
    /// Tasks that were laid out here, so that they need not be read again.
    fresh: BTreeMap<TaskId, Task>,
    actors: BTreeMap<String, ActorRules>,
    types: BTreeMap<String, TypeRules>,
    /// Queues into which something came.
    rung: BTreeSet<String>,
    /// Whose doing this is (WFL-19).
    pub(crate) source: String,
    /// What is counted of all this.
    pub(crate) tally: Tally,
}

impl<'a, 'b> Engine<'a, 'b> {
    pub(crate) fn new(tx: &'a mut dyn Tx, cx: &'a mut OpCx<'b>) -> Self {
        Self {
            tx,
            cx,
            held: BTreeMap::new(),
            touched: BTreeSet::new(),
            fresh: BTreeMap::new(),
            actors: BTreeMap::new(),
            types: BTreeMap::new(),
            rung: BTreeSet::new(),
            source: AUTOMATIC.into(),
            tally: Tally::default(),
        }
    }

    /// What holds for an actor.
    pub(crate) fn actor(&mut self, actor: &str) -> OpResult<ActorRules> {
        if let Some(known) = self.actors.get(actor) {
            return Ok(*known);
        }
        let found = rules::of_actor(self.tx, actor)?;
        self.actors.insert(actor.to_owned(), found);
        Ok(found)
    }

    /// What holds for a type.
    pub(crate) fn kind(&mut self, kind: &str) -> OpResult<TypeRules> {
        if let Some(known) = self.types.get(kind) {
            return Ok(*known);
        }
        let found = rules::of_type(self.tx, kind)?;
        self.types.insert(kind.to_owned(), found);
        Ok(found)
    }

    /// Carries on what was touched until nothing more is possible now, and keeps everything.
    pub(crate) fn settle(mut self) -> OpResult<()> {
        while let Some(process) = self.touched.pop_first() {
            self.carry_on(&process)?;
        }
        for (_, held) in std::mem::take(&mut self.held) {
            self.keep(held)?;
        }
        for queue in std::mem::take(&mut self.rung) {
            self.cx.fx.wake(Hint::Changed(bell(&queue)));
        }
        self.tally.settle(self.cx);
        Ok(())
    }

    fn carry_on(&mut self, process: &str) -> OpResult<()> {
        let now = self.cx.heard;
        let Some(held) = self.held.get_mut(process) else { return Ok(()) };
        if held.process.state.is_over() {
            return Ok(());
        }
        for number in held.graph.ripen(now) {
            self.make_ready(&TaskId::new(process, number))?;
        }
        match self.held.get(process) {
            Some(held) if held.graph.open.is_empty() => self.end_process(process),
            _ => Ok(()),
        }
    }
}

/// What rings when something comes into a queue.
pub(crate) fn bell(queue: &str) -> Topic {
    Topic::of(&format!("workflow-queue/{queue}"))
}

/// What rings when a process does not go on any more.
pub(crate) fn end_bell(process: &str) -> Topic {
    Topic::of(&format!("workflow-process/{process}"))
}
