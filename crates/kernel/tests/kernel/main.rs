//! The kernel's first part on the real SQLite engine, in one thread, with a clock and timers of the test's own.
//!
//! Each file holds the tests of one requirement's neighbourhood.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "tests of blobs damage files as a disk would")]

mod blobs;
mod cycle;
mod effects;
mod idempotency;
mod keys;
mod session;
mod times;
mod world;
