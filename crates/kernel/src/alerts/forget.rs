//! Forgets closed alerts and messages that are out, when they are old.

use base::{OpResult, Sql, Tx, args};

use super::{AlertSettings, SETTING};
use crate::cx::OpCx;
use crate::service::{Plan, TaskRow};
use crate::watch::retention::{PORTION, portion};
use crate::watch::setting;

/// Messages of one portion: each may have a hundred tries.
const MESSAGES_MAX: u32 = 40;

pub(crate) static ALERTS: Sql = Sql::new(
    "alert.forget",
    "DELETE FROM alert WHERE id IN (SELECT id FROM alert WHERE closed_at IS NOT NULL AND closing_message IS NOT NULL \
     AND heard < ?1 ORDER BY heard, id LIMIT ?2)",
);
pub(crate) static ATTEMPTS: Sql = Sql::new(
    "alert_attempt.forget",
    "DELETE FROM alert_attempt WHERE message_id IN (SELECT id FROM alert_message WHERE done_at IS NOT NULL \
     AND heard < ?1 ORDER BY id LIMIT ?2)",
);
pub(crate) static MESSAGES: Sql = Sql::new(
    "alert_message.forget",
    "DELETE FROM alert_message WHERE id IN (SELECT id FROM alert_message WHERE done_at IS NOT NULL \
     AND heard < ?1 ORDER BY id LIMIT ?2)",
);

/// A portion of each; again at once while there is more.
pub(crate) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let settings: AlertSettings = setting::get(tx, SETTING)?;
    let before = cx.heard.plus_ms(-settings.kept_ms);
    tx.execute(&ATTEMPTS, args![before, MESSAGES_MAX])?;
    let messages = tx.execute(&MESSAGES, args![before, MESSAGES_MAX])?;
    let alerts = portion(tx, &ALERTS, before)?;
    let more = messages >= u64::from(MESSAGES_MAX) || alerts >= u64::from(PORTION);
    Ok(if more { Plan::Checkpoint("{}".into()) } else { Plan::Done })
}
