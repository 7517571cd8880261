//! Removes a sensor with its links. What was still to be told of it ends as unlinked; its history stays its time.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};

use super::put::keys;
use crate::desk;
use crate::id::SensorId;
use crate::limits::CLIENTS_PER_SENSOR_MAX;
use crate::telling::unlink_notices;

/// Removes a sensor.
pub static REMOVE_SENSOR: Op<SensorId, ()> = Op::new("sensor.remove", remove).keyed(|id| keys(*id));

pub(super) static DELETE: Sql = Sql::new("sensor.delete", "DELETE FROM sensor WHERE id = ?1");
pub(super) static UNLINK: Sql =
    Sql::new("sensor_link.delete_of_sensor", "DELETE FROM sensor_link WHERE sensor_id = ?1");

pub(super) static CLIENTS: Sql = Sql::new(
    "sensor_link.clients_of_sensor",
    "SELECT client_id FROM sensor_link WHERE sensor_id = ?1 ORDER BY client_id",
);

fn remove(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &SensorId) -> OpResult<()> {
    if tx.execute(&DELETE, args![id.as_str()])? == 0 {
        return Err(super::absent(*id));
    }
    for row in &tx.query(&CLIENTS, args![id.as_str()], CLIENTS_PER_SENSOR_MAX)? {
        unlink_notices(tx, cx, id.as_str(), row.text(0))?;
    }
    tx.write(&UNLINK, args![id.as_str()])?;
    desk::forget_when_settled(cx, *id);
    cx.fx.journal("sensor.removed", id.as_str(), "removed with its links");
    Ok(())
}
