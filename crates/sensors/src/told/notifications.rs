//! Notifications of a client (SEN-11): its events, newest first, with what became of each. Their tries are read beside
//! ([`crate::history::tries`]), because they may lie in the archive.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::client;
use crate::history::TryRow;

/// A page of notifications, newest first, without their tries.
pub static NOTIFICATIONS: Query<NotificationsOf, Vec<Notification>> = Query::new("sensor.notifications", notifications);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct NotificationsOf {
    /// Of which client.
    pub client: String,
    /// Only those with a smaller number.
    pub before: Option<i64>,
    /// At most so many.
    pub limit: u32,
}

/// A notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Notification {
    /// Number of its event.
    pub seq: i64,
    /// The `webhook-id` under which it is sent.
    #[schema(example = "evt_01KA2B3C4D5E6F7G8H9JKMNPQR")]
    pub webhook_id: String,
    /// Which sensor; empty for several at once.
    #[schema(example = "xa7v9Dfadr7H")]
    pub sensor_id: String,
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
    /// When it ended.
    #[schema(format = DateTime)]
    pub ended_at: Option<String>,
    /// Number of the event that came in its place.
    pub superseded_by: Option<i64>,
    /// Each try to send it.
    pub tries: Vec<Try>,
}

/// A try.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Try {
    /// Which one, from 1.
    pub number: i64,
    /// When it began.
    #[schema(format = DateTime)]
    pub at: String,
    /// What the receiver answered, if it did.
    pub status: Option<i64>,
    /// How long that took.
    pub latency_ms: Option<i64>,
    /// What went wrong, if something did.
    pub error: Option<String>,
}

impl From<TryRow> for Try {
    fn from(row: TryRow) -> Self {
        let TryRow { number, at, status, latency_ms, error, .. } = row;
        Self { number, at: at.rfc3339(), status, latency_ms, error }
    }
}

macro_rules! columns {
    () => {
        "SELECT seq, id, sensor_id, type, at, state, ended_at, superseded_by FROM sensor_event WHERE client_id = ?1 "
    };
}
pub(super) static NEWEST: Sql = Sql::new("sensor_event.newest", concat!(columns!(), "ORDER BY seq DESC LIMIT ?2"));
pub(super) static BEFORE: Sql =
    Sql::new("sensor_event.before", concat!(columns!(), "AND seq < ?3 ORDER BY seq DESC LIMIT ?2"));

fn notifications(tx: &mut dyn Tx, wanted: &NotificationsOf) -> OpResult<Vec<Notification>> {
    client::check_exists(tx, &wanted.client)?;
    let limit = wanted.limit as usize;
    let rows = match wanted.before {
        None => tx.query(&NEWEST, args![&wanted.client, wanted.limit], limit)?,
        Some(before) => tx.query(&BEFORE, args![&wanted.client, wanted.limit, before], limit)?,
    };
    Ok(rows.iter().map(Notification::read).collect())
}

impl Notification {
    /// From a row that begins with the columns of [`NEWEST`].
    pub(super) fn read(row: &Row) -> Self {
        Self {
            seq: row.int(0),
            webhook_id: row.text(1).to_owned(),
            sensor_id: row.text(2).to_owned(),
            what: row.text(3).to_owned(),
            at: Wall(row.int(4)).rfc3339(),
            state: row.text(5).to_owned(),
            ended_at: row.opt_int(6).map(|at| Wall(at).rfc3339()),
            superseded_by: row.opt_int(7),
            tries: vec![],
        }
    }
}
