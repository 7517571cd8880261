//! Ends a process: commit, rollback, interrupt, resolve (EXC-14 to EXC-16, EXC-18, EXC-20).

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Tx, args};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::moves::Held;
use super::narrow::close_skipped;
use super::next::{Event, Outcome, State, Step, next};
use super::row::{self, Process};
use crate::codes::{APROCESS, NPROCESS};
use crate::ledger::together;
use crate::message::tell_senders;
use crate::statistics;

/// The database committed.
pub static COMMIT: Op<Finish, Status> =
    Op::new("exchange.commit", |tx, cx, input| finish(tx, cx, input, Event::Commit)).keyed(together).ending();
/// The database did not commit.
pub static ROLLBACK: Op<Finish, Status> =
    Op::new("exchange.rollback", |tx, cx, input| finish(tx, cx, input, Event::Rollback)).keyed(together).ending();
/// Somebody ends it.
pub static INTERRUPT: Op<Finish, Status> =
    Op::new("exchange.interrupt", |tx, cx, input| finish(tx, cx, input, Event::Interrupt)).keyed(together).ending();
/// Somebody ends it, unless it was prepared.
pub static GIVE_UP: Op<Finish, Status> =
    Op::new("exchange.give_up", |tx, cx, input| finish(tx, cx, input, Event::GiveUp)).keyed(together).ending();
/// Somebody found out whether the database committed.
pub static RESOLVE: Op<Resolve, Status> = Op::new("exchange.resolve", resolve).keyed(together).ending();

/// Which process, and why.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Finish {
    /// Its id.
    pub process: String,
    /// Of which database the caller may speak; `None`: of all.
    pub db: Option<String>,
    /// What goes into the journal.
    pub message: String,
    /// Whether who sent the messages is told, if the database did not commit.
    pub tell_senders: bool,
}

/// What somebody found out.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Resolve {
    /// Which process.
    pub process: String,
    /// Whether the database committed.
    pub committed: bool,
}

/// What every step of the handshake is answered with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "UPPERCASE")]
#[schema(as = ExchangeAnswer)]
pub enum Answer {
    /// It is so.
    Ok,
    /// There is nothing to go on with.
    Cancelled,
}

/// The answer to a step of the handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ExchangeStatus)]
pub struct Status {
    /// The status.
    pub status: Answer,
}

const OK: Status = Status { status: Answer::Ok };
const CANCELLED: Status = Status { status: Answer::Cancelled };

fn finish(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Finish, event: Event) -> OpResult<Status> {
    let process = Process::find(tx, &input.process)?;
    let process = process.filter(|process| input.db.as_ref().is_none_or(|db| *db == process.db));
    let Some(process) = process else { return Ok(CANCELLED) };
    let step = next(process.state, event);
    if input.tell_senders && matches!(step, Step::Undo(_) | Step::UndoAside) {
        tell_senders(tx, cx, &process, &input.message)?;
    }
    carry_out(tx, cx, &process, step, &input.message)
}

fn resolve(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Resolve) -> OpResult<Status> {
    let absent = || OpError::new(NPROCESS, format!("no process `{}`", input.process));
    let process = Process::find(tx, &input.process)?.ok_or_else(absent)?;
    let step = next(process.state, Event::Resolve { committed: input.committed });
    carry_out(tx, cx, &process, step, "resolved by hand")
}

