//! Creates an access key and shows its secret once.

use base::limits::NAME_MAX;
use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::keys::{hash, scope, secret_text, secrets};
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
    /// What it may do it with: fields of [`scope::FIELDS`].
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
    "INSERT INTO access_key (id, role, scope, label, created_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);

/// Makes a key for somebody who has none yet, within another operation. It is made of chance alone: nobody can be shown it again.
///
/// # Errors
/// The label or the scope cannot be.
pub fn grant(tx: &mut dyn Tx, cx: &mut OpCx<'_>, wanted: &CreateKey) -> OpResult<CreatedKey> {
    let scope = checked(wanted)?;
    let (id, salt) = (cx.id().to_string(), cx.chance());
    let key = secret_text(&cx.chance());
    secrets::insert(tx, &id, &hash(&key), &salt)?;
    keep(tx, cx, wanted, (&id, &scope))?;
    Ok(CreatedKey { id, key })
}

fn create_key(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateKey) -> OpResult<CreatedKey> {
    let scope = checked(input)?;
    let id = cx.id().to_string();
    let key = secrets::add(tx, cx, &id)?;
    keep(tx, cx, input, (&id, &scope))?;
    Ok(CreatedKey { id, key })
}

/// Its scope as text, before anything is made.
fn checked(input: &CreateKey) -> OpResult<String> {
    let text = serde_json::Value::Object(input.scope.clone()).to_string();
    check_label(&input.label)?;
    check_length("scope", &text, 4096)?;
    scope::check(input.role, &input.scope)?;
    Ok(text)
}

fn keep(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateKey, (id, scope): (&str, &str)) -> OpResult<()> {
    let role = input.role.word();
    tx.write(&INSERT, args![id, role, scope, &input.label, cx.wall])?;
    cx.fx.journal("key.created", id, format!("{role} key `{}`", input.label));
    Ok(())
}

fn show_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, _: &CreateKey) -> OpResult<CreatedKey> {
    let id = cx.id().to_string();
    Ok(CreatedKey { key: secrets::show_again(tx, cx, &id)?, id })
}

/// Refuses a label that is too long or has control characters; it may be empty.
pub(super) fn check_label(label: &str) -> OpResult<()> {
    check_length("label", label, NAME_MAX)?;
    if label.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, "label has control characters"));
    }
    Ok(())
}

fn check_length(name: &str, value: &str, max: usize) -> OpResult<()> {
    if value.len() <= max {
        return Ok(());
    }
    Err(OpError::new(codes::ALIMIT, format!("{name} has {} bytes, at most {max}", value.len())))
}
