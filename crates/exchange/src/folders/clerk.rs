//! The clerk: brings files to where their messages belong, a batch at a time.
//!
//! It never needs a person: what fails is tried again every minute; a batch of which nobody knows what came of it is followed by a look at
//! the files of all that is due (`scan`); and a clerk that ended in whatever way is followed by another one, because `watch` looks for what is due.
//!
//! Acknowledgements come first. What a database waits for (a commit that moves files) is brought at once and alone, so that it is quick.
//! Everything else gives way: as long as messages keep coming there is one batch per look of `watch`, unless something has waited for
//! [`LATE_MS`]. What is finished meanwhile goes straight to its last folder, so that giving way also saves work.

use std::collections::BTreeSet;

use base::{Call, CallResult, Heard, OpResult, Sql, Tx, WorkCall, args};
use kernel::{NewTask, Op, OpCx, Plan, Query, TaskDef, TaskRow};

use super::perform::{Brought, Did, FILES, Job, Step, Work};
use super::scan;
use super::turn::{self, Turn};
use crate::ledger::together;
use crate::message::name::FileName;
use crate::packs;
use crate::process;
use crate::rules::{Bodies, Rules};
use crate::tens::tens;

/// The clerk's task.
pub(crate) const CLERK: TaskDef = TaskDef::new(CLERK_OP, plan)
    .retrying(&[1; 60])
    .settled_by(settle)
    .taken_back_by(take_back)
    .keyed(|_| together(&()))
    .ending();
/// Its operation.
pub const CLERK_OP: &str = "exchange.files";

/// Has the clerk, or the packer, look.
pub static BEGIN: Op<(), ()> = Op::new("exchange.files_begin", begin).ending();
/// Has the clerk compare all files with what the store says, or those of one database (EXC-7).
pub static SCAN: Op<Option<String>, ()> = Op::new("exchange.files_scan", |_, cx, only| {
    wake_for_scan(cx, only.as_deref());
    Ok(())
});
/// Whether there is something for the clerk, or the packer.
pub static ANY_DUE_NOW: Query<(), bool> = Query::new("exchange.files_due", any_due);

/// Files of one batch.
const BATCH: usize = 500;
/// What became due less than so long ago says that messages keep coming.
const FRESH_MS: i64 = 200;
/// What has waited for so long gives way no more.
const LATE_MS: i64 = 60_000;
/// When something is due that a database waits for: before all others.
pub(crate) const URGENT: Heard = Heard(0);
/// What a clerk is told, or tells itself, to look at nothing else.
const URGENT_ONLY: &str = "\"urgent\"";
/// Time for a batch.
const BRING_MS: u64 = 240_000;
/// Time for a look at all files.
const SCAN_MS: u64 = 600_000;
/// How much longer than its work a turn lasts.
const TURN_MS: i64 = 60_000;
/// What could not be brought to its place is tried again after so long.
const AGAIN_MS: i64 = 60_000;
/// When the batch as a whole could not be tried.
const PAUSE_MS: i64 = 5_000;
/// When another one is at work and a look at all files is wanted.
const WAIT_MS: i64 = 1_000;
/// Key and kind of the alert that files cannot be written.
pub(crate) const ALERT: &str = "exchange-folders";

pub(super) static DUE: Sql = Sql::new(
    "exc_message.due",
    "SELECT number, id, db, sender, receiver, subsystem, at, place, on_disk, due FROM exc_message \
     WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, number LIMIT ?2",
);
pub(super) static ANY_DUE: Sql = Sql::new(
    "exc_message.any_due",
    "SELECT number FROM exc_message WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, number LIMIT 1",
);
pub(super) static OLDEST_DUE: Sql = Sql::new(
    "exc_message.oldest_due",
    "SELECT due FROM exc_message WHERE due IS NOT NULL AND due > 0 ORDER BY due, number LIMIT 1",
);
pub(super) static NEWEST_DUE: Sql = Sql::new(
    "exc_message.newest_due",
    "SELECT due FROM exc_message WHERE due IS NOT NULL AND due <= ?1 ORDER BY due DESC, number DESC LIMIT 1",
);
/// Only what failed is due in the future.
pub(super) static ANY_PUT_OFF: Sql = Sql::new(
    "exc_message.any_put_off",
    "SELECT number FROM exc_message WHERE due IS NOT NULL AND due > ?1 ORDER BY due, number LIMIT 1",
);
/// Its file lies there; if that is not where it belongs by now, it is due again.
pub(super) static MARK: Sql = Sql::new(
    "exc_message.mark",
    "UPDATE exc_message SET on_disk = ?2, due = CASE WHEN place = ?2 THEN NULL ELSE CAST(?3 AS BIGINT) END \
     WHERE number = ?1 RETURNING process",
);
/// The same of ten new files.
pub(super) static MARK_LAID: Sql = Sql::new(
    "exc_message.mark_laid",
    "UPDATE exc_message SET on_disk = ?1, due = CASE WHEN place = ?1 THEN NULL ELSE CAST(?2 AS BIGINT) END \
     WHERE number IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
);
pub(super) static HOLDERS: Sql = Sql::new(
    "exc_message.holders",
    "SELECT DISTINCT process FROM exc_message WHERE number IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) AND process IS NOT NULL \
     ORDER BY process",
);
pub(super) static FORGET: Sql =
    Sql::new("exc_message.forget", "DELETE FROM exc_message WHERE number = ?1 AND place = 'gone'");
