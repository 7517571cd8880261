//! What a store takes up in its database. A reading connection looks now and then; whoever asks is told what was seen last.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use base::{Connection, Isolation, Sql, StoreFigures, StoreResult, Tx};

use crate::session::Session;

/// How often somebody looks: the server looks at every file of the schema for it.
const LOOK_US: u64 = 60_000_000;

/// Tables with their indexes and what is stored beside them.
static SIZE: Sql = Sql::new(
    "store.size",
    "SELECT CAST(COALESCE(SUM(pg_total_relation_size(pg_class.oid)), 0) AS BIGINT) FROM pg_class \
     JOIN pg_namespace ON pg_namespace.oid = pg_class.relnamespace \
     WHERE pg_namespace.nspname = current_schema() AND pg_class.relkind IN ('r', 'm')",
);

/// What was seen last, and when somebody looks again.
#[derive(Default)]
pub(crate) struct Figures {
    seen: Mutex<StoreFigures>,
    next_us: AtomicU64,
}

impl Figures {
    pub(crate) fn get(&self) -> StoreFigures {
        *self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether the caller should look now; nobody else does then.
    pub(crate) fn look_is_due(&self, now_us: u64) -> bool {
        let next_us = self.next_us.load(Ordering::Relaxed);
        let then_us = now_us.saturating_add(LOOK_US);
        now_us >= next_us
            && self.next_us.compare_exchange(next_us, then_us, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// Looks; a server that does not tell is asked again later.
pub(crate) fn look(session: &mut Session) {
    match size(session) {
        Ok(data_bytes) => {
            let seen = StoreFigures { data_bytes, ..StoreFigures::default() };
            *session.shared.figures.seen.lock().unwrap_or_else(PoisonError::into_inner) = seen;
        }
        Err(error) => tracing::debug!(%error, "the size of the store is not known"),
    }
}

fn size(session: &mut Session) -> StoreResult<Option<u64>> {
    session.begin(Isolation::Claim)?;
    let row = session.query_one(&SIZE, &[]);
    session.rollback();
    Ok(row?.and_then(|row| u64::try_from(row.int(0)).ok()))
}
