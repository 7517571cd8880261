//! Documents on the real SQLite engine, in one thread; searches on PostgreSQL too.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod commits;
mod fills;
mod kit;
mod postgres;
mod search_model;
mod searches;
mod syncs;
