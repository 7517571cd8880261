//! What must hold of blobs in every committed state, and what should have gone on by itself.

use base::limits::OP_ROWS_MAX;
use base::{Sql, StoreResult, Tx, Wall, args};

use super::usage;
use crate::service::{Stuck, Violation};

/// Bytes that are doomed for so long should be gone.
const OVERDUE_MS: i64 = 6 * 3_600_000;

pub(super) static LOST: Sql = Sql::new(
    "blob_ref.lost",
    "SELECT blob_ref.sha, blob_ref.owner_kind, blob_ref.owner_id FROM blob_ref LEFT JOIN blob ON blob.sha = blob_ref.sha \
     WHERE blob.sha IS NULL OR blob.unused_since IS NOT NULL ORDER BY blob_ref.sha LIMIT 100",
);
pub(super) static FORGOTTEN: Sql = Sql::new(
    "blob.forgotten",
    "SELECT sha FROM blob WHERE unused_since IS NULL \
     AND NOT EXISTS (SELECT 1 FROM blob_ref WHERE blob_ref.sha = blob.sha) ORDER BY sha LIMIT 100",
);
pub(super) static DOOMED_ROWS: Sql = Sql::new(
    "blob.doomed",
    "SELECT blob.name FROM blob JOIN blob_garbage ON blob_garbage.name = blob.name \
     WHERE blob_garbage.doomed = 1 ORDER BY blob.name LIMIT 100",
);
pub(super) static SIZES: Sql =
    Sql::new("blob.sizes", "SELECT COUNT(*), CAST(COALESCE(SUM(size), 0) AS BIGINT) FROM blob");
pub(super) static OVERDUE: Sql = Sql::new(
    "blob_garbage.overdue",
    "SELECT name, since FROM blob_garbage WHERE doomed = 1 AND since <= ?1 ORDER BY since, name LIMIT 100",
);

pub(super) fn references(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let lost = tx.query(&LOST, args![], OP_ROWS_MAX)?;
    let lost = lost.iter().map(|row| format!("{} refers to {}", row.text(1), row.text(0)));
    let forgotten = tx.query(&FORGOTTEN, args![], OP_ROWS_MAX)?;
    let forgotten = forgotten.iter().map(|row| format!("nothing refers to {} and it has no end", row.text(0)));
    Ok(lost.chain(forgotten).map(Violation).collect())
}

pub(super) fn dooms(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&DOOMED_ROWS, args![], OP_ROWS_MAX)?;
    Ok(rows.iter().map(|row| Violation(row.text(0).to_owned())).collect())
}

pub(super) fn usage(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let counted = usage::sum(tx)?;
    let there = tx.query_one(&SIZES, args![])?.map_or((0, 0), |row| (row.int(0), row.int(1)));
    let agree = there == (counted.blobs, counted.bytes);
    Ok(if agree { vec![] } else { vec![Violation(format!("{there:?} are there, counted are {counted:?}"))] })
}

pub(super) fn stuck(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let heard = tx.heard();
    let rows = tx.query(&OVERDUE, args![heard.plus_ms(-OVERDUE_MS)], OP_ROWS_MAX)?;
    let stuck = |row: &base::Row| Stuck {
        subject: row.text(0).to_owned(),
        reason: "its bytes could not be removed".into(),
        overdue_ms: heard.0 - row.int(1) - OVERDUE_MS,
    };
    Ok(rows.iter().map(stuck).collect())
}
