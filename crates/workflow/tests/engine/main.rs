//! Processes carried on by the engine, on the real SQLite engine, with time that passes when told.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod decisions;
#[path = "../kit/mod.rs"]
mod kit;
mod processes;
mod restarts;
mod timeouts;
