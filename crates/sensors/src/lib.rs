//! Sensors: signals of doors, what changed, who is told, and who fell silent.
//!
//! - `signal/`: what a sensor says, and the pure rule of what it means;
//! - `judging/`: the one operation that takes signals in, in batches; `desk/`: the way to it, and what is kept in memory of sensors;
//! - `ahead`: clocks that disagree with ours; `broker`: signals from a message broker; `announce`: tasks that are told to other nodes through it;
//! - `telling`, `notify/`: events of clients and their delivery; `silence/`, `ear`: who fell silent while we listened;
//! - `sensor/`, `client/`, `link/`: what is registered; `history/`: what was; `routes/`: HTTP; `console/`: pages.
//!
//! Invariants, checked by the simulator after every commit (`check`): whatever is still to be told has a row and a task that will
//! look at it; nobody is lost and watched at once.

mod ahead;
pub mod announce;
pub mod broker;
mod check;
mod client;
pub mod codes;
mod console;
pub mod desk;
mod ear;
mod figures;
mod find;
pub mod history;
mod id;
pub mod import;
mod judging;
pub mod life;
pub mod limits;
mod link;
mod notify;
pub mod outbox;
mod replay;
mod retention;
mod routes;
mod rules;
mod sensor;
pub mod signal;
pub mod silence;
mod telling;
mod told;

pub use client::{
    CHANGE_CLIENT, CLIENTS, CREATE_CLIENT, ChangeClient, ClientMade, ClientState, ClientView, ClientsOf, NewClient,
    REMOVE_CLIENT, ROTATE_CLIENT, Rotated, SHOW_CLIENT, WantedState, check_url,
};
pub use desk::{Desk, take};
pub use ear::{BY_HTTP, Ear, LEVEL, LEVEL_EVERY_MS, Level, Listened, TRUST_MS, Word};
pub use id::{InvalidSensorId, SensorId};
pub use judging::{Item, JUDGE, Judge, Judged, Known, Outcome, SIGNALS};
pub use link::{CLIENTS_OF_SENSOR, ClientLink, LINK, Link, LinkedOf, SENSORS_OF_CLIENT, SensorLink, UNLINK};
pub use notify::{TIMEOUT_MS, TRIES_MAX, Told, delay_ms};
pub use replay::{Phase as ReplayPhase, REPLAY, Replay, ReplayView};
pub use routes::service;
pub use rules::Rules;
pub use sensor::{
    ADDRESSES, AddressCount, AddressCounts, AddressesOf, Change, LIST_SENSORS, ListOf, PUT_SENSOR, PutSensor,
    REJECTED_SIGNALS, REMOVE_SENSOR, RejectedOf, RejectedView, SHOW_SENSOR, SensorPut, SensorState, SensorView,
    Sensors, UNKNOWN, UnknownSensor, UnknownSensors, check_address,
};
pub use silence::SilenceWatch;
pub use telling::Kind;
pub use told::{
    EVENTS, EventView, EventsOf, NOTIFICATIONS, NOTIFIED, Notification, NotificationsOf, Notified, NotifiedOf, Try,
};

use base::{Migration, Sql};
use kernel::{FigureDef, ServiceDef, StuckDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "sensors",
    migrations: &[
        Migration { service: "sensors", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "sensors", version: 2, text: include_str!("../migrations/0002.sql") },
        Migration { service: "sensors", version: 3, text: include_str!("../migrations/0003.sql") },
    ],
    statements: &STATEMENTS,
    operations: &[
        &LEVEL,
        &life::USE,
        &PUT_SENSOR,
        &REMOVE_SENSOR,
        &CREATE_CLIENT,
        &CHANGE_CLIENT,
        &ROTATE_CLIENT,
        &REMOVE_CLIENT,
        &LINK,
        &UNLINK,
        &import::BEGIN_IMPORT,
        &import::CANCEL_IMPORT,
        &REPLAY,
        &outbox::BEGIN,
    ],
    tasks: &[
        client::FORGET_CLIENT,
        import::IMPORT,
        replay::TASK,
        retention::FORGET,
        outbox::TASK,
        notify::NOTIFY,
        notify::REWISH,
    ],
    invariants: &check::INVARIANTS,
    stuck: &[StuckDef { what: "sensor-notice", find: notify::stuck }],
    figures: &[
        FigureDef { name: "sensors", find: figures::sensors },
        FigureDef { name: "lost", find: figures::lost },
        FigureDef { name: "waiting", find: figures::waiting },
    ],
    ..ServiceDef::EMPTY
};

/// The statements of each part.
const PARTS: &[&[&Sql]] = &[
    CORE,
    ARCHIVE,
    sensor::STATEMENTS,
    find::STATEMENTS,
    client::STATEMENTS,
    link::STATEMENTS,
    console::STATEMENTS,
    import::STATEMENTS,
    told::STATEMENTS,
    replay::STATEMENTS,
    retention::STATEMENTS,
    console::STATEMENTS,
];

/// Those of taking in and telling.
const CORE: &[&Sql] = &[
    &ear::GET,
    &ear::PUT,
    &ear::WATCHED,
    &ear::DRAINED,
    &ear::FORGET,
    &ear::FURTHEST,
    &judging::GET,
    &judging::UPDATE,
    &judging::PUT_HISTORY,
    &judging::SAW_UNKNOWN,
    &judging::NEW_UNKNOWN,
    &judging::COUNT,
    &judging::DROP_OLDEST,
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
    &notify::GROUPS_BEFORE,
    &notify::GROUPS_WITH,
    &notify::TASK_WAITS,
    &notify::BEGIN_ATTEMPT,
    &notify::COUNT_TRY,
    &notify::DROP_ATTEMPT,
    &notify::END_EVENT,
    &notify::END_ATTEMPT,
    &notify::DROP_NOTICE,
    &notify::SET_STATE,
    &notify::FAILING,
    &notify::RECOVERED,
    &notify::UNHEARD,
    &notify::OVERDUE,
    &silence::DUE_ROWS,
    &silence::ANY_WATCHED,
    &silence::LOSE,
    &silence::EXTEND,
    &figures::SENSORS,
    &figures::LOST,
    &figures::WAITING,
    &check::NOT_WAITING,
    &check::NO_NOTICE,
    &check::NO_TASK,
    &check::CHANGES,
];

/// Those of history and its way to the archive.
const ARCHIVE: &[&Sql] = &[
    &history::store::HISTORY_OF_ALL,
    &history::store::HISTORY_OF_CLIENT,
    &history::store::HISTORY_OF_SENSOR,
    &history::store::SENSORS_OF,
    &history::store::TRIES_OF,
    &life::GET_USED,
    &life::PUT_USED,
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
];

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
