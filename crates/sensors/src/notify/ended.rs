//! How a notification ends.

use base::{OpResult, Sql, Tx, args};
use kernel::OpCx;

use super::{Told, wake_next};

pub(crate) static END_EVENT: Sql = Sql::new(
    "sensor_event.end",
    "UPDATE sensor_event SET state = ?3, ended_at = ?4, ended = ?5 WHERE client_id = ?1 AND seq = ?2 AND state = 'waiting'",
);
pub(crate) static END_ATTEMPT: Sql = Sql::new(
    "sensor_attempt.end",
    "UPDATE sensor_attempt SET status = ?4, latency_ms = ?5, error = ?6 WHERE client_id = ?1 AND seq = ?2 AND number = ?3",
);
pub(crate) static DROP_NOTICE: Sql =
    Sql::new("sensor_notice.drop", "DELETE FROM sensor_notice WHERE sensor_id = ?1 AND client_id = ?2 AND kind = ?3");
pub(crate) static SET_STATE: Sql =
    Sql::new("sensor_client.set_state", "UPDATE sensor_client SET state = ?2, reason = ?3 WHERE id = ?1");
pub(crate) static FAILING: Sql = Sql::new(
    "sensor_client.failing",
    "UPDATE sensor_client SET state = 'failing', reason = ?2 WHERE id = ?1 AND state = 'active'",
);
/// One that was disabled meanwhile stays so, with the reason: what it still answers was asked before.
pub(crate) static RECOVERED: Sql = Sql::new(
    "sensor_client.recovered",
    "UPDATE sensor_client SET state = 'active', reason = '', unheard_since = NULL \
     WHERE id = ?1 AND state <> 'disabled' AND (state = 'failing' OR unheard_since IS NOT NULL)",
);

pub(crate) static UNHEARD: Sql = Sql::new(
    "sensor_client.unheard",
    "UPDATE sensor_client SET unheard_since = COALESCE(unheard_since, ?2) WHERE id = ?1 RETURNING unheard_since",
);

/// Its event ends like this, and nothing of its kind is left to be told.
pub(super) fn end(tx: &mut dyn Tx, cx: &mut OpCx<'_>, told: &Told, seq: i64, how: &str) -> OpResult<()> {
    tx.write(&END_EVENT, args![&told.client, seq, how, cx.wall, cx.heard])?;
    tx.write(&DROP_NOTICE, args![&told.sensor, &told.client, told.kind.word()])?;
    wake_next(tx, cx, told, seq)
}

/// The alert of a client that cannot be told.
#[must_use]
pub(crate) fn alert_key(client: &str) -> String {
    format!("sensor-client/{client}")
}
