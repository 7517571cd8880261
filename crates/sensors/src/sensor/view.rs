//! A sensor as it is shown.

use base::{Row, Wall};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// What is known of a sensor in one word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum SensorState {
    /// Its last signal said 0.
    Open,
    /// Its last signal said 1.
    Closed,
    /// It was silent for too long.
    Lost,
    /// It is registered, said nothing so far, and its time is not over.
    Never,
}

impl SensorState {
    /// Of what is written of it.
    #[must_use]
    pub(crate) fn of(data: Option<i64>, is_lost: bool) -> Self {
        match (is_lost, data) {
            (true, _) => Self::Lost,
            (false, None) => Self::Never,
            (false, Some(0)) => Self::Open,
            (false, Some(_)) => Self::Closed,
        }
    }
}

/// A sensor.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SensorView {
    /// Its id.
    #[schema(example = "xa7v9Dfadr7H")]
    pub id: String,
    /// Address of the room that it is in.
    #[schema(example = "Moscow, Russia, Svobody st. 23 fl 1 room 16")]
    pub address: String,
    /// Seconds of silence after which it is lost.
    #[schema(example = 3600)]
    pub silence_s: i64,
    /// What is known of it.
    pub state: SensorState,
    /// What it said last: 0 open, 1 closed; null before its first signal.
    #[schema(minimum = 0, maximum = 1)]
    pub data: Option<i64>,
    /// When that was first said.
    #[schema(format = DateTime)]
    pub changed_at: Option<String>,
    /// When it was last heard: to within a sixtieth of its silence.
    #[schema(format = DateTime)]
    pub seen_at: Option<String>,
    /// Since when it is lost; null if it is not.
    #[schema(format = DateTime)]
    pub lost_since: Option<String>,
    /// How often its state changed.
    pub changes: i64,
    /// When it was registered.
    #[schema(format = DateTime)]
    pub registered_at: String,
}

/// The columns that [`SensorView::read`] reads, of the table `sensor` by the name `s`.
macro_rules! view_columns {
    () => {
        "s.id, s.address, s.silence_ms, s.data, s.changed_at, s.seen_at, s.lost_since, s.changes, s.registered_at"
    };
}
pub(crate) use view_columns;

impl SensorView {
    /// Of a row with these columns first.
    pub(crate) fn read(row: &Row) -> Self {
        let moment = |column| row.opt_int(column).map(|ms| Wall(ms).rfc3339());
        Self {
            id: row.text(0).to_owned(),
            address: row.text(1).to_owned(),
            silence_s: row.int(2) / 1000,
            state: SensorState::of(row.opt_int(3), row.opt_int(6).is_some()),
            data: row.opt_int(3),
            changed_at: moment(4),
            seen_at: moment(5),
            lost_since: moment(6),
            changes: row.int(7),
            registered_at: Wall(row.int(8)).rfc3339(),
        }
    }
}
