//! Lets go of what is older than `exchange.kept` says (EXC-22): outcomes that nobody came to know, with all that belongs to them; messages that
//! are done or wrong and that no process has; processes that ended. What an active process has stays, however old. A portion at a time, once
//! an hour and at start; each of the three is a task of its own, so that one that fails keeps no other.
//!
//! Age is listening time of the store: a calendar that jumps ahead takes nothing that is young. Where there are folders, the file goes
//! first, and the row with it.

use std::collections::{BTreeMap, BTreeSet};

use base::limits::PORTION_ROWS;
use base::{Heard, OpResult, Row, Sql, Tx, args};
use kernel::{NewTask, Op, OpCx, Plan, TaskDef, TaskRow};

use crate::folders::close_lost_unless_any;
use crate::ledger::{Moves, together};
use crate::rules::Rules;
use crate::{packs, process};

/// Lets go of old messages.
pub(crate) const FORGET: TaskDef =
    TaskDef::new(MESSAGES_OP, messages).queue(2).keyed(together).standing("H43").ending();
/// Lets go of old outcomes that nobody came to know.
pub(crate) const FORGET_UNKNOWN: TaskDef =
    TaskDef::new(UNKNOWN_OP, unknown).queue(2).keyed(together).standing("H44").ending();
/// Lets go of old processes.
pub(crate) const FORGET_PROCESSES: TaskDef =
    TaskDef::new(PROCESSES_OP, processes).queue(2).keyed(together).standing("H45").ending();
const MESSAGES_OP: &str = "exchange.forget";
const UNKNOWN_OP: &str = "exchange.forget_unknown";
const PROCESSES_OP: &str = "exchange.forget_processes";

/// Has it look now.
pub(crate) static FORGET_NOW: Op<(), ()> = Op::new("exchange.forget_now", forget_now).ending();

/// Rows of one portion.
const PORTION: usize = 300;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&OLD_UNKNOWN, &OLD, &DROP_BODY, &DROP, &GIVE_UP, &OLD_PROCESSES, &DROP_GIVEN, &DROP_PROCESS];

/// Those that were ready before that.
static OLD_UNKNOWN: Sql = Sql::new(
    "exc_process.old_unknown",
    "SELECT id FROM exc_process WHERE state = 'UNKNOWN' AND ready < ?1 ORDER BY id LIMIT 1",
);
static OLD: Sql = Sql::new(
    "exc_message.old",
    "SELECT number, db, place, flaw FROM exc_message WHERE place IN ('log', 'unknown', 'error') AND process IS NULL AND heard < ?1 \
     ORDER BY heard, number LIMIT ?2",
);
static DROP_BODY: Sql = Sql::new("exc_body.remove", "DELETE FROM exc_body WHERE number = ?1");
static DROP: Sql = Sql::new("exc_message.remove", "DELETE FROM exc_message WHERE number = ?1");
static GIVE_UP: Sql = Sql::new(
    "exc_message.give_up",
    "UPDATE exc_message SET place = 'gone', void = number, heard = ?2, due = ?3 WHERE number = ?1",
);
static OLD_PROCESSES: Sql = Sql::new(
    "exc_process.old",
    "SELECT id FROM exc_process WHERE state = 'ENDED' AND ended < ?1 ORDER BY ended, id LIMIT ?2",
);
static DROP_GIVEN: Sql = Sql::new("exc_given.remove", "DELETE FROM exc_given WHERE process = ?1");
static DROP_PROCESS: Sql = Sql::new("exc_process.remove", "DELETE FROM exc_process WHERE id = ?1");

fn forget_now(_: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    for op in [MESSAGES_OP, UNKNOWN_OP, PROCESSES_OP] {
        let id = cx.id();
        cx.fx.task(NewTask::new(id, op).unique("now"));
    }
    Ok(())
}

fn messages(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let before = before(cx);
    Ok(plan(forget_messages(tx, cx, before)?))
}

fn unknown(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    // An outcome is unknown from when the time to commit is over.
    let before = before(cx).plus_ms(-cx.home.common::<Rules>().get().ready_ms);
    Ok(plan(forget_unknown(tx, cx, before)?))
}

fn processes(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    Ok(plan(forget_processes(tx, before(cx))?))
}

/// What is older than that goes.
fn before(cx: &OpCx<'_>) -> Heard {
    cx.heard.plus_ms(-cx.home.common::<Rules>().get().kept_ms)
}

fn plan(more: bool) -> Plan {
    if more { Plan::Checkpoint("null".into()) } else { Plan::Done }
}

/// An outcome that nobody came to know, if there is one: it may have a thousand messages. Whether there may be more.
fn forget_unknown(tx: &mut dyn Tx, cx: &mut OpCx<'_>, before: Heard) -> OpResult<bool> {
    let Some(row) = tx.query_one(&OLD_UNKNOWN, args![before])? else { return Ok(false) };
    process::forget(tx, cx, row.text(0))?;
    Ok(true)
}

/// Lets go of a portion; whether there may be more.
fn forget_messages(tx: &mut dyn Tx, cx: &mut OpCx<'_>, before: Heard) -> OpResult<bool> {
    let rows = old(tx, &OLD, before)?;
    let mut moves: BTreeMap<&str, Moves> = BTreeMap::new();
    for row in &rows {
        tx.write(&DROP_BODY, args![row.int(0)])?;
        packs::let_go(tx, cx, row.int(0))?;
        match cx.home.common::<Rules>().due(cx.heard) {
            None => tx.write(&DROP, args![row.int(0)])?,
            Some(due) => tx.write(&GIVE_UP, args![row.int(0), cx.heard, due])?,
        }
        count(moves.entry(row.text(1)).or_default(), row.text(2));
    }
    moves.into_iter().try_for_each(|(db, moves)| moves.count(tx, db))?;
    let flawed: BTreeSet<&str> = rows.iter().filter(|row| row.opt_text(3).is_some()).map(|row| row.text(1)).collect();
    flawed.into_iter().try_for_each(|db| close_lost_unless_any(tx, cx, db))?;
    Ok(rows.len() == PORTION)
}

fn count(moves: &mut Moves, place: &str) {
    let from = match place {
        "log" => &mut moves.log,
        "error" => &mut moves.error,
        _ => &mut moves.unknown,
    };
    *from -= 1;
    moves.removed += 1;
}

/// As many as have so many rows; each may have a thousand. Whether there may be more.
fn forget_processes(tx: &mut dyn Tx, before: Heard) -> OpResult<bool> {
    let (old, mut rows) = (old(tx, &OLD_PROCESSES, before)?, 0);
    for row in &old {
        if rows >= PORTION_ROWS {
            return Ok(true);
        }
        rows += usize::try_from(tx.execute(&DROP_GIVEN, args![row.text(0)])?).unwrap_or(usize::MAX);
        tx.write(&DROP_PROCESS, args![row.text(0)])?;
    }
    Ok(old.len() == PORTION)
}

fn old(tx: &mut dyn Tx, sql: &'static Sql, before: Heard) -> OpResult<Vec<Row>> {
    Ok(tx.query(sql, args![before, i64::try_from(PORTION).unwrap_or(i64::MAX)], PORTION)?)
}
