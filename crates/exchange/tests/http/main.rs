//! The exchange over HTTP on the real SQLite engine; the same on PostgreSQL.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::disallowed_methods, reason = "somebody who breaks files")]

mod activation;
mod edge;
mod files;
mod handshake;
mod messages;
mod names;
mod numbers;
mod packs;
mod postgres;
mod refusals;
mod registry;
mod retention;
mod statements;
mod timeouts;
mod waiting;
