//! Workloads: clients that do random work, remember what they were told, and compare it with what is there.

mod alarms;
mod blobs;
mod chores;
mod exchange;
mod files;
mod folders;
mod gazette;
mod keys;
mod ledger;
mod papers;
mod parcels;
mod people;
mod sensors;
mod tellers;
mod tenants;
mod workflow;

use crate::sim::{Asker, News, Sim};
pub use exchange::exchange_cuts;
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

    /// How many times as large as usual it is: so much rarer everything is compared, and so much longer settling may take.
    fn scale(&self) -> u64 {
        1
    }

    /// Points at which something of it was cut, where they are named.
    fn cuts(&self) -> Vec<String> {
        vec![]
    }
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

/// The workloads of a quiet world.
const QUIET: &[Start] = &[|number, sim| Box::new(sensors::Sensors::start(number, sim))];
/// The workloads of a world of exchange.
const EXCHANGE: &[Start] = &[|number, sim| Box::new(exchange::Exchange::start(number, sim))];

/// The workloads of a world of processes.
const WORKFLOW: &[Start] = &[|number, sim| Box::new(workflow::Workflow::start(number, sim))];

/// The workloads of a world of folders.
const FOLDERS: &[Start] = &[|number, sim| Box::new(folders::Folders::start(number, sim))];

/// The workloads of a world of folders that daemons keep.
const AGENTS: &[Start] = &[|number, sim| Box::new(folders::Agents::start(number, sim))];

/// What kind of world a seed has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum World {
    /// Everything at once.
    Busy,
    /// Sensors alone, so that minutes pass: silence cannot be heard where everybody talks.
    Quiet,
    /// Messages between devices and databases alone, so that there are many of them.
    Exchange,
    /// Processes and their workers alone.
    Workflow,
    /// Devices that keep a directory in step, alone.
    Folders,
    /// Daemons that do so, each with a disk of its own.
    Agents,
}

impl World {
    /// That of a seed.
    pub const fn of(seed: u64) -> Self {
        match seed % 24 {
            13 | 19 => return Self::Folders,
            7 | 20 => return Self::Agents,
            _ => {}
        }
        match seed % 12 {
            0 | 3 | 6 => Self::Quiet,
            4 | 10 => Self::Exchange,
            9 | 11 => Self::Workflow,
            _ => Self::Busy,
        }
    }

    /// How many times as many events it has: where it is quiet few things happen at a time.
    pub const fn length(self) -> u64 {
        match self {
            Self::Busy => 1,
            Self::Quiet | Self::Exchange | Self::Folders | Self::Agents => 3,
            Self::Workflow => 4,
        }
    }

    fn workloads(self) -> &'static [Start] {
        match self {
            Self::Busy => BUSY,
            Self::Quiet => QUIET,
            Self::Exchange => EXCHANGE,
            Self::Workflow => WORKFLOW,
            Self::Folders => FOLDERS,
            Self::Agents => AGENTS,
        }
    }
}

/// The workloads of a seed, started.
pub fn of(seed: u64, sim: &mut Sim) -> Vec<Box<dyn Workload>> {
    World::of(seed).workloads().iter().enumerate().map(|(number, start)| start(number, sim)).collect()
}
