//! The real world behind the contracts of `base`: clock, chance, timers, durable files, blobs on a disk or in S3, the lock of a
//! data directory.
//!
//! Invariants: this is the one crate that reads clocks, sleeps, starts threads and touches files, so everything else can
//! be simulated. Every thread started here ends when its owner is dropped. Nothing here knows of SQL, operations or
//! configuration.
//!
//! Deliberately not here: the engines' own files (`store-sqlite` owns its database), and a simulated world (`sim`
//! brings its own).

mod blobs;
mod clock;
mod dir_lock;
mod entropy;
mod files;
mod open_files;
mod threads;
mod timers;

pub use blobs::{DiskBlobs, DiskPlaces, S3Config, S3Places};
pub use clock::{RanTime, RealClock};
pub use dir_lock::{DirLock, DirLockError};
pub use entropy::OsEntropy;
pub use files::{Directory, DiskFiles, EntryKind, Folder, OpenFile, make_root};
pub use open_files::open_files_max;
pub use threads::side_by_side;
pub use timers::ThreadTimers;
