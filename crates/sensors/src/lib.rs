//! Sensors: signals of doors, what changed, who is told, and who fell silent.
//!
//! - `signal/`: what a sensor says, and the pure rule of what it means ([`judge`](signal::judge));
//! - `judging/`: the one operation that takes signals in, in batches; `desk/`: the way to it, and what is kept in memory of sensors;
//! - `telling`, `notify/`: events of clients and their delivery; `silence/`, `ear`: who fell silent while we listened;
//! - `sensor/`, `client/`, `link/`: what is registered; `history/`: what was; `routes/`: HTTP.
//!
//! Invariants, checked by the simulator after every commit (`check`): whatever is still to be told has a row and a task that will
//! look at it; nobody is lost and watched at once.

mod client;
pub mod codes;
mod desk;
mod ear;
mod id;
pub mod limits;
mod link;
mod routes;
mod rules;
mod sensor;

pub use client::{
    CHANGE_CLIENT, CLIENTS, CREATE_CLIENT, ChangeClient, ClientMade, ClientState, ClientView, ClientsOf, NewClient,
    REMOVE_CLIENT, ROTATE_CLIENT, Rotated, SHOW_CLIENT, WantedState, check_url,
};
pub use ear::{Ear, LEVEL, LEVEL_EVERY_MS, Level, Listened, TRUST_MS};
pub use id::{InvalidSensorId, SensorId};
pub use link::{CLIENTS_OF_SENSOR, ClientLink, LINK, Link, LinkedOf, SENSORS_OF_CLIENT, SensorLink, UNLINK};
pub use routes::service;
pub use rules::Rules;
pub use sensor::{
    ADDRESSES, AddressCount, AddressCounts, AddressesOf, Change, LIST_SENSORS, ListOf, PUT_SENSOR, PutSensor,
    REMOVE_SENSOR, SHOW_SENSOR, SensorPut, SensorState, SensorView, Sensors, UNKNOWN, UnknownSensor, UnknownSensors,
    check_address,
};

use base::{Migration, Sql};
use kernel::ServiceDef;

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "sensors",
    migrations: &[Migration { service: "sensors", version: 1, text: include_str!("../migrations/0001.sql") }],
    statements: &STATEMENTS,
    operations: &[
        &LEVEL,
        &PUT_SENSOR,
        &REMOVE_SENSOR,
        &CREATE_CLIENT,
        &CHANGE_CLIENT,
        &ROTATE_CLIENT,
        &REMOVE_CLIENT,
        &LINK,
        &UNLINK,
    ],
    tasks: &[client::FORGET_CLIENT],
    ..ServiceDef::EMPTY
};

/// The statements of each part.
const PARTS: &[&[&Sql]] = &[&[&ear::GET, &ear::PUT], sensor::STATEMENTS, client::STATEMENTS, link::STATEMENTS];

/// All of them, joined.
static STATEMENTS: [&Sql; count()] = {
    let (mut all, mut part, mut next) = ([&ear::GET; count()], 0, 0);
    while part < PARTS.len() {
        let mut at = 0;
        while at < PARTS[part].len() {
            all[next] = PARTS[part][at];
            (at, next) = (at + 1, next + 1);
        }
        part += 1;
    }
    all
};

const fn count() -> usize {
    let (mut count, mut part) = (0, 0);
    while part < PARTS.len() {
        count += PARTS[part].len();
        part += 1;
    }
    count
}
