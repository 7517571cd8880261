//! Sensors as they are registered (SEN-1): put, removed, shown, listed, and counted by address.
//!
//! Registering never touches what a sensor said: its state is `judging`'s alone.

mod address;
mod addresses;
mod list;
mod put;
mod rejected;
mod remove;
mod unknown;
mod view;
mod walk;

pub use address::check_address;
pub(crate) use address::next_part;
pub use addresses::{ADDRESSES, AddressCount, AddressCounts, AddressesOf};
pub(crate) use list::show;
pub use list::{LIST_SENSORS, ListOf, SHOW_SENSOR, Sensors};
pub(crate) use put::register;
pub use put::{Change, PUT_SENSOR, PutSensor, SensorPut};
pub use rejected::{REJECTED_SIGNALS, RejectedOf, RejectedView};
pub use remove::REMOVE_SENSOR;
pub use unknown::{UNKNOWN, UnknownSensor, UnknownSensors};
pub(crate) use view::view_columns;
pub use view::{SensorState, SensorView};

use base::{OpError, Sql};

use crate::codes::NSENSOR;
use crate::id::SensorId;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &addresses::FROM,
    &list::ONE,
    &put::INSERT,
    &put::GET,
    &put::UPDATE,
    &put::KNOWN_NOW,
    &rejected::LAST,
    &rejected::EARLIER,
    &remove::DELETE,
    &remove::UNLINK,
    &unknown::NEWEST,
    &unknown::BEFORE,
    &walk::IDS,
    &walk::ADDRESSES,
    &walk::LOST,
    &walk::FIRST_LOST,
];

/// There is no such sensor.
pub(crate) fn absent(id: SensorId) -> OpError {
    OpError::new(NSENSOR, format!("no sensor {id} is registered"))
}
