//! Finds a blob, to be read.

use base::{Heard, OpResult, Sha, Sql, Tx, args};

use super::garbage::name_of;
use super::not_stored;
use super::read::BlobInfo;
use crate::op::Query;

/// The store's listening time, for [`super::Upload::finish`].
pub static NOW: Query<(), Heard> = Query::new("blob.now", |tx, ()| Ok(tx.heard()));

/// The blob of a hash: where its bytes are and how to know them.
pub static FIND_BLOB: Query<Sha, BlobInfo> = Query::new("blob.find", find);

pub(super) static BY_SHA: Sql =
    Sql::new("blob.by_sha", "SELECT name, size, pieces, damaged_at FROM blob WHERE sha = ?1");

/// The same for use within operations and queries of services.
///
/// # Errors
/// `NBLOB`: it is not stored.
pub fn find(tx: &mut dyn Tx, sha: &Sha) -> OpResult<BlobInfo> {
    let row = tx.query_one(&BY_SHA, args![*sha])?.ok_or_else(|| not_stored(*sha))?;
    Ok(BlobInfo {
        name: name_of(row.text(0))?,
        size: row.int(1).unsigned_abs(),
        pieces: row.blob(2).to_vec(),
        is_damaged: row.opt_int(3).is_some(),
    })
}
