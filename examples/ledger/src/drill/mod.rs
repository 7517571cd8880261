//! A second service, for the kill harness: tasks that leave countable marks.
//!
//! Each cycle of a task writes a mark and tells of it in the change feed. Nothing keeps a second mark of the same cycle out, so
//! that one which happened twice shows. Deliberately not part of the tutorial: an own service has keys where it needs them.

mod call_and_mark;
mod inscribe;
mod mark;

use base::{Migration, OpResult, Sql, Tx, args};
use kernel::{Event, OpCx, ServiceDef, TaskRow};
use serde_json::json;

pub use call_and_mark::CallAndMark;
pub use inscribe::{INSCRIBE, Inscribe, TASKS_MAX};
pub use mark::Mark;

/// The topic of the marks' events.
pub const TOPIC: &str = "drill.mark";

/// The service.
pub static DRILL: ServiceDef = ServiceDef {
    name: "drill",
    migrations: &[Migration { service: "drill", version: 1, text: include_str!("../../migrations/drill_0001.sql") }],
    statements: &[&INSERT],
    operations: &[&INSCRIBE],
    tasks: &[mark::TASK, call_and_mark::TASK],
    ..ServiceDef::EMPTY
};

static INSERT: Sql = Sql::new(
    "drill_mark.insert",
    "INSERT INTO drill_mark (id, name, cycle, task, attempt) VALUES (?1, ?2, ?3, ?4, ?5)",
);

/// Leaves the mark of a cycle, and tells of it.
fn leave_mark(tx: &mut dyn Tx, cx: &mut OpCx<'_>, task: &TaskRow, name: &str, cycle: u32) -> OpResult<()> {
    let (id, version) = (cx.id(), cx.stamp());
    tx.write(&INSERT, args![id, name, cycle, task.id, task.attempt])?;
    let data = json!({ "cycle": cycle }).to_string();
    cx.fx.event(Event { topic: TOPIC.into(), subject: name.into(), version, data });
    Ok(())
}

/// A task's parameter or checkpoint, which this service wrote itself.
fn read<T: serde::de::DeserializeOwned>(text: &str) -> OpResult<T> {
    serde_json::from_str(text).map_err(|error| base::OpError::new(base::codes::ABODY, format!("`{text}`: {error}")))
}
