//! Workloads: clients that do random work, remember what they were told, and compare it with what is there.

mod alarms;
mod blobs;
mod chores;
mod files;
mod gazette;
mod keys;
mod ledger;
mod papers;
mod parcels;
mod people;
mod sensors;
mod tellers;
mod tenants;

use crate::sim::{Asker, News, Sim};
pub use papers::PAPERS;

/// Some clients of one service.
pub trait Workload {
    /// A client does what it does next.
    fn act(&mut self, asker: Asker, sim: &mut Sim);

    /// A client hears of its question.
    fn hear(&mut self, asker: Asker, news: News, sim: &mut Sim);

    /// No new work from now on; what is open goes on until it is settled.
    fn calm(&mut self);

    /// Compares with committed state, after every event that may have changed it.
    ///
    /// # Errors
    /// Something acknowledged is missing, or something was done twice.
    fn check(&mut self, sim: &Sim) -> Result<(), String>;

    /// Whether nothing is open any more.
    fn is_settled(&self) -> bool;

    /// What is still open, for people.
    fn stuck(&self) -> String;

    /// Compares once more, when everything is settled.
    ///
    /// # Errors
    /// The end is not the sum of what was acknowledged.
    fn check_settled(&mut self, sim: &Sim) -> Result<(), String>;

    /// Requests that were acknowledged: a run without any proves nothing.
    fn acknowledged(&self) -> u64;
}

/// Starts a workload of this number.
type Start = fn(usize, &mut Sim) -> Box<dyn Workload>;

/// The workloads of a busy world: all but those that need silence.
const BUSY: &[Start] = &[
    |number, sim| Box::new(ledger::LedgerClients::start(number, sim)),
    |number, sim| Box::new(tellers::TellerClients::start(number, sim)),
    |number, sim| Box::new(parcels::Parcels::start(number, sim)),
    |number, sim| Box::new(files::FileClients::start(number, sim)),
    |number, sim| Box::new(chores::ChoreClients::start(number, sim)),
    |number, sim| Box::new(alarms::Alarms::start(number, sim)),
    |number, sim| Box::new(gazette::GazetteClients::start(number, sim)),
    |number, sim| Box::new(keys::Operator::start(number, sim)),
    |number, sim| Box::new(blobs::BlobClients::start(number, sim)),
    |number, sim| Box::new(papers::Papers::start(number, sim)),
    |number, sim| Box::new(people::People::start(number, sim)),
    |number, sim| Box::new(tenants::Tenants::start(number, sim)),
];

/// One in so many seeds is a quiet world, in which minutes pass: silence cannot be heard where everybody talks.
const QUIET_ONE_IN: u64 = 3;
/// The workloads of a quiet world.
const QUIET: &[Start] = &[|number, sim| Box::new(sensors::Sensors::start(number, sim))];

/// How many times as many events a seed has: in a quiet world few things happen at a time.
pub const fn length(seed: u64) -> u64 {
    if is_quiet(seed) { 3 } else { 1 }
}

/// Whether the world of a seed is a quiet one.
pub const fn is_quiet(seed: u64) -> bool {
    seed.is_multiple_of(QUIET_ONE_IN)
}

/// The workloads of a seed, started.
pub fn of(seed: u64, sim: &mut Sim) -> Vec<Box<dyn Workload>> {
    let these = if is_quiet(seed) { QUIET } else { BUSY };
    these.iter().enumerate().map(|(number, start)| start(number, sim)).collect()
}
