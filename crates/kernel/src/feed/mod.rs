//! Change feed: events that readers resume from a cursor and never miss or double (KER-25), and the store's epoch (KER-46).
//!
//! An operation leaves an event as an effect. It becomes a row of the operation's own commit and gets a number: on SQLite
//! at once, because one writer commits one after the other; on PostgreSQL from the sequencer, which numbers rows that are
//! committed. Readers follow the numbers.
//!
//! Invariants: numbers have no gaps and never change, so one order holds for all readers; the newest numbered event is never
//! forgotten, so the next number is always known; a cursor that cannot be followed without a hole is refused (`CEPOCH`,
//! `CGONE`), never answered.
//!
//! Deliberately not here: who may see which topic (the edge checks the role), and any wait for new events (wake-ups are
//! [`crate::Wakes`], connections are [`live`]).

mod cursor;
mod epoch;
mod forget;
mod health;
mod live;
mod page;
mod sequence;
mod sequencer;
mod write;

pub use cursor::{After, Cursor};
pub use epoch::{EPOCH, KEEP, Keep, RENEW_EPOCH, epoch, renew_epoch};
pub use forget::FORGET;
pub use live::{Follow, LIVE};
pub use page::{FeedEvent, FeedPage, PAGE, PageOf, TOPICS_MAX};
pub use sequence::{SEQUENCE, SEQUENCER_LEASE_MS, Sequence, Sequenced};
pub use sequencer::Sequencer;
pub(crate) use write::write;

use base::Migration;

use crate::service::{Invariant, ServiceDef, StuckDef};

/// How long events are kept where nobody says otherwise.
pub const KEPT_MS: i64 = 7 * 86_400_000;

/// The feed.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "feed",
    migrations: &[Migration { service: "feed", version: 1, text: include_str!("../../migrations/feed_0001.sql") }],
    statements: &[
        &write::INSERT,
        &write::INSERT_NUMBERED,
        &epoch::READ,
        &epoch::OPEN,
        &epoch::RENEW,
        &epoch::KEEP_MS,
        &epoch::KEPT_MS_NOW,
        &page::HEAD,
        &page::TAIL,
        &page::ALL,
        &page::OF_TOPICS,
        &sequence::WAITING,
        &sequence::NUMBER,
        &forget::FIRST_YOUNG,
        &forget::DELETE,
        &health::UNNUMBERED,
        &health::NEWEST,
    ],
    operations: &[&EPOCH, &KEEP, &RENEW_EPOCH, &SEQUENCE],
    queries: &[&PAGE],
    tasks: &[FORGET],
    sessions: &[LIVE],
    invariants: &[Invariant { name: "event numbers have no gaps", check: health::gaps }],
    stuck: &[StuckDef { what: "event", find: health::stuck }],
    ..ServiceDef::EMPTY
};
