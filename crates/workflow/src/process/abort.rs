//! Aborts a process: what waits is not given out any more, what is brought does not count.

use base::{OpError, OpResult, Tx};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::row::{Process, State};
use crate::codes::AFLOW;
use crate::decision::next::State as Stands;
use crate::decision::row::{self, Decision};
use crate::engine::{Engine, Note};

/// Aborts a process.
pub static ABORT: Op<Abort, ()> =
    Op::new("workflow.abort", abort).keyed(|abort| super::super::key_of(&abort.process)).ending();

/// Which one, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Abort {
    /// Its id.
    pub process: String,
    /// For people.
    pub reason: String,
    /// Whose doing it is, beside the caller's: an operator's job.
    pub source: Option<String>,
}

fn abort(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &Abort) -> OpResult<()> {
    let found = Process::get(tx, &wanted.process)?;
    match found.state {
        State::Aborted => return Ok(()),
        State::Finished => return Err(OpError::new(AFLOW, format!("process {} is finished", found.id))),
        State::Active | State::Broken => {}
    }
    let source = wanted.source.clone().unwrap_or_else(|| cx.caller.name.clone());
    let mut engine = Engine::new(tx, cx);
    engine.source = source;
    abort_held(&mut engine, &wanted.process, &wanted.reason)?;
    engine.settle()?;
    crate::broken::calm(tx, cx, &found.kind)
}

pub(crate) fn abort_held(engine: &mut Engine<'_, '_>, process: &str, reason: &str) -> OpResult<()> {
    for decision in Decision::of_process(engine.tx, process)?.iter().filter(|decision| decision.state != Stands::Finish)
    {
        row::dequeue(engine.tx, &decision.queue, decision.queued, &decision.id)?;
        decision.later(engine.tx, None)?;
    }
    engine.drop_signals(process)?;
    let (now, at) = (engine.cx.heard, engine.cx.wall);
    let Some(held) = engine.hold(process)? else { return Ok(()) };
    let ended = &mut held.process;
    (ended.state, ended.ended_at, ended.changed, ended.recovery) = (State::Aborted, Some(at), now, None);
    (held.changed, held.process_changed) = (true, true);
    let (parent, ended) = (held.process.parent.clone(), held.process.clone());
    engine.note_of(process, None, &Note { kind: "aborted", attempt: None, text: reason })?;
    parent.map_or(Ok(()), |parent| engine.end_parent(&parent, &ended))
}
