//! All services on several nodes over one PostgreSQL (KER-12, KER-23): real servers behind a balancer, each with a link of its own to the
//! store, and clients of every service that repeat under the same key until they are answered.
//!
//! A node is killed, stands still for longer than its lease, is cut off from PostgreSQL with a bang or in silence; all are restarted in
//! turn, and upgraded. While a node is out every service must go on without it, and when it is back nobody has acted but the clients. In
//! the end everything acknowledged is there exactly once, nothing waits, and `fastness check` finds nothing.
//!
//! Bytes lie in S3, which all nodes reach. It is never struck here: the test of the full set (`crates/fastness/tests/full_set`) does that.

mod balancer;
mod bytes;
mod caller;
mod cluster;
mod crew;
mod documents;
mod exchange;
mod folders;
mod papers;
mod report;
mod round;
mod sensors;
mod strike;
mod workflow;

pub use report::Report;
pub use round::{Plan, run};
