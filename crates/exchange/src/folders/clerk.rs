//! The clerk: brings files to where their messages belong, a batch at a time.

use std::collections::BTreeSet;

use base::{Call, CallResult, OpResult, Sql, Tx, WorkCall, args};
use kernel::{NewTask, Op, OpCx, Plan, Query, TaskDef, TaskRow};

use super::perform::{Brought, FILES, Step, WORK_MS};
use super::turn;
use crate::ledger::together;
use crate::message::name::FileName;
use crate::process;
use crate::rules::Rules;

/// The clerk's task.
pub(crate) const CLERK: TaskDef = TaskDef::new(CLERK_OP, plan).settled_by(settle).keyed(|_| together(&())).ending();
/// Its operation.
pub const CLERK_OP: &str = "exchange.files";

/// Has the clerk look.
pub static BEGIN: Op<(), ()> = Op::new("exchange.files_begin", begin).ending();
/// Whether there is something for the clerk.
pub static ANY_DUE_NOW: Query<(), bool> = Query::new("exchange.files_due", any_due);

/// Files of one batch.
const BATCH: usize = 500;
/// What could not be brought to its place is tried again after so long.
const AGAIN_MS: i64 = 60_000;
/// When the batch as a whole could not be tried.
const PAUSE_MS: i64 = 5_000;
/// Key and kind of the alert that files cannot be written.
const ALERT: &str = "exchange-folders";

pub(super) static DUE: Sql = Sql::new(
    "exc_message.due",
    "SELECT number, id, db, sender, receiver, subsystem, at, place, on_disk FROM exc_message \
     WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, number LIMIT ?2",
);
pub(super) static ANY_DUE: Sql = Sql::new(
    "exc_message.any_due",
    "SELECT number FROM exc_message WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, number LIMIT 1",
);
/// Its file lies there; if that is not where it belongs by now, it is due again.
pub(super) static MARK: Sql = Sql::new(
    "exc_message.mark",
    "UPDATE exc_message SET on_disk = ?2, due = CASE WHEN place = ?2 THEN NULL ELSE ?3 END WHERE number = ?1 RETURNING process",
);
pub(super) static FORGET: Sql =
    Sql::new("exc_message.forget", "DELETE FROM exc_message WHERE number = ?1 AND place = 'gone'");
pub(super) static PUT_OFF: Sql =
    Sql::new("exc_message.put_off", "UPDATE exc_message SET due = ?2 WHERE number = ?1 RETURNING process");
/// Its file is durable in its last folder, and nobody may yet take that back.
pub(super) static DROP_BODY: Sql = Sql::new(
    "exc_body.drop",
    "DELETE FROM exc_body WHERE number = ?1 AND EXISTS (SELECT 1 FROM exc_message m WHERE m.number = ?1 AND m.process IS NULL \
     AND m.place IN ('log', 'error') AND m.on_disk = m.place)",
);

/// Has the clerk look at what this operation makes due.
pub(crate) fn wake(cx: &mut OpCx<'_>) {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, CLERK_OP).unique("files"));
}

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    if any_due(tx, &())? {
        wake(cx);
    }
    Ok(())
}

fn any_due(tx: &mut dyn Tx, (): &()) -> OpResult<bool> {
    let heard = tx.heard();
    Ok(tx.query_one(&ANY_DUE, args![heard])?.is_some())
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let task = task.id.to_string();
    if !turn::take(tx, cx, &task)? {
        return Ok(Plan::Done);
    }
    let rows = tx.query(&DUE, args![cx.heard, i64::try_from(BATCH).unwrap_or(i64::MAX)], BATCH)?;
    let has_folders = cx.home.common::<Rules>().due(cx.heard).is_some();
    if rows.is_empty() || !has_folders {
        turn::end(tx, &task)?;
        return Ok(Plan::Done);
    }
    let steps: Vec<Step> = rows.iter().map(step).collect();
    let param = serde_json::to_string(&steps).unwrap_or_default();
    Ok(Plan::Call(Call::Work(WorkCall { name: FILES, namespace: cx.namespace.to_owned(), param, timeout_ms: WORK_MS })))
}

fn step(row: &base::Row) -> Step {
    let word = |column: usize| row.text(column).to_owned();
    let name = FileName {
        at: base::Wall(row.int(6)),
        number: row.int(0),
        id: word(1),
        from: word(3),
        to: word(4),
        subsystem: word(5),
    };
    Step { number: row.int(0), db: word(2), name: name.text(), from: row.opt_text(8).map(str::to_owned), to: word(7) }
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let brought = match result {
        CallResult::Worked(said) => serde_json::from_str::<Brought>(said).ok(),
        _ => None,
    };
    let Some(brought) = brought else {
        return Ok(Plan::Later(cx.wall.plus_ms(PAUSE_MS)));
    };
    let mut processes = BTreeSet::new();
    for (number, place) in &brought.done {
        processes.extend(mark(tx, cx, *number, place.as_deref())?);
    }
    processes.into_iter().try_for_each(|id| process::moved(tx, cx, &id))?;
    for (number, _) in &brought.done {
        tx.write(&DROP_BODY, args![*number])?;
    }
    failed(tx, cx, &brought)?;
    let again = turn::end(tx, &task.id.to_string())?;
    let more = again || brought.done.len() + brought.failed.len() >= BATCH;
    Ok(if more { Plan::Checkpoint("null".into()) } else { Plan::Done })
}

/// Notes where a file lies now; says which process holds its message.
fn mark(tx: &mut dyn Tx, cx: &OpCx<'_>, number: i64, place: Option<&str>) -> OpResult<Option<String>> {
    let row = tx.query_one(&MARK, args![number, place, cx.heard])?;
    if place.is_none() {
        tx.write(&FORGET, args![number])?;
    }
    Ok(row.and_then(|row| row.opt_text(0).map(str::to_owned)))
}

/// What could not be brought is tried again later, and a person is told.
fn failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, brought: &Brought) -> OpResult<()> {
    let Some((_, why)) = brought.failed.first() else {
        cx.fx.close_alert(ALERT);
        return Ok(());
    };
    for (number, why) in &brought.failed {
        let row = tx.query_one(&PUT_OFF, args![*number, cx.heard.plus_ms(AGAIN_MS)])?;
        if let Some(id) = row.and_then(|row| row.opt_text(0).map(str::to_owned)) {
            process::move_failed(tx, cx, &id, why)?;
        }
    }
    let count = brought.failed.len();
    let message = format!(
        "{count} files of messages could not be brought to their folders, which is tried again every minute: {why}"
    );
    cx.fx.open_alert(ALERT, ALERT, message);
    Ok(())
}