pub(super) static FORGET_BODY: Sql = Sql::new(
    "exc_body.forget",
    "DELETE FROM exc_body WHERE number = ?1 AND NOT EXISTS (SELECT 1 FROM exc_message m WHERE m.number = ?1)",
);
/// Unless it belongs elsewhere by now: then that is tried at once.
pub(super) static PUT_OFF: Sql = Sql::new(
    "exc_message.put_off",
    "UPDATE exc_message SET due = ?3 WHERE number = ?1 AND place = ?2 AND due IS NOT NULL RETURNING process",
);
/// It is done, its file is durable, and nobody may yet take that back. What is wrong keeps its text: it may be given again, and backups hold
/// the store alone.
pub(super) static DROP_BODY: Sql = Sql::new(
    "exc_body.drop",
    "DELETE FROM exc_body WHERE number = ?1 AND EXISTS (SELECT 1 FROM exc_message m WHERE m.number = ?1 AND m.process IS NULL \
     AND m.place = 'log' AND m.on_disk = m.place)",
);
/// The same of ten.
pub(super) static DROP_BODIES: Sql = Sql::new(
    "exc_body.drop_ten",
    "DELETE FROM exc_body WHERE number IN (SELECT number FROM exc_message WHERE number IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
     AND process IS NULL AND place = 'log' AND on_disk = place)",
);
pub(super) static CLEANING: Sql =
    Sql::new("exc_process.cleaning", "SELECT id FROM exc_process WHERE state = 'CLEANUP' ORDER BY id LIMIT 1000");

/// Has the clerk look at what this operation makes due.
pub(crate) fn wake(cx: &mut OpCx<'_>) {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, CLERK_OP).unique("files"));
}

/// Has the clerk bring what a database waits for.
pub(crate) fn wake_for_process(cx: &mut OpCx<'_>) {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, CLERK_OP).param(URGENT_ONLY).unique("urgent"));
}

/// Has the clerk make the folders of a new database, where there are folders.
pub(crate) fn make(cx: &mut OpCx<'_>, db: &str) {
    if cx.home.common::<Rules>().due(cx.heard).is_some() {
        wake_for_scan(cx, Some(db));
    }
}

fn wake_for_scan(cx: &mut OpCx<'_>, only: Option<&str>) {
    let task = NewTask::new(cx.id(), CLERK_OP);
    let unique = format!("scan/{}", only.unwrap_or_default());
    cx.fx.task(task.param(serde_json::json!({ "scan": only.unwrap_or_default() }).to_string()).unique(unique));
}

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    if any_due(tx, &())? {
        match cx.home.common::<Rules>().get().bodies {
            Bodies::Store => {}
            Bodies::Folders => wake(cx),
            // Whoever packs, or pauses, goes on by itself.
            Bodies::Blobs if turn::is_taken(tx, cx)? => {}
            Bodies::Blobs => packs::wake(cx),
        }
    }
    Ok(())
}

fn any_due(tx: &mut dyn Tx, (): &()) -> OpResult<bool> {
    let heard = tx.heard();
    Ok(tx.query_one(&ANY_DUE, args![heard])?.is_some())
}

