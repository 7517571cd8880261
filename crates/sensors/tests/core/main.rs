//! The core of sensors: what signals mean, who is told, who fell silent. Real operations on the real SQLite engine.

#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

mod judging;
mod kit;
mod notify;
mod replay;
mod room;
mod silence;
