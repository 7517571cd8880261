//! The simulator: the real services on the real SQLite engine, in one thread, with simulated time, disks, network and
//! partners, every choice drawn from one seed.
//!
//! `cargo run --release -p sim -- --seed 7` runs one seed; the same seed always gives the same trace, whose hash is
//! printed. A failure prints the seed, the last events and the command that repeats it.
//!
//! Invariants: no real clock, no threads, no chance but the seed's. Deliberately not here: torn pages and disks that
//! lie below SQLite, which are the kill harness's (`cargo xtask kill`).

mod agenda;
mod archive;
pub mod chores;
mod clock;
mod courier;
mod deliveries;
mod depot;
mod disk;
mod faults;
mod gazette;
pub mod mutants;
mod office;
mod partner;
mod receivers;
mod recording;
mod rng;
mod run;
mod sessions;
pub mod shrink;
mod sim;
mod sirens;
mod store;
mod trace;
mod workload;

pub use run::{Failure, Options, Report, run};
pub use workload::exchange_cuts;
