//! What sessions call, on the real SQLite engine with time that passes when told; the same on PostgreSQL.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod claims;
mod commits;
mod console;
mod content;
mod kit;
mod large;
mod moved;
mod past;
mod postgres;
mod refusals;
mod rights;
mod seats;
