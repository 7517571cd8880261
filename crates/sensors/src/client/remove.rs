//! Removes a client. It is told nothing any more from then on; its links, events and attempts are many, and go in portions.

use base::{OpResult, Sql, Tx, args};
use kernel::{NewTask, Op, OpCx};

use super::{FORGET_CLIENT, absent, keys};
use crate::notify::alert_key;
use crate::replay;

/// Removes a client.
pub static REMOVE_CLIENT: Op<String, ()> = Op::new("sensor.client_remove", remove).keyed(|id| keys(id));

pub(super) static DELETE: Sql = Sql::new("sensor_client.delete", "DELETE FROM sensor_client WHERE id = ?1");

fn remove(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<()> {
    if tx.execute(&DELETE, args![id])? == 0 {
        return Err(absent(id));
    }
    replay::forget(tx, id)?;
    let param = serde_json::json!(id).to_string();
    let task = NewTask::new(cx.id(), FORGET_CLIENT.op).param(param).info(format!("client {id}"));
    cx.fx.task(task);
    cx.fx.close_alert(alert_key(id));
    cx.fx.journal("sensor.client_removed", id, "removed with its links and its events");
    Ok(())
}
