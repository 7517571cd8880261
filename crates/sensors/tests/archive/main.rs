//! History on its way to an archive and back to a reader.

mod clickhouse;
mod kit;
mod outbox;
mod proxy;
