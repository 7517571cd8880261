//! Writes down that a login failed. The try itself was counted when it began.

use base::{OpResult, Tx};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::op::Op;

/// Journals a failed login.
pub static FAIL_LOGIN: Op<FailLogin, LoginFailed> = Op::new("login.fail", fail_login);

/// Who did not get in, and from where.
#[derive(Debug, Clone)]
pub struct FailLogin {
    /// The account's name.
    pub account: String,
    /// The client's address.
    pub address: String,
}

/// It is written down.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct LoginFailed {}

fn fail_login(_: &mut dyn Tx, cx: &mut OpCx<'_>, input: &FailLogin) -> OpResult<LoginFailed> {
    cx.fx.journal("login.failed", &input.account, format!("from {}", input.address));
    Ok(LoginFailed {})
}
