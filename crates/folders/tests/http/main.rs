//! Folders over HTTP on the real SQLite engine; the same on PostgreSQL.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod kit;
mod postgres;
mod refusals;
mod tour;
