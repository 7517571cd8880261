//! What pages read beside what routes answer. Each costs what it returns, also among a million sensors.

mod events;
mod history;
mod places;
mod rejected;
mod totals;

pub(super) use events::{Attempt, EVENTS_OF_CLIENT, EVENTS_OF_SENSOR, EventLine, EventsOf};
pub(super) use history::{HISTORY, HistoryLine, HistoryOf};
pub(super) use places::{PLACES, Place, Places, PlacesOf, parts};
pub(super) use rejected::{REJECTED, Rejected, RejectedOf};
pub(super) use totals::{TOTALS, Totals};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &events::NEWEST,
    &events::IN_STATE,
    &events::OF_SENSOR,
    &events::ATTEMPTS,
    &history::WITHIN,
    &places::FROM,
    &places::LOST,
    &rejected::BEFORE,
    &totals::SENSORS,
    &totals::UNKNOWN,
];
