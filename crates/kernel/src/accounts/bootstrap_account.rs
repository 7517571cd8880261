//! Gives an empty namespace its first administrator.

use base::{ContentionKey, Keys, OpResult, Tx, args};
use serde::{Deserialize, Serialize};

use super::account;
use crate::cx::OpCx;
use crate::op::Op;
use crate::request::Role;

/// Name of the first administrator.
pub const FIRST: &str = "admin";

/// Adds the first administrator; where there is any account it does nothing.
pub static BOOTSTRAP_ACCOUNT: Op<BootstrapAccount, FirstAccount> = Op::new("account.bootstrap", bootstrap_account)
    .keyed(|_| Keys::of(vec![ContentionKey::of("account.bootstrap", "")]));

/// The hash of the password.
#[derive(Clone)]
pub struct BootstrapAccount {
    /// As [`super::password::hash`] makes it.
    pub password: String,
}

/// Whether it was added.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum FirstAccount {
    /// It is the first one now.
    Added,
    /// There was one already.
    NotNeeded,
}

fn bootstrap_account(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BootstrapAccount) -> OpResult<FirstAccount> {
    if tx.query_one(&account::ANY, args![])?.is_some() {
        return Ok(FirstAccount::NotNeeded);
    }
    tx.write(&account::INSERT, args![FIRST, Role::Admin.word(), &input.password, cx.wall])?;
    cx.fx.journal("account.created", FIRST, "first administrator");
    Ok(FirstAccount::Added)
}
