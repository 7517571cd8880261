//! What there was to tell clients, as people and the clients themselves read it: events in their order (SEN-14), and notifications with
//! each try (SEN-11).

mod events;
mod notifications;
mod notified;

pub use events::{EVENTS, EventView, EventsOf};
pub use notifications::{NOTIFICATIONS, Notification, NotificationsOf, Try};
pub use notified::{NOTIFIED, Notified, NotifiedOf, Place};

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&events::AFTER, &notifications::NEWEST, &notifications::BEFORE, &notified::OF_ALL, &notified::OF_SENSOR];
