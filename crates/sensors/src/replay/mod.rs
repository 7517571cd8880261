//! Replays (SEN-8): the events of a time that a client missed are sent to it again, in their order, one in flight, each under its own
//! `webhook-id` and with `"replayed": true` in the body.
//!
//! Left out is what a newer event came in place of, what waits to be sent anyway, and what is about sensors that the client does not
//! have any more. The schedule of tries is that of notifications: the next time is written before a try, so that a crash repeats one try
//! at most. One event that cannot be sent ends the replay, because the order would break.

mod begin;
mod state;
mod task;

pub use begin::{REPLAY, Replay};
pub use state::{Phase, ReplayView};
pub(crate) use state::{forget, replay_of};
pub(crate) use task::TASK;

use base::Sql;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&begin::SEQ, &state::GET, &state::PUT, &state::FORGET, &task::CANDIDATES, &task::LAST_TRY];
