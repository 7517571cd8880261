//! What a reader of history asks.

use base::Wall;

use super::place::Place;
use crate::id::SensorId;

/// Sensors of one client whose history can be asked for together.
pub(crate) const SENSORS_MAX: usize = 5_000;

/// Which rows of history, newest first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Of which sensors.
    pub which: Which,
    /// Only of sensors whose address began with this.
    pub address: String,
    /// Only from this moment on.
    pub from: Option<Wall>,
    /// Only before this moment.
    pub until: Option<Wall>,
    /// Only after this place of the list.
    pub after: Option<Place>,
    /// At most so many; ask for one more than is shown to know whether there are more.
    pub limit: u32,
}

/// Of which sensors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Which {
    /// Of all.
    All,
    /// Of one.
    Sensor(SensorId),
    /// Of those that a client is told of now.
    Client(String),
}

impl Question {
    /// All that there is, so many rows of it.
    #[must_use]
    pub const fn all(limit: u32) -> Self {
        Self { which: Which::All, address: String::new(), from: None, until: None, after: None, limit }
    }

    /// The bound that every row lies below: the place where the page before ended, or the end of the time that is asked for.
    pub(crate) fn below(&self) -> (i64, String) {
        let until = (self.until.map_or(i64::MAX, |until| until.0), String::new());
        let after = self.after.map(|place| (place.at.0, place.id.to_string()));
        after.map_or(until.clone(), |after| after.min(until))
    }

    /// The first moment that counts.
    pub(crate) fn first_ms(&self) -> i64 {
        self.from.map_or(i64::MIN, |from| from.0)
    }
}

/// Which tries: those of some events of a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tries {
    /// The client.
    pub client_id: String,
    /// The first event.
    pub first_seq: i64,
    /// The last one.
    pub last_seq: i64,
}
