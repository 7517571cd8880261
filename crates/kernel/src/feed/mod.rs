//! Change feed: events that readers resume from a cursor (KER-25).

use base::{Id, Migration, OpResult, Sql, Tx, args};

use crate::effects::Event;
use crate::service::ServiceDef;

/// The feed.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "feed",
    migrations: &[Migration { service: "feed", version: 1, text: include_str!("../../migrations/feed_0001.sql") }],
    statements: &[&INSERT],
    ..ServiceDef::EMPTY
};

static INSERT: Sql =
    Sql::new("event.insert", "INSERT INTO event (id, topic, subject, version, data) VALUES (?1, ?2, ?3, ?4, ?5)");

/// Writes an event in the operation's own transaction.
pub(crate) fn write(tx: &mut dyn Tx, id: Id, event: &Event) -> OpResult<()> {
    Ok(tx.write(&INSERT, args![id, &event.topic, &event.subject, event.version, &event.data])?)
}
