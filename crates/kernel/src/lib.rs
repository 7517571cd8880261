//! The kernel: everything that changes durable state is an *operation*, a plain synchronous function of
//! (transaction, context, input) that reads, decides, writes.
//!
//! One request goes straight down and straight up: route → [`Kernel::call`] → store → rows and effects → COMMIT →
//! answer. The kernel adds to the store: the cycle with its attempts (KER-7), idempotent requests (KER-10), effects as
//! rows (KER-13), the three times (KER-5), ids fixed over attempts, access keys, and [`ServiceDef`], the one value that
//! a service is.
//!
//! Invariants: no HTTP, no async runtime, no clock or chance but through [`Env`]; nothing waits or sleeps here, so the
//! simulator can run it all in one thread.

pub mod accounts;
pub mod alerts;
mod any_op;
mod any_query;
pub mod blobs;
mod call;
pub mod counters;
mod cx;
mod cycle;
mod effects;
pub mod feed;
pub mod find;
mod home;
mod idempotency;
pub mod journal;
mod kernel;
pub mod keys;
mod late;
pub mod leases;
mod media;
pub mod namespaces;
mod op;
pub mod ops;
pub mod overview;
mod request;
pub mod rounds;
mod schema;
pub mod secret;
mod service;
mod session;
pub mod tasks;
mod wake;
pub mod watch;

pub use crate::kernel::{Env, Kernel, KernelConfig, Namespace, Nodes, ReadDone};
pub use any_op::AnyOp;
pub use any_query::AnyQuery;
pub use call::{Done, Reply};
pub use cx::OpCx;
pub use effects::{Alert, Effect, Effects, Event, JournalLine, NewTask, Settled};
pub use home::{Home, Memory, Offer};
pub use media::Media;
pub use op::{Op, Query, Reading, Work};
pub use request::{Caller, Idempotency, Properties, Request, Role};
pub use schema::{KERNEL, OWN};
pub use service::{
    FigureDef, Invariant, Plan, PlanFn, RETRY_MINUTES, ServiceDef, SettleFn, Stuck, StuckDef, TakeBackFn, TaskDef,
    TaskRow, Violation,
};
pub use session::{Kept, Opening, Out, Session, SessionDef, SessionEvent, Watch, events};
pub use wake::{Hint, Topic, Wakes};
