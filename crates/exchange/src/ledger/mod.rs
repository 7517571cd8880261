//! The ledger of a database (EXC-21): received = queued + in process + log + error + unknown + removed, counted along with every move.

mod alarm;
mod show;

pub(crate) use alarm::{ALARM, Alarm};
pub use show::{Counted, LEDGER, LedgerView};

use base::{ContentionKey, Keys, OpResult, Sql, Tx, args};

/// The key of everything that counts: ledgers and receipt numbers are few rows that all share, so on PostgreSQL those who change them go
/// together in one transaction, not against each other in many.
pub(crate) fn together<I>(_: &I) -> Keys {
    Keys::of(vec![ContentionKey::of("exchange", "ledger")])
}

/// What changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Moves {
    pub(crate) received: i64,
    pub(crate) queued: i64,
    pub(crate) in_process: i64,
    pub(crate) log: i64,
    pub(crate) error: i64,
    pub(crate) unknown: i64,
    pub(crate) removed: i64,
}

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&COUNT, &show::COLUMNS, &show::PLACES, &show::HELD];

pub(crate) static COUNT: Sql = Sql::new(
    "exc_database.count",
    "UPDATE exc_database SET received = received + ?2, queued = queued + ?3, in_process = in_process + ?4, log = log + ?5, \
     error = error + ?6, unknown = unknown + ?7, removed = removed + ?8 WHERE id = ?1",
);

impl Moves {
    /// Whether nothing appears or vanishes.
    fn balances(self) -> bool {
        self.received == self.queued + self.in_process + self.log + self.error + self.unknown + self.removed
    }

    /// Counts them.
    pub(crate) fn count(self, tx: &mut dyn Tx, db: &str) -> OpResult<()> {
        debug_assert!(self.balances(), "{self:?}");
        let Self { received, queued, in_process, log, error, unknown, removed } = self;
        Ok(tx.write(&COUNT, args![db, received, queued, in_process, log, error, unknown, removed])?)
    }
}
