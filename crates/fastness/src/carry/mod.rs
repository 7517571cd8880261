//! Carrying namespaces (KER-3): between engines, into an archive, and out of one. What is slow and touches stores; who is told of it, and
//! when, is the keeper's and the rows'.
//!
//! What lies where, of a namespace with the place `shop-0…` and a transfer `01h…`:
//!
//! ```text
//! namespaces/shop-0…/store.db            its store on SQLite
//! namespaces/shop-0…/arriving.db         a store on its way in, which nobody opens
//! namespaces/shop-0…/moved-01h….db       the old one, after a move away from SQLite
//! schema <prefix>shop_0…                 its store on PostgreSQL
//! schema <prefix>arriving__01h…          on its way in
//! schema <prefix>moved__shop_01h…        the old one: from the moment on that nobody may write it any more
//! arriving/shop-<sha256>.archive            an archive that is being imported
//! ```
//!
//! Blobs and message files lie by the namespace's place, whatever its engine: a move leaves them where they are.

pub(crate) mod desk;
pub(crate) mod export;
pub(crate) mod import;
pub(crate) mod moving;
pub(crate) mod spool;

use base::archive::TableSummary;
use sha2::{Digest, Sha256};

use crate::stores::Opener;

/// Rows of all tables, and one digest of their digests.
pub(crate) fn total(tables: &[TableSummary]) -> (i64, String) {
    let rows = tables.iter().map(|table| table.rows).sum::<u64>();
    let mut hash = Sha256::new();
    for table in tables {
        hash.update(format!("{} {} {}\n", table.name, table.rows, table.digest));
    }
    (i64::try_from(rows).unwrap_or(i64::MAX), base::archive::hex(&hash.finalize()))
}

/// For tests that kill the server here: `FASTNESS_TEST_CRASH_AT=copying` ends it when the work of that state is done and its row does not
/// know it yet.
pub(crate) fn crash_point(state: &str) {
    if cfg!(debug_assertions) && std::env::var("FASTNESS_TEST_CRASH_AT").is_ok_and(|at| at == state) {
        tracing::error!(state, "ended for a test");
        std::process::abort();
    }
}

/// For tests that look at a move from outside: `FASTNESS_TEST_HOLD=closing` does not begin the work of that state.
pub(crate) fn is_held(state: &str) -> bool {
    cfg!(debug_assertions) && std::env::var("FASTNESS_TEST_HOLD").is_ok_and(|at| at == state)
}

/// The id of something that is carried.
pub(crate) fn new_id(opener: &Opener) -> String {
    let mut chance = [0; 10];
    base::Entropy::fill(&host::OsEntropy, &mut chance);
    base::Id::new(opener.clock().wall(), chance).to_string()
}

/// Enough of an id to tell one transfer from another, short enough for the name of a schema.
pub(crate) fn short(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    id.chars().skip(id.len().saturating_sub(13)).collect()
}
