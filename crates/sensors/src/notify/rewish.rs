//! Nothing stays stuck: what is still to be told though its time has long passed, because somebody deleted its task, gets a new one.

use base::{Heard, OpResult, Sql, StoreResult, Tx, Wall, args};
use kernel::{OpCx, Plan, Stuck, TaskDef, TaskRow};

use super::Told;
use crate::telling::{Kind, wish};

/// Looks for notices that nobody looks at.
pub(crate) const REWISH: TaskDef = TaskDef::new("sensor.rewish", rewish).queue(2).standing("H19");

/// Overdue by so much, somebody should have looked.
const OVERDUE_MS: i64 = 600_000;
/// So many at once.
const PORTION: usize = 200;

pub(crate) static OVERDUE: Sql = Sql::new(
    "sensor_notice.overdue",
    "SELECT sensor_id, client_id, kind, next_at FROM sensor_notice WHERE next_at < ?1 ORDER BY next_at, sensor_id LIMIT ?2",
);

/// Where one waits already, the wish comes to nothing.
fn rewish(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let overdue = overdue(tx, cx.heard, PORTION)?;
    overdue.iter().for_each(|(told, _)| wish(cx, told));
    Ok(Plan::Done)
}

/// For whoever asks what does not go on (KER-40).
pub(crate) fn stuck(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let heard = tx.heard();
    let found = overdue(tx, heard, 100)?;
    let stuck = |(told, next_at): (Told, Heard)| Stuck {
        subject: told.key(),
        reason: "a notification is overdue".into(),
        overdue_ms: heard.0 - next_at.0,
    };
    Ok(found.into_iter().map(stuck).collect())
}

fn overdue(tx: &mut dyn Tx, heard: Heard, many: usize) -> StoreResult<Vec<(Told, Heard)>> {
    let limit = i64::try_from(many).unwrap_or(i64::MAX);
    let rows = tx.query(&OVERDUE, args![heard.plus_ms(-OVERDUE_MS), limit], many)?;
    let kind = |word: &str| [Kind::State, Kind::Contact, Kind::Group].into_iter().find(|kind| kind.word() == word);
    let told = |row: &base::Row| {
        let (sensor, client) = (row.text(0).to_owned(), row.text(1).to_owned());
        Some((Told { sensor, client, kind: kind(row.text(2))? }, Heard(row.int(3))))
    };
    Ok(rows.iter().filter_map(told).collect())
}
