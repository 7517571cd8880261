//! Alerts: conditions with a key that a person should know of (KER-27).

use base::{Migration, OpResult, Sql, Tx, args};

use crate::cx::OpCx;
use crate::effects::Alert;
use crate::service::ServiceDef;

/// Alerts.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "alerts",
    migrations: &[Migration { service: "alerts", version: 1, text: include_str!("../../migrations/alerts_0001.sql") }],
    statements: &[&OPEN, &CLOSE],
    ..ServiceDef::EMPTY
};

static OPEN: Sql = Sql::new(
    "alert.open",
    "INSERT INTO alert (key, kind, message, opened_at) VALUES (?1, ?2, ?3, ?4) \
     ON CONFLICT (key) DO UPDATE SET kind = ?2, message = ?3, opened_at = ?4, closed_at = NULL \
     WHERE alert.closed_at IS NOT NULL",
);
static CLOSE: Sql = Sql::new("alert.close", "UPDATE alert SET closed_at = ?2 WHERE key = ?1 AND closed_at IS NULL");

/// Opens or closes an alert in the operation's own transaction.
pub(crate) fn write(tx: &mut dyn Tx, cx: &OpCx<'_>, alert: &Alert) -> OpResult<()> {
    match alert {
        Alert::Open { key, kind, message } => tx.write(&OPEN, args![key, kind, message, cx.wall])?,
        Alert::Close { key } => tx.write(&CLOSE, args![key, cx.wall])?,
    }
    Ok(())
}
