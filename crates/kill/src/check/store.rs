//! The store itself, opened without the server: every invariant of every service holds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Sender, channel};

use anyhow::{Context, Result, anyhow, ensure};
use base::{Job, Outcome, Store, StoreResult, Tx, Verdict};
use host::RealClock;
use kernel::Invariant;
use store_sqlite::InlineStore;

use super::{Books, violation};
use crate::leftovers;

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

/// Checks a copy of a file that a server left open, with its log of writes: opening it would change it.
///
/// # Errors
/// It is damaged, or an invariant does not hold.
pub fn check_left(path: &Path) -> Result<()> {
    let folder = leftovers::folder()?;
    let copy = folder.path().join("store.db");
    for end in ["", "-wal"] {
        let (from, to) = (with_end(path, end), with_end(&copy, end));
        if from.exists() {
            fs::copy(&from, &to).with_context(|| format!("{} cannot be copied", from.display()))?;
        }
    }
    // A server that was killed in its first start has left nothing.
    if copy.exists() { Books::of_file(&copy).and_then(|_| check_invariants(&copy)) } else { Ok(()) }
}

fn with_end(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// Checks the kernel's and the ledger's invariants in this file.
///
/// # Errors
/// One does not hold, or the file is no store.
pub fn check_invariants(path: &Path) -> Result<()> {
    let store = InlineStore::open(path, Arc::new(RealClock::new()));
    let store = store.map_err(|error| violation(format!("{}: {error}", path.display())))?;
    for invariant in kernel::OWN.into_iter().chain([&ledger::LEDGER]).flat_map(|service| service.invariants) {
        let (tell, told) = channel();
        store.read(Box::new(Look { invariant, found: None, tell }));
        let found = told.recv().map_err(|_| anyhow!("{}: no answer", invariant.name))?;
        let found = found.map_err(|error| violation(format!("{}: {error}", invariant.name)))?;
        ensure!(found.is_empty(), violation(format!("{}: {found:?}", invariant.name)));
    }
    Ok(())
}
