//! Accounts: what may happen to one, and how it is read and written.

use base::{ContentionKey, OpError, OpResult, Sql, Stamp, StoreResult, Tx, args};
use kernel::{OpCx, Violation};

use crate::{AFUNDS, NACCOUNT};

/// Longest name of an account.
pub const NAME_MAX: usize = 64;

/// An account as it is stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Account {
    /// Its name.
    pub id: String,
    /// What is on it.
    pub balance: i64,
    /// Stamp of its last change; none while it is new.
    pub version: Option<Stamp>,
}

pub(crate) static GET: Sql =
    Sql::new("ledger_account.get", "SELECT balance, version FROM ledger_account WHERE id = ?1");
pub(crate) static PUT: Sql = Sql::new(
    "ledger_account.put",
    "INSERT INTO ledger_account (id, balance, version) VALUES (?1, ?2, ?3) \
     ON CONFLICT (id) DO UPDATE SET balance = ?2, version = ?3",
);
pub(crate) static ENTRY: Sql = Sql::new(
    "ledger_entry.insert",
    "INSERT INTO ledger_entry (id, account, amount, memo, version) VALUES (?1, ?2, ?3, ?4, ?5)",
);
pub(crate) static UNEQUAL: Sql = Sql::new(
    "ledger_account.unequal",
    "SELECT a.id FROM ledger_account a WHERE a.balance <> \
     (SELECT CAST(COALESCE(SUM(e.amount), 0) AS BIGINT) FROM ledger_entry e WHERE e.account = a.id) ORDER BY a.id LIMIT 100",
);

/// What operations on an account do not overlap with.
#[must_use]
pub fn key(id: &str) -> ContentionKey {
    ContentionKey::of("ledger_account", id)
}

/// The account after an entry, or why not. Pure: tested without a database.
///
/// # Errors
/// The balance would go below zero or beyond what can be counted.
pub fn after(account: &Account, amount: i64) -> OpResult<Account> {
    let (id, balance) = (&account.id, account.balance);
    match balance.checked_add(amount) {
        Some(balance) if balance >= 0 => Ok(Account { balance, ..account.clone() }),
        _ => Err(OpError::new(AFUNDS, format!("account `{id}` has {balance}, which does not bear {amount}"))),
    }
}

/// The account, if there is one.
///
/// # Errors
/// The store failed.
pub fn find(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<Option<Account>> {
    let row = tx.query_one(&GET, args![id])?;
    Ok(row.map(|row| {
        cx.saw(row.stamp(1));
        Account { id: id.to_owned(), balance: row.int(0), version: Some(row.stamp(1)) }
    }))
}

/// The account, which must be there.
///
/// # Errors
/// It is not.
pub fn get(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &str) -> OpResult<Account> {
    find(tx, cx, id)?.ok_or_else(|| unknown(id))
}

/// Writes the account and the entry that changed it. Returns the entry's id.
///
/// # Errors
/// The store failed.
pub fn book(tx: &mut dyn Tx, cx: &mut OpCx<'_>, account: &Account, amount: i64, memo: &str) -> OpResult<String> {
    let (entry, stamp) = (cx.id().to_string(), cx.stamp());
    tx.write(&PUT, args![&account.id, account.balance, stamp])?;
    tx.write(&ENTRY, args![&entry, &account.id, amount, memo, stamp])?;
    Ok(entry)
}

/// There is no such account.
#[must_use]
pub fn unknown(id: &str) -> OpError {
    OpError::new(NACCOUNT, format!("no account `{id}`"))
}

pub(crate) fn unequal(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let rows = tx.query(&UNEQUAL, args![], 100)?;
    Ok(rows.iter().map(|row| Violation(format!("account {}", row.text(0)))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(balance: i64, amount: i64, expected: Option<i64>) {
        let account = Account { id: "a".into(), balance, version: None };
        assert_eq!(after(&account, amount).ok().map(|account| account.balance), expected, "{balance} {amount}");
    }

    #[test]
    fn a_balance_never_goes_below_zero_nor_wraps_around() {
        check(5, -5, Some(0));
        check(5, -6, None);
        check(0, i64::MAX, Some(i64::MAX));
        check(1, i64::MAX, None);
        check(0, i64::MIN, None);
    }
}
