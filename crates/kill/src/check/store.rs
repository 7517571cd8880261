//! The store itself, opened without the server: every invariant of every service holds.

use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use anyhow::{Result, anyhow, ensure};
use base::{Job, Outcome, Store, StoreResult, Tx, Verdict};
use host::RealClock;
use kernel::Invariant;
use store_sqlite::InlineStore;

use super::violation;

type Found = StoreResult<Vec<kernel::Violation>>;

struct Look {
    invariant: &'static Invariant,
    found: Option<Found>,
    tell: Sender<Found>,
}

impl Job for Look {
    fn name(&self) -> &'static str {
        self.invariant.name
    }

    fn run(&mut self, tx: &mut dyn Tx) -> Verdict {
        self.found = Some((self.invariant.check)(tx));
        Verdict::Undo
    }

    fn done(self: Box<Self>, outcome: Outcome) {
        let found = match outcome {
            Outcome::Failed(error) => Some(Err(error)),
            Outcome::Committed | Outcome::Undone | Outcome::Panicked(_) => self.found,
        };
        found.map(|found| self.tell.send(found));
    }
}

/// Checks the kernel's and the ledger's invariants in this file.
///
/// # Errors
/// One does not hold, or the file is no store.
pub fn check_invariants(path: &Path) -> Result<()> {
    let store = InlineStore::open(path, Arc::new(RealClock::new()))?;
    for invariant in [&kernel::KERNEL, &ledger::LEDGER].into_iter().flat_map(|service| service.invariants) {
        let (tell, told) = channel();
        store.read(Box::new(Look { invariant, found: None, tell }));
        let found = told.recv().map_err(|_| anyhow!("{}: no answer", invariant.name))??;
        ensure!(found.is_empty(), violation(format!("{}: {found:?}", invariant.name)));
    }
    Ok(())
}
