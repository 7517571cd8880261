//! Workflow: long processes of many tasks, done by workers that poll.
//!
//! - `task/`: what is to be done; `graph/`: what waits for what, pure; `decision/`: what became of each, with the pure machine;
//! - `engine/`: carries processes on within the transaction of whoever brings the news; `process/`: started, looked at, begun anew;
//! - `work/`: what workers call; `actors/`: what holds for them, and who polls;
//! - `search/`, `broken/`, `jobs/`, `schedules/`, `retention`: what operators need;
//! - `recovery/`: who looks after what nobody calls about; `routes/`: HTTP.
//!
//! Invariants, checked by the simulator after every commit (`check`).

pub mod actors;
pub mod broken;
pub mod check;
pub mod codes;
mod console;
pub mod decision;
mod engine;
mod figures;
mod find;
pub mod graph;
pub mod jobs;
pub mod measures;
pub mod names;
pub mod process;
pub mod recovery;
pub mod retention;
mod routes;
pub mod schedules;
pub mod search;
pub mod task;
pub mod work;

pub use decision::next::ActorRules;
pub use routes::service;

use base::{ContentionKey, Keys, Migration, Sql};
use kernel::{FigureDef, ServiceDef, StuckDef};

/// The service.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "workflow",
    migrations: &[
        Migration { service: "workflow", version: 1, text: include_str!("../migrations/0001.sql") },
        Migration { service: "workflow", version: 2, text: include_str!("../migrations/0002.sql") },
    ],
    statements: &STATEMENTS,
    operations: &[
        &process::START,
        &process::ABORT,
        &process::RESTART,
        &process::CLONE,
        &process::SIGNAL,
        &work::POLL,
        &work::POLL_ONCE,
        &work::RELEASE,
        &work::HEARTBEAT,
        &recovery::OVERDUE,
        &recovery::RECOVER,
        &search::SAVE_SEARCH,
        &search::DELETE_SEARCH,
        &broken::RETRY,
        &jobs::CREATE_JOB,
        &jobs::CONTROL_JOB,
        &jobs::CHANGE_JOB,
        &schedules::CREATE_SCHEDULE,
        &schedules::PATCH_SCHEDULE,
        &schedules::DELETE_SCHEDULE,
        &actors::PATCH_ACTOR,
        &actors::PATCH_TYPE,
        &actors::ALARM_UNPOLLED,
        &retention::FORGET_NOW,
    ],
    tasks: &[recovery::BEGIN, jobs::TASK, schedules::TASK, retention::FORGET],
    invariants: &check::INVARIANTS,
    stuck: &[
        StuckDef { what: "workflow-task", find: figures::late_tasks },
        StuckDef { what: "workflow-graph", find: figures::late_graphs },
        StuckDef { what: "workflow-process", find: figures::late_processes },
    ],
    figures: &[
        FigureDef { name: "processes", find: figures::processes },
        FigureDef { name: "active", find: figures::active },
        FigureDef { name: "broken", find: figures::broken },
        FigureDef { name: "waiting", find: figures::waiting },
    ],
    ..ServiceDef::EMPTY
};

/// What does not overlap in one process of the server, to spare the engine conflicts.
pub(crate) fn contention(name: &str) -> ContentionKey {
    ContentionKey::of("workflow", name)
}

pub(crate) fn key_of(name: &str) -> Keys {
    Keys::of(vec![contention(name)])
}

const PARTS: &[&[&[&Sql]]] = &[
    actors::STATEMENTS,
    engine::STATEMENTS,
    process::STATEMENTS,
    recovery::STATEMENTS,
    search::STATEMENTS,
    broken::STATEMENTS,
    jobs::STATEMENTS,
    schedules::STATEMENTS,
    work::STATEMENTS,
    &[
        task::STATEMENTS,
        decision::STATEMENTS,
        figures::STATEMENTS,
        find::STATEMENTS,
        check::STATEMENTS,
        retention::STATEMENTS,
        measures::STATEMENTS,
        console::STATEMENTS,
    ],
];

const fn many() -> usize {
    let (mut sum, mut part) = (0, 0);
    while part < PARTS.len() {
        let mut piece = 0;
        while piece < PARTS[part].len() {
            sum += PARTS[part][piece].len();
            piece += 1;
        }
        part += 1;
    }
    sum
}

/// All statements, each prepared on every engine in a test.
static STATEMENTS: [&Sql; many()] = {
    let (mut all, mut part, mut next) = ([task::STATEMENTS[0]; many()], 0, 0);
    while part < PARTS.len() {
        let mut piece = 0;
        while piece < PARTS[part].len() {
            let mut place = 0;
            while place < PARTS[part][piece].len() {
                all[next] = PARTS[part][piece][place];
                (place, next) = (place + 1, next + 1);
            }
            piece += 1;
        }
        part += 1;
    }
    all
};
