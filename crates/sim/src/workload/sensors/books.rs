//! Who is registered: small operations of our own, so that clients have names and secrets that the receivers know.

use base::{Heard, OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use sensors::{Ear, SensorId};

use crate::receivers::{HOST, Receivers};

/// Changes what is registered. May be repeated.
pub(super) static CHANGE: Op<Change, ()> = Op::new("sim.sensor_books", change);

/// What changes.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// A sensor is registered, with milliseconds of silence.
    Sensor(SensorId, i64),
    /// A client is there.
    Client(String),
    /// It has another address.
    Address(String, u64),
    /// It is told, or not.
    Told(String, bool),
    /// From so many lost at once on it is told of them together.
    Group(String, i64),
    /// It is no more.
    Gone(String),
    /// It has a sensor.
    Link(String, SensorId),
    /// It has it no more.
    Unlink(String, SensorId),
}

static EAR: Sql = Sql::new("sim.sensor_ear", "SELECT deaf_ms, level_at FROM sensor_ear WHERE one = 1");
static PUT_SENSOR: Sql = Sql::new(
    "sim.sensor_put",
    "INSERT INTO sensor (id, address, silence_ms, registered_at, recent, lost_at) VALUES (?1, 'somewhere', ?2, ?3, ?4, ?5) \
     ON CONFLICT (id) DO NOTHING",
);
static PUT_CLIENT: Sql = Sql::new(
    "sim.sensor_client_put",
    "INSERT INTO sensor_client (id, name, url, secret, state, reason, seq, group_lost, created_at) \
     VALUES (?1, ?1, ?2, ?3, 'active', '', 0, 0, ?4) ON CONFLICT (name) DO NOTHING",
);
static ADDRESS: Sql = Sql::new("sim.sensor_client_url", "UPDATE sensor_client SET url = ?2 WHERE id = ?1");
static TOLD: Sql =
    Sql::new("sim.sensor_client_state", "UPDATE sensor_client SET state = ?2, reason = '' WHERE id = ?1");
static GROUP: Sql = Sql::new("sim.sensor_client_group", "UPDATE sensor_client SET group_lost = ?2 WHERE id = ?1");
static GONE: Sql = Sql::new("sim.sensor_client_gone", "DELETE FROM sensor_client WHERE id = ?1");
static NO_LINKS: Sql = Sql::new("sim.sensor_no_links", "DELETE FROM sensor_link WHERE client_id = ?1");
static LINK: Sql = Sql::new(
    "sim.sensor_link",
    "INSERT INTO sensor_link (sensor_id, client_id, linked_at) SELECT ?1, id, ?3 FROM sensor_client WHERE id = ?2 \
     ON CONFLICT (sensor_id, client_id) DO NOTHING",
);
static UNLINK: Sql = Sql::new("sim.sensor_unlink", "DELETE FROM sensor_link WHERE sensor_id = ?1 AND client_id = ?2");

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Change) -> OpResult<()> {
    match input {
        Change::Sensor(id, silence_ms) => {
            let ear = tx.query_one(&EAR, args![])?;
            let ear = ear.map(|row| Ear { deaf_ms: row.int(0), level_at: row.opt_int(1).map(Heard) });
            let lost_at = ear.unwrap_or_default().at(cx.heard).plus_ms(silence_ms + silence_ms / 60);
            let none: &[u8] = &[];
            tx.write(&PUT_SENSOR, args![id.as_str(), *silence_ms, cx.wall, none, lost_at])?;
        }
        Change::Client(name) => {
            let (url, secret) = (format!("{HOST}{name}/0"), Receivers::secret(name));
            tx.write(&PUT_CLIENT, args![name, &url, secret.as_slice(), cx.wall])?;
        }
        Change::Address(name, number) => tx.write(&ADDRESS, args![name, format!("{HOST}{name}/{number}")])?,
        Change::Told(name, told) => tx.write(&TOLD, args![name, if *told { "active" } else { "disabled" }])?,
        Change::Group(name, from) => tx.write(&GROUP, args![name, *from])?,
        Change::Gone(name) => {
            tx.write(&GONE, args![name])?;
            tx.write(&NO_LINKS, args![name])?;
        }
        Change::Link(name, sensor) => tx.write(&LINK, args![sensor.as_str(), name, cx.wall])?,
        Change::Unlink(name, sensor) => tx.write(&UNLINK, args![sensor.as_str(), name])?,
    }
    Ok(())
}
