//! Shows clients, without their secrets.

use base::{OpResult, Row, Sql, Tx, Value, Wall, args};
use kernel::Query;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::absent;
use crate::limits::COUNTED_MAX;
use crate::replay::{ReplayView, replay_of};

/// One client.
pub static SHOW_CLIENT: Query<String, ClientView> = Query::new("sensor.client", |tx, id| show(tx, id));
/// A page of clients, oldest first.
pub static CLIENTS: Query<ClientsOf, Vec<ClientView>> = Query::new("sensor.clients", page);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct ClientsOf {
    /// Only ids after this one.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// Whether a client is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ClientState {
    /// It is told.
    Active,
    /// It is told, but the last of it failed for good.
    Failing,
    /// It is not told.
    Disabled,
}

impl ClientState {
    /// The word in the table.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Failing => "failing",
            Self::Disabled => "disabled",
        }
    }

    fn of(word: &str) -> Self {
        match word {
            "active" => Self::Active,
            "failing" => Self::Failing,
            _ => Self::Disabled,
        }
    }
}

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ClientView {
    /// Its id.
    #[schema(example = "01KA2B3C4D5E6F7G8H9JKMNPQR")]
    pub id: String,
    /// Its name.
    #[schema(example = "Hotel Europa")]
    pub name: String,
    /// Where it is told.
    #[schema(example = "https://hotel.example/doors")]
    pub url: String,
    /// Whether it is told.
    pub state: ClientState,
    /// Why it is failing or disabled; empty while it is active.
    pub reason: String,
    /// Number of the last event that there was to tell it.
    pub seq: i64,
    /// From so many of its sensors lost at once on it is told of them together; 0: never.
    pub group_lost: i64,
    /// Sensors that it is told of, counted up to 1,000.
    pub sensors: i64,
    /// Events that wait to be told, counted up to 1,000.
    pub waiting: i64,
    /// When it was created.
    #[schema(format = DateTime)]
    pub created_at: String,
    /// Whether the secret before still signs beside the present one.
    pub rotating: bool,
    /// How far its last replay is; null if there was none, and in lists.
    pub replay: Option<ReplayView>,
}

macro_rules! columns {
    () => {
        "SELECT id, name, url, state, reason, seq, group_lost, created_at, old_until FROM sensor_client WHERE "
    };
}
pub(super) static ONE: Sql = Sql::new("sensor_client.one", concat!(columns!(), "id = ?1"));
pub(super) static PAGE: Sql = Sql::new("sensor_client.page", concat!(columns!(), "id > ?1 ORDER BY id LIMIT ?2"));
pub(super) static WAITING: Sql = Sql::new(
    "sensor_notice.waiting",
    "SELECT COUNT(*) FROM (SELECT 1 FROM sensor_notice WHERE client_id = ?1 ORDER BY sensor_id, kind LIMIT ?2) AS counted",
);
pub(super) static LINKED: Sql = Sql::new(
    "sensor_link.linked",
    "SELECT COUNT(*) FROM (SELECT 1 FROM sensor_link WHERE client_id = ?1 ORDER BY sensor_id LIMIT ?2) AS counted",
);

pub(super) fn show(tx: &mut dyn Tx, id: &str) -> OpResult<ClientView> {
    let row = tx.query_one(&ONE, args![id])?.ok_or_else(|| absent(id))?;
    let view = views(tx, &[row])?.pop().ok_or_else(|| absent(id))?;
    Ok(ClientView { replay: replay_of(tx, id)?, ..view })
}

fn page(tx: &mut dyn Tx, wanted: &ClientsOf) -> OpResult<Vec<ClientView>> {
    let rows = tx.query(&PAGE, args![&wanted.after, wanted.limit], wanted.limit as usize)?;
    views(tx, &rows)
}

fn views(tx: &mut dyn Tx, rows: &[Row]) -> OpResult<Vec<ClientView>> {
    let sets: Vec<_> = rows.iter().map(|row| vec![Value::from(row.text(0)), Value::from(COUNTED_MAX)]).collect();
    let (sensors, waiting) = (tx.query_each(&LINKED, &sets)?, tx.query_each(&WAITING, &sets)?);
    let count = |row: &Option<Row>| row.as_ref().map_or(0, |row| row.int(0));
    let heard = tx.heard().0;
    let counted = rows.iter().zip(sensors.iter().zip(&waiting));
    Ok(counted.map(|(row, (sensors, waiting))| view(row, count(sensors), count(waiting), heard)).collect())
}

fn view(row: &Row, sensors: i64, waiting: i64, heard: i64) -> ClientView {
    ClientView {
        id: row.text(0).to_owned(),
        name: row.text(1).to_owned(),
        url: row.text(2).to_owned(),
        state: ClientState::of(row.text(3)),
        reason: row.text(4).to_owned(),
        seq: row.int(5),
        group_lost: row.int(6),
        sensors,
        waiting,
        created_at: Wall(row.int(7)).rfc3339(),
        rotating: row.opt_int(8).is_some_and(|until| until > heard),
        replay: None,
    }
}
