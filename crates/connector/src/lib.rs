//! The business database's side of the exchange (EXC-25): takes messages from the server, processes them in one transaction of the
//! database, and brings results and replies back, exactly once.
//!
//! [`next`] alone decides what is done after what was heard; it knows neither network nor database. [`Connector`] carries it out against
//! the server by [`client::Client`] and against Firebird, PostgreSQL or SQLite behind [`engine::Engine`].
//!
//! Invariants: the id of the process is written into the database's own table `fastness_process` inside the transaction and before
//! prepare, so a process is committed exactly if its row is there; a row that is absent while its transaction may still be open is not
//! taken as "not committed"; nothing is committed before the server said `OK` to prepare; whoever waits for a database waits a bounded
//! time, on a thread of its own.
//!
//! Deliberately not here: what messages mean. That is SQL of the user, in the [`Settings`].

mod connector;
mod database;
mod desk;
pub mod engine;
#[doc(hidden)]
pub mod fuzzing;
mod learn;
mod next;
mod outcome;
mod replies;
mod settings;
mod settle;
mod start;
mod statement;
mod suspects;
mod values;
mod world;

pub use crate::connector::Connector;
pub use crate::database::{Database, Marker, Work, Worked};
pub use crate::engine::SqlError;
pub use crate::next::{BadReply, Blame, CommitFailure, Doing, Heard, MarkerSeen, Word, next};
pub use crate::outcome::{Ended, Report, Round};
pub use crate::settings::{EngineName, Handler, Replies, Settings, SettingsError};
