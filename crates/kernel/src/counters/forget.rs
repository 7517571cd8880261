//! Forgets counters that were not raised for long.

use base::{OpResult, Sql, Tx};

use super::SETTING;
use crate::cx::OpCx;
use crate::service::{Plan, TaskRow};
use crate::watch::retention::{go_on, old_before, portion};

pub(crate) static DELETE: Sql = Sql::new(
    "counter.forget",
    "DELETE FROM counter WHERE (kind, name, node) IN \
     (SELECT kind, name, node FROM counter WHERE heard < ?1 ORDER BY heard, kind, name, node LIMIT ?2)",
);

/// A portion; again at once while it was full.
pub(crate) fn plan(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &TaskRow) -> OpResult<Plan> {
    let before = old_before(tx, cx, SETTING)?;
    Ok(go_on(portion(tx, &DELETE, before)?))
}
