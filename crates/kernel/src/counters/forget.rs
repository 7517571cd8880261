//! Forgets counters that were not raised for long, and old minutes.

use base::{OpResult, Sql, Tx};

use super::{MINUTES_SETTING, SETTING};
use crate::cx::OpCx;
use crate::service::{Plan, TaskRow};
use crate::watch::retention::{go_on, old_before, portion};

pub(crate) static DELETE: Sql = Sql::new(
    "counter.forget",
    "DELETE FROM counter WHERE (kind, name, node) IN \
     (SELECT kind, name, node FROM counter WHERE heard < ?1 ORDER BY heard, kind, name, node LIMIT ?2)",
);

pub(crate) static DELETE_MINUTES: Sql = Sql::new(
    "counter_minute.forget",
    "DELETE FROM counter_minute WHERE (kind, minute, node) IN \
     (SELECT kind, minute, node FROM counter_minute WHERE heard < ?1 ORDER BY heard, kind, minute, node LIMIT ?2)",
);

/// A portion of both; again at once while one of them was full.
pub(crate) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let before = old_before(tx, cx, SETTING)?;
    let counters = portion(tx, &DELETE, before)?;
    let before = old_before(tx, cx, MINUTES_SETTING)?;
    Ok(go_on(portion(tx, &DELETE_MINUTES, before)?.max(counters)))
}
