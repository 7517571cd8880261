//! References: what keeps a blob. For use within the operations of services.

use base::mutants::{self, Mutant};
use base::{OpResult, Sha, Sql, Tx, args};

use super::not_stored;
use crate::cx::OpCx;

/// Who refers: a kind that is unique in the program, and an id that is unique in the kind. One owner counts once.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Owner<'a> {
    /// `document.item`, `exchange.message` …
    pub kind: &'static str,
    /// Which of them.
    pub id: &'a str,
}

pub(super) static STATE: Sql = Sql::new("blob.state", "SELECT unused_since, damaged_at FROM blob WHERE sha = ?1");
pub(super) static ADD: Sql = Sql::new(
    "blob_ref.add",
    "INSERT INTO blob_ref (sha, owner_kind, owner_id) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING",
);
pub(super) static USED: Sql =
    Sql::new("blob.used", "UPDATE blob SET unused_since = NULL, marked_at = NULL WHERE sha = ?1");
pub(super) static DROP: Sql =
    Sql::new("blob_ref.drop", "DELETE FROM blob_ref WHERE sha = ?1 AND owner_kind = ?2 AND owner_id = ?3");
pub(super) static ANY: Sql =
    Sql::new("blob_ref.any", "SELECT owner_id FROM blob_ref WHERE sha = ?1 ORDER BY owner_kind, owner_id LIMIT 1");
pub(super) static UNUSED: Sql =
    Sql::new("blob.unused", "UPDATE blob SET unused_since = ?2, marked_at = NULL WHERE sha = ?1");
pub(super) static SIZE: Sql = Sql::new("blob.size", "SELECT size FROM blob WHERE sha = ?1");

/// Refers to a blob; referring again changes nothing.
///
/// # Errors
/// `NBLOB`: it is not stored, or its bytes are damaged and must be uploaded again.
pub fn refer(tx: &mut dyn Tx, _: &mut OpCx<'_>, sha: Sha, owner: &Owner<'_>) -> OpResult<()> {
    let state = tx.query_one(&STATE, args![sha])?.filter(|row| row.opt_int(1).is_none());
    let state = state.ok_or_else(|| not_stored(sha))?;
    tx.write(&ADD, args![sha, owner.kind, owner.id])?;
    // Only the first reference writes the row, so that many at once do not meet in it.
    if state.opt_int(0).is_some() && !mutants::on(Mutant::SecondLookSkipped) {
        tx.write(&USED, args![sha])?;
    }
    Ok(())
}

/// Ends a reference; ending one that is not there changes nothing. After the last one the grace begins.
///
/// # Errors
/// The store failed.
pub fn unrefer(tx: &mut dyn Tx, cx: &mut OpCx<'_>, sha: Sha, owner: &Owner<'_>) -> OpResult<()> {
    let dropped = tx.execute(&DROP, args![sha, owner.kind, owner.id])?;
    if dropped > 0 && tx.query_one(&ANY, args![sha])?.is_none() {
        tx.write(&UNUSED, args![sha, cx.heard])?;
    }
    Ok(())
}

/// The size of a blob in bytes.
///
/// # Errors
/// `NBLOB`: it is not stored.
pub fn size(tx: &mut dyn Tx, sha: Sha) -> OpResult<i64> {
    Ok(tx.query_one(&SIZE, args![sha])?.ok_or_else(|| not_stored(sha))?.int(0))
}
