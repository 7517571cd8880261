//! What lies beside the store: history in ClickHouse, signs of life in Redis.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod clickhouse;
mod kit;
mod nodes_postgres;
mod outbox;
mod postgres;
mod proxy;
mod redis;
