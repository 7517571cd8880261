//! History on its way to an archive and back to a reader.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clickhouse;
mod kit;
mod outbox;
mod proxy;
