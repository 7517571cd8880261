//! Creates an account with a one-time password.

use base::{OpError, OpResult, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::password::Kept;
use super::{Account, account, check_name, check_role};
use crate::cx::OpCx;
use crate::op::Op;
use crate::request::Role;

/// Creates an account. The answer that is kept for a repeat does not hold the password, see [`Kept`].
pub static CREATE_ACCOUNT: Op<CreateAccount, Made> = Op::new("account.create", create_account);

/// What the account shall be.
#[derive(Clone)]
pub struct CreateAccount {
    /// Its name.
    pub name: String,
    /// What its owner may do.
    pub role: Role,
    /// Its password.
    pub password: NewPassword,
}

/// A one-time password: its hash, and what makes it again.
#[derive(Clone)]
pub struct NewPassword {
    /// Hash of the password.
    pub hash: String,
    /// What makes it again.
    pub kept: Kept,
}

/// An account, and what makes its one-time password again if one was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Made {
    /// The account.
    pub account: Account,
    /// What makes the password again.
    pub password: Option<Kept>,
}

fn create_account(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &CreateAccount) -> OpResult<Made> {
    check_name(&input.name)?;
    check_role(input.role)?;
    let role = input.role.word();
    if tx.execute(&account::INSERT, args![&input.name, role, &input.password.hash, cx.wall])? == 0 {
        return Err(OpError::new(codes::AACCOUNT, format!("account `{}` exists already", input.name)));
    }
    cx.fx.journal("account.created", &input.name, format!("role {role}"));
    let account = Account {
        name: input.name.clone(),
        role: input.role,
        must_change: true,
        created_at: cx.wall,
        blocked_at: None,
    };
    Ok(Made { account, password: Some(input.password.kept.clone()) })
}
