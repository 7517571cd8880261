//! The connector's database side on real Firebird, PostgreSQL and SQLite: one suite, run on each.
#![expect(clippy::disallowed_methods, reason = "tests work on the real world")]
#![expect(clippy::unwrap_used, reason = "tests end by panicking")]

mod exchange;
mod firebird;
#[path = "../script/http.rs"]
#[expect(dead_code, reason = "the other tests use more of it")]
mod http;
mod kit;
mod postgres;
mod sqlite;
mod suite;
