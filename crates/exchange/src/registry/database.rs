//! Registers a database of a company, with the key by which it calls us.

use base::{OpError, OpResult, Sql, Tx, args, codes};
use kernel::ops::create_key::{CREATE_KEY, CreateKey};
use kernel::{Op, OpCx, Role};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

use super::{check_company, check_new, device};
use crate::codes::ATAKEN;
use crate::rules::Rules;
use crate::{folders, names};

/// Registers a database. A repeat of the request shows the same key.
pub static CREATE_DATABASE: Op<NewDatabase, DatabaseMade> = Op::new("exchange.database", create).rebuilt(show_again);

/// A database.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewDatabase {
    /// Its id: 1 to 64 of `A-Za-z0-9._-`, a letter or digit first, unique whatever the case.
    pub id: String,
    /// Of which company.
    pub company: String,
}

/// It is registered.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct DatabaseMade {
    /// Its id.
    pub id: String,
    /// Its key, shown this once.
    pub key: String,
}

pub(super) static INSERT: Sql = Sql::new(
    "exc_database.insert",
    "INSERT INTO exc_database (id, fold, company, key_id, created_at) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT DO NOTHING",
);

fn create(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewDatabase) -> OpResult<DatabaseMade> {
    let key = (CREATE_KEY.run)(tx, cx, &key_of(input))?;
    names::check_database(&input.id)?;
    cx.home.common::<Rules>().check_path(cx.namespace, &input.id)?;
    check_company(tx, &input.company)?;
    if tx.query_one(&device::GET, args![&input.id])?.is_some() {
        return Err(OpError::new(ATAKEN, format!("`{}` is the id of a device", input.id)));
    }
    let row = args![&input.id, input.id.to_ascii_lowercase(), &input.company, &key.id, cx.wall];
    check_new(tx.execute(&INSERT, row)?, "database", &input.id)?;
    cx.fx.journal("exchange.database", &input.id, format!("database of `{}`", input.company));
    folders::make(cx, &input.id);
    Ok(DatabaseMade { id: input.id.clone(), key: key.key })
}

/// The key is made again, not kept.
fn show_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &NewDatabase) -> OpResult<DatabaseMade> {
    let again = CREATE_KEY.rebuild.ok_or_else(|| OpError::new(codes::BDETECTED, "keys are not made again"))?;
    let key = again(tx, cx, &key_of(input))?;
    Ok(DatabaseMade { id: input.id.clone(), key: key.key })
}

fn key_of(input: &NewDatabase) -> CreateKey {
    let scope = json!({ "service": "exchange", "database": &input.id }).as_object().cloned().unwrap_or_default();
    CreateKey { role: Role::Database, scope, label: format!("database {}", input.id) }
}
