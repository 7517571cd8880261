//! The PostgreSQL store: serializable transactions on worker threads, spared conflicts by contention keys.
//!
//! One namespace is one schema. A job is queued by its contention keys (`scheduler`), taken by a worker (`worker`)
//! that owns one connection (`session`), run alone or with others of its key in one transaction (`base::run_batch`),
//! and answered after COMMIT.
//!
//! Invariants: an answer comes after COMMIT is durable; a COMMIT without an answer is *unknown* and never run again
//! here; jobs of one key never overlap within this process, and between processes SERIALIZABLE decides; while the server
//! is gone everybody is answered at once and one worker looks for it; every job is answered exactly once, also when
//! the engine itself panics.
//!
//! Deliberately not here: SQL of any service, advisory locks, extensions, a reserve for a full disk (the
//! disk is the server's: work that ends work is still tried), and TLS to the server.

pub mod archive;
mod batch;
mod bell;
pub mod carry;
mod config;
mod counters;
mod desk;
mod errors;
mod failure;
mod figures;
mod gate;
mod heard;
mod link;
mod migrate;
mod pipeline;
mod probe;
mod queue;
mod scheduler;
mod session;
mod shared;
mod store;
mod threads;
mod tx;
mod values;
mod width;
mod worker;

pub use config::PostgresConfig;
pub use counters::Counters;
pub use store::PostgresStore;
