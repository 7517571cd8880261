//! The exchange over HTTP on the real SQLite engine; the same on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod edge;
mod handshake;
mod registry;