/// What a look at files is wanted of: one database, or all where it is empty.
fn wanted_scan(task: &TaskRow) -> Option<String> {
    #[derive(serde::Deserialize)]
    struct Param {
        scan: String,
    }
    // Once it is done the task goes on as any clerk does.
    task.checkpoint.is_none().then(|| serde_json::from_str::<Param>(&task.param).ok()).flatten().map(|param| param.scan)
}

/// Whether only what databases wait for is to be brought.
fn is_urgent_only(task: &TaskRow) -> bool {
    task.checkpoint.as_ref().unwrap_or(&task.param) == URGENT_ONLY
}

/// The first rows of those that are due: what databases wait for comes alone where much is due.
fn batch(rows: &[base::Row], urgent_only: bool) -> &[base::Row] {
    let urgent = rows.iter().take_while(|row| Heard(row.int(9)) == URGENT).count();
    if urgent_only || (urgent > 0 && rows.len() == BATCH) { &rows[..urgent] } else { rows }
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let (id, wanted) = (task.id.to_string(), wanted_scan(task));
    let scans = wanted.is_some();
    let turn = turn::take(tx, cx, &id, turn_ms(if scans { SCAN_MS } else { BRING_MS }))?;
    match (turn, wanted) {
        (Turn::Others, Some(_)) => return Ok(Plan::Later(cx.wall.plus_ms(WAIT_MS))),
        (Turn::Others, None) => return Ok(Plan::Done),
        (Turn::Ours | Turn::Uncertain, _) if cx.home.common::<Rules>().due(cx.heard).is_none() => {
            turn::end(tx, &id)?;
            return Ok(Plan::Done);
        }
        (Turn::Uncertain, wanted) => {
            turn::seize(tx, cx, &id, turn_ms(SCAN_MS))?;
            let job = wanted.map_or(Job::LookAgain, |_| Job::Scan(String::new()));
            return call(tx, cx, job, SCAN_MS);
        }
        (Turn::Ours, Some(only)) => return call(tx, cx, Job::Scan(only), SCAN_MS),
        (Turn::Ours, None) => {}
    }
    let rows = tx.query(&DUE, args![cx.heard, i64::try_from(BATCH).unwrap_or(i64::MAX)], BATCH)?;
    let batch = batch(&rows, is_urgent_only(task));
    if batch.is_empty() {
        turn::end(tx, &id)?;
        return Ok(Plan::Done);
    }
    call(tx, cx, Job::Bring(batch.iter().map(step).collect()), BRING_MS)
}

fn turn_ms(work_ms: u64) -> i64 {
    i64::try_from(work_ms).unwrap_or(i64::MAX).saturating_add(TURN_MS)
}

fn call(tx: &mut dyn Tx, cx: &OpCx<'_>, job: Job, timeout_ms: u64) -> OpResult<Plan> {
    let turn = turn::number(tx)?.unwrap_or_default();
    let param = serde_json::to_string(&Work { turn, job }).unwrap_or_default();
    Ok(Plan::Call(Call::Work(WorkCall { name: FILES, namespace: cx.namespace.to_owned(), param, timeout_ms })))
}

pub(super) fn step(row: &base::Row) -> Step {
    let name = file_name(row);
    let word = |column: usize| row.text(column).to_owned();
    Step { number: row.int(0), db: word(2), name, from: row.opt_text(8).map(str::to_owned), to: word(7) }
}

/// The name of a message's file, from its number, id, database, sender, receiver, subsystem and time.
pub(super) fn file_name(row: &base::Row) -> String {
    let word = |column: usize| row.text(column).to_owned();
    let (at, number) = (base::Wall(row.int(6)), row.int(0));
    FileName { at, number, id: word(1), from: word(3), to: word(4), subsystem: word(5) }.text()
}

