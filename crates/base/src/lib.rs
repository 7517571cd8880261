//! Contracts: what the kernel, the engines, the services and the simulator agree on.
//!
//! Values (stamps, ids, codes, limits) and the narrow traits through which everything outside the kernel
//! is reached: [`Store`]/[`Tx`], [`Clock`], [`Entropy`], [`Timers`], [`Files`], [`Blobs`], [`Outbound`],
//! [`Sink`]/[`Publisher`].
//!
//! Invariants: this crate does no I/O, reads no clock and depends on no other crate of ours. What is
//! deliberately not here: operations and their cycle (`kernel`), SQL of any table, HTTP.

pub mod archive;
pub mod archived;
mod batch;
mod blobs;
mod broker;
pub mod carry;
mod code;
mod env;
mod files;
mod id;
pub mod limits;
mod migration;
pub mod mutants;
mod outbound;
mod prefix;
mod public;
mod redis;
mod rfc3339;
mod sql;
mod stamp;
mod store;
mod ticket;
mod time;
pub mod trace;
mod unreached;
mod value;

pub use batch::{Connection, run_alone, run_batch};
pub use blobs::{BlobName, BlobPlaces, Blobs, InvalidBlobName, InvalidSha, Sha, StagedBlob};
pub use broker::{BrokerState, BrokerWatch, Confirm, Delivery, Publisher, Settle, Sink, Taken};
pub use code::{Code, OpError, OpResult, Phase, codes};
pub use env::{Clock, Entropy, Timers};
pub use files::{FileChange, Files, Listed, RelPath};
pub use id::{Id, IdSource, InvalidId};
pub use migration::{Dialect, Migration};
pub use outbound::{Call, CallResult, HttpCall, HttpReply, MailCall, Outbound, WorkCall};
pub use prefix::after_prefix;
pub use public::{Reach, is_public};
pub use redis::{Redis, RedisCommand, RedisDone, RedisReply};
pub use sql::{Sql, placeholders};
pub use stamp::{Day, InvalidStamp, Stamp, days_in_month};
pub use store::{
    ContentionKey, Ear, Engine, Health, Isolation, Job, Keys, Outcome, Store, StoreError, StoreFigures, StoreResult,
    Tx, Urgency, Verdict,
};
pub use ticket::Ticket;
pub use time::{Heard, Ran, Wall};
pub use unreached::unreached;
pub use value::{Cell, Row, Value};
