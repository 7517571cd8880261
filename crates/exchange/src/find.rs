//! Finds who takes part, processes and messages by the beginning of their id or name (CON-11).

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Home;
use kernel::find::{Found, Sought};

use crate::message::name::{FileName, number_of};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&COMPANY, &COMPANY_NAME, &DATABASE, &DEVICE, &DEVICE_NAME, &PROCESS, &MESSAGE, &MESSAGE_FILE];

static COMPANY: Sql =
    Sql::new("exc_company.sought", "SELECT id, name FROM exc_company WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3");
static COMPANY_NAME: Sql = Sql::new(
    "exc_company.sought_by_name",
    "SELECT id, name FROM exc_company WHERE name >= ?1 AND name < ?2 ORDER BY name, id LIMIT ?3",
);
static DATABASE: Sql = Sql::new(
    "exc_database.sought",
    "SELECT id, company FROM exc_database WHERE fold >= ?1 AND fold < ?2 ORDER BY fold LIMIT ?3",
);
static DEVICE: Sql = Sql::new(
    "exc_device.sought",
    "SELECT id, name, company, subsystem, state FROM exc_device WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
static DEVICE_NAME: Sql = Sql::new(
    "exc_device.sought_by_name",
    "SELECT id, name, company, subsystem, state FROM exc_device WHERE name >= ?1 AND name < ?2 ORDER BY name, id LIMIT ?3",
);
static PROCESS: Sql = Sql::new(
    "exc_process.sought",
    "SELECT id, db, state FROM exc_process WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT ?3",
);
macro_rules! messages {
    ($which:literal) => {
        concat!(
            "SELECT id, number, at, sender, receiver, subsystem, place FROM exc_message WHERE place <> 'gone' AND ",
            $which
        )
    };
}
static MESSAGE: Sql = Sql::new("exc_message.sought", messages!("id >= ?1 AND id < ?2 ORDER BY id, number LIMIT ?3"));
static MESSAGE_FILE: Sql = Sql::new("exc_message.sought_file", messages!("number = ?1"));

pub(crate) fn companies(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&COMPANY, &COMPANY_NAME], |row| {
        let [id, name] = [0, 1].map(|column| row.text(column).to_owned());
        Found { about: id.clone(), id, name, ..Found::default() }
    })
}

/// The ids of databases are told apart in small letters.
pub(crate) fn databases(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&DATABASE], |row| {
        let [id, about] = [0, 1].map(|column| row.text(column).to_owned());
        Found { name: id.clone(), id, about, ..Found::default() }
    })
}

pub(crate) fn devices(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&DEVICE, &DEVICE_NAME], |row| {
        let [id, name] = [0, 1].map(|column| row.text(column).to_owned());
        let about = format!("{}, {}, {}", row.text(2), row.text(3), row.text(4));
        Found { id, name, about, ..Found::default() }
    })
}

pub(crate) fn processes(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    sought.gather(tx, &[&PROCESS], |row| {
        let id = row.text(0).to_owned();
        Found { name: id.clone(), id, about: format!("{}, {}", row.text(1), row.text(2)), ..Found::default() }
    })
}

/// By their id, or by the whole name of their file.
pub(crate) fn messages(tx: &mut dyn Tx, _: &Home, sought: &Sought) -> OpResult<Vec<Found>> {
    if let Some(number) = number_of(sought.text()) {
        return Ok(tx.query_one(&MESSAGE_FILE, args![number])?.iter().map(message).collect());
    }
    sought.gather(tx, &[&MESSAGE], message)
}

fn message(row: &Row) -> Found {
    let [id, from, to, subsystem] = [0, 3, 4, 5].map(|column| row.text(column).to_owned());
    let about = format!("{from} → {to}, {}", row.text(6));
    let file = FileName { at: Wall(row.int(2)), number: row.int(1), id: id.clone(), from, to, subsystem };
    Found { name: id.clone(), id, about, within: file.text() }
}
