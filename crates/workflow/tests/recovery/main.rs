//! What recovery finds and repairs, on the real SQLite engine, with time that passes when told. Damage is done by statements of the tests.

#![expect(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "tests end by panicking")]

mod cases;
mod healthy;
#[path = "../kit/mod.rs"]
mod kit;
mod loss;
mod lost;
mod mass;
mod postgres;
mod program;
mod sources;
mod surgery;
mod times;
mod verdicts;
