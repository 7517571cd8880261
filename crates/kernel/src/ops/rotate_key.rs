//! Gives an access key a new secret; the old one stays valid for a while, so that its owner can change over.

use base::mutants::{self, Mutant};
use base::{ContentionKey, Keys, OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::create_key::CreatedKey;
use crate::cx::OpCx;
use crate::keys::secrets;
use crate::op::Op;

/// How long the old secret stays valid if nothing is said.
pub const OVERLAP_S: u32 = 86_400;
/// Longest overlap.
pub const OVERLAP_MAX_S: u32 = 30 * 86_400;

/// Rotates a key. A repeat of the same request shows the same secret.
pub static ROTATE_KEY: Op<RotateKey, CreatedKey> = Op::new("key.rotate", rotate_key)
    .keyed(|input| Keys::of(vec![ContentionKey::of("key", &input.id)]))
    .rebuilt(show_again);

/// Which key.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RotateKey {
    /// Its id.
    pub id: String,
    /// How long its older secrets stay valid, at most.
    #[serde(default = "overlap_s")]
    pub overlap_s: u32,
}

const fn overlap_s() -> u32 {
    OVERLAP_S
}

pub(crate) static REVOKED: Sql = Sql::new("access_key.revoked", "SELECT revoked_at FROM access_key WHERE id = ?1");

fn rotate_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RotateKey) -> OpResult<CreatedKey> {
    check_overlap(input.overlap_s)?;
    check_not_revoked(tx, &input.id)?;
    let overlap_s = if mutants::on(Mutant::OverlapIgnored) { 0 } else { input.overlap_s };
    let ends_at = cx.heard.plus_ms(i64::from(overlap_s) * 1000);
    secrets::end(tx, cx, &input.id, ends_at)?;
    check_older(tx, &input.id)?;
    let key = secrets::add(tx, cx, &input.id)?;
    cx.fx.journal("key.rotated", &input.id, format!("the old secret is valid for {} s", input.overlap_s));
    Ok(CreatedKey { id: input.id.clone(), key })
}

fn show_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RotateKey) -> OpResult<CreatedKey> {
    Ok(CreatedKey { key: secrets::show_again(tx, cx, &input.id)?, id: input.id.clone() })
}

fn check_overlap(overlap_s: u32) -> OpResult<()> {
    if overlap_s <= OVERLAP_MAX_S {
        return Ok(());
    }
    Err(OpError::new(codes::ALIMIT, format!("overlap_s is {overlap_s}, at most {OVERLAP_MAX_S}")))
}

fn check_not_revoked(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    let row = tx.query_one(&REVOKED, args![id])?;
    let row = row.ok_or_else(|| OpError::new(codes::NKEY, format!("no key `{id}`")))?;
    match row.opt_int(0) {
        None => Ok(()),
        Some(_) => Err(OpError::new(codes::NKEY, format!("key `{id}` is revoked"))),
    }
}

fn check_older(tx: &mut dyn Tx, id: &str) -> OpResult<()> {
    let older = tx.query_one(&secrets::OLDER, args![id])?.map_or(0, |row| row.int(0));
    if older <= secrets::OLDER_MAX {
        return Ok(());
    }
    let message = format!("{older} older secrets of key `{id}` are still valid; a smaller overlap_s ends them sooner");
    Err(OpError::new(codes::ALIMIT, message))
}
