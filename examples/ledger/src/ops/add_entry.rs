//! Adds an entry to an account, which is opened by its first entry.

use base::limits::NAME_MAX as MEMO_MAX;
use base::{Keys, OpError, OpResult, Stamp, Tx, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::account::{self, Account, NAME_MAX};

/// Adds an entry.
pub static ADD_ENTRY: Op<AddEntry, Booked> =
    Op::new("ledger.add_entry", add_entry).keyed(|input| Keys::of(vec![account::key(&input.account)])).then(stamped);

/// The entry to add.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AddEntry {
    /// Name of the account.
    pub account: String,
    /// What to add; negative to take away.
    pub amount: i64,
    /// For people.
    #[serde(default)]
    pub memo: String,
}

/// An entry that was added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Booked {
    /// Id of the entry.
    pub id: String,
    /// The account's balance after it.
    pub balance: i64,
    /// Stamp of the change.
    pub version: i64,
}

fn add_entry(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &AddEntry) -> OpResult<Booked> {
    check_text("account", &input.account, 1, NAME_MAX)?;
    check_text("memo", &input.memo, 0, MEMO_MAX)?;
    let new = || Account { id: input.account.clone(), balance: 0, version: None };
    let account = account::find(tx, cx, &input.account)?.unwrap_or_else(new);
    let next = account::after(&account, input.amount)?;
    let id = account::book(tx, cx, &next, input.amount, &input.memo)?;
    Ok(Booked { id, balance: next.balance, version: 0 })
}

fn stamped(booked: &mut Booked, stamp: Stamp) {
    booked.version = stamp.number();
}

/// Checks a text that comes from outside.
///
/// # Errors
/// It is too short, too long or has control characters.
pub fn check_text(name: &str, text: &str, min: usize, max: usize) -> OpResult<()> {
    if !(min..=max).contains(&text.len()) {
        return Err(OpError::new(codes::ALIMIT, format!("{name} has {} bytes, not {min} to {max}", text.len())));
    }
    if text.chars().any(char::is_control) {
        return Err(OpError::new(codes::ABODY, format!("{name} has control characters")));
    }
    Ok(())
}