/// There was no room for the call: nothing was begun.
fn take_back(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<()> {
    turn::end(tx, &task.id.to_string()).map(drop)
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let id = task.id.to_string();
    if !turn::is_of(tx, &id)? {
        // Taken for lost, and another one compared everything since: what we know is old.
        return Ok(Plan::Done);
    }
    if cx.home.common::<Rules>().due(cx.heard).is_none() {
        // The folders were left meanwhile: no text goes because a file has it.
        turn::end(tx, &id)?;
        return Ok(Plan::Done);
    }
    let (did, why) = match result {
        CallResult::Worked(said) => (serde_json::from_str::<Did>(said).ok(), "no report"),
        CallResult::NotMade(why) | CallResult::Unknown(why) => (None, why.as_str()),
        CallResult::Http(_) | CallResult::Mailed => (None, "not a result of work"),
    };
    match did {
        None => return unknown(tx, cx, why),
        Some(Did::Scanned(scanned)) => scan::tell(cx, &scanned),
        Some(Did::Brought(brought)) => take_in(tx, cx, &brought)?,
    }
    let again = turn::end(tx, &id)?;
    Ok(if !is_urgent_only(task) && any_due(tx, &())? && !gives_way(tx, cx)? {
        Plan::Checkpoint("null".into())
    } else if again {
        // Whoever left word for anything else comes again by itself.
        Plan::Checkpoint(URGENT_ONLY.into())
    } else {
        Plan::Done
    })
}

/// Whether messages keep coming, and none has waited for long.
fn gives_way(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<bool> {
    let is_after = |row: Option<base::Row>, ms: i64| row.is_some_and(|row| row.int(0) > cx.heard.0 - ms);
    Ok(is_after(tx.query_one(&NEWEST_DUE, args![cx.heard])?, FRESH_MS)
        && is_after(tx.query_one(&OLDEST_DUE, args![])?, LATE_MS))
}

/// Nobody knows what was done: the turn is not ended, so that files are looked at first. Databases do not wait for that.
fn unknown(tx: &mut dyn Tx, cx: &mut OpCx<'_>, why: &str) -> OpResult<Plan> {
    let message =
        format!("Files of messages cannot be brought to their folders, which is tried again and again: {why}");
    cx.fx.open_alert(ALERT, ALERT, message);
    for row in tx.query(&CLEANING, args![], 1_000)? {
        process::move_failed(tx, cx, row.text(0), why)?;
    }
    Ok(Plan::Later(cx.wall.plus_ms(PAUSE_MS)))
}

/// Notes what lies where now.
pub(super) fn take_in(tx: &mut dyn Tx, cx: &mut OpCx<'_>, brought: &Brought) -> OpResult<()> {
    let mut processes = BTreeSet::new();
    for (place, numbers) in &brought.laid {
        for ten in tens(args![place, cx.heard], numbers) {
            tx.write(&MARK_LAID, &ten)?;
            let holders = tx.query(&HOLDERS, &ten[2..], 10)?;
            processes.extend(holders.iter().map(|row| row.text(0).to_owned()));
        }
    }
    for (number, place) in &brought.done {
        processes.extend(mark(tx, cx.heard, *number, place.as_deref())?);
    }
    processes.into_iter().try_for_each(|id| process::moved(tx, cx, &id))?;
    for ten in tens(&[], &brought.logged()) {
        tx.write(&DROP_BODIES, &ten)?;
    }
    let mut failed = vec![];
    for step in &brought.failed {
        if put_off(tx, cx, step)? {
            failed.push(step.2.as_str());
        }
    }
    tell(tx, cx, &failed)
}

/// Notes where a file lies now; says which process holds its message.
pub(super) fn mark(tx: &mut dyn Tx, heard: Heard, number: i64, place: Option<&str>) -> OpResult<Option<String>> {
    let row = tx.query_one(&MARK, args![number, place, heard])?;
    if place.is_none() {
        tx.write(&FORGET, args![number])?;
        tx.write(&FORGET_BODY, args![number])?;
    }
    Ok(row.and_then(|row| row.opt_text(0).map(str::to_owned)))
}

/// What could not be brought is tried again later, and its process does not keep its database waiting. Whether it is still wanted.
fn put_off(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (number, to, why): &(i64, String, String)) -> OpResult<bool> {
    let Some(row) = tx.query_one(&PUT_OFF, args![*number, to, cx.heard.plus_ms(AGAIN_MS)])? else { return Ok(false) };
    if let Some(id) = row.opt_text(0) {
        process::move_failed(tx, cx, id, why)?;
    }
    Ok(true)
}

/// A person is told as long as something fails.
fn tell(tx: &mut dyn Tx, cx: &mut OpCx<'_>, failed: &[&str]) -> OpResult<()> {
    if let Some(why) = failed.first() {
        let count = failed.len();
        let message = format!(
            "{count} files of messages could not be brought to their folders, which is tried again every minute: {why}"
        );
        cx.fx.open_alert(ALERT, ALERT, message);
    } else if tx.query_one(&ANY_PUT_OFF, args![cx.heard])?.is_none() {
        cx.fx.close_alert(ALERT);
    }
    Ok(())
}
