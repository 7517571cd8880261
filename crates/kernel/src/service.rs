//! What a service is: one value. The server and the simulator take the same list of them.
//!
//! HTTP routes and pages are not here: the kernel knows no HTTP. `web::Service` pairs a [`ServiceDef`] with its routes.

use base::{Call, CallResult, Id, Migration, OpError, OpResult, Sql, StoreResult, Tx, Wall};

use crate::any_op::AnyOp;
use crate::cx::OpCx;
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
    /// Its work with the outside.
    pub tasks: &'static [TaskDef],
    /// Its stateful connections.
    pub sessions: &'static [SessionDef],
    /// What must hold after every commit.
    pub invariants: &'static [Invariant],
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

/// Work with the outside: decide in a transaction, act outside of it, settle in a transaction (KER-14).
pub struct TaskDef {
    /// Name of the task's operation.
    pub op: &'static str,
    /// Decides what to do.
    pub plan: fn(&mut dyn Tx, &mut OpCx<'_>, &TaskRow) -> OpResult<Plan>,
    /// Takes in what came of the call, in the commit that ends, continues or puts off the task.
    pub settle: fn(&mut dyn Tx, &mut OpCx<'_>, &TaskRow, &CallResult) -> OpResult<Plan>,
    /// Minutes until the next try after the first, second … failure; then it is parked (KER-17).
    pub retry_minutes: &'static [u32],
}

/// The schedule of a task that does not bring its own.
pub const RETRY_MINUTES: &[u32] = &[1, 10, 60, 180];

/// A task as its functions see it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskRow {
    /// Its id, the same over all attempts.
    pub id: Id,
    /// Its parameter, JSON.
    pub param: String,
    /// Which claim this is.
    pub attempt: i64,
    /// Failed or lost runs so far.
    pub retry: i64,
    /// When this run began.
    pub start_time: Wall,
    /// Where the last cycle left off, JSON.
    pub checkpoint: Option<String>,
}

/// What a task does next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Plan {
    /// It is done: its row goes in the same commit.
    Done,
    /// The next cycle begins at once with this checkpoint, JSON.
    Checkpoint(String),
    /// This call, then settle; from `settle` itself it is a further call.
    Call(Call),
    /// Again at that time.
    Later(Wall),
    /// Never: park it with this reason.
    Park(OpError),
}
