//! What a service is: one value. The server and the simulator take the same list of them.
//!
//! HTTP routes and pages are not here: the kernel knows no HTTP. `web::Service` pairs a [`ServiceDef`] with its routes.

use base::{Call, CallResult, Id, Keys, Migration, OpError, OpResult, Sql, StoreResult, Tx, Urgency, Wall, codes};

use crate::any_op::AnyOp;
use crate::any_query::AnyQuery;
use crate::cx::OpCx;
use crate::home::Offer;
use crate::session::SessionDef;

/// A service as data and plain functions.
pub struct ServiceDef {
    /// Its name, also of its tables' prefix and its routes.
    pub name: &'static str,
    /// Its schema, step by step.
    pub migrations: &'static [Migration],
    /// All its statements: each is prepared on every engine in a test.
    pub statements: &'static [&'static Sql],
    /// Its operations, to be found by name.
    pub operations: &'static [&'static dyn AnyOp],
    /// Those of its queries that sessions find by name.
    pub queries: &'static [&'static dyn AnyQuery],
    /// Its work with the outside.
    pub tasks: &'static [TaskDef],
    /// Its stateful connections.
    pub sessions: &'static [SessionDef],
    /// What must hold after every commit.
    pub invariants: &'static [Invariant],
    /// What finds everything whose wake-up is overdue (KER-40).
    pub stuck: &'static [StuckDef],
    /// Numbers that it shows on the overview of a namespace (CON-2).
    pub figures: &'static [FigureDef],
    /// What it gives to other services of the program, which find it by its type (e.g. classes of documents).
    pub offers: &'static [Offer],
}

impl ServiceDef {
    /// A service of nothing, to be filled in: `ServiceDef { name: "x", ..ServiceDef::EMPTY }`.
    pub const EMPTY: Self = Self {
        name: "",
        migrations: &[],
        statements: &[],
        operations: &[],
        queries: &[],
        tasks: &[],
        sessions: &[],
        invariants: &[],
        stuck: &[],
        figures: &[],
        offers: &[],
    };
}

/// Finds rows that should have gone on by themselves and did not.
pub struct StuckDef {
    /// What they are, e.g. `task`.
    pub what: &'static str,
    /// Finds some, the most overdue first, at most 100.
    pub find: fn(&mut dyn Tx, Wall) -> StoreResult<Vec<Stuck>>,
}

/// A number that a service shows of itself: how many processes are active, how many are broken.
pub struct FigureDef {
    /// What it counts: a word of a program, for it never changes (`active_processes`).
    pub name: &'static str,
    /// Finds it. It is asked for whenever somebody looks at the overview, so it must be cheap with a million rows too: by an
    /// index, and not counting beyond 10,000.
    pub find: fn(&mut dyn Tx, Wall) -> StoreResult<i64>,
}

/// Something whose wake-up is overdue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stuck {
    /// Which row.
    pub subject: String,
    /// Why it does not go on, as far as can be told.
    pub reason: String,
    /// By how long.
    pub overdue_ms: i64,
}

/// Something that must hold in every committed state.
pub struct Invariant {
    /// What holds, e.g. `ledger balances equal the sum of their entries`.
    pub name: &'static str,
    /// Finds what breaks it.
    pub check: fn(&mut dyn Tx) -> StoreResult<Vec<Violation>>,
}

/// One place where an invariant does not hold.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violation(pub String);

/// A kind of task: decide in a transaction, act outside of it, settle in a transaction (KER-14). Tasks that never call outside
/// only plan.
pub struct TaskDef {
    /// Name of the task's operation: `service.verb`.
    pub op: &'static str,
    /// Its queue, unless the configuration says another (KER-16): 0 quick, 1 standard, 2 background, 3 telling others.
    pub queue: i64,
    /// Decides what to do, and does it if that needs nothing but the store.
    pub plan: PlanFn,
    /// Takes in what came of the call, in the commit that ends, continues or puts off the task.
    pub settle: SettleFn,
    /// Takes back what the plan wrote about a call that is not made after all: there was no room for it (KER-16). The plan runs anew.
    pub take_back: TakeBackFn,
    /// Minutes until the next try after the first, second … failure; then it is parked (KER-17).
    pub retry_minutes: &'static [u32],
    /// When this task runs in every namespace by itself (a cron text, KER-21), without anybody creating it.
    pub standing: Option<&'static str>,
    /// What its cycles must not overlap with, within this process.
    pub keys: fn(&TaskRow) -> Keys,
    /// Whether it runs when the disk is full (KER-31): then only what ends work or frees room is begun.
    pub urgency: Urgency,
    /// Whether people and programs outside may create one (`POST /v1/{ns}/tasks`). It runs as the server, so its plan must
    /// take whatever parameter it is given.
    pub callable: bool,
    /// Whether only administrators' own namespace may create one: it touches what belongs to all namespaces.
    pub at_administration: bool,
}

