//! Lets go of what is older than `sensors.history_kept` says (SEN-11): history, events that ended with their attempts, unknown sensors,
//! rejected signals, imports. One kind after the other, a portion at a time.
//!
//! It does not run by itself yet: by the calendar alone, one that is a year ahead would take what is young.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

use crate::judging::fewer_unknown;
use crate::rules::Rules;

/// Lets go of what is old.
pub(crate) const FORGET: TaskDef = TaskDef::new("sensor.forget", forget).queue(2).ending();

/// Rows of one portion.
const PORTION: usize = 300;
/// Imports of one portion, with up to a hundred lines each.
const IMPORTS: usize = 20;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &OLD_HISTORY,
    &DROP_HISTORY,
    &OLD_EVENTS,
    &DROP_EVENT,
    &DROP_TRIES,
    &OLD_UNKNOWN,
    &DROP_UNKNOWN,
    &OLD_REJECTED,
    &DROP_REJECTED,
    &OLD_IMPORTS,
    &DROP_IMPORT,
    &DROP_LINES,
];

static OLD_HISTORY: Sql =
    Sql::new("sensor_history.old", "SELECT id FROM sensor_history WHERE taken_at < ?1 ORDER BY taken_at, id LIMIT ?2");
static DROP_HISTORY: Sql = Sql::new("sensor_history.drop", "DELETE FROM sensor_history WHERE id = ?1");
static OLD_EVENTS: Sql = Sql::new(
    "sensor_event.old",
    "SELECT client_id, seq FROM sensor_event WHERE ended_at < ?1 ORDER BY ended_at, client_id, seq LIMIT ?2",
);
static DROP_EVENT: Sql = Sql::new("sensor_event.drop", "DELETE FROM sensor_event WHERE client_id = ?1 AND seq = ?2");
static DROP_TRIES: Sql =
    Sql::new("sensor_attempt.drop", "DELETE FROM sensor_attempt WHERE client_id = ?1 AND seq = ?2");
static OLD_UNKNOWN: Sql =
    Sql::new("sensor_unknown.old", "SELECT id FROM sensor_unknown WHERE last_at < ?1 ORDER BY last_at, id LIMIT ?2");
static DROP_UNKNOWN: Sql = Sql::new("sensor_unknown.drop", "DELETE FROM sensor_unknown WHERE id = ?1");
static OLD_REJECTED: Sql =
    Sql::new("sensor_rejected.old", "SELECT slot FROM sensor_rejected WHERE at < ?1 ORDER BY number LIMIT ?2");
static DROP_REJECTED: Sql = Sql::new("sensor_rejected.drop", "DELETE FROM sensor_rejected WHERE slot = ?1");
static OLD_IMPORTS: Sql =
    Sql::new("sensor_import.old", "SELECT id FROM sensor_import WHERE ended_at < ?1 ORDER BY id LIMIT ?2");
static DROP_IMPORT: Sql = Sql::new("sensor_import.drop", "DELETE FROM sensor_import WHERE id = ?1");
static DROP_LINES: Sql = Sql::new("sensor_import_line.drop", "DELETE FROM sensor_import_line WHERE import_id = ?1");

/// Lets go of a portion of what is older; tells whether there may be more.
type Forget = fn(&mut dyn Tx, Wall) -> OpResult<bool>;

/// What each kind of rows is let go by; one kind in a cycle, so that none is more than one operation may write.
const KINDS: [Forget; 5] = [forget_history, forget_events, forget_unknown, forget_rejected, forget_imports];

/// The checkpoint is the place of the kind that is next.
fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let before = cx.wall.plus_ms(-cx.home.common::<Rules>().history_ms());
    let place: usize = task.checkpoint.as_deref().and_then(|text| text.parse().ok()).unwrap_or(0);
    let Some(kind) = KINDS.get(place) else { return Ok(Plan::Done) };
    let next = if kind(tx, before)? { place } else { place + 1 };
    Ok(Plan::Checkpoint(next.to_string()))
}

/// A portion of what is old.
fn old(tx: &mut dyn Tx, sql: &'static Sql, before: Wall, portion: usize) -> OpResult<Vec<Row>> {
    Ok(tx.query(sql, args![before, i64::try_from(portion).unwrap_or(i64::MAX)], portion)?)
}

/// Each of these tells whether there may be more.
fn forget_history(tx: &mut dyn Tx, before: Wall) -> OpResult<bool> {
    let rows = old(tx, &OLD_HISTORY, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_HISTORY, args![row.text(0)])?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_events(tx: &mut dyn Tx, before: Wall) -> OpResult<bool> {
    let rows = old(tx, &OLD_EVENTS, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_TRIES, args![row.text(0), row.int(1)])?;
        tx.write(&DROP_EVENT, args![row.text(0), row.int(1)])?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_unknown(tx: &mut dyn Tx, before: Wall) -> OpResult<bool> {
    let rows = old(tx, &OLD_UNKNOWN, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_UNKNOWN, args![row.text(0)])?;
    }
    if !rows.is_empty() {
        fewer_unknown(tx, i64::try_from(rows.len()).unwrap_or(0))?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_rejected(tx: &mut dyn Tx, before: Wall) -> OpResult<bool> {
    let rows = old(tx, &OLD_REJECTED, before, PORTION)?;
    for row in &rows {
        tx.write(&DROP_REJECTED, args![row.int(0)])?;
    }
    Ok(rows.len() == PORTION)
}

fn forget_imports(tx: &mut dyn Tx, before: Wall) -> OpResult<bool> {
    let rows = old(tx, &OLD_IMPORTS, before, IMPORTS)?;
    for row in &rows {
        tx.write(&DROP_LINES, args![row.text(0)])?;
        tx.write(&DROP_IMPORT, args![row.text(0)])?;
    }
    Ok(rows.len() == IMPORTS)
}
