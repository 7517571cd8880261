//! What can go wrong, one function each: strike under load, heal, and prove that it struck.

mod database;
mod disk;
mod network;
mod power;
mod process;

use std::time::{Duration, Instant};

use anyhow::Result;
use base::Engine;

use crate::load::{Allowed, Crowd};
use crate::rng::Rng;
use crate::world::{Ground, World};

/// Where a fault strikes.
pub struct Scene<'a> {
    /// The server and what it stands on.
    pub world: &'a mut World,
    /// Its clients, at work.
    pub crowd: &'a Crowd,
    /// Chance.
    pub rng: &'a mut Rng,
    /// How long the server may take to be ready.
    pub bound: Duration,
}

/// What a fault did.
#[derive(Debug)]
pub struct Struck {
    /// How often; a fault that never struck proves nothing.
    pub times: u64,
    /// When it was over.
    pub healed: Instant,
    /// For people.
    pub note: String,
}

impl Struck {
    fn now(times: u64, note: impl Into<String>) -> Self {
        Self { times, healed: Instant::now(), note: note.into() }
    }
}

/// Everything that can go wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fault {
    /// kill -9 at a random number of acknowledgements.
    Kill,
    /// kill -9 while writes are slow, so that it comes in the middle of a commit.
    KillSlow,
    /// kill -9, and again twice while the server starts.
    KillTwice,
    /// Stopped in its tracks for some seconds.
    Pause,
    /// SIGTERM under load.
    Term,
    /// Connections between clients and server cut.
    Cut,
    /// No room on the disk.
    DiskFull,
    /// Syncs fail.
    SyncError,
    /// Writes find no room.
    WriteFull,
    /// Writes fail.
    WriteError,
    /// Syncs are slow.
    SlowSync,
    /// The power goes.
    PowerCut,
    /// Syncs fail and forget; later the power goes.
    SyncLost,
    /// PostgreSQL is stopped and started.
    PostgresStop,
    /// PostgreSQL crashes and is started.
    PostgresKill,
    /// PostgreSQL is stopped in its tracks for some seconds.
    PostgresPause,
    /// Connections to PostgreSQL cut, also around COMMIT.
    PostgresCut,
}

impl Fault {
    /// All of them.
    pub const ALL: [Self; 17] = [
        Self::Kill,
        Self::KillSlow,
        Self::KillTwice,
        Self::Pause,
        Self::Term,
        Self::Cut,
        Self::DiskFull,
        Self::SyncError,
        Self::WriteFull,
        Self::WriteError,
        Self::SlowSync,
        Self::PowerCut,
        Self::SyncLost,
        Self::PostgresStop,
        Self::PostgresKill,
        Self::PostgresPause,
        Self::PostgresCut,
    ];

    /// Its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kill => "kill",
            Self::KillSlow => "kill-slow",
            Self::KillTwice => "kill-twice",
            Self::Pause => "pause",
            Self::Term => "term",
            Self::Cut => "cut",
            Self::DiskFull => "disk-full",
            Self::SyncError => "sync-error",
            Self::WriteFull => "write-full",
            Self::WriteError => "write-error",
            Self::SlowSync => "slow-sync",
            Self::PowerCut => "power-cut",
            Self::SyncLost => "sync-lost",
            Self::PostgresStop => "postgres-stop",
            Self::PostgresKill => "postgres-kill",
            Self::PostgresPause => "postgres-pause",
            Self::PostgresCut => "postgres-cut",
        }
    }

    /// What it strikes on this engine; none if it cannot.
    #[must_use]
    pub fn ground(self, engine: Engine) -> Option<Ground> {
        match (self, engine) {
            (Self::Kill | Self::KillTwice | Self::Pause | Self::Term | Self::Cut, Engine::Sqlite) => Some(Ground::Disk),
            (Self::Kill | Self::KillTwice | Self::Pause | Self::Term | Self::Cut, Engine::Postgres) => {
                Some(Ground::Postgres)
            }
            (
                Self::KillSlow | Self::SyncError | Self::WriteFull | Self::WriteError | Self::SlowSync,
                Engine::Sqlite,
            ) => Some(Ground::Disk),
            (Self::DiskFull, Engine::Sqlite) => Some(Ground::Small),
            (Self::PowerCut | Self::SyncLost, Engine::Sqlite) => Some(Ground::Loss),
            (Self::PostgresStop | Self::PostgresKill | Self::PostgresPause, Engine::Postgres) => Some(Ground::Postgres),
            (Self::PostgresCut, Engine::Postgres) => Some(Ground::Link),
            _ => None,
        }
    }

    /// What clients may be told meanwhile, but done, refused and nothing.
    #[must_use]
    pub fn allowed(self) -> Allowed {
        match self {
            Self::Kill | Self::KillSlow | Self::KillTwice | Self::Term | Self::Cut | Self::SlowSync => Allowed::NONE,
            Self::Pause => Allowed { time_outs: true, ..Allowed::NONE },
            Self::DiskFull | Self::SyncError | Self::WriteFull | Self::WriteError | Self::PowerCut | Self::SyncLost => {
                Allowed::TROUBLE
            }
            Self::PostgresStop | Self::PostgresKill | Self::PostgresPause | Self::PostgresCut => Allowed::DATABASE,
        }
    }

    /// How long after its end the server may take to be ready.
    #[must_use]
    pub fn bound(self) -> Duration {
        Duration::from_secs(match self {
            Self::Kill | Self::KillSlow | Self::KillTwice | Self::Term | Self::PowerCut | Self::SyncLost => 5,
            Self::Pause | Self::Cut | Self::SlowSync => 2,
            Self::DiskFull | Self::SyncError | Self::WriteFull | Self::WriteError => 5,
            Self::PostgresStop | Self::PostgresKill | Self::PostgresPause | Self::PostgresCut => 5,
        })
    }

    /// Whether half of the clients lose patience while it lasts.
    #[must_use]
    pub fn tries_patience(self) -> bool {
        matches!(self, Self::Pause | Self::PostgresPause | Self::SlowSync)
    }

    /// Strikes and heals.
    ///
    /// # Errors
    /// A promise was broken, or the fault cannot be made here.
    pub fn strike(self, scene: &mut Scene<'_>) -> Result<Struck> {
        match self {
            Self::Kill => process::kill(scene),
            Self::KillSlow => process::kill_slow(scene),
            Self::KillTwice => process::kill_twice(scene),
            Self::Pause => process::pause(scene),
            Self::Term => process::term(scene),
            Self::Cut => network::cut(scene),
            Self::DiskFull => disk::full(scene),
            Self::SyncError => disk::sync_error(scene),
            Self::WriteFull => disk::write_full(scene),
            Self::WriteError => disk::write_error(scene),
            Self::SlowSync => disk::slow_sync(scene),
            Self::PowerCut => power::cut(scene),
            Self::SyncLost => power::sync_lost(scene),
            Self::PostgresStop => database::stop(scene),
            Self::PostgresKill => database::kill(scene),
            Self::PostgresPause => database::pause(scene),
            Self::PostgresCut => database::cut(scene),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_fault_strikes_somewhere_and_has_a_name_of_its_own() {
        for fault in Fault::ALL {
            let somewhere = [Engine::Sqlite, Engine::Postgres].into_iter().any(|engine| fault.ground(engine).is_some());
            let same_name = Fault::ALL.iter().filter(|other| other.name() == fault.name()).count();
            assert!(somewhere && same_name == 1, "{}", fault.name());
        }
    }
}
