//! Links: which client is told of which sensor (SEN-1).

mod list;
mod put;

pub(crate) use list::NEXT_OF_CLIENT;
pub use list::{CLIENTS_OF_SENSOR, ClientLink, LinkedOf, SENSORS_OF_CLIENT, SensorLink};
pub use put::{LINK, Link, UNLINK};
pub(crate) use put::{Linked, link};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[
    &put::SENSOR,
    &put::COUNT,
    &put::INSERT,
    &put::DELETE,
    &put::EXISTS,
    &list::OF_CLIENT,
    &list::OF_SENSOR,
    &list::NEXT_OF_CLIENT,
];
