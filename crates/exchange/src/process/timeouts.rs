//! Looks for processes that stand still (EXC-18): one that took too long to prepare never was, one that took too long to commit is
//! unknown. Time is listening time of the store: while we are down nobody can call us.
//!
//! Each is ended in an operation of its own: one that cannot be ended keeps no other, and is not tried again before the next look.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx, Query};

use super::finish::carry_out;
use super::next::{Event, next};
use super::row::Process;
use crate::ledger::together;

/// Processes that stand still for too long, the longest first.
pub static LATE: Query<(), Vec<String>> = Query::new("exchange.late", late);
/// Ends a process that stands still for too long.
pub static TIMEOUT: Op<String, ()> = Op::new("exchange.timeout", end).keyed(together).ending().failing_at_once();

/// Processes of one look.
pub(crate) const LATE_MAX: usize = 1_000;

pub(crate) static OVERDUE: Sql = Sql::new(
    "exc_process.overdue",
    "SELECT id FROM exc_process WHERE until IS NOT NULL AND until <= ?1 ORDER BY until, id LIMIT ?2",
);
pub(crate) static IS_OVERDUE: Sql = Sql::new(
    "exc_process.is_overdue",
    "SELECT id, db, state, outcome, started_at, ready_at, prepared, message, ended_at FROM exc_process \
     WHERE id = ?1 AND until IS NOT NULL AND until <= ?2",
);

fn late(tx: &mut dyn Tx, (): &()) -> OpResult<Vec<String>> {
    let limit = i64::try_from(LATE_MAX).unwrap_or(i64::MAX);
    let now = if mutants::on(Mutant::ExchangeTimeIsWall) { Heard(i64::MAX) } else { tx.heard() };
    Ok(tx.query(&OVERDUE, args![now, limit], LATE_MAX)?.iter().map(|row| row.text(0).to_owned()).collect())
}

fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<()> {
    let now = if mutants::on(Mutant::ExchangeTimeIsWall) { Heard(cx.wall.0) } else { cx.heard };
    // Somebody may have ended it meanwhile.
    let Some(row) = tx.query_one(&IS_OVERDUE, args![id, now])? else { return Ok(()) };
    let process = Process::read(&row);
    let why = if process.ready_at.is_none() { "took too long to prepare" } else { "took too long to commit" };
    carry_out(tx, cx, &process, next(process.state, Event::TooLong), why).map(drop)
}
