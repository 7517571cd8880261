//! Tries the moves of a process again at once (EXC-14), without waiting for its minute.

use base::{OpError, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};

use super::finish::{Answer, Status};
use super::next::State;
use super::row::Process;
use crate::codes::{APROCESS, NPROCESS};

/// Resumes a process whose files could not be moved.
pub static RESUME: Op<Resume, Status> = Op::new("exchange.resume", resume).ending();

/// Which process.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Resume {
    /// Its id.
    pub process: String,
}

pub(crate) static DUE_NOW: Sql =
    Sql::new("exc_message.due_now", "UPDATE exc_message SET due = ?2 WHERE process = ?1 AND due > ?2");

fn resume(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Resume) -> OpResult<Status> {
    let absent = || OpError::new(NPROCESS, format!("no process `{}`", kernel::watch::shown(&input.process, 80)));
    let process = Process::find(tx, &input.process)?.ok_or_else(absent)?;
    if !matches!(process.state, State::Failed | State::Cleanup) {
        return Err(OpError::new(APROCESS, format!("process {} has no files that wait to be moved", process.id)));
    }
    tx.write(&DUE_NOW, args![&process.id, crate::folders::URGENT])?;
    crate::folders::wake_for_process(cx);
    cx.fx.journal("exchange.resumed", &process.db, format!("process {}: its files are tried again", process.id));
    Ok(Status { status: Answer::Ok })
}
