//! Lists links: the sensors of a client, and the clients of a sensor.

use base::{OpResult, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::client::check_exists;
use crate::id::SensorId;
use crate::limits::CLIENTS_PER_SENSOR_MAX;
use crate::sensor::{SensorView, show, view_columns};

/// A page of the sensors of a client, by id.
pub static SENSORS_OF_CLIENT: Query<LinkedOf, Vec<SensorLink>> = Query::new("sensor.linked_sensors", of_client);
/// The clients of a sensor.
pub static CLIENTS_OF_SENSOR: Query<SensorId, Vec<ClientLink>> = Query::new("sensor.linked_clients", of_sensor);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct LinkedOf {
    /// Of which client.
    pub client: String,
    /// Only sensors after this one.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// A sensor of a client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct SensorLink {
    /// When it was linked.
    #[schema(format = DateTime)]
    pub linked_at: String,
    /// The sensor.
    pub sensor: SensorView,
}

/// A client of a sensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct ClientLink {
    /// When it was linked.
    #[schema(format = DateTime)]
    pub linked_at: String,
    /// Id of the client.
    pub client: String,
    /// Its name.
    pub name: String,
    /// Its state.
    pub state: String,
}

pub(super) static OF_CLIENT: Sql = Sql::new(
    "sensor_link.of_client",
    concat!(
        "SELECT ",
        view_columns!(),
        ", l.linked_at FROM sensor_link l JOIN sensor s ON s.id = l.sensor_id \
         WHERE l.client_id = ?1 AND l.sensor_id > ?2 ORDER BY l.sensor_id LIMIT ?3"
    ),
);
/// The first sensor of a client from this one on.
pub(crate) static NEXT_OF_CLIENT: Sql = Sql::new(
    "sensor_link.next_of_client",
    "SELECT sensor_id FROM sensor_link WHERE client_id = ?1 AND sensor_id >= ?2 ORDER BY sensor_id LIMIT 1",
);
pub(super) static OF_SENSOR: Sql = Sql::new(
    "sensor_link.of_sensor",
    "SELECT l.linked_at, c.id, c.name, c.state FROM sensor_link l JOIN sensor_client c ON c.id = l.client_id \
     WHERE l.sensor_id = ?1 ORDER BY l.client_id LIMIT ?2",
);

fn of_client(tx: &mut dyn Tx, wanted: &LinkedOf) -> OpResult<Vec<SensorLink>> {
    check_exists(tx, &wanted.client)?;
    let rows = tx.query(&OF_CLIENT, args![&wanted.client, &wanted.after, wanted.limit], wanted.limit as usize)?;
    let of = |row| SensorLink { sensor: SensorView::read(row), linked_at: Wall(row.int(9)).rfc3339() };
    Ok(rows.iter().map(of).collect())
}

fn of_sensor(tx: &mut dyn Tx, id: &SensorId) -> OpResult<Vec<ClientLink>> {
    show(tx, id)?;
    let most = i64::try_from(CLIENTS_PER_SENSOR_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(&OF_SENSOR, args![id.as_str(), most], CLIENTS_PER_SENSOR_MAX)?;
    let text = |row: &base::Row, column| row.text(column).to_owned();
    let of = |row: &base::Row| ClientLink {
        linked_at: Wall(row.int(0)).rfc3339(),
        client: text(row, 1),
        name: text(row, 2),
        state: text(row, 3),
    };
    Ok(rows.iter().map(of).collect())
}
