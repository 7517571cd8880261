//! Removes an account.

use base::{ContentionKey, Keys, OpResult, Tx, args};
use serde::{Deserialize, Serialize};

use super::account::{self, check_admin_remains, is_working_admin};
use super::session;
use crate::cx::OpCx;
use crate::op::Op;

/// Removes an account and ends its sessions.
pub static DELETE_ACCOUNT: Op<DeleteAccount, Deleted> =
    Op::new("account.delete", delete_account).keyed(|_| Keys::of(vec![ContentionKey::of("accounts", "")])).ending();

/// Which one.
#[derive(Debug, Clone)]
pub struct DeleteAccount {
    /// Its name.
    pub name: String,
    /// See [`super::change_account::ChangeAccount`].
    pub last_admin_stays: bool,
}

/// It is gone.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Deleted {}

fn delete_account(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &DeleteAccount) -> OpResult<Deleted> {
    let stored = account::get(tx, &input.name)?;
    if input.last_admin_stays && is_working_admin(&stored.account) {
        check_admin_remains(tx, &input.name)?;
    }
    session::end_all(tx, cx, &input.name)?;
    tx.write(&account::DELETE, args![&input.name])?;
    cx.fx.journal("account.deleted", &input.name, "");
    Ok(Deleted {})
}
