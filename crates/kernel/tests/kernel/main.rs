//! The kernel's first part on the real SQLite engine, in one thread, with a clock and timers of the test's own.
//!
//! Each file holds the tests of one requirement's neighbourhood.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "tests of blobs damage files as a disk would")]

mod accounts;
mod alert_driver;
mod alerts;
mod alerts_random;
mod blobs;
mod counters;
mod cycle;
mod effects;
mod feed;
mod idempotency;
mod journal;
mod keys;
mod leases;
mod namespaces;
mod nodes;
mod session;
mod tasks;
mod times;
mod world;
