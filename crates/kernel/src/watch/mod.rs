//! Watching over the server: what alerts, the journal and the counters share.
//!
//! [`Kernel::watch_over`](crate::Kernel::watch_over) starts one round per second that brings to the store what was kept in
//! memory (counters, late journal lines) and tells the tasks of every namespace what the configuration says ([`setting`]).
//!
//! Invariants: a round never waits; it asks and comes again. What it keeps in memory is bounded, and what the bound cost is
//! counted. Tasks see rows only: configuration reaches them as rows.

mod config;
pub(crate) mod retention;
mod round;
pub(crate) mod setting;
mod state;
mod text;

use base::Migration;

use crate::service::ServiceDef;

pub use config::WatchConfig;
pub use state::Watched;
pub use text::{cut, query_words, shown};

/// Settings for tasks.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "watch",
    migrations: &[Migration { service: "watch", version: 1, text: include_str!("../../migrations/watch_0001.sql") }],
    statements: &[&setting::GET, &setting::PUT],
    ..ServiceDef::EMPTY
};
