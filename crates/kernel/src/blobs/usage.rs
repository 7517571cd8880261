//! How much a namespace stores, counted in the commits that change it.

use base::{ContentionKey, OpResult, Sha, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use crate::op::Query;

/// What a namespace stores.
pub static USAGE: Query<(), Usage> = Query::new("blob.usage", |tx, ()| Ok(sum(tx)?));

/// Blobs and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Usage {
    /// Blobs that have a row.
    pub blobs: i64,
    /// Their bytes.
    pub bytes: i64,
}

pub(super) static ADD: Sql = Sql::new(
    "blob_usage.add",
    "INSERT INTO blob_usage (part, blobs, bytes) VALUES (?1, ?2, ?3) \
     ON CONFLICT (part) DO UPDATE SET blobs = blob_usage.blobs + ?2, bytes = blob_usage.bytes + ?3",
);
pub(super) static SUM: Sql = Sql::new("blob_usage.sum", "SELECT blobs, bytes FROM blob_usage ORDER BY part LIMIT 16");

/// Adds to the part of this hash.
pub(super) fn add(tx: &mut dyn Tx, sha: Sha, blobs: i64, bytes: i64) -> OpResult<()> {
    Ok(tx.write(&ADD, args![part(sha), blobs, bytes])?)
}

/// What puts stand in line for. All that change one part change one row, so they go together, one transaction after the
/// other; side by side each would make PostgreSQL refuse the others.
pub(super) fn line(sha: Sha) -> ContentionKey {
    ContentionKey::of("blob_usage", &part(sha).to_string())
}

/// 16 of them, by the hash's first digit.
fn part(sha: Sha) -> i64 {
    i64::from(sha.0[0] >> 4)
}

pub(super) fn sum(tx: &mut dyn Tx) -> base::StoreResult<Usage> {
    let rows = tx.query(&SUM, args![], 16)?;
    Ok(Usage { blobs: rows.iter().map(|row| row.int(0)).sum(), bytes: rows.iter().map(|row| row.int(1)).sum() })
}