/// Does what a step says, in the commit of its answer.
pub(crate) fn carry_out(
    tx: &mut dyn Tx,
    cx: &mut OpCx<'_>,
    process: &Process,
    step: Step,
    why: &str,
) -> OpResult<Status> {
    let undone = matches!(step, Step::Undo(_)) && mutants::on(Mutant::ExchangeUndoCounted);
    if matches!(step, Step::Commit | Step::CommitAside) || undone {
        statistics::committed(tx, cx, &process.id, &process.db)?;
        close_skipped(tx, cx, &process.id)?;
    }
    let held = Held::new(cx, &process.id, &process.db);
    match step {
        Step::Agree | Step::Narrow | Step::Prepare => return Ok(OK),
        Step::Cancel => return Ok(CANCELLED),
        Step::Refuse(reason) => return Err(OpError::new(APROCESS, format!("process {}: {reason}", process.id))),
        Step::Commit if held.commit(tx, cx)? => over(tx, cx, process, Outcome::Committed, why)?,
        Step::Commit => clean_up(tx, cx, process)?,
        Step::Undo(how) => {
            held.undo(tx)?;
            over(tx, cx, process, how, why)?;
        }
        Step::SetAside => {
            held.set_aside(tx)?;
            set_aside(tx, cx, process)?;
        }
        Step::CommitAside => {
            held.commit_aside(tx, cx)?;
            over(tx, cx, process, Outcome::Committed, why)?;
        }
        Step::UndoAside => {
            held.undo_aside(tx)?;
            over(tx, cx, process, Outcome::RolledBack, why)?;
        }
        Step::ForgetAside => {
            close_skipped(tx, cx, &process.id)?;
            held.forget_aside(tx)?;
            over(tx, cx, process, Outcome::Forgotten, why)?;
        }
        Step::Fail => fail(tx, cx, process, why)?,
        Step::End => over(tx, cx, process, Outcome::Committed, why)?,
    }
    Ok(OK)
}

/// Its outcome is unknown for longer than anything is kept.
pub(crate) fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<()> {
    let Some(process) = Process::find(tx, id)? else { return Ok(()) };
    let why = "nobody said whether the database committed: its messages and replies are removed";
    carry_out(tx, cx, &process, next(process.state, Event::TooOld), why).map(drop)
}

/// Files of a process were moved: what waits for none is let go, and the process ends with the last.
pub(crate) fn moved(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<()> {
    let Some(process) = Process::find(tx, id)? else { return Ok(()) };
    let step = next(process.state, Event::Moved);
    if step == Step::End && Held::new(cx, &process.id, &process.db).let_go(tx, cx)? {
        carry_out(tx, cx, &process, step, "")?;
    }
    Ok(())
}

/// A file of a process could not be moved.
pub(crate) fn move_failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str, why: &str) -> OpResult<()> {
    let Some(process) = Process::find(tx, id)? else { return Ok(()) };
    carry_out(tx, cx, &process, next(process.state, Event::MoveFailed), why).map(drop)
}

/// Its files are moved at once.
fn clean_up(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process) -> OpResult<()> {
    tx.write(&row::SET_STATE, args![&process.id, "CLEANUP"])?;
    crate::folders::wake_for_process(cx);
    Ok(())
}

fn set_aside(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process) -> OpResult<()> {
    tx.write(&row::SET_STATE, args![&process.id, "UNKNOWN"])?;
    let message =
        format!("Process {} of database {}: whether the database committed is unknown.", process.id, process.db);
    cx.fx.open_alert(alert_key(&process.id), "exchange-unknown", message.clone());
    cx.fx.journal("exchange.unknown", &process.db, message);
    Ok(())
}

fn fail(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, why: &str) -> OpResult<()> {
    tx.write(&row::SET_STATE, args![&process.id, "FAILED"])?;
    let message = format!(
        "Process {} of database {}: a file could not be moved, which is tried again every minute: {why}",
        process.id, process.db
    );
    cx.fx.open_alert(alert_key(&process.id), "exchange-failed", message.clone());
    cx.fx.journal("exchange.failed", &process.db, message);
    Ok(())
}

fn over(tx: &mut dyn Tx, cx: &mut OpCx<'_>, process: &Process, how: Outcome, why: &str) -> OpResult<()> {
    process.end(tx, cx, how, why)?;
    if matches!(process.state, State::Unknown | State::Failed) && !mutants::on(Mutant::ExchangeAlertKept) {
        cx.fx.close_alert(alert_key(&process.id));
    }
    if how != Outcome::Committed || process.state == State::Unknown {
        let text = format!("process {}: {} {why}", process.id, row::word(how));
        cx.fx.journal("exchange.ended", &process.db, text.trim_end());
    }
    Ok(())
}

fn alert_key(process: &str) -> String {
    format!("exchange-process/{process}")
}
