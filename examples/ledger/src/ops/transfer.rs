//! Moves an amount from one account to another: both or neither.

use base::{Keys, OpError, OpResult, Stamp, Tx, codes};
use kernel::{Op, OpCx};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::account;

/// Transfers an amount.
pub static TRANSFER: Op<Transfer, Transferred> = Op::new("ledger.transfer", transfer)
    .keyed(|input| Keys::of(vec![account::key(&input.from), account::key(&input.to)]))
    .then(stamped);

/// The transfer to make.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct Transfer {
    /// Account that gives.
    pub from: String,
    /// Account that receives.
    pub to: String,
    /// How much; above zero.
    pub amount: i64,
}

/// A transfer that was made.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Transferred {
    /// What is left on the account that gave.
    pub from_balance: i64,
    /// What is now on the account that received.
    pub to_balance: i64,
    /// Stamp of the change, the same for both.
    pub version: i64,
}

fn transfer(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Transfer) -> OpResult<Transferred> {
    if input.amount <= 0 || input.from == input.to {
        return Err(OpError::new(codes::ABODY, "a transfer moves more than 0 between two accounts"));
    }
    let (from, to) = (account::get(tx, cx, &input.from)?, account::get(tx, cx, &input.to)?);
    let (from, to) = (account::after(&from, -input.amount)?, account::after(&to, input.amount)?);
    account::book(tx, cx, &from, -input.amount, &format!("to {}", input.to))?;
    account::book(tx, cx, &to, input.amount, &format!("from {}", input.from))?;
    cx.fx.journal("ledger.transfer", &input.from, format!("{} to {}", input.amount, input.to));
    Ok(Transferred { from_balance: from.balance, to_balance: to.balance, version: 0 })
}

fn stamped(transferred: &mut Transferred, stamp: Stamp) {
    transferred.version = stamp.number();
}
