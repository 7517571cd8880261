//! Creates an access key and shows its secret once.

use base::limits::NAME_MAX;
use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::keys;
use crate::op::Op;
use crate::request::Role;

/// Creates an access key. A repeat of the same request shows the same secret: it is made again, not kept.
pub static CREATE_KEY: Op<CreateKey, CreatedKey> = Op::new("key.create", create_key).rebuilt(show_again);

/// What the key shall be.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CreateKey {
    /// What it may do.
    pub role: Role,
    /// What it may do it with, as JSON; services read it.
    #[serde(default)]
    pub scope: serde_json::Map<String, serde_json::Value>,
    /// For people.
    #[serde(default)]
    pub label: String,
}

/// The new key.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct CreatedKey {
    /// Its id.
    pub id: String,
    /// Its secret, shown this once.
    pub key: String,
}

pub(crate) static INSERT: Sql = Sql::new(
    "access_key.insert",
    "INSERT INTO access_key (id, hash, salt, role, scope, label, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
);
pub(crate) static BY_ID: Sql = Sql::new("access_key.by_id", "SELECT salt FROM access_key WHERE id = ?1");

fn create_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateKey) -> OpResult<CreatedKey> {
    let scope = serde_json::Value::Object(input.scope.clone()).to_string();
    check_lengths(&input.label, &scope)?;
    let (id, salt) = (cx.id().to_string(), cx.chance());
    let key = keys::secret_from(&proof(cx)?, &salt);
    let role = input.role.word();
    tx.write(&INSERT, args![&id, &keys::hash(&key), &salt, role, scope, &input.label, cx.wall])?;
    cx.fx.journal("key.created", &id, format!("{role} key `{}`", input.label));
    Ok(CreatedKey { id, key })
}

fn show_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &CreateKey) -> OpResult<CreatedKey> {
    let id = cx.id().to_string();
    let row = tx.query_one(&BY_ID, args![&id])?;
    let row = row.ok_or_else(|| OpError::new(codes::NKEY, format!("key {id} was removed since")))?;
    Ok(CreatedKey { key: keys::secret_from(&proof(cx)?, row.blob(0)), id })
}

/// A secret made from nothing that the caller knows could be made again by whoever reads the database.
fn proof(cx: &OpCx<'_>) -> OpResult<[u8; 32]> {
    let showed_none =
        || OpError::new(codes::BDETECTED, format!("{} showed no secret to make one from", cx.caller.name));
    cx.caller.proof.ok_or_else(showed_none)
}

fn check_lengths(label: &str, scope: &str) -> OpResult<()> {
    for (name, value, max) in [("label", label, NAME_MAX), ("scope", scope, 4096)] {
        if value.len() > max {
            return Err(OpError::new(codes::ALIMIT, format!("{name} has {} bytes, at most {max}", value.len())));
        }
    }
    if label.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, "label has control characters"));
    }
    Ok(())
}
