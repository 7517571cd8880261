//! A device turns its activation code into its key (EXC-2): once, within its time.

use base::{Heard, OpError, OpResult, Sql, Tx, args};
use kernel::ops::create_key::{CreateKey, grant};
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
use kernel::{Op, OpCx, Role};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::device::hash;
use crate::codes::SCODE;

/// Activates a device.
pub static ACTIVATE: Op<Activate, Activated> = Op::new("exchange.activate", activate).rebuilt(shown_once);

/// Who did not hear the answer may send the same code again for so long, and gets another key; the first one ends.
const AGAIN_MS: i64 = 600_000;

/// What somebody typed.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Activate {
    /// The code.
    pub code: String,
}

/// The device is active.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Activated {
    /// Its id.
    pub device: String,
    /// Its key, shown this once.
    pub key: String,
}

pub(super) static FIND: Sql =
    Sql::new("exc_device.by_code", "SELECT id, code_until, state, key_id FROM exc_device WHERE code = ?1");
pub(super) static FIND_USED: Sql =
    Sql::new("exc_device.by_used_code", "SELECT id, used_until, state, key_id FROM exc_device WHERE used_code = ?1");
pub(super) static ACTIVE: Sql = Sql::new(
    "exc_device.activate",
    "UPDATE exc_device SET state = 'active', key_id = ?2, code = NULL, code_until = NULL, used_code = ?3, \
     used_until = COALESCE(?4, used_until), contact_at = ?5 WHERE id = ?1",
);

fn activate(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Activate) -> OpResult<Activated> {
    // One answer for all reasons: who guesses learns nothing.
    let wrong = || OpError::new(SCODE, "no such activation code, or its time is over");
    let code = hash(&input.code);
    let new = tx.query_one(&FIND, args![&code])?;
    let until = new.as_ref().map(|_| cx.heard.plus_ms(AGAIN_MS));
    let row = match new {
        Some(row) => row,
        None => tx.query_one(&FIND_USED, args![&code])?.ok_or_else(wrong)?,
    };
    let is_over = row.opt_int(1).is_none_or(|until| cx.heard >= Heard(until));
    if is_over || row.text(2) == "blocked" {
        return Err(wrong());
    }
    if let Some(key) = row.opt_text(3) {
        (REVOKE_KEY.run)(tx, cx, &RevokeKey { id: key.to_owned() })?;
    }
    let device = row.text(0).to_owned();
    let key = grant(tx, cx, &key_of(&device))?;
    tx.write(&ACTIVE, args![&device, &key.id, &code, until, cx.wall])?;
    cx.fx.journal("exchange.device", &device, "activated");
    Ok(Activated { device, key: key.key })
}

fn key_of(device: &str) -> CreateKey {
    let scope = json!({ "service": "exchange", "device": device }).as_object().cloned().unwrap_or_default();
    CreateKey { role: Role::Device, scope, label: format!("device {device}") }
}

/// A key is never kept as an answer.
fn shown_once(_: &mut dyn Tx, _: &mut OpCx<'_>, _: &Activate) -> OpResult<Activated> {
    Err(OpError::new(SCODE, "the key was shown once: send the code again as a new request"))
}
