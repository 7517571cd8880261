//! Finds sensors by the beginning of their id or address, and clients by that of their id or name (CON-11).

use base::{OpResult, Row, Sql, Tx};
use kernel::Home;
use kernel::find::{Found, Sought};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&SENSOR, &ADDRESS, &CLIENT, &CLIENT_NAME];

static SENSOR: Sql =
    Sql::new("sensor.sought", "SELECT id, address FROM sensor WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3");
static ADDRESS: Sql = Sql::new(
    "sensor.sought_by_address",
    "SELECT id, address FROM sensor WHERE address >= ?1 AND address < ?2 ORDER BY address, id LIMIT ?3",
);
static CLIENT: Sql = Sql::new(
    "sensor_client.sought",
    "SELECT id, name, state FROM sensor_client WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
static CLIENT_NAME: Sql = Sql::new(
    "sensor_client.sought_by_name",
    "SELECT id, name, state FROM sensor_client WHERE name >= ?1 AND name < ?2 ORDER BY name LIMIT ?3",
);

pub(crate) fn sensors(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&SENSOR, &ADDRESS], |row| {
        let id = row.text(0).to_owned();
        Found { name: id.clone(), id, about: row.text(1).to_owned(), ..Found::default() }
    })
}

pub(crate) fn clients(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&CLIENT, &CLIENT_NAME], client)
}

fn client(row: &Row) -> Found {
    let [id, name, about] = [0, 1, 2].map(|column| row.text(column).to_owned());
    Found { id, name, about, ..Found::default() }
}