/// Decides what a task does.
pub type PlanFn = fn(&mut dyn Tx, &mut OpCx<'_>, &TaskRow) -> OpResult<Plan>;
/// Takes in what came of a task's call.
pub type SettleFn = fn(&mut dyn Tx, &mut OpCx<'_>, &TaskRow, &CallResult) -> OpResult<Plan>;
/// Takes back what a plan wrote about a call that is not made.
pub type TakeBackFn = fn(&mut dyn Tx, &mut OpCx<'_>, &TaskRow) -> OpResult<()>;

impl TaskDef {
    /// A kind of task that never calls outside, in the quick queue.
    #[must_use]
    pub const fn new(op: &'static str, plan: PlanFn) -> Self {
        Self {
            op,
            queue: 0,
            plan,
            settle: no_settle,
            take_back: |_, _, _| Ok(()),
            retry_minutes: RETRY_MINUTES,
            standing: None,
            keys: |_| Keys::NONE,
            urgency: Urgency::Normal,
            callable: false,
            at_administration: false,
        }
    }

    /// One whose plan may call outside.
    #[must_use]
    pub const fn settled_by(self, settle: SettleFn) -> Self {
        Self { settle, ..self }
    }

    /// One whose plan writes that a call is under way.
    #[must_use]
    pub const fn taken_back_by(self, take_back: TakeBackFn) -> Self {
        Self { take_back, ..self }
    }

    /// In another queue.
    #[must_use]
    pub const fn queue(self, queue: i64) -> Self {
        Self { queue, ..self }
    }

    /// With its own schedule of tries.
    #[must_use]
    pub const fn retrying(self, retry_minutes: &'static [u32]) -> Self {
        Self { retry_minutes, ..self }
    }

    /// One that runs by itself.
    #[must_use]
    pub const fn standing(self, cron: &'static str) -> Self {
        Self { standing: Some(cron), ..self }
    }

    /// With contention keys.
    #[must_use]
    pub const fn keyed(self, keys: fn(&TaskRow) -> Keys) -> Self {
        Self { keys, ..self }
    }

    /// One that ends work or frees room, so that it also runs on the reserve (KER-31).
    #[must_use]
    pub const fn ending(self) -> Self {
        Self { urgency: Urgency::Ending, ..self }
    }

    /// One that people and programs outside may create.
    #[must_use]
    pub const fn callable(self) -> Self {
        Self { callable: true, ..self }
    }

    /// On the administrators' namespace only.
    #[must_use]
    pub const fn at_administration(self) -> Self {
        Self { at_administration: true, ..self }
    }
}

fn no_settle(_: &mut dyn Tx, _: &mut OpCx<'_>, task: &TaskRow, _: &CallResult) -> OpResult<Plan> {
    Err(OpError::new(codes::BDETECTED, format!("task {} called outside but cannot settle", task.op)))
}

/// The schedule of a task that does not bring its own.
pub const RETRY_MINUTES: &[u32] = &[1, 10, 60, 180];

/// A task as its functions see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its id, the same over all attempts.
    pub id: Id,
    /// Name of its operation.
    pub op: String,
    /// Its parameter, JSON.
    pub param: String,
    /// The URL that is called in place of a built-in operation.
    pub target: Option<String>,
    /// Which claim this is.
    pub attempt: i64,
    /// Failed or lost runs so far.
    pub retry: i64,
    /// When this run began.
    pub start_time: Wall,
    /// Where the last cycle left off, JSON.
    pub checkpoint: Option<String>,
}

impl TaskRow {
    /// A task at its first attempt, begun at this moment, with nothing behind it. For whoever runs a task's functions without a
    /// dispatcher.
    #[must_use]
    pub fn first_attempt(id: Id, op: &str, param: &str, start_time: Wall) -> Self {
        let (op, param) = (op.to_owned(), param.to_owned());
        Self { id, op, param, target: None, attempt: 1, retry: 0, start_time, checkpoint: None }
    }
}

/// What a task does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It is done: its row goes in the same commit. A cron task's next run is inscribed.
    Done,
    /// It is done, and its next run is at that time, whatever its cron text says.
    DoneUntil(Wall),
    /// The next cycle begins at once with this checkpoint, JSON; when it has gone on for a while, after the others of its
    /// queue that are due.
    Checkpoint(String),
    /// The next cycle begins at that time with this checkpoint, JSON.
    CheckpointAt(String, Wall),
    /// This call, then settle; from `settle` itself it is a further call.
    Call(Call),
    /// Again at that time.
    Later(Wall),
    /// Never: park it with this reason.
    Park(OpError),
}
