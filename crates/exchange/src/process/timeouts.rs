//! Looks for processes that stand still (EXC-18): one that took too long to prepare never was, one that took too long to commit is
//! unknown. Time is listening time of the store: while we are down nobody can call us.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};

use super::finish::carry_out;
use super::next::{Event, next};
use super::row::Process;
use crate::ledger::together;

/// Ends some of those that stand still; whether there may be more.
pub static TIMEOUTS: Op<(), bool> = Op::new("exchange.timeouts", look).keyed(together).ending();

/// Processes of one look.
const LOOKS: usize = 20;

pub(crate) static OVERDUE: Sql = Sql::new(
    "exc_process.overdue",
    "SELECT id, db, state, outcome, started_at, ready_at, prepared, message, ended_at FROM exc_process \
     WHERE until IS NOT NULL AND until <= ?1 ORDER BY until, id LIMIT ?2",
);

fn look(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<bool> {
    let limit = i64::try_from(LOOKS).unwrap_or(i64::MAX);
    let now = if mutants::on(Mutant::ExchangeTimeIsWall) { Heard(cx.wall.0) } else { cx.heard };
    let found: Vec<Process> = tx.query(&OVERDUE, args![now, limit], LOOKS)?.iter().map(Process::read).collect();
    for process in &found {
        let why = if process.ready_at.is_none() { "took too long to prepare" } else { "took too long to commit" };
        carry_out(tx, cx, process, next(process.state, Event::TooLong), why)?;
    }
    Ok(found.len() >= LOOKS)
}
