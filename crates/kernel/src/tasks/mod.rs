//! Tasks: operations put off until later (KER-14 to KER-23).
//!
//! A task is a row that the operation which needs it inscribes in its own transaction. The [`Dispatcher`] of each node claims
//! rows that are due and runs them: plan (transaction) → call (outside) → settle (transaction). What becomes of the task is in
//! the same commit as what it did.
//!
//! Invariants: `attempt` is raised by each claim before the work runs and never lowered, and every step of a run names it, so
//! that a run which was taken for lost changes nothing once another began; a row that waits has a start, one that runs has an
//! owner and a moment at which it is taken for lost; of a lane one is in flight, and the others are behind it.

mod administer;
mod around;
mod calls;
mod chores;
mod claim;
mod config;
mod counts;
mod create;
mod cron;
mod desk;
mod dispatcher;
mod displaced;
mod end;
mod fail;
mod find;
mod holder;
mod inscribe;
mod kind;
mod lane;
mod list;
mod lose;
mod merge;
mod node;
mod park;
mod post;
mod queues;
mod release;
mod report_done;
mod row;
mod run;
mod schedule;
mod standing;
mod start;
mod tally;
mod target;
mod unique;
mod walk;
mod watch;

pub use administer::{Changed, DELETE, MOVE, Move};
pub use around::{AROUND, Around, RunBy};
pub use chores::{Chores, Whose};
pub use config::TaskConfig;
pub(crate) use counts::counts;
pub use counts::{COUNTS, OldestDue, TaskCounts};
pub use create::{CREATE, Create, Created};
pub use cron::{Cron, InvalidCron};
pub use dispatcher::Dispatcher;
pub use find::find;
pub use holder::is_running;
pub(crate) use inscribe::{cancel, write as inscribe};
pub use kind::Kind;
pub use list::{LIST, LOOKED_AT_MAX, Order, PAGE, Page, SHOW, Search, State, TALLY, Tally};
pub(crate) use node::end_all as end_node;
pub use queues::{ALL, COUNT_MAX, Look, QueueState, RESUME, STATE, SUSPEND, SUSPENSIONS, Switched};
pub use report_done::{Ended, REPORT_DONE, ReportDone};
pub use row::{Task, parked_at};
pub use start::Start;
pub use watch::{STUCK_SUSPENDED, STUCK_TASKS};

use base::{Migration, Sql};

use crate::service::{FigureDef, ServiceDef};

/// Tasks.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "tasks",
    migrations: &[
        Migration { service: "tasks", version: 1, text: include_str!("../../migrations/tasks_0001.sql") },
        Migration { service: "tasks", version: 2, text: include_str!("../../migrations/tasks_0002.sql") },
        Migration { service: "tasks", version: 3, text: include_str!("../../migrations/tasks_0003.sql") },
    ],
    statements: STATEMENTS,
    operations: &[&create::CREATE, &administer::DELETE, &administer::MOVE, &queues::SUSPEND, &queues::RESUME],
    invariants: &watch::INVARIANTS,
    stuck: &watch::STUCK,
    figures: &[FigureDef { name: "suspended_queues", find: counts::suspended }],
    ..ServiceDef::EMPTY
};

const STATEMENTS: &[&Sql] = &[
    &inscribe::INSERT,
    &inscribe::DELETE,
    &standing::INSERT,
    &standing::REMOVE,
    &lane::ENTER,
    &lane::NEXT,
    &lane::MOVE,
    &lane::CLOSE,
    &claim::FIND[0].1,
    &claim::FIND[1].1,
    &claim::FIND[2].1,
    &claim::FIND[3].1,
    &claim::FIND[4].1,
    &claim::FIND[5].1,
    &claim::FIND[6].1,
    &claim::FIND_OF_KIND,
    &claim::FIND_NAMED,
    &claim::TAKE,
    &run::CHECKPOINT,
    &run::CALLS,
    &run::PUT_OFF,
    &run::PUT_BACK,
    &unique::INSERT,
    &unique::CLEAR,
    &end::END,
    &end::END_UNFENCED,
    &park::PARK,
    &fail::HELD,
    &holder::RUNNING,
    &fail::AGAIN,
    &fail::FORGIVE,
    &release::GIVE_BACK,
    &lose::OF_NODE,
    &lose::ONE_OVERDUE,
    &lose::ALL_OVERDUE,
    &lose::OWNED_BY,
    &node::END_OTHERS,
    &node::KEEP,
    &node::END_OWN,
    &node::ALL_OVER,
    &node::UNKNOWN,
    &node::UNTIL,
    &node::FORGET,
    &displaced::FIND,
    &displaced::PULL,
    &report_done::GET,
    &administer::PUT,
    &administer::BEGIN_ANEW,
    &queues::INSERT,
    &queues::REMOVE,
    &queues::SUSPENDED,
    &around::RUN_BY,
    &around::HEAD,
    &queues::WAITING,
    &queues::RUNNING,
    &queues::NEXT,
    &counts::NEXT_QUEUE,
    &counts::OLDEST_DUE,
    &counts::RUNNING,
    &counts::BEHIND,
    &find::BY_ID,
    &find::BY_INFO,
    &find::BY_OP,
    &walk::ALL[0],
    &walk::ALL[1],
    &walk::BY_OP[0],
    &walk::BY_OP[1],
    &walk::BY_INFO[0],
    &walk::BY_INFO[1],
    &walk::BEHIND[0],
    &walk::BEHIND[1],
    &walk::RETRIED[0],
    &walk::RETRIED[1],
    &walk::PARKED[0],
    &walk::PARKED[1],
    &walk::TARGETED[0],
    &walk::TARGETED[1],
    &walk::RUNNING,
    &chores::NEXT_OP,
    &watch::HEADLESS,
    &watch::ORPHAN,
    &watch::TWO_IN_FLIGHT,
    &watch::OVERDUE,
    &watch::LOST,
];
