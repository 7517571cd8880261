//! Several nodes on one PostgreSQL (KER-18, KER-23, KER-25, KER-43): real server processes run tasks while some of them are
//! killed and others stand still for longer than their lease.
//!
//! Tasks come in waves, one wave per fault, so that every fault strikes nodes that work. The last fault is for ever: its node
//! does not come back before everything is done, which must be within the lease and five seconds. What happened is read from
//! PostgreSQL without the server: each cycle of each task left one mark, no task is left, no attempt that was overtaken was
//! accepted, and every reader of the feed saw the marks' events once, all in the same order.

pub(crate) mod books;
mod cluster;
mod drill;
mod judge;
mod partner;
mod reader;
mod report;
mod stream;

pub mod hanging;

pub use drill::{Drill, run};
pub use report::Report;
