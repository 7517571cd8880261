//! The connector's database side on real Firebird, PostgreSQL and SQLite: one suite, run on each.
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

mod firebird;
mod kit;
mod postgres;
mod sqlite;
mod suite;
