//! Lists entries, oldest first, of one account or of all.

use base::{OpResult, Row, Sql, Tx, args};
use kernel::Query;
use serde::Serialize;
use utoipa::ToSchema;

/// A page of entries.
pub static LIST_ENTRIES: Query<EntriesOf, Vec<Entry>> = Query::new("ledger.entries", list_entries);

/// Which entries.
#[derive(Debug, Clone)]
pub struct EntriesOf {
    /// Of this account; of all if none.
    pub account: Option<String>,
    /// After this id.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// An entry as it is shown.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// The account.
    pub account: String,
    /// What was added.
    pub amount: i64,
    /// For people.
    pub memo: String,
    /// Stamp of the change.
    pub version: i64,
}

pub(crate) static PAGE: Sql = Sql::new(
    "ledger_entry.page",
    "SELECT id, account, amount, memo, version FROM ledger_entry WHERE account = ?1 AND id > ?2 ORDER BY id LIMIT ?3",
);
pub(crate) static PAGE_OF_ALL: Sql = Sql::new(
    "ledger_entry.page_of_all",
    "SELECT id, account, amount, memo, version FROM ledger_entry WHERE id > ?1 ORDER BY id LIMIT ?2",
);

fn list_entries(tx: &mut dyn Tx, of: &EntriesOf) -> OpResult<Vec<Entry>> {
    let rows_max = of.limit as usize;
    let rows = match &of.account {
        Some(account) => tx.query(&PAGE, args![account, &of.after, of.limit], rows_max)?,
        None => tx.query(&PAGE_OF_ALL, args![&of.after, of.limit], rows_max)?,
    };
    Ok(rows.iter().map(entry).collect())
}

fn entry(row: &Row) -> Entry {
    Entry {
        id: row.text(0).to_owned(),
        account: row.text(1).to_owned(),
        amount: row.int(2),
        memo: row.text(3).to_owned(),
        version: row.int(4),
    }
}
