//! Workloads: clients that do random work, remember what they were told, and compare it with what is there.

mod blobs;
mod files;
mod ledger;
mod parcels;
mod tellers;

use crate::sim::{Asker, News, Sim};

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

/// The workloads of a run, started.
pub fn all(sim: &mut Sim) -> Vec<Box<dyn Workload>> {
    vec![
        Box::new(ledger::LedgerClients::start(0, sim)),
        Box::new(tellers::TellerClients::start(1, sim)),
        Box::new(parcels::Parcels::start(2, sim)),
        Box::new(files::FileClients::start(3, sim)),
        Box::new(blobs::BlobClients::start(4, sim)),
    ]
}
