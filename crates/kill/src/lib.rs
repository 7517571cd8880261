//! The kill harness: the real server under real load and real faults, judged by a history checker.
//!
//! `cargo xtask kill --rounds 200` runs rounds: clients write over HTTP, one fault strikes, it is healed, every open
//! request is asked again until it is known, and what clients were told is compared with what is there. Tests of the
//! server use the same parts.
//!
//! Invariants: a fault that did not strike, or a round with too little work, is a failed round; whatever was started,
//! mounted or written here is ended, unmounted and removed here, or by the next run. Deliberately not here: anything
//! simulated (see `sim`).

pub mod check;
pub mod client;
pub mod disk;
pub mod exchange;
pub mod fault;
pub mod guide;
pub mod leftovers;
pub mod load;
mod loopback;
pub mod lossfs;
mod machine;
pub mod moving;
pub mod mutants;
pub mod nodes;
pub mod postgres;
pub mod proxy;
pub mod report;
pub mod rng;
pub mod round;
pub mod run;
pub mod sensors;
pub mod server;
pub mod services;
pub mod storage;
pub mod tracer;
pub mod waits;
pub mod workflow;
pub mod world;
