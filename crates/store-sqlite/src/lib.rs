//! The embedded store: SQLite with one writer, group commit and a pool of readers.
//!
//! One writer thread takes what is queued, runs it in one transaction and answers everybody after one COMMIT in WAL mode
//! with `synchronous=FULL`: an operation costs some microseconds, a COMMIT some hundreds, so group commit is the
//! performance design. Checkpoints of the WAL happen on a thread of their own.
//!
//! Invariants: nobody is answered before COMMIT is durable; after a failed write or sync the connection is never used
//! again (KER-41): it is reopened, checkpointed whole, and its commit count compared with what was acknowledged.
//!
//! [`SqliteCore`], the batch runner, is apart from the threads that feed it, so that the simulator can run it in its own.
//! Deliberately not here: any table but the engine's own two (`store_meta`, `schema_step`).

pub mod archive;
pub mod carry;
mod checkpoint;
mod config;
mod conn;
mod core;
mod errors;
mod figures;
mod hang;
mod inline;
mod migrate;
mod queue;
mod readers;
mod reserve;
mod store;
mod wal;
mod writer;

pub use crate::core::SqliteCore;
pub use config::SqliteConfig;
pub use inline::InlineStore;
pub use store::SqliteStore;
pub use wal::find_wal_damage;

/// Version number of the bundled SQLite, e.g. 3051003 for 3.51.3.
#[must_use]
pub fn sqlite_version() -> i32 {
    rusqlite::version_number()
}
