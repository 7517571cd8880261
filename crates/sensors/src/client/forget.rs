//! The task that takes away what a removed client leaves: links, then events with their attempts, a portion at a time.
//!
//! An event that is just being sent belongs to its call: what that settles finds no client and ends there.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::{OpCx, Plan, TaskDef, TaskRow};

/// Takes away what a removed client leaves.
pub(crate) const FORGET_CLIENT: TaskDef = TaskDef::new("sensor.forget_client", forget).queue(2).ending();

/// Rows of one portion.
const PORTION: usize = 500;

pub(super) static LINKS: Sql = Sql::new(
    "sensor_link.portion_of_client",
    "SELECT sensor_id FROM sensor_link WHERE client_id = ?1 ORDER BY sensor_id LIMIT ?2",
);
pub(super) static UNLINK: Sql =
    Sql::new("sensor_link.delete_portion", "DELETE FROM sensor_link WHERE client_id = ?1 AND sensor_id <= ?2");
pub(super) static EVENTS: Sql = Sql::new(
    "sensor_event.portion_of_client",
    "SELECT seq FROM sensor_event WHERE client_id = ?1 ORDER BY seq LIMIT ?2",
);
pub(super) static DROP_EVENTS: Sql =
    Sql::new("sensor_event.delete_portion", "DELETE FROM sensor_event WHERE client_id = ?1 AND seq <= ?2");
pub(super) static DROP_ATTEMPTS: Sql =
    Sql::new("sensor_attempt.delete_portion", "DELETE FROM sensor_attempt WHERE client_id = ?1 AND seq <= ?2");

fn forget(tx: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow) -> OpResult<Plan> {
    let wrong = |error| OpError::new(codes::ATASK, format!("param of {} is the id of a client: {error}", task.op));
    let id: String = serde_json::from_str(&task.param).map_err(wrong)?;
    let more = forget_links(tx, &id)? || forget_events(tx, &id)?;
    Ok(if more { Plan::Checkpoint("null".into()) } else { Plan::Done })
}

/// Forgets a portion of links; `true` if there was one.
fn forget_links(tx: &mut dyn Tx, id: &str) -> OpResult<bool> {
    let limit = i64::try_from(PORTION).unwrap_or(i64::MAX);
    let links = tx.query(&LINKS, args![id, limit], PORTION)?;
    let Some(last) = links.last() else { return Ok(false) };
    tx.write(&UNLINK, args![id, last.text(0)])?;
    Ok(true)
}

/// Forgets a portion of events with their attempts, of which there are ten at most for each; `true` if there was one.
fn forget_events(tx: &mut dyn Tx, id: &str) -> OpResult<bool> {
    let portion = PORTION / 4;
    let events = tx.query(&EVENTS, args![id, i64::try_from(portion).unwrap_or(i64::MAX)], portion)?;
    let Some(last) = events.last() else { return Ok(false) };
    tx.write(&DROP_ATTEMPTS, args![id, last.int(0)])?;
    tx.write(&DROP_EVENTS, args![id, last.int(0)])?;
    Ok(true)
}
