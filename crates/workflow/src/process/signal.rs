//! Signals to a process (WFL-9).

use base::{OpError, OpResult, Tx};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::row::Process;
use crate::codes::AFLOW;
use crate::engine::Engine;
use crate::names::check_word;
use crate::task::check_value;

/// Brings a signal.
pub static SIGNAL: Op<Signal, ()> =
    Op::new("workflow.signal", signal).keyed(|signal| super::super::key_of(&signal.process));

/// A signal.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Signal {
    /// The process that it is for.
    pub process: String,
    /// Its name.
    pub name: String,
    /// What it says.
    pub value: Box<RawValue>,
}

fn signal(tx: &mut dyn Tx, cx: &mut OpCx<'_>, brought: &Signal) -> OpResult<()> {
    check_word("signal", &brought.name)?;
    check_value(&brought.value)?;
    let process = Process::get(tx, &brought.process)?;
    if process.state.is_over() {
        return Err(OpError::new(AFLOW, format!("process {} is {}", process.id, process.state.text())));
    }
    let mut engine = Engine::new(tx, cx);
    engine.signal(&brought.process, &brought.name, brought.value.get())?;
    engine.settle()
}
