//! Lists accounts, and shows one.

use base::{OpResult, Tx, args};

use super::{Account, account};
use crate::op::Query;

/// A page of accounts in the order of their names.
pub static LIST_ACCOUNTS: Query<Page, Vec<Account>> = Query::new("account.list", list_accounts);
/// One account.
pub static SHOW_ACCOUNT: Query<String, Account> =
    Query::new("account.show", |tx, name| Ok(account::get(tx, name)?.account));

/// Which page.
#[derive(Debug, Clone)]
pub struct Page {
    /// Only accounts after this name.
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

fn list_accounts(tx: &mut dyn Tx, page: &Page) -> OpResult<Vec<Account>> {
    let rows = tx.query(&account::PAGE, args![&page.after, page.limit], page.limit as usize)?;
    Ok(rows.iter().map(account::of_row).collect())
}
