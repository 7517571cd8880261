//! Sees whether there is something to move, and has it moved.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{NewTask, Op, OpCx, Query};

use super::state::Outbox;
use super::{BATCH_ROWS, OP};

/// A batch that did not go on for so long has nobody any more who moves it: somebody removed or parked its task.
const FORGOTTEN_MS: i64 = 600_000;

/// Has history moved, unless it already is.
pub static BEGIN: Op<(), ()> = Op::new("sensor.export_begin", begin).ending();

/// What waits in the store.
pub(super) static WAITING: Query<(), Waiting> = Query::new("sensor.outbox", waiting);

/// What waits in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Waiting {
    /// Nothing.
    Nothing,
    /// Something, but no whole batch.
    Some,
    /// A whole batch, or one that was forgotten on its way.
    Much,
    /// A batch is on its way.
    Moving,
}

pub(crate) static NEW_HISTORY: Sql = Sql::new(
    "sensor_history.waiting",
    "SELECT COUNT(*) FROM (SELECT id FROM sensor_history WHERE batch IS NULL ORDER BY id LIMIT ?1) AS waiting",
);
pub(crate) static NEW_TRIES: Sql = Sql::new(
    "sensor_attempt.waiting",
    "SELECT COUNT(*) FROM (SELECT seq FROM sensor_attempt WHERE batch IS NULL AND (status IS NOT NULL OR error IS NOT NULL) \
     ORDER BY client_id, seq, number LIMIT ?1) AS waiting",
);

fn waiting(tx: &mut dyn Tx, (): &()) -> OpResult<Waiting> {
    let heard = tx.heard();
    if let Some(outbox) = Outbox::read(tx)? {
        return Ok(if is_forgotten(&outbox, heard) { Waiting::Much } else { Waiting::Moving });
    }
    let mut rows = 0;
    for count in [&NEW_HISTORY, &NEW_TRIES] {
        rows += tx.query_one(count, args![BATCH_ROWS])?.map_or(0, |row| row.int(0));
    }
    Ok(match rows {
        0 => Waiting::Nothing,
        BATCH_ROWS.. => Waiting::Much,
        _ => Waiting::Some,
    })
}

fn is_forgotten(outbox: &Outbox, heard: Heard) -> bool {
    heard.0 - outbox.touched.0 >= FORGOTTEN_MS
}

fn begin(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<()> {
    match Outbox::read(tx)? {
        Some(outbox) if !is_forgotten(&outbox, cx.heard) => return Ok(()),
        Some(outbox) => Outbox { touched: cx.heard, ..outbox }.save(tx)?,
        None => {}
    }
    let id = cx.id();
    cx.fx.task(NewTask::new(id, OP).unique("history"));
    Ok(())
}
