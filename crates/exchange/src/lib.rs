//! Exchange: messages between devices and business databases, processed exactly once.
//!
//! - `registry/`: who takes part; `message/`: what devices send, fetch and ask for; `process/`: the handshake with a database;
//! - `folders/`: files that follow what the store says; `watch`: who looks after what nobody calls about;
//! - `packs/`: texts of what is done, in blobs; `bodies`: what follows where texts are by configuration;
//! - `files/`: what people see of folders; `retention`: what is let go in time; `arrivals`: who waits for messages;
//! - `ledger/`: what every move counts; `statistics`: who did how much; `names`: what is called how;
//! - `routes/`: HTTP; `console/`: pages.
//!
//! Invariants, checked by the simulator after every commit (`check`): the ledger of a database is the count of its messages; at most one
//! process of a database is active; a message is held by a process that has it in its list, or by none.

mod arrivals;
mod bodies;
mod check;
pub mod codes;
mod console;
mod figures;
pub mod files;
mod find;
pub mod folders;
pub mod ledger;
pub mod message;
pub mod names;
pub mod packs;
pub mod process;
pub mod registry;
mod retention;
mod routes;
mod rules;
pub mod statistics;
mod tens;
mod watch;

pub use routes::service;
pub use rules::{Bodies, Rules, Settings};
pub use watch::Watch;

use base::{Migration, Sql};
use kernel::{FigureDef, ServiceDef, StuckDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "exchange",
    migrations: &[
        Migration { service: "exchange", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "exchange", version: 2, text: include_str!("../migrations/0002.sql") },
        Migration { service: "exchange", version: 3, text: include_str!("../migrations/0003.sql") },
    ],
    statements: &STATEMENTS,
    operations: &[
        &registry::CREATE_COMPANY,
        &registry::CREATE_SUBSYSTEM,
        &registry::CREATE_DATABASE,
        &registry::CREATE_DEVICE,
        &registry::DEVICE_STATE,
        &registry::NEW_CODE,
        &registry::ACTIVATE,
        &registry::RENAME_COMPANY,
        &registry::RENAME_SUBSYSTEM,
        &registry::RENAME_DEVICE,
        &message::SEND,
        &message::ACK,
        &process::START,
        &process::NARROW,
        &process::PREPARE,
        &process::COMMIT,
        &process::ROLLBACK,
        &process::INTERRUPT,
        &process::GIVE_UP,
        &process::RESOLVE,
        &process::TIMEOUT,
        &process::RESUME,
        &folders::BEGIN,
        &files::REQUEUE,
        &ledger::ALARM,
        &retention::FORGET_NOW,
        &folders::SCAN,
    ],
    tasks: &[
        folders::CLERK,
        packs::PACKER,
        packs::ADOPT,
        retention::FORGET,
        retention::FORGET_UNKNOWN,
        retention::FORGET_PROCESSES,
    ],
    invariants: &check::INVARIANTS,
    stuck: &[
        StuckDef { what: "exchange-process", find: figures::late_processes },
        StuckDef { what: "exchange-file", find: figures::late_files },
    ],
    figures: &[
        FigureDef { name: "active", find: figures::active },
        FigureDef { name: "unknown", find: figures::unknown },
        FigureDef { name: "queued", find: figures::queued },
        FigureDef { name: "received", find: figures::received },
    ],
    ..ServiceDef::EMPTY
};

const PARTS: &[&[&Sql]] = &[
    registry::STATEMENTS,
    registry::RENAME_STATEMENTS,
    message::STATEMENTS,
    process::STATEMENTS,
    folders::STATEMENTS,
    folders::SCAN_STATEMENTS,
    packs::STATEMENTS,
    statistics::STATEMENTS,
    ledger::STATEMENTS,
    files::STATEMENTS,
    retention::STATEMENTS,
    figures::STATEMENTS,
    find::STATEMENTS,
    check::STATEMENTS,
    console::STATEMENTS,
];

const fn many() -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < PARTS.len() {
        sum += PARTS[part].len();
        part += 1;
    }
    sum
}

/// All statements, each prepared on every engine in a test.
static STATEMENTS: [&Sql; many()] = {
    let (mut all, mut part, mut next) = ([&ledger::COUNT; many()], 0, 0);
    while part < PARTS.len() {
        let mut place = 0;
        while place < PARTS[part].len() {
            all[next] = PARTS[part][place];
            (place, next) = (place + 1, next + 1);
        }
        part += 1;
    }
    all
};
