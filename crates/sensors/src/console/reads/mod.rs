//! What pages read beside what routes answer. Each costs what it returns, also among a million sensors.

mod events;
mod places;
mod totals;

pub(super) use events::{EVENTS_OF_SENSOR, EventLine};
pub(super) use places::{PLACES, Place, Places, PlacesOf, parts};
pub(super) use totals::{SENSORS_MAX, TOTALS, Totals};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&events::OF_SENSOR, &places::FROM, &places::LOST, &totals::SENSORS, &totals::UNKNOWN];
