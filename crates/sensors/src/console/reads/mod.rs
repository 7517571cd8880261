//! What pages read beside what routes answer. Each costs what it returns, also among a million sensors.

mod events;
mod names;
mod places;
mod totals;

pub(super) use events::{EVENTS_OF_SENSOR, EventLine};
pub(super) use names::{CLIENT_NAMES, ClientName};
pub(super) use places::{PLACES, Place, Places, PlacesOf, parts};
pub(super) use totals::{TOTALS, Totals};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&events::OF_SENSOR, &names::PAGE, &places::FROM, &places::LOST, &totals::UNKNOWN];
