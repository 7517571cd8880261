//! Changes the password of one's own account.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Tx, codes};
use serde::{Deserialize, Serialize};

use super::account::{self, Stored};
use super::rows::{self, Subjects};
use super::{Account, session};
use crate::cx::OpCx;
use crate::op::Op;

/// Changes a password for whoever has shown the old one; every session of the account ends.
pub static CHANGE_PASSWORD: Op<ChangePassword, PasswordChanged> = Op::new("account.password", change_password);

/// Whose, from what to what.
#[derive(Clone)]
pub struct ChangePassword {
    /// The account.
    pub account: String,
    /// The hash that the old password did fit.
    pub old: String,
    /// Hash of the new one.
    pub new: String,
    /// The client's address: showing the old password was a try like a login's, and is taken back.
    pub address: String,
}

/// It is changed.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PasswordChanged {}

fn change_password(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ChangePassword) -> OpResult<PasswordChanged> {
    let Stored { account, password } = account::get(tx, &input.account)?;
    if password != input.old {
        return Err(OpError::new(codes::SLOGIN, "the old password is wrong"));
    }
    let account = Account { must_change: false, ..account };
    account::save(tx, &Stored { account, password: input.new.clone() })?;
    if !mutants::on(Mutant::SessionsOutlivePassword) {
        session::end_all(tx, cx, &input.account)?;
    }
    rows::succeeded(tx, &Subjects::of(&input.account, &input.address))?;
    cx.fx.journal("account.changed", &input.account, "new password by its owner");
    Ok(PasswordChanged {})
}
