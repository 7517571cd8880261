//! The packer: has what is at rest and due packed, a pack at a time.
//!
//! It never needs a person: whatever fails is tried again, as long as it takes, and texts stay in the store meanwhile. A packer that ended in
//! whatever way is followed by another one, because `watch` looks for what is due. One is at work at a time; after a failure the turn is kept for a
//! pause, in which nobody tries. Two at once, of which one was taken for lost, only upload in vain: what is kept is decided in the commit.

use base::{Call, CallResult, Heard, OpResult, Row, Sql, Tx, WorkCall, args};
use kernel::{NewTask, OpCx, Plan, TaskDef, TaskRow};

use super::keep;
use super::work::{PACK, Packing};
use crate::folders::turn::{self, Turn};
use crate::ledger::together;
use crate::rules::{Bodies, Rules};
use crate::tens::tens;

/// The packer's task.
pub(crate) const PACKER: TaskDef = TaskDef::new(PACKER_OP, plan)
    .retrying(&[1; 60])
    .settled_by(settle)
    .taken_back_by(take_back)
    .keyed(|_| together(&()))
    .ending();
/// Its operation.
pub const PACKER_OP: &str = "exchange.packs";

/// Texts of one pack: as many as one commit can take out of the store while devices and databases wait for theirs.
const TEXTS_MAX: usize = 250;
/// Bytes of one pack, unless one text alone has more.
const BYTES_MAX: i64 = 4 << 20;
/// Time for one pack, which may be one message of the largest size.
const PACK_MS: u64 = 240_000;
/// How long the turn of a packer lasts, unless it ends it.
const TURN_MS: i64 = 300_000;
/// What failed is tried again after so long.
const AGAIN_MS: i64 = 10_000;
/// A person is told of what has waited for so long.
const LATE_MS: i64 = 300_000;
/// Key and kind of the alert that texts cannot be packed.
pub(crate) const ALERT: &str = "exchange-packs";

pub(super) static DUE: Sql = Sql::new(
    "exc_message.to_pack",
    "SELECT m.number, m.size, CASE WHEN m.place IN ('log', 'unknown', 'error') AND m.process IS NULL \
     AND EXISTS (SELECT 1 FROM exc_body b WHERE b.number = m.number) THEN 1 ELSE 0 END \
     FROM exc_message m WHERE m.due IS NOT NULL AND m.due <= ?1 ORDER BY m.due, m.number LIMIT ?2",
);
pub(super) static ANY_DUE: Sql = Sql::new(
    "exc_message.any_to_pack",
    "SELECT number FROM exc_message WHERE due IS NOT NULL AND due <= ?1 ORDER BY due, number LIMIT 1",
);
pub(super) static OLDEST_DUE: Sql = Sql::new(
    "exc_message.oldest_to_pack",
    "SELECT due FROM exc_message WHERE due IS NOT NULL ORDER BY due, number LIMIT 1",
);
/// When packing was last tried: what waits longer than that is not forgotten, as long as somebody tries.
pub(super) static TRIED: Sql = Sql::new(
    "exc_count.tried_to_pack",
    "INSERT INTO exc_count (name, value) VALUES ('packs_tried', ?1) ON CONFLICT (name) DO UPDATE SET value = ?1",
);

/// Has the packer look.
pub(crate) fn wake(cx: &mut OpCx<'_>) {
    let id = cx.id();
    cx.fx.task(NewTask::new(id, PACKER_OP).unique("packs"));
}

fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let id = task.id.to_string();
    let is_wanted = cx.home.common::<Rules>().get().bodies == Bodies::Blobs;
    if !is_wanted || turn::take(tx, cx, &id, TURN_MS)? == Turn::Others {
        return Ok(Plan::Done);
    }
    tx.write(&TRIED, args![cx.heard])?;
    let rows = tx.query(&DUE, args![cx.heard, i64::try_from(TEXTS_MAX).unwrap_or(i64::MAX)], TEXTS_MAX)?;
    let (resting, others): (Vec<&Row>, Vec<&Row>) = rows.iter().partition(|row| row.int(2) == 1);
    // Held again, or packed already: whoever lets them rest makes them due.
    let others: Vec<i64> = others.iter().map(|row| row.int(0)).collect();
    for ten in tens(&[], &others) {
        tx.write(&keep::LET_BE, &ten)?;
    }
    let sizes: Vec<(i64, i64)> = resting.iter().map(|row| (row.int(0), row.int(1))).collect();
    let numbers = within(&sizes, BYTES_MAX);
    if numbers.is_empty() {
        turn::end(tx, &id)?;
        return Ok(if rows.is_empty() { Plan::Done } else { Plan::Checkpoint("null".into()) });
    }
    let param = serde_json::to_string(&Packing { numbers }).unwrap_or_default();
    let namespace = cx.namespace.to_owned();
    Ok(Plan::Call(Call::Work(WorkCall { name: PACK, namespace, param, timeout_ms: PACK_MS })))
}

/// The first ones of these sizes that fit into a pack, and one at least.
fn within(sizes: &[(i64, i64)], bytes_max: i64) -> Vec<i64> {
    let mut sum = 0_i64;
    let fits = |(place, (_, size)): &(usize, &(i64, i64))| {
        sum = sum.saturating_add(*size);
        *place == 0 || sum <= bytes_max
    };
    sizes.iter().enumerate().take_while(fits).map(|(_, (number, _))| *number).collect()
}

/// There was no room for the call: nothing was begun.
fn take_back(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<()> {
    turn::end(tx, &task.id.to_string()).map(drop)
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, result: &CallResult) -> OpResult<Plan> {
    let id = task.id.to_string();
    if !turn::is_of(tx, &id)? {
        // Taken for lost, and another one packs since.
        return Ok(Plan::Done);
    }
    let why = match result {
        CallResult::Worked(_) => {
            turn::end(tx, &id)?;
            cx.fx.close_alert(ALERT);
            let is_more = tx.query_one(&ANY_DUE, args![cx.heard])?.is_some();
            return Ok(if is_more { Plan::Checkpoint("null".into()) } else { Plan::Done });
        }
        CallResult::NotMade(why) | CallResult::Unknown(why) => why.as_str(),
        CallResult::Http(_) | CallResult::Mailed => "not a result of work",
    };
    let oldest = tx.query_one(&OLDEST_DUE, args![])?.map(|row| Heard(row.int(0)));
    if oldest.is_some_and(|due| due.plus_ms(LATE_MS) <= cx.heard) {
        let message = format!(
            "Texts of messages that are done cannot be brought to the blobs; they stay in the store, and it is tried again and again: {why}"
        );
        cx.fx.open_alert(ALERT, ALERT, message);
    }
    turn::seize(tx, cx, &id, AGAIN_MS)?;
    Ok(Plan::Done)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exc_8_a_pack_takes_as_many_as_fit_and_one_at_least() {
        let sizes = [(1, 30), (2, 30), (3, 50), (4, 1)];
        assert_eq!(within(&sizes, 1_000), [1, 2, 3, 4]);
        assert_eq!(within(&sizes, 60), [1, 2]);
        assert_eq!(within(&sizes, 5), [1], "though it is too large");
        assert!(within(&[], 5).is_empty());
    }
}
