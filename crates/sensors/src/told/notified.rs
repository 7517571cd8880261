//! Notifications of all clients (SEN-11), newest first: of one client, of one sensor, of sensors at an address, of a time. Their tries
//! are read beside ([`crate::history::tries`]), because they may lie in the archive.

use base::{OpResult, Row, Sql, Tx, Wall, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use super::notifications::Notification;

/// A page of notifications, without their tries.
pub static NOTIFIED: Query<NotifiedOf, Vec<Notified>> = Query::new("sensor.notified", notified);

/// Which page.
#[derive(Debug, Clone, Default)]
pub struct NotifiedOf {
    /// Only of this client; empty: of all.
    pub client: String,
    /// Only of this sensor; empty: of all.
    pub sensor: String,
    /// Only of sensors whose address begins with this.
    pub address: String,
    /// Only from this moment on.
    pub from: Option<Wall>,
    /// Only before this moment.
    pub until: Option<Wall>,
    /// Only behind this place.
    pub after: Option<Place>,
    /// At most so many.
    pub limit: u32,
}

/// A place in the list: when it happened, who was told, under which number.
pub type Place = (i64, String, i64);

/// A notification and who was told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub struct Notified {
    /// Id of the client.
    pub client: String,
    /// What it was told.
    #[serde(flatten)]
    pub notification: Notification,
    #[serde(skip)]
    pub(crate) at: i64,
}

macro_rules! notified {
    ($of:literal) => {
        concat!(
            "SELECT seq, id, sensor_id, type, at, state, ended_at, superseded_by, client_id FROM sensor_event e WHERE ",
            $of,
            "at >= ?1 AND (at, client_id, seq) < (?2, ?3, ?4) AND (?5 = '' OR client_id = ?5) AND (?6 = 0 OR EXISTS \
             (SELECT 1 FROM sensor s WHERE s.id = e.sensor_id AND substr(s.address, 1, ?6) = ?7)) \
             ORDER BY at DESC, client_id DESC, seq DESC LIMIT ?8"
        )
    };
}
pub(super) static OF_ALL: Sql = Sql::new("sensor_event.notified", notified!(""));
pub(super) static OF_SENSOR: Sql = Sql::new("sensor_event.notified_of_sensor", notified!("sensor_id = ?9 AND "));

fn notified(tx: &mut dyn Tx, wanted: &NotifiedOf) -> OpResult<Vec<Notified>> {
    let until = wanted.until.map_or(i64::MAX, |until| until.0);
    let (mut at, mut client, mut seq) = (until, String::new(), 0);
    if let Some(after) = wanted.after.as_ref().filter(|after| after.0 < until) {
        (at, client, seq) = after.clone();
    }
    let from = wanted.from.map_or(i64::MIN, |from| from.0);
    let length = i64::try_from(wanted.address.chars().count()).unwrap_or(i64::MAX);
    let (limit, most) = (wanted.limit, wanted.limit as usize);
    let common = args![from, at, &client, seq, &wanted.client, length, &wanted.address, limit];
    let rows = if wanted.sensor.is_empty() {
        tx.query(&OF_ALL, common, most)?
    } else {
        let mut with_sensor = common.to_vec();
        with_sensor.push(wanted.sensor.as_str().into());
        tx.query(&OF_SENSOR, &with_sensor, most)?
    };
    Ok(rows.iter().map(read).collect())
}

fn read(row: &Row) -> Notified {
    Notified { client: row.text(8).to_owned(), notification: Notification::read(row), at: row.int(4) }
}
