//! What every side can do.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::Result;
use tokio::runtime::Runtime;

use super::child::Shown;
use super::wait::{STEP_MAX, until};
use super::wire::{Passed, Wire};
use super::{ours, rsync, syncthing, unison};

/// Two folders that are kept in step, A and B.
pub trait Side {
    fn places(&self) -> &Places;

    /// For sides that do nothing by themselves: carries what changed in A over to B, now. Daemons notice it.
    fn carry(&mut self) -> Result<()> {
        Ok(())
    }

    /// Seconds of one look at everything while nothing changed.
    fn rescan(&mut self) -> Result<f64>;

    fn wire(&self) -> &Wire;

    /// What runs now, by name.
    fn processes(&self) -> Vec<Shown>;

    /// The most memory of programs that run and end, by name.
    fn ended(&self) -> Vec<(&'static str, f64)> {
        vec![]
    }

    /// Ends its daemons and starts them again: what they hold then is what they need, not what was left by the work.
    fn restart(&mut self) -> Result<()>;
}

/// Where a side has its things.
pub struct Places {
    pub home: PathBuf,
    pub a: PathBuf,
    pub b: PathBuf,
}

impl Places {
    pub fn make(home: &Path) -> Result<Self> {
        let places = Self { home: home.to_owned(), a: home.join("a"), b: home.join("b") };
        std::fs::create_dir_all(&places.a)?;
        std::fs::create_dir_all(&places.b)?;
        Ok(places)
    }

    /// For what is prepared: the same file system, kept in step by nobody.
    pub fn aside(&self, name: &str) -> PathBuf {
        self.home.join(name)
    }
}

/// Who takes part.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Ours,
    /// As it comes: changes are looked at ten seconds after the system told of them.
    SyncthingDefault,
    /// One second, the least that it takes.
    Syncthing,
    Rsync,
    /// It waits for the disk, file by file.
    RsyncFsync,
    Unison,
}

impl Kind {
    pub const ALL: [Self; 6] =
        [Self::Ours, Self::Syncthing, Self::SyncthingDefault, Self::Rsync, Self::RsyncFsync, Self::Unison];

    pub fn name(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::SyncthingDefault => "Syncthing, as it comes",
            Self::Syncthing => "Syncthing, delay 1 s",
            Self::Rsync => "rsync",
            Self::RsyncFsync => "rsync --fsync",
            Self::Unison => "unison",
        }
    }

    /// What `--sides` calls it; also its program.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::SyncthingDefault | Self::Syncthing => "syncthing",
            Self::Rsync | Self::RsyncFsync => "rsync",
            Self::Unison => "unison",
        }
    }

    /// Saves that are timed: fewer where each takes seconds.
    pub fn saves(self) -> usize {
        match self {
            Self::Ours | Self::Rsync | Self::RsyncFsync | Self::Unison => 200,
            Self::Syncthing => 20,
            Self::SyncthingDefault => 3,
        }
    }

    /// Starts it in an empty folder, ready and with nothing to do.
    pub fn start(self, runtime: &Runtime, home: &Path) -> Result<Box<dyn Side>> {
        let places = Places::make(home)?;
        Ok(match self {
            Self::Ours => Box::new(ours::Ours::start(runtime, places)?),
            Self::SyncthingDefault => Box::new(syncthing::Syncthing::start(runtime, places, 10)?),
            Self::Syncthing => Box::new(syncthing::Syncthing::start(runtime, places, 1)?),
            Self::Rsync => Box::new(rsync::Rsync::start(runtime, places, false)?),
            Self::RsyncFsync => Box::new(rsync::Rsync::start(runtime, places, true)?),
            Self::Unison => Box::new(unison::Unison::start(runtime, places)?),
        })
    }
}

/// Carries over what was changed at `begun`; seconds until `is_there`.
pub fn carried(side: &mut dyn Side, begun: Instant, what: &str, is_there: impl FnMut() -> Result<bool>) -> Result<f64> {
    side.carry()?;
    until(what, STEP_MAX, is_there)?;
    Ok(begun.elapsed().as_secs_f64())
}

/// A second in which nobody works, waits for the disk, or sends. What passed until then.
pub fn settle(side: &dyn Side) -> Result<Passed> {
    const BYTES: u64 = 256;
    let mut all = side.wire().passed();
    until("nobody works any more", STEP_MAX, || {
        let is_still = is_still(side)?;
        let passed = side.wire().passed();
        all = all.and(passed);
        Ok(is_still && passed.all() < BYTES)
    })?;
    Ok(all)
}

/// Processor time alone does not tell: a daemon that removes ten thousand files waits for the disk most of the time.
fn is_still(side: &dyn Side) -> Result<bool> {
    const LOOKS: usize = 40;
    const BUSY_MAX: usize = 4;
    let mut busy = 0;
    for _ in 0..LOOKS {
        std::thread::sleep(Duration::from_millis(25));
        let mut processes = side.processes().into_iter();
        busy += usize::from(processes.try_fold(false, |any, process| anyhow::Ok(any | process.is_busy()?))?);
    }
    Ok(busy <= BUSY_MAX)
}
