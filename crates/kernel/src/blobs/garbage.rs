//! Names whose bytes go. Doom is final: nothing here takes it back.

use base::limits::OP_ROWS_MAX;
use base::{BlobName, Heard, OpError, OpResult, Sql, Tx, args, codes};

pub(super) static STATE: Sql = Sql::new("blob_garbage.state", "SELECT doomed FROM blob_garbage WHERE name = ?1");
pub(super) static DOOM: Sql = Sql::new(
    "blob_garbage.doom",
    "INSERT INTO blob_garbage (name, since, doomed) VALUES (?1, ?2, 1) ON CONFLICT (name) DO UPDATE SET doomed = 1",
);
pub(super) static CLAIM: Sql =
    Sql::new("blob_garbage.claim", "DELETE FROM blob_garbage WHERE name = ?1 AND doomed = 0");
pub(super) static SUSPECT: Sql = Sql::new(
    "blob_garbage.suspect",
    "INSERT INTO blob_garbage (name, since, doomed) VALUES (?1, ?2, 0) ON CONFLICT (name) DO NOTHING",
);
pub(super) static DOOM_SUSPECTS: Sql = Sql::new(
    "blob_garbage.doom_suspects",
    "UPDATE blob_garbage SET doomed = 1 WHERE name IN (SELECT name FROM blob_garbage \
     WHERE doomed = 0 AND since <= ?1 ORDER BY since, name LIMIT ?2)",
);
pub(super) static DOOMED: Sql =
    Sql::new("blob_garbage.doomed", "SELECT name FROM blob_garbage WHERE doomed = 1 ORDER BY since, name LIMIT ?1");
pub(super) static FORGET: Sql =
    Sql::new("blob_garbage.forget", "DELETE FROM blob_garbage WHERE name = ?1 AND doomed = 1");

/// Whether the bytes of a name go for certain.
pub(super) fn is_doomed(tx: &mut dyn Tx, name: &BlobName) -> OpResult<bool> {
    Ok(tx.query_one(&STATE, args![*name])?.is_some_and(|row| row.int(0) == 1))
}

/// The bytes of this name go.
pub(super) fn doom(tx: &mut dyn Tx, heard: Heard, name: &BlobName) -> OpResult<()> {
    Ok(tx.write(&DOOM, args![*name, heard])?)
}

/// The bytes of this name have a row now.
pub(super) fn claim(tx: &mut dyn Tx, name: &BlobName) -> OpResult<()> {
    Ok(tx.write(&CLAIM, args![*name])?)
}

/// The bytes of this name have no row, yet or any more.
pub(super) fn suspect(tx: &mut dyn Tx, heard: Heard, name: &BlobName) -> OpResult<()> {
    Ok(tx.write(&SUSPECT, args![*name, heard])?)
}

/// Dooms names that were without a row since `until`; tells whether there may be more.
pub(super) fn doom_suspects(tx: &mut dyn Tx, until: Heard, limit: u32) -> OpResult<bool> {
    Ok(tx.execute(&DOOM_SUSPECTS, args![until, limit])? == u64::from(limit))
}

/// Some names whose bytes go, longest waiting first.
pub(super) fn doomed(tx: &mut dyn Tx, limit: u32) -> OpResult<Vec<String>> {
    let rows = tx.query(&DOOMED, args![limit], OP_ROWS_MAX)?;
    Ok(rows.iter().map(|row| row.text(0).to_owned()).collect())
}

/// The bytes of this name are gone.
pub(super) fn forget(tx: &mut dyn Tx, name: &str) -> OpResult<()> {
    Ok(tx.write(&FORGET, args![name])?)
}

/// A name out of a row of ours.
pub(super) fn name_of(text: &str) -> OpResult<BlobName> {
    text.parse().map_err(|invalid| OpError::new(codes::BDETECTED, format!("`{text}`: {invalid}")))
}
