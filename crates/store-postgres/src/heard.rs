//! Listening time on PostgreSQL: the server's clock, and how far a store is from it that came from elsewhere (KER-3, KER-43).
//!
//! A store that was carried here from SQLite listened for less time than the calendar says: it did not while its server was stopped.
//! Its deadlines are in that time, so that it goes on here with the same distance; otherwise all of them would be over at once. A
//! store that was made here has no row, and no distance.

use base::Heard;
use tokio_postgres::{Client, Error};

/// Where the distance is kept.
pub(crate) const TABLE: &str =
    "CREATE TABLE IF NOT EXISTS store_meta (one BIGINT PRIMARY KEY CHECK (one = 1), heard_shift_ms BIGINT NOT NULL)";
const FIND: &str = "SELECT 1 FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relname = 'store_meta'";
const READ: &str = "SELECT heard_shift_ms FROM store_meta WHERE one = 1";
const SET: &str = "INSERT INTO store_meta (one, heard_shift_ms) \
    VALUES (1, $1 - CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)) \
    ON CONFLICT (one) DO UPDATE SET heard_shift_ms = excluded.heard_shift_ms";
const CLOCK: &str = "SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)";

/// The distance of a store.
pub(crate) async fn shift_ms(client: &Client, schema: &str) -> Result<i64, Error> {
    if client.query_opt(FIND, &[&schema]).await?.is_none() {
        return Ok(0);
    }
    client.query_opt(READ, &[]).await?.map_or(Ok(0), |row| row.try_get(0))
}

/// The store's listening time goes on from here.
pub(crate) async fn set(client: &Client, heard: Heard) -> Result<(), Error> {
    client.batch_execute(TABLE).await?;
    client.execute(SET, &[&heard.0]).await.map(drop)
}

/// The store's listening time now.
pub(crate) async fn now(client: &Client, schema: &str) -> Result<Heard, Error> {
    let clock: i64 = client.query_one(CLOCK, &[]).await?.try_get(0)?;
    Ok(Heard(clock + shift_ms(client, schema).await?))
}
