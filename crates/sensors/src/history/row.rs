//! Rows of history as readers see them.

use base::{Id, Wall};

use super::place::Place;

/// One signal that was accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HistoryRow {
    /// Its own id.
    pub id: Id,
    /// Which sensor.
    pub sensor_id: String,
    /// Where it was then.
    pub address: String,
    /// What it said: 1 closed, 0 open.
    pub data: i64,
    /// What it had said before.
    pub previous: Option<i64>,
    /// Whether that was a change.
    pub changed: bool,
    /// The signal's own time, or ours if it had none.
    pub at: Wall,
    /// When we took it in.
    pub taken_at: Wall,
}

impl HistoryRow {
    /// Its place in the list.
    #[must_use]
    pub fn place(&self) -> Place {
        Place { at: self.at, id: self.id }
    }
}

/// One try to tell a client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TryRow {
    /// Which client.
    pub client_id: String,
    /// Which of its events.
    pub seq: i64,
    /// Which try of that event, from 1.
    pub number: i64,
    /// When it began.
    pub at: Wall,
    /// What the receiver answered, if it did.
    pub status: Option<i64>,
    /// How long that took.
    pub latency_ms: Option<i64>,
    /// What went wrong, if something did.
    pub error: Option<String>,
}

impl TryRow {
    /// What no other try has; numbers may begin anew when an event is told again.
    #[must_use]
    pub const fn key(&self) -> (i64, i64, Wall) {
        (self.seq, self.number, self.at)
    }
}
