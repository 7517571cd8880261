//! The real world behind the contracts of `base`: clock, chance, timers, durable files, the lock of a data directory,
//! calls to the outside, the message broker.
//!
//! Invariants: this is the one crate that reads clocks, sleeps, starts threads, touches files and calls others, so
//! everything else can be simulated. Every thread started here ends when its owner is dropped. Nothing here knows of SQL, operations or
//! configuration.
//!
//! Deliberately not here: the engines' own files (`store-sqlite` owns its database), and a simulated world (`sim`
//! brings its own).

mod amqp;
mod blobs;
mod clock;
mod dir_lock;
mod disk;
mod entropy;
mod files;
#[doc(hidden)]
pub mod fuzzing;
mod open_files;
mod outbound;
mod process;
mod redis;
mod threads;
mod timers;
pub mod watchdog;

pub use amqp::{
    Amqp, AmqpError, AmqpPublisher, AmqpSettings, ConsumerSettings, PublisherSettings, QueueType, check_amqp_url,
};
pub use blobs::{DiskBlobs, DiskPlaces, S3Config, S3Places};
pub use clock::{RanTime, RealClock};
pub use dir_lock::{DirLock, DirLockError};
pub use disk::{DiskFacts, DiskKind, disk_facts, sync_times_us};
pub use entropy::OsEntropy;
pub use files::{Directory, DiskFiles, EntryKind, Folder, OpenFile, make_root, remove_root, rename_root};
pub use open_files::open_files_max;
pub use outbound::{
    HostOutbound, MailSettings, OutboundError, OutboundSettings, is_mail_address, is_mail_server, is_public,
};
pub use process::{Life, ask_to_stop, life, stop_with_parent};
pub use redis::{InvalidRedisUrl, RedisServer};
pub use threads::side_by_side;
pub use timers::ThreadTimers;
pub use watchdog::Watchdog;
