//! What was counted of each kind in each calendar minute: the same counts as the counters', in the same commit.

use std::collections::BTreeMap;

use base::{OpResult, Sql, Tx, args};

use super::flush::Batch;
use super::sums::FIELD_COUNT;
use crate::cx::OpCx;

/// Milliseconds of a minute.
pub(super) const MINUTE_MS: i64 = 60_000;

pub(crate) static ADD: Sql = Sql::new(
    "counter_minute.add",
    "INSERT INTO counter_minute (kind, minute, node, sent, processed, errors, deadlocks, retries, heard) \
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9) ON CONFLICT (kind, minute, node) DO UPDATE SET \
     sent = counter_minute.sent + ?4, processed = counter_minute.processed + ?5, errors = counter_minute.errors + ?6, \
     deadlocks = counter_minute.deadlocks + ?7, retries = counter_minute.retries + ?8",
);

/// Adds a batch to the minute in which it is flushed.
pub(super) fn add(tx: &mut dyn Tx, cx: &OpCx<'_>, batch: &Batch) -> OpResult<()> {
    let (minute, node) = (cx.wall.0.div_euclid(MINUTE_MS), &batch.node);
    for (kind, [sent, processed, errors, deadlocks, retries]) in by_kind(batch) {
        tx.write(&ADD, args![kind, minute, node, sent, processed, errors, deadlocks, retries, cx.heard])?;
    }
    Ok(())
}

fn by_kind(batch: &Batch) -> BTreeMap<&str, [i64; FIELD_COUNT]> {
    let mut kinds = BTreeMap::new();
    for delta in &batch.deltas {
        super::sums::add_fields(kinds.entry(delta.kind.as_str()).or_insert([0; FIELD_COUNT]), &delta.fields);
    }
    kinds
}
