//! The connector's database side on real Firebird, PostgreSQL and SQLite: one suite, run on each.
#![expect(clippy::disallowed_methods, reason = "tests work on the real world")]

mod firebird;
mod kit;
mod postgres;
mod sqlite;
mod suite;
