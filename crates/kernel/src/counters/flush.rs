//! Adds what was counted to the node's rows and to the current minute of each kind, once.

use base::mutants::{self, Mutant};
use base::{Id, OpResult, Sql, Tx, Wall, args};
use serde::{Deserialize, Serialize};

use super::minutes;
use super::sums::FIELD_COUNT;
use crate::cx::OpCx;
use crate::op::Op;

/// Adds a batch, unless it was added before; tells whether it was new.
pub(crate) static FLUSH: Op<Batch, bool> = Op::new(FLUSH_NAME, flush).ending();
/// Its name.
pub(crate) const FLUSH_NAME: &str = "counters.flush";

/// What was counted since the batch before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Batch {
    pub(crate) node: String,
    /// The process that counted: numbers begin anew with each.
    pub(crate) life: Id,
    pub(crate) number: i64,
    pub(crate) deltas: Vec<Delta>,
}

/// What was counted of one name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Delta {
    pub(crate) kind: String,
    pub(crate) name: String,
    pub(crate) fields: [i64; FIELD_COUNT],
    pub(crate) last_seen: Wall,
}

pub(crate) static NUMBER: Sql = Sql::new(
    "counter_flush.number",
    "INSERT INTO counter_flush (node, life, number) VALUES (?1, ?2, ?3) \
     ON CONFLICT (node) DO UPDATE SET life = ?2, number = ?3 \
     WHERE counter_flush.life <> ?2 OR counter_flush.number < ?3",
);
pub(crate) static ADD: Sql = Sql::new(
    "counter.add",
    "INSERT INTO counter (kind, name, node, sent, processed, errors, deadlocks, retries, last_seen, heard) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) ON CONFLICT (kind, name, node) DO UPDATE SET \
     sent = counter.sent + ?4, processed = counter.processed + ?5, errors = counter.errors + ?6, \
     deadlocks = counter.deadlocks + ?7, retries = counter.retries + ?8, \
     last_seen = CASE WHEN counter.last_seen > ?9 THEN counter.last_seen ELSE ?9 END, heard = ?10",
);

fn flush(tx: &mut dyn Tx, cx: &mut OpCx<'_>, batch: &Batch) -> OpResult<bool> {
    let new = tx.execute(&NUMBER, args![&batch.node, batch.life, batch.number])? == 1;
    if !new && !mutants::on(Mutant::CounterFlushAgain) {
        return Ok(false);
    }
    for Delta { kind, name, fields: [sent, processed, errors, deadlocks, retries], last_seen } in &batch.deltas {
        let node = &batch.node;
        let args = args![kind, name, node, *sent, *processed, *errors, *deadlocks, *retries, *last_seen, cx.heard];
        tx.write(&ADD, args)?;
    }
    minutes::add(tx, cx, batch)?;
    Ok(true)
}
