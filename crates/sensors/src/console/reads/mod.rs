//! What pages read beside what routes answer. Each costs what it returns, also among a million sensors.

mod events;
mod places;
mod rejected;
mod totals;

pub(super) use events::{EVENTS_OF_CLIENT, EVENTS_OF_SENSOR, EventLine, EventsOf};
pub(super) use places::{PLACES, Place, Places, PlacesOf, parts};
pub(super) use rejected::{REJECTED, Rejected, RejectedOf};
pub(super) use totals::{SENSORS_MAX, TOTALS, Totals};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &events::NEWEST,
    &events::OF_SENSOR,
    &places::FROM,
    &places::LOST,
    &rejected::BEFORE,
    &totals::SENSORS,
    &totals::UNKNOWN,
];
