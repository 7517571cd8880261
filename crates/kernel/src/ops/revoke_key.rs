//! Revokes an access key.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Revokes a key; revoking a revoked one changes nothing and is no error.
pub static REVOKE_KEY: Op<RevokeKey, Revoked> = Op::new("key.revoke", revoke_key).ending();

/// Which key.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RevokeKey {
    /// Its id.
    pub id: String,
}

/// It is revoked.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Revoked {}

pub(crate) static REVOKE: Sql =
    Sql::new("access_key.revoke", "UPDATE access_key SET revoked_at = COALESCE(revoked_at, ?2) WHERE id = ?1");

fn revoke_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &RevokeKey) -> OpResult<Revoked> {
    if tx.execute(&REVOKE, args![&input.id, cx.wall])? == 0 {
        return Err(OpError::new(codes::NKEY, format!("no key `{}`", input.id)));
    }
    cx.fx.journal("key.revoked", &input.id, "");
    Ok(Revoked {})
}
