//! The simulator: the real services on the real SQLite engine, in one thread, with simulated time, disks, network and
//! partners, every choice drawn from one seed.
//!
//! `cargo run --release -p sim -- --seed 7` runs one seed; the same seed always gives the same trace, whose hash is
//! printed. A failure prints the seed, the last events and the command that repeats it.
//!
//! Invariants: no real clock, no threads, no chance but the seed's. Deliberately not here: torn pages and disks that
//! lie below SQLite, which are the kill harness's (`cargo xtask kill`).

mod agenda;
mod clock;
mod faults;
mod recording;
mod rng;
mod run;
mod sim;
mod store;
mod trace;
mod workload;

use run::{Options, run};

fn main() {
    let seed: u64 = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(1);
    let count: u64 = std::env::args().nth(2).and_then(|a| a.parse().ok()).unwrap_or(1);
    let print = std::env::args().nth(3).is_some();
    let (mut events, mut us, mut acks, mut lives) = (0, 0, 0, 0);
    for seed in seed..seed + count {
        match run(&Options { seed, events: 1_000, print }) {
            Ok(report) => {
                events += report.events;
                us += report.simulated_us;
                acks += report.acknowledged;
                lives += report.lives;
                if count == 1 {
                    println!("{report:?}")
                }
            }
            Err(failure) => {
                println!("seed {seed} FAILED after {} events: {}\n{}", failure.events, failure.message, failure.last);
                return;
            }
        }
    }
    println!("{count} seeds, {events} events, {} simulated hours, {acks} acks, {lives} lives", us / 3_600_000_000);
}
