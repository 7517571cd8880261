//! Lets go of what is older than `sensors.history_kept` says (SEN-11): history, events that ended with their tries, imports. One kind
//! after the other, a portion at a time. Unknown sensors and rejected signals are so many at most, and need no age.
//!
//! Age is listening time of the store: a calendar that jumps ahead takes nothing that is young. What is still to be moved to an
//! archive stays until it was.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Row, Sql, Tx, args};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use crate::history::Archives;
use crate::rules::Rules;

/// Lets go of what is old.
pub(crate) const FORGET: TaskDef = TaskDef::new("sensor.forget", forget).queue(2).standing("D0427").ending();

/// Rows of one portion.
const PORTION: usize = 300;
/// Imports of one portion, with up to a hundred lines each.
const IMPORTS: usize = 20;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &OLD_HISTORY,
    &DROP_HISTORY,
    &OLD_EVENTS,
    &OLD_MOVED,
    &DROP_EVENT,
    &DROP_TRIES,
    &OLD_IMPORTS,
    &DROP_IMPORT,
    &DROP_LINES,
];

static OLD_HISTORY: Sql =
    Sql::new("sensor_history.old", "SELECT id FROM sensor_history WHERE heard < ?1 ORDER BY heard, id LIMIT ?2");
static DROP_HISTORY: Sql = Sql::new("sensor_history.drop", "DELETE FROM sensor_history WHERE id = ?1");
static OLD_EVENTS: Sql = Sql::new(
    "sensor_event.old",
    "SELECT client_id, seq FROM sensor_event WHERE ended < ?1 ORDER BY ended, client_id, seq LIMIT ?2",
);
/// Those whose tries were moved to the archive.
static OLD_MOVED: Sql = Sql::new(
    "sensor_event.old_and_moved",
    "SELECT client_id, seq FROM sensor_event e WHERE ended < ?1 AND NOT EXISTS (SELECT 1 FROM sensor_attempt a \
     WHERE a.client_id = e.client_id AND a.seq = e.seq) ORDER BY ended, client_id, seq LIMIT ?2",
);
static DROP_EVENT: Sql = Sql::new("sensor_event.drop", "DELETE FROM sensor_event WHERE client_id = ?1 AND seq = ?2");
static DROP_TRIES: Sql =
    Sql::new("sensor_attempt.forget", "DELETE FROM sensor_attempt WHERE client_id = ?1 AND seq = ?2");
static OLD_IMPORTS: Sql =
    Sql::new("sensor_import.old", "SELECT id FROM sensor_import WHERE ended < ?1 ORDER BY id LIMIT ?2");
static DROP_IMPORT: Sql = Sql::new("sensor_import.drop", "DELETE FROM sensor_import WHERE id = ?1");
static DROP_LINES: Sql = Sql::new("sensor_import_line.drop", "DELETE FROM sensor_import_line WHERE import_id = ?1");

/// Lets go of a portion of what is older; tells whether there may be more.
type Forget = fn(&mut dyn Tx, &OpCx<'_>, Heard) -> OpResult<bool>;

/// What each kind of rows is let go by; one kind in a cycle, so that none is more than one operation may write.
const KINDS: [Forget; 3] = [forget_history, forget_events, forget_imports];

/// The checkpoint is the place of the kind that is next.
fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let now = if mutants::on(Mutant::SensorAgeIsWall) { Heard(cx.wall.0) } else { cx.heard };
    let before = now.plus_ms(-cx.home.common::<Rules>().history_ms());
    let place: usize = task.checkpoint.as_deref().and_then(|text| text.parse().ok()).unwrap_or(0);
    let Some(kind) = KINDS.get(place) else { return Ok(Plan::Done) };
    let next = if kind(tx, cx, before)? { place } else { place + 1 };
    Ok(Plan::Checkpoint(next.to_string()))
}

/// A portion of what is old.
fn old(tx: &mut dyn Tx, sql: &'static Sql, before: Heard, portion: usize) -> OpResult<Vec<Row>> {
    Ok(tx.query(sql, args![before, i64::try_from(portion).unwrap_or(i64::MAX)], portion)?)
}

fn has_archive(cx: &OpCx<'_>) -> bool {
    cx.home.common::<Archives>().get().is_some()
}

/// With an archive every row here waits to be moved there.
fn forget_history(tx: &mut dyn Tx, cx: &OpCx<'_>, before: Heard) -> OpResult<bool> {
    if has_archive(cx) {
        return Ok(false);
    }
    let rows = old(tx, &OLD_HISTORY, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_HISTORY, args![row.text(0)])?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_events(tx: &mut dyn Tx, cx: &OpCx<'_>, before: Heard) -> OpResult<bool> {
    let sql = if has_archive(cx) { &OLD_MOVED } else { &OLD_EVENTS };
    let rows = old(tx, sql, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_TRIES, args![row.text(0), row.int(1)])?;
        tx.write(&DROP_EVENT, args![row.text(0), row.int(1)])?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_imports(tx: &mut dyn Tx, _: &OpCx<'_>, before: Heard) -> OpResult<bool> {
    let rows = old(tx, &OLD_IMPORTS, before, IMPORTS)?;
    for row in &rows {
        tx.write(&DROP_LINES, args![row.text(0)])?;
        tx.write(&DROP_IMPORT, args![row.text(0)])?;
    }
    Ok(rows.len() == IMPORTS)
}
