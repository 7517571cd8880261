//! What came to rest before bodies were in blobs is packed as well: all of it is gone through once, a portion at a time, and made due.

use base::{OpResult, Sql, Tx, args};
use kernel::{NewTask, OpCx, Plan, TaskDef, TaskRow};

use crate::ledger::together;
use crate::rules::{Bodies, Rules};
use crate::tens::tens;

/// Goes through what is at rest.
pub(crate) const ADOPT: TaskDef = TaskDef::new(ADOPT_OP, plan).queue(2).keyed(|_| together(&()));
const ADOPT_OP: &str = "exchange.pack_all";

/// Messages of one portion.
const PORTION: usize = 250;

pub(super) static IS_ADOPTED: Sql =
    Sql::new("exc_count.is_adopted", "SELECT value FROM exc_count WHERE name = 'packs'");
pub(super) static SET_ADOPTED: Sql = Sql::new(
    "exc_count.set_adopted",
    "INSERT INTO exc_count (name, value) VALUES ('packs', 1) ON CONFLICT (name) DO NOTHING",
);
pub(super) static FORGET_ADOPTED: Sql =
    Sql::new("exc_count.forget_adopted", "DELETE FROM exc_count WHERE name = 'packs'");
pub(super) static RESTING: Sql = Sql::new(
    "exc_message.resting",
    "SELECT heard, number FROM exc_message WHERE place IN ('log', 'unknown', 'error') AND process IS NULL \
     AND (heard, number) > (?1, ?2) ORDER BY heard, number LIMIT ?3",
);
pub(super) static MAKE_DUE: Sql = Sql::new(
    "exc_message.make_due",
    "UPDATE exc_message SET due = ?1 WHERE number IN (?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) AND due IS NULL \
     AND EXISTS (SELECT 1 FROM exc_body b WHERE b.number = exc_message.number)",
);

/// Begins.
pub(crate) fn adopt(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    tx.write(&SET_ADOPTED, args![])?;
    let id = cx.id();
    cx.fx.task(NewTask::new(id, ADOPT_OP).unique("all"));
    Ok(())
}

/// Whether it was begun since bodies are in blobs.
pub(crate) fn is_adopted(tx: &mut dyn Tx) -> OpResult<bool> {
    Ok(tx.query_one(&IS_ADOPTED, args![])?.is_some())
}

/// Bodies are elsewhere: the next time they are in blobs, all is gone through anew.
pub(crate) fn forget_adoption(tx: &mut dyn Tx) -> OpResult<()> {
    if is_adopted(tx)? {
        tx.write(&FORGET_ADOPTED, args![])?;
    }
    Ok(())
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    if cx.home.common::<Rules>().get().bodies != Bodies::Blobs {
        return Ok(Plan::Done);
    }
    let after = task.checkpoint.as_deref().and_then(|text| serde_json::from_str(text).ok());
    let (heard, number): (i64, i64) = after.unwrap_or((i64::MIN, i64::MIN));
    let rows = tx.query(&RESTING, args![heard, number, i64::try_from(PORTION).unwrap_or(i64::MAX)], PORTION)?;
    let numbers: Vec<i64> = rows.iter().map(|row| row.int(1)).collect();
    for ten in tens(args![cx.heard], &numbers) {
        tx.write(&MAKE_DUE, &ten)?;
    }
    let Some(last) = rows.last().filter(|_| rows.len() == PORTION) else { return Ok(Plan::Done) };
    Ok(Plan::Checkpoint(serde_json::json!([last.int(0), last.int(1)]).to_string()))
}
