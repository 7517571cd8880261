//! Transfers of namespaces (KER-3): from one engine to the other while they serve, and out of an archive into being.
//!
//! A row says how far a transfer is; the keeper of its node does what the state asks for, and says so in the commit that changes both the
//! transfer and the namespace ([`step_transfer`]). Killed anywhere, the next start goes on from the row.
//!
//! Invariants: at each moment the namespace's row names one engine and that one alone serves; a namespace whose copy is being made equal
//! serves nowhere; a late word about another transfer or another state changes nothing.

mod begin_import;
mod begin_move;
mod cancel_transfer;
mod row;
mod state;
mod step_transfer;

pub use begin_import::{BEGIN_IMPORT, BeginImport};
pub use begin_move::{BEGIN_MOVE, BeginMove};
pub use cancel_transfer::{CANCEL_TRANSFER, CancelTransfer};
pub use row::{EngineWord, GET_TRANSFER, Kind, Transfer};
pub use state::{ATTEMPTS_MAX, Event, TransferState, next};
pub use step_transfer::{STEP_TRANSFER, StepTransfer};

pub(super) use row::{refuse_busy, unfinished};
pub(super) use step_transfer::SWITCH;

use base::Sql;

/// All statements of this part.
pub(super) const STATEMENTS: [&Sql; 5] = [&row::PUT, &row::GET, &row::UNFINISHED, &row::UPDATE, &SWITCH];

/// How far the transfers of this node are, in memory: told while they work, shown to whoever asks.
#[derive(Debug, Default)]
pub struct Progress(std::sync::Mutex<std::collections::BTreeMap<String, base::carry::Walked>>);

impl Progress {
    /// How far the transfer of a namespace is, if this node works on it.
    #[must_use]
    pub fn of(&self, name: &str) -> Option<base::carry::Walked> {
        self.lock().get(name).cloned()
    }

    /// It is so far.
    pub fn tell(&self, name: &str, walked: base::carry::Walked) {
        self.lock().insert(name.to_owned(), walked);
    }

    /// It is not worked on any more.
    pub fn forget(&self, name: &str) {
        self.lock().remove(name);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, std::collections::BTreeMap<String, base::carry::Walked>> {
        self.0.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }
}
