//! Lists sensors that sent signals and that nobody registered (SEN-3), the last heard first.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of unknown sensors.
pub static UNKNOWN: Query<UnknownSensors, Vec<UnknownSensor>> = Query::new("sensor.unknown", unknown);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct UnknownSensors {
    /// After this one, in the order of the list.
    pub after: Option<String>,
    /// At most so many.
    pub limit: u32,
}

/// A sensor that nobody registered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct UnknownSensor {
    /// Its id.
    #[schema(example = "xa7v9Dfadr7H")]
    pub id: String,
    /// When it was first heard.
    #[schema(format = DateTime)]
    pub first_at: String,
    /// When it was last heard.
    #[schema(format = DateTime)]
    pub last_at: String,
    /// Signals so far.
    pub count: i64,
    /// What the last of them said.
    pub data: i64,
    /// Place in the list.
    #[serde(skip)]
    pub cursor: String,
}

macro_rules! columns {
    () => {
        "SELECT id, first_at, last_at, count, data FROM sensor_unknown "
    };
}
pub(super) static NEWEST: Sql =
    Sql::new("sensor_unknown.newest", concat!(columns!(), "ORDER BY last_at DESC, id DESC LIMIT ?1"));
pub(super) static BEFORE: Sql = Sql::new(
    "sensor_unknown.before",
    concat!(columns!(), "WHERE (last_at, id) < (?1, ?2) ORDER BY last_at DESC, id DESC LIMIT ?3"),
);

fn unknown(tx: &mut dyn Tx, wanted: &UnknownSensors) -> OpResult<Vec<UnknownSensor>> {
    let after = wanted.after.as_deref().and_then(|cursor| cursor.split_once(' '));
    let after = after.and_then(|(at, id)| Some((at.parse::<i64>().ok()?, id)));
    let rows = match after {
        None => tx.query(&NEWEST, args![wanted.limit], wanted.limit as usize)?,
        Some((at, id)) => tx.query(&BEFORE, args![at, id, wanted.limit], wanted.limit as usize)?,
    };
    Ok(rows.iter().map(read).collect())
}

fn read(row: &Row) -> UnknownSensor {
    UnknownSensor {
        id: row.text(0).to_owned(),
        first_at: Wall(row.int(1)).rfc3339(),
        last_at: Wall(row.int(2)).rfc3339(),
        count: row.int(3),
        data: row.int(4),
        cursor: format!("{} {}", row.int(2), row.text(0)),
    }
}
