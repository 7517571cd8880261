//! Events of a client after one that it knows (SEN-14): the very bodies, under the very ids, that were sent or will be. So whoever
//! takes calls and whoever asks see the same.

use base::{OpError, OpResult, Row, Sql, Tx, Wall, args, codes};
use kernel::Query;
use serde::Serialize;
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::client;

/// Events of a client in the order of their numbers.
pub static EVENTS: Query<EventsOf, Vec<EventView>> = Query::new("sensor.events", events);

/// Which events.
#[derive(Debug, Clone, Default)]
pub struct EventsOf {
    /// Of which client.
    pub client: String,
    /// Only those with a greater number.
    pub after: i64,
    /// At most so many.
    pub limit: u32,
}

/// An event.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct EventView {
    /// Its number, which rises by one with each event of the client.
    pub seq: i64,
    /// The `webhook-id` under which it is sent.
    #[schema(example = "evt_01KA2B3C4D5E6F7G8H9JKMNPQR")]
    pub webhook_id: String,
    /// What happened.
    #[serde(rename = "type")]
    #[schema(example = "sensor.opened")]
    pub what: String,
    /// When that was.
    #[schema(format = DateTime)]
    pub at: String,
    /// `waiting`, `sent`, `superseded`, `unlinked`, `failed` or `disabled`.
    #[schema(example = "sent")]
    pub state: String,
    /// What is sent, byte for byte.
    #[schema(value_type = Object)]
    pub body: Box<RawValue>,
}

pub(super) static AFTER: Sql = Sql::new(
    "sensor_event.after",
    "SELECT seq, id, type, at, state, body FROM sensor_event WHERE client_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ?3",
);

fn events(tx: &mut dyn Tx, wanted: &EventsOf) -> OpResult<Vec<EventView>> {
    client::check_exists(tx, &wanted.client)?;
    let rows = tx.query(&AFTER, args![&wanted.client, wanted.after, wanted.limit], wanted.limit as usize)?;
    rows.iter().map(view).collect()
}

fn view(row: &Row) -> OpResult<EventView> {
    let wrong = |error| OpError::new(codes::BDETECTED, format!("the body of event {}: {error}", row.text(1)));
    Ok(EventView {
        seq: row.int(0),
        webhook_id: row.text(1).to_owned(),
        what: row.text(2).to_owned(),
        at: Wall(row.int(3)).rfc3339(),
        state: row.text(4).to_owned(),
        body: RawValue::from_string(row.text(5).to_owned()).map_err(wrong)?,
    })
}
