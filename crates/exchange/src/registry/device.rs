//! Registers a device, blocks it, gives it a new activation code (EXC-2).

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::keys::secret_from;
use kernel::ops::revoke_key::{REVOKE_KEY, RevokeKey};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use utoipa::ToSchema;

use super::subsystem;
use crate::codes::NPARTY;
use crate::names::check_label;

/// Registers a device. A repeat of the request shows the same code.
pub static CREATE_DEVICE: Op<NewDevice, DeviceMade> = Op::new("exchange.device", create).rebuilt(show_created);
/// Blocks a device or lets it in again.
pub static DEVICE_STATE: Op<DeviceChange, ()> = Op::new("exchange.device_state", change);
/// Gives a device a new code: its key ends at once.
pub static NEW_CODE: Op<String, DeviceMade> = Op::new("exchange.device_code", new_code).rebuilt(show_code);

/// How long a code may be used.
const CODE_MS: i64 = 7 * 86_400_000;
/// Letters of a code: no two of them look alike.
const LETTERS: &[u8; 32] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
/// Letters in a code: fifty bits.
const CODE_LENGTH: usize = 10;

/// A device.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDevice {
    /// Of which company.
    pub company: String,
    /// Of which subsystem.
    pub subsystem: String,
    /// For people.
    pub name: String,
}

/// It waits for its activation.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DeviceMade {
    /// Its id.
    pub id: String,
    /// To be typed into the device, once, within seven days.
    #[schema(example = "K7M2P-9QXRT")]
    pub activation_code: String,
}

/// What a device shall be.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct DeviceChange {
    /// Which device.
    pub id: String,
    /// Whether it is kept out.
    pub blocked: bool,
}

pub(super) static INSERT: Sql = Sql::new(
    "exc_device.insert",
    "INSERT INTO exc_device (id, company, subsystem, name, state, code, code_until, salt, created_at) \
     VALUES (?1, ?2, ?3, ?4, 'new', ?5, ?6, ?7, ?8)",
);
pub(super) static GET: Sql =
    Sql::new("exc_device.get", "SELECT key_id, state, code, salt FROM exc_device WHERE id = ?1");
pub(super) static SET_STATE: Sql = Sql::new(
    "exc_device.set_state",
    "UPDATE exc_device SET state = CASE WHEN ?2 = 1 THEN 'blocked' WHEN key_id IS NULL THEN 'new' ELSE 'active' END WHERE id = ?1",
);
pub(super) static SET_CODE: Sql = Sql::new(
    "exc_device.set_code",
    "UPDATE exc_device SET key_id = NULL, code = ?2, code_until = ?3, salt = ?4, used_code = NULL, \
     state = CASE state WHEN 'blocked' THEN 'blocked' ELSE 'new' END WHERE id = ?1",
);

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewDevice) -> OpResult<DeviceMade> {
    check_label(&input.name)?;
    let absent = || OpError::new(NPARTY, format!("company `{}` has no subsystem `{}`", input.company, input.subsystem));
    tx.query_one(&subsystem::GET, args![&input.company, &input.subsystem])?.ok_or_else(absent)?;
    let (id, salt) = (cx.id().to_string(), cx.chance());
    let code = code(cx, &salt)?;
    let (kept, until) = (hash(&code), cx.heard.plus_ms(CODE_MS));
    let row = args![&id, &input.company, &input.subsystem, &input.name, &kept, until, &salt, cx.wall];
    tx.write(&INSERT, row)?;
    // Without its name, which is a person's most often and may have to be forgotten.
    cx.fx.journal("exchange.device", &id, format!("device of `{}`, subsystem `{}`", input.company, input.subsystem));
    Ok(DeviceMade { id, activation_code: code })
}

fn change(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &DeviceChange) -> OpResult<()> {
    if tx.execute(&SET_STATE, args![&input.id, input.blocked])? == 0 {
        return Err(absent(&input.id));
    }
    cx.fx.journal("exchange.device", &input.id, if input.blocked { "blocked" } else { "let in again" }.to_owned());
    Ok(())
}

fn new_code(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<DeviceMade> {
    let row = tx.query_one(&GET, args![id])?.ok_or_else(|| absent(id))?;
    if let Some(key) = row.opt_text(0) {
        (REVOKE_KEY.run)(tx, cx, &RevokeKey { id: key.to_owned() })?;
    }
    let salt = cx.chance();
    let code = code(cx, &salt)?;
    tx.write(&SET_CODE, args![id, &hash(&code), cx.heard.plus_ms(CODE_MS), &salt])?;
    cx.fx.journal("exchange.device", id, "a new activation code".to_owned());
    Ok(DeviceMade { id: id.clone(), activation_code: code })
}

fn absent(id: &str) -> OpError {
    OpError::new(NPARTY, format!("no device `{id}`"))
}

fn show_created(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &NewDevice) -> OpResult<DeviceMade> {
    let id = cx.id().to_string();
    show_code(tx, cx, &id)
}

/// The code is made again, not kept.
fn show_code(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<DeviceMade> {
    let row = tx.query_one(&GET, args![id])?.ok_or_else(|| absent(id))?;
    let code = code(cx, row.blob(3))?;
    if row.opt_blob(2) == Some(&hash(&code)[..]) {
        return Ok(DeviceMade { id: id.clone(), activation_code: code });
    }
    Err(OpError::new(
        codes::AKEYREUSED,
        format!("the code of device `{id}` was used or replaced since: ask for a new one"),
    ))
}

/// A code for people to type, in two parts: made of what the caller knows and of chance that is kept, so that it can be made again.
fn code(cx: &OpCx<'_>, salt: &[u8]) -> OpResult<String> {
    let no_secret =
        || OpError::new(codes::BDETECTED, format!("{} showed no secret to make a code from", cx.caller.name));
    let secret = secret_from(&cx.caller.proof.ok_or_else(no_secret)?, salt);
    let bytes: [u8; 32] = Sha256::digest(secret.as_bytes()).into();
    let letters: String =
        bytes.iter().take(CODE_LENGTH).map(|byte| char::from(LETTERS[usize::from(byte % 32)])).collect();
    Ok(format!("{}-{}", &letters[..CODE_LENGTH / 2], &letters[CODE_LENGTH / 2..]))
}

/// What is kept of a code; dashes, blanks and small letters make no difference.
pub(super) fn hash(code: &str) -> [u8; 32] {
    let plain: String = code.chars().filter(char::is_ascii_alphanumeric).collect();
    Sha256::digest(plain.to_ascii_uppercase().as_bytes()).into()
}
