//! Sensors: signals of doors, what changed, who is told, and who fell silent.
//!
//! - `signal/`: what a sensor says, and the pure rule of what it means ([`judge`](signal::judge));
//! - `judging/`: the one operation that takes signals in, in batches; `desk/`: the way to it, and what is kept in memory of sensors;
//! - `telling`, `notify/`: events of clients and their delivery; `silence/`, `ear`: who fell silent while we listened;
//! - `sensor/`, `client/`, `link/`: what is registered; `history/`: what was; `routes/`: HTTP.
//!
//! Invariants, checked by the simulator after every commit (`check`): whatever is still to be told has a row and a task that will
//! look at it; nobody is lost and watched at once.

pub mod codes;
mod ear;
pub mod history;
mod id;
pub mod limits;
pub mod outbox;
mod routes;
mod rules;

pub use ear::{Ear, LEVEL, LEVEL_EVERY_MS, Level, Listened, TRUST_MS};
pub use id::{InvalidSensorId, SensorId};
pub use routes::service;
pub use rules::Rules;

use base::Migration;
use kernel::ServiceDef;

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "sensors",
    migrations: &[
        Migration { service: "sensors", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "sensors", version: 2, text: include_str!("../migrations/0002.sql") },
    ],
    statements: &[
        &ear::GET,
        &ear::PUT,
        &history::store::HISTORY_OF_ALL,
        &history::store::HISTORY_OF_CLIENT,
        &history::store::HISTORY_OF_SENSOR,
        &history::store::SENSORS_OF,
        &history::store::TRIES_OF,
        &outbox::BATCH_HISTORY,
        &outbox::BATCH_TRIES,
        &outbox::CLEAR_HISTORY,
        &outbox::CLEAR_TRIES,
        &outbox::DROP,
        &outbox::GET,
        &outbox::MARK_HISTORY,
        &outbox::MARK_TRIES,
        &outbox::NEW_HISTORY,
        &outbox::NEW_TRIES,
        &outbox::PUT,
    ],
    operations: &[&LEVEL, &outbox::BEGIN],
    tasks: &[outbox::TASK],
    ..ServiceDef::EMPTY
};
