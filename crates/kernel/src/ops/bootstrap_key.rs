//! Gives an empty namespace its first administrator's key.

use base::{ContentionKey, Keys, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::create_key::INSERT;
use crate::cx::OpCx;
use crate::keys::secrets;
use crate::op::Op;
use crate::request::Role;

/// Adds the first administrator's key. Once any key was there, even a revoked one, it does nothing: an old secret in
/// an environment must not come back to life.
pub static BOOTSTRAP_KEY: Op<BootstrapKey, Bootstrapped> =
    Op::new("key.bootstrap", bootstrap_key).keyed(|_| Keys::of(vec![ContentionKey::of("key.bootstrap", "")]));

/// The hash of the secret.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BootstrapKey {
    /// SHA-256 of the secret.
    pub hash: [u8; 32],
}

/// Whether the key was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Bootstrapped {
    /// It is the first key now.
    Added,
    /// There were keys already.
    NotNeeded,
}

pub(crate) static ANY: Sql = Sql::new("access_key.any", "SELECT id FROM access_key ORDER BY id LIMIT 1");

fn bootstrap_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BootstrapKey) -> OpResult<Bootstrapped> {
    if tx.query_one(&ANY, args![])?.is_some() {
        return Ok(Bootstrapped::NotNeeded);
    }
    let (id, salt) = (cx.id(), cx.chance());
    secrets::insert(tx, &id.to_string(), &input.hash, &salt)?;
    tx.write(&INSERT, args![id, Role::Admin.word(), "{}", "first administrator", cx.wall])?;
    cx.fx.journal("key.created", id.to_string(), "first administrator's key");
    Ok(Bootstrapped::Added)
}
