//! Who is registered: the service's own operations, but for clients, so that they have ids and secrets that the receivers know.

use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx};
use sensors::{
    CHANGE_CLIENT, ChangeClient, LINK, Link, PUT_SENSOR, PutSensor, REMOVE_CLIENT, REMOVE_SENSOR, ROTATE_CLIENT,
    SensorId, UNLINK, WantedState,
};

use crate::receivers::Receivers;

/// Changes what is registered, and tells the new secret if there is one. May be repeated.
pub(super) static CHANGE: Op<Change, Option<Vec<u8>>> = Op::new("sim.sensor_books", change);

/// What changes.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// A sensor is registered, with milliseconds of silence.
    Sensor(SensorId, i64),
    /// One that is registered is lost after so many milliseconds of silence from now on.
    Silence(SensorId, i64),
    /// It is registered no more.
    Remove(SensorId),
    /// A client is there.
    Client(String),
    /// It has another address.
    Address(String, u64),
    /// It is told, or not.
    Told(String, bool),
    /// From so many lost at once on it is told of them together.
    Group(String, i64),
    /// It has another secret.
    Rotate(String),
    /// It is no more.
    Gone(String),
    /// It has a sensor.
    Link(String, SensorId),
    /// It has it no more.
    Unlink(String, SensorId),
}

static PUT_CLIENT: Sql = Sql::new(
    "sim.sensor_client_put",
    "INSERT INTO sensor_client (id, name, url, secret, state, reason, seq, group_lost, created_at) \
     VALUES (?1, ?1, ?2, ?3, 'active', '', 0, 0, ?4) ON CONFLICT (name) DO NOTHING",
);
static SECRET: Sql = Sql::new("sim.sensor_secret", "SELECT secret FROM sensor_client WHERE id = ?1");

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Change) -> OpResult<Option<Vec<u8>>> {
    match done(tx, cx, input) {
        // Somebody removed the client or the sensor.
        Err(error) if [sensors::codes::NCLIENT, sensors::codes::NSENSOR].contains(&error.code) => Ok(None),
        Err(error) => Err(error),
        Ok(()) => match input {
            Change::Rotate(name) => Ok(tx.query_one(&SECRET, args![name])?.map(|row| row.blob(0).to_vec())),
            _ => Ok(None),
        },
    }
}

fn done(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Change) -> OpResult<()> {
    let link = |client: &String, sensor: &SensorId| Link { client: client.clone(), sensor: *sensor };
    match input {
        Change::Sensor(id, silence_ms) | Change::Silence(id, silence_ms) => {
            let silence_s = u32::try_from(silence_ms / 1_000).ok();
            let sensor = PutSensor { id: *id, address: "somewhere".into(), silence_s };
            (PUT_SENSOR.run)(tx, cx, &sensor).map(drop)
        }
        Change::Remove(id) => (REMOVE_SENSOR.run)(tx, cx, id),
        Change::Rotate(name) => (ROTATE_CLIENT.run)(tx, cx, name).map(drop),
        Change::Client(name) => {
            let (url, secret) = (Receivers::url(name, 0), Receivers::secret(name));
            Ok(tx.write(&PUT_CLIENT, args![name, &url, secret.as_slice(), cx.wall])?)
        }
        Change::Address(name, number) => {
            let url = Some(Receivers::url(name, *number));
            wish(tx, cx, name, ChangeClient { url, ..ChangeClient::default() })
        }
        Change::Told(name, told) => {
            let state = Some(if *told { WantedState::Active } else { WantedState::Disabled });
            wish(tx, cx, name, ChangeClient { state, ..ChangeClient::default() })
        }
        Change::Group(name, from) => {
            let group_lost = u32::try_from(*from).ok();
            wish(tx, cx, name, ChangeClient { group_lost, ..ChangeClient::default() })
        }
        Change::Gone(name) => (REMOVE_CLIENT.run)(tx, cx, name),
        Change::Link(name, sensor) => (LINK.run)(tx, cx, &link(name, sensor)),
        Change::Unlink(name, sensor) => (UNLINK.run)(tx, cx, &link(name, sensor)),
    }
}

fn wish(tx: &mut dyn Tx, cx: &mut OpCx<'_>, name: &str, wanted: ChangeClient) -> OpResult<()> {
    (CHANGE_CLIENT.run)(tx, cx, &(name.to_owned(), wanted)).map(drop)
}
