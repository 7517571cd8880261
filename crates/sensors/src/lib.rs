//! Sensors: signals of doors, what changed, who is told, and who fell silent.
//!
//! - `signal/`: what a sensor says, and the pure rule of what it means;
//! - `judging/`: the one operation that takes signals in, in batches; `desk/`: the way to it, and what is kept in memory of sensors;
//! - `broker`: signals from a message broker; `announce`: tasks that are told to other nodes through it;
//! - `telling`, `notify/`: events of clients and their delivery; `silence/`, `ear`: who fell silent while we listened;
//! - `sensor/`, `client/`, `link/`: what is registered; `history/`: what was; `routes/`: HTTP.
//!
//! Invariants, checked by the simulator after every commit (`check`): whatever is still to be told has a row and a task that will
//! look at it; nobody is lost and watched at once.

pub mod announce;
pub mod broker;
mod check;
pub mod codes;
pub mod desk;
mod ear;
mod figures;
mod id;
mod judging;
pub mod limits;
mod notify;
mod routes;
mod rules;
pub mod signal;
pub mod silence;
mod telling;

pub use desk::{Desk, take};
pub use ear::{Ear, LEVEL, LEVEL_EVERY_MS, Level, Listened, TRUST_MS};
pub use id::{InvalidSensorId, SensorId};
pub use judging::{Item, JUDGE, Judge, Judged, Known, Outcome, SIGNALS};
pub use notify::{TIMEOUT_MS, TRIES_MAX, Told, delay_ms};
pub use routes::service;
pub use rules::Rules;
pub use silence::SilenceWatch;
pub use telling::Kind;

use base::Migration;
use kernel::{FigureDef, ServiceDef, StuckDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "sensors",
    migrations: &[Migration { service: "sensors", version: 1, text: include_str!("../migrations/0001.sql") }],
    statements: &[
        &ear::GET,
        &ear::PUT,
        &judging::GET,
        &judging::UPDATE,
        &judging::PUT_HISTORY,
        &judging::SAW_UNKNOWN,
        &judging::NEW_UNKNOWN,
        &judging::COUNT,
        &judging::PUT_COUNT,
        &judging::PUT_REJECTED,
        &telling::LISTENERS,
        &telling::NEXT_SEQ,
        &telling::PUT_EVENT,
        &telling::SUPERSEDE,
        &telling::GET_NOTICE,
        &telling::PUT_NOTICE,
        &notify::CLIENT,
        &notify::EVENT,
        &notify::TRIES,
        &notify::GROUP_BEFORE,
        &notify::BEGIN_ATTEMPT,
        &notify::COUNT_TRY,
        &notify::END_EVENT,
        &notify::END_ATTEMPT,
        &notify::DROP_NOTICE,
        &notify::SET_STATE,
        &notify::FAILING,
        &notify::RECOVERED,
        &notify::OVERDUE,
        &silence::DUE_ROWS,
        &silence::LOSE,
        &silence::EXTEND,
        &figures::LOST,
        &figures::WAITING,
        &check::NOT_WAITING,
        &check::NO_NOTICE,
        &check::NO_TASK,
        &check::CHANGES,
    ],
    operations: &[&LEVEL],
    tasks: &[notify::NOTIFY, notify::REWISH],
    invariants: &check::INVARIANTS,
    stuck: &[StuckDef { what: "sensor-notice", find: notify::stuck }],
    figures: &[FigureDef { name: "lost", find: figures::lost }, FigureDef { name: "waiting", find: figures::waiting }],
    ..ServiceDef::EMPTY
};
