//! One round: load, one fault, healed, settled, checked.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use base::Engine;

use crate::fault::{Fault, Scene, Struck};
use crate::load::{Counts, Crowd};
use crate::rng::Rng;
use crate::world::{CLIENTS_MAX, World};

/// Acknowledgements before the fault and after it; with less the round proves nothing.
const ACKED_MIN: u64 = 20;
const CLIENTS_MIN: u64 = 4;

/// What strikes where.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Case {
    /// What strikes.
    pub fault: Fault,
    /// On which engine.
    pub engine: EngineName,
}

/// An engine, in an order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum EngineName {
    /// SQLite.
    Sqlite,
    /// PostgreSQL.
    Postgres,
}

impl From<EngineName> for Engine {
    fn from(name: EngineName) -> Self {
        match name {
            EngineName::Sqlite => Self::Sqlite,
            EngineName::Postgres => Self::Postgres,
        }
    }
}

impl Case {
    /// Every fault on every engine that it can strike.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let both = [EngineName::Sqlite, EngineName::Postgres];
        let cases = Fault::ALL.into_iter().flat_map(|fault| both.map(|engine| Self { fault, engine }));
        cases.filter(|case| case.fault.ground(case.engine.into()).is_some()).collect()
    }

    /// For people: `kill on sqlite`.
    #[must_use]
    pub fn name(self) -> String {
        let engine = match self.engine {
            EngineName::Sqlite => "sqlite",
            EngineName::Postgres => "postgres",
        };
        format!("{} on {engine}", self.fault.name())
    }
}

/// What happened in a round that went well.
#[derive(Debug)]
pub struct Passed {
    /// Clients that wrote.
    pub clients: usize,
    /// What they were told.
    pub counts: Counts,
    /// What the fault did.
    pub struck: Struck,
    /// How long after the fault's end the server was ready.
    pub ready: Duration,
    /// How long the round took.
    pub took: Duration,
}

/// Runs one round in a world that fits the fault.
///
/// # Errors
/// A promise was broken, the fault did not strike, or too little was done.
pub fn play(world: &mut World, fault: Fault, rng: &mut Rng) -> Result<Passed> {
    let begun = Instant::now();
    let count = usize::try_from(rng.between(CLIENTS_MIN, CLIENTS_MAX as u64 + 1))?;
    let resting = world.writers.split_off(count);
    let working = std::mem::replace(&mut world.writers, resting);
    let impatience = fault.tries_patience().then(|| Duration::from_millis(rng.between(200, 900)));
    let crowd = Crowd::start(working, world.server()?.address, fault.allowed(), impatience);
    let struck = strike(world, &crowd, fault, rng);
    let (mut writers, counts, ended) = crowd.stop();
    writers.append(&mut world.writers);
    world.writers = writers;
    let (struck, ready) = struck?;
    ended?;
    ensure!(struck.times > 0, "the fault never struck");
    world.settle()?;
    world.check()?;
    Ok(Passed { clients: count, counts, struck, ready, took: begun.elapsed() })
}

/// Some work, the fault, and some work again.
fn strike(world: &mut World, crowd: &Crowd, fault: Fault, rng: &mut Rng) -> Result<(Struck, Duration)> {
    let bound = fault.bound();
    crowd.wait_acked(ACKED_MIN)?;
    let struck = fault.strike(&mut Scene { world, crowd, rng, bound })?;
    let ready = world.wait_ready(struck.healed, bound)?;
    crowd.wait_acked(ACKED_MIN)?;
    world.check_running()?;
    Ok((struck, ready))
}
