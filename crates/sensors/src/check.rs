//! What must hold in every committed state.

use base::{Sql, StoreResult, Tx, args};
use kernel::{Invariant, Violation};

pub(crate) static NOT_WAITING: Sql = Sql::new(
    "sensor.check_not_waiting",
    "SELECT n.sensor_id, n.client_id FROM sensor_notice n JOIN sensor_client c ON c.id = n.client_id \
     LEFT JOIN sensor_event e ON e.client_id = n.client_id AND e.seq = n.seq \
     WHERE e.seq IS NULL OR e.state <> 'waiting' ORDER BY n.sensor_id, n.client_id LIMIT 10",
);
pub(crate) static NO_NOTICE: Sql = Sql::new(
    "sensor.check_no_notice",
    "SELECT e.sensor_id, e.client_id FROM sensor_event e JOIN sensor_client c ON c.id = e.client_id \
     WHERE e.state = 'waiting' AND e.kind <> 'group' AND NOT EXISTS (SELECT 1 FROM sensor_notice n \
     WHERE n.sensor_id = e.sensor_id AND n.client_id = e.client_id AND n.kind = e.kind AND (n.seq = e.seq OR n.sending = e.seq)) \
     ORDER BY e.client_id, e.seq LIMIT 10",
);
pub(crate) static NO_TASK: Sql = Sql::new(
    "sensor.check_no_task",
    "SELECT n.sensor_id, n.client_id FROM sensor_notice n WHERE NOT EXISTS (SELECT 1 FROM task t \
     WHERE t.op = 'sensor.notify' AND t.unique_key = n.sensor_id || '/' || n.client_id || '/' || n.kind) \
     ORDER BY n.sensor_id, n.client_id LIMIT 10",
);
pub(crate) static CHANGES: Sql = Sql::new(
    "sensor.check_changes",
    "SELECT s.id, s.id FROM sensor s WHERE (s.data IS NULL) <> (s.changes = 0) OR (s.data IS NOT NULL AND s.seen IS NULL) \
     ORDER BY s.id LIMIT 10",
);

/// All of them.
pub(crate) const INVARIANTS: [Invariant; 4] = [
    Invariant { name: "what is still to be told is an event that waits", check: |tx| found(tx, &NOT_WAITING) },
    Invariant { name: "an event that waits is still to be told", check: |tx| found(tx, &NO_NOTICE) },
    Invariant { name: "what is still to be told has a task that will look at it", check: |tx| found(tx, &NO_TASK) },
    Invariant { name: "a sensor has data once it changed, and was seen then", check: |tx| found(tx, &CHANGES) },
];

fn found(tx: &mut dyn Tx, sql: &'static Sql) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(sql, args![], 10)?;
    Ok(rows.iter().map(|row| Violation(format!("sensor {} client {}", row.text(0), row.text(1)))).collect())
}
