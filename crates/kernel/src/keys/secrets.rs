//! Rows of secrets: a key has one that is valid until it is rotated, and older ones whose overlap has not ended.
//!
//! Invariant: at every commit a key that is not revoked has exactly one secret without an end, so that there is no moment
//! at which its owner has none that works.

use base::{Heard, OpError, OpResult, Sql, StoreResult, Tx, args, codes};

use super::{hash, secret_from};
use crate::cx::OpCx;
use crate::service::{Invariant, Violation};

/// Older secrets of one key that may be valid at once.
pub const OLDER_MAX: i64 = 8;

pub(crate) static INSERT: Sql =
    Sql::new("access_secret.insert", "INSERT INTO access_secret (hash, key_id, salt) VALUES (?1, ?2, ?3)");
pub(crate) static CURRENT: Sql =
    Sql::new("access_secret.current", "SELECT hash, salt FROM access_secret WHERE key_id = ?1 AND valid_until IS NULL");
pub(crate) static END: Sql = Sql::new(
    "access_secret.end",
    "UPDATE access_secret SET valid_until = ?2 WHERE key_id = ?1 AND (valid_until IS NULL OR valid_until > ?2)",
);
pub(crate) static FORGET: Sql =
    Sql::new("access_secret.forget", "DELETE FROM access_secret WHERE key_id = ?1 AND valid_until <= ?2");
pub(crate) static OLDER: Sql =
    Sql::new("access_secret.older", "SELECT COUNT(*) FROM access_secret WHERE key_id = ?1 AND valid_until IS NOT NULL");
pub(crate) static WITHOUT: Sql = Sql::new(
    "access_key.without_secret",
    "SELECT id FROM access_key k WHERE revoked_at IS NULL AND NOT EXISTS \
     (SELECT 1 FROM access_secret s WHERE s.key_id = k.id AND s.valid_until IS NULL) ORDER BY id LIMIT ?1",
);

/// A key without a secret that works would shut its owner out.
pub(crate) const NEVER_WITHOUT: Invariant =
    Invariant { name: "a key that is not revoked has a secret without an end", check: without };

fn without(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&WITHOUT, args![100], 100)?;
    Ok(rows.iter().map(|row| Violation(row.text(0).to_owned())).collect())
}

/// Makes a secret for the caller and adds it to a key that has no current one.
pub(crate) fn add(tx: &mut dyn Tx, cx: &mut OpCx<'_>, key_id: &str) -> OpResult<String> {
    let salt = cx.chance();
    let secret = secret_from(&proof(cx)?, &salt);
    insert(tx, key_id, &hash(&secret), &salt)?;
    Ok(secret)
}

pub(crate) fn insert(tx: &mut dyn Tx, key_id: &str, hash: &[u8; 32], salt: &[u8; 32]) -> OpResult<()> {
    Ok(tx.write(&INSERT, args![hash, key_id, salt])?)
}

/// Ends every secret of a key at that moment, if it does not end before, and forgets those that have ended.
pub(crate) fn end(tx: &mut dyn Tx, cx: &OpCx<'_>, key_id: &str, at: Heard) -> OpResult<()> {
    tx.write(&END, args![key_id, at])?;
    Ok(tx.write(&FORGET, args![key_id, cx.heard])?)
}

/// The current secret of a key, made again for the caller that it was made for.
pub(crate) fn show_again(tx: &mut dyn Tx, cx: &OpCx<'_>, key_id: &str) -> OpResult<String> {
    let row = tx.query_one(&CURRENT, args![key_id])?;
    let row = row.ok_or_else(|| OpError::new(codes::NKEY, format!("key {key_id} was removed since")))?;
    let secret = secret_from(&proof(cx)?, row.blob(1));
    if row.blob(0) == hash(&secret) {
        return Ok(secret);
    }
    let message = format!("the secret of key {key_id} was made for another login or key, rotate it to get one");
    Err(OpError::new(codes::AKEYREUSED, message))
}

/// A secret made from nothing that the caller knows could be made again by whoever reads the database.
fn proof(cx: &OpCx<'_>) -> OpResult<[u8; 32]> {
    let showed_none =
        || OpError::new(codes::BDETECTED, format!("{} showed no secret to make one from", cx.caller.name));
    cx.caller.proof.ok_or_else(showed_none)
}
