//! Reads one account.

use base::{OpResult, Tx, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

use crate::account::{self, GET};

/// Reads an account.
pub static GET_ACCOUNT: Query<String, AccountView> = Query::new("ledger.account", get_account);

/// An account as it is shown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct AccountView {
    /// Its name.
    pub id: String,
    /// What is on it.
    pub balance: i64,
    /// Stamp of its last change.
    pub version: i64,
}

fn get_account(tx: &mut dyn Tx, id: &String) -> OpResult<AccountView> {
    let row = tx.query_one(&GET, args![id])?.ok_or_else(|| account::unknown(id))?;
    Ok(AccountView { id: id.clone(), balance: row.int(0), version: row.int(1) })
}
