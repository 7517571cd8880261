//! Alerts: conditions with a key that a person should know of (KER-27).
//!
//! An operation opens or closes one by an effect; that writes a row per opening and, if none waits, inscribes one task per
//! kind ([`send`]). The task gathers what is untold into one message, tries the channels in order, and inscribes its own next
//! moment: the rest of the changes, the repetition of what stays open, or another round after all channels failed.
//!
//! Invariants:
//! - Every opening and every closing is told by exactly one message, also one that opened and closed before anything was sent:
//!   a condition that comes and goes is news, and the pace bounds how often.
//! - A message has one id for all its tries. A channel gets it again only when nobody knows whether it got it before.
//! - A try is a row before the call is made, `unknown` until something came of it: a kill at any step loses no message and
//!   never makes one look sent.
//! - Trouble of a channel is an alert of kind [`CHANNEL_KIND`], which is shown (banner, `/readyz`) and never sent.
//! - Opening an open alert and closing a closed one changes nothing, not even its text: a condition that is found again with
//!   every operation must not cost a write each time.

pub mod acknowledge;
mod change;
mod channel;
mod compose;
mod find;
mod forget;
mod kind;
pub mod list;
mod message;
pub mod messages;
mod pace;
mod send;
pub mod set_channels;
mod signature;
pub mod summary;
pub mod wake;

use base::Migration;
use serde::{Deserialize, Serialize};

use crate::service::{Invariant, ServiceDef, StuckDef, TaskDef};

pub(crate) use change::write;
pub use channel::Channel;
pub use find::find;
pub use pace::Pace;
pub use send::NOBODY_IS_TOLD;

/// The kind of alerts about alerting itself. Never sent: it would be sent by what has failed.
pub const CHANNEL_KIND: &str = "alerts.channel";

/// Name of the setting that tells tasks what the configuration says.
pub(crate) const SETTING: &str = "alerts";

/// What the configuration says of alerts.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlertSettings {
    /// The namespace's name, for messages.
    pub namespace: String,
    /// Channels of namespaces that have none of their own.
    pub channels: Vec<Channel>,
    /// How fast messages follow each other.
    pub pace: Pace,
    /// How long closed alerts and messages are kept, in milliseconds of listening time.
    pub kept_ms: i64,
}

impl Default for AlertSettings {
    fn default() -> Self {
        Self { namespace: String::new(), channels: vec![], pace: Pace::default(), kept_ms: 90 * 86_400_000 }
    }
}

/// Alerts.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "alerts",
    migrations: &[Migration { service: "alerts", version: 1, text: include_str!("../../migrations/alerts_0001.sql") }],
    statements: &[
        &change::OPEN,
        &change::CLOSE,
        &kind::GET,
        &kind::PUT,
        &kind::NAGGING,
        &kind::OVERDUE,
        &kind::FORGOTTEN,
        &compose::UNTOLD,
        &compose::LIVE,
        &compose::TOLD_OPENING,
        &compose::TOLD_CLOSING,
        &message::INSERT,
        &message::GET,
        &message::SAVE,
        &message::TRY,
        &message::CAME,
        &message::PRUNE,
        &message::ORPHANS,
        &channel::ALL,
        &set_channels::CLEAR,
        &set_channels::INSERT,
        &set_channels::TROUBLE,
        &acknowledge::ACKNOWLEDGE,
        &acknowledge::GET,
        &list::ALL,
        &list::LIVE,
        &find::BY_ID,
        &find::BY_KEY,
        &find::BY_KIND,
        &messages::PAGE,
        &messages::TRIES,
        &summary::COUNTS,
        &summary::BANNER,
        &forget::ALERTS,
        &forget::MESSAGES,
        &forget::ATTEMPTS,
    ],
    operations: &[&acknowledge::ACKNOWLEDGE_ALERT, &set_channels::SET_CHANNELS, &wake::WAKE_KINDS],
    tasks: &[
        // That the disk is full must be told while it is.
        TaskDef::new(send::OP, send::plan).settled_by(send::settle).retrying(send::RETRY_MINUTES).ending(),
        TaskDef::new("alert.forget", forget::plan).queue(2).standing("D0341").ending(),
    ],
    invariants: &[
        Invariant { name: "an alert that nobody was told of has a task to come", check: kind::forgotten },
        Invariant { name: "a message that is not out is the one its kind works on", check: message::orphans },
    ],
    stuck: &[StuckDef { what: "alert", find: kind::stuck }],
    ..ServiceDef::EMPTY
};
