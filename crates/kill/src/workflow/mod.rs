//! The workflow: workers die and hang with tasks in their hands, and the server is killed in the middle of a job that restarts many
//! processes (WFL-11, WFL-16, WFL-28, WFL-30).
//!
//! In the end every task ran again in time and counted once, every process of the job was restarted once by it, also over kills and a pause,
//! all of them were counted, and all finished. How long a task waits after its worker's death, how quick a mass restart is and what the live
//! flow feels of it is measured and told.

mod deaths;
pub(crate) mod hands;
mod judge;
mod live;
mod mass;

use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::{Result, ensure};

use crate::check::violation;
use crate::leftovers;
use crate::machine::Machine;
use crate::rng::Rng;
use crate::server::Launch;
use crate::waits::Waits;
use crate::world::store_of;

/// How long a worker of the drill may be silent.
pub const WORK_TIMEOUT: Duration = Duration::from_secs(1);
/// How much later than that its task is in work again.
const AGAIN_WITHIN: Duration = Duration::from_secs(1);

/// How large a drill is.
#[derive(Debug, Clone, Copy)]
pub struct Size {
    /// Workers that die or hang.
    pub deaths: usize,
    /// Processes that a job restarts.
    pub processes: usize,
    /// Live processes, without the job and beside it, whose latency is measured.
    pub live: usize,
}

/// What a drill came to.
#[derive(Debug, Clone)]
pub struct Report {
    /// Workers that died, and that hung and brought their results late.
    pub deaths: usize,
    /// Of these, those that hung.
    pub hung: usize,
    /// From a worker's last word to its task being in work again.
    pub again: Waits,
    /// Processes that were restarted, by two jobs each.
    pub processes: usize,
    /// How often the server was killed.
    pub kills: u32,
    /// Processes that the second job restarted in a second, as quick as it may.
    pub restarts_per_s: f64,
    /// From the start of a live process to its task being in work, without the job.
    pub calm: Waits,
    /// The same while the second job runs.
    pub busy: Waits,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { deaths, hung, again, processes, kills, restarts_per_s, calm, busy } = self;
        writeln!(f, "{deaths} workers died, {hung} of them by hanging; work timeout {WORK_TIMEOUT:?}")?;
        writeln!(f, "from a death to its task in work again: {again}")?;
        writeln!(
            f,
            "{processes} processes restarted by each of two jobs, each once, over {kills} kills of the server"
        )?;
        writeln!(f, "{restarts_per_s:.0} restarts a second in a mass restart")?;
        write!(f, "from a live start to its task in work: {calm} without the job, {busy} beside it")
    }
}

/// Runs the drill.
///
/// # Errors
/// A promise was broken, or the drill could not be made.
pub fn run(program: &Path, size: Size, seed: u64) -> Result<Report> {
    let folder = leftovers::folder()?;
    let machine = Machine::start(Launch::new(program, &folder.path().join("data")))?;
    let died = deaths::run(&machine, size.deaths, &mut Rng::new(seed))?;
    let again = Waits::of(died.waits);
    let limit = WORK_TIMEOUT + AGAIN_WITHIN;
    ensure!(again.p99 <= limit, violation(format!("a task was in work again {again} after a death, not in {limit:?}")));
    let mass = mass::run(&machine, size)?;
    let kills = machine.end()?;
    judge::judge(&store_of(machine.data(), "main"), size, &mass.jobs)?;
    Ok(Report {
        deaths: size.deaths,
        hung: died.hung,
        again,
        processes: size.processes,
        kills,
        restarts_per_s: mass.restarts_per_s,
        calm: mass.calm,
        busy: mass.busy,
    })
}
