//! Changes an account: its role, whether it is blocked, a new one-time password.

use base::{ContentionKey, Keys, OpResult, Tx};

use super::account::{self, Stored, check_admin_remains, is_working_admin};
use super::create_account::{Made, NewPassword};
use super::{Account, check_role, session};
use crate::cx::OpCx;
use crate::op::Op;
use crate::request::Role;

/// Changes an account. A block and a new password end its sessions.
pub static CHANGE_ACCOUNT: Op<ChangeAccount, Made> =
    Op::new("account.change", change_account).keyed(|_| Keys::of(vec![ContentionKey::of("accounts", "")]));

/// What changes; the rest stays.
#[derive(Clone)]
pub struct ChangeAccount {
    /// Which account.
    pub name: String,
    /// What its owner may do.
    pub role: Option<Role>,
    /// Whether it is blocked.
    pub blocked: Option<bool>,
    /// A new one-time password.
    pub password: Option<NewPassword>,
    /// Refuse what would leave no administrator: true in the administrators' namespace, whose administrators nobody else can
    /// replace.
    pub last_admin_stays: bool,
}

fn change_account(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &ChangeAccount) -> OpResult<Made> {
    input.role.map_or(Ok(()), check_role)?;
    let before = account::get(tx, &input.name)?;
    let after = changed(&before, input, cx);
    if input.last_admin_stays && is_working_admin(&before.account) && !is_working_admin(&after.account) {
        check_admin_remains(tx, &input.name)?;
    }
    account::save(tx, &after)?;
    if after.account.blocked_at.is_some() || input.password.is_some() {
        session::end_all(tx, cx, &input.name)?;
    }
    cx.fx.journal("account.changed", &input.name, what_changed(input));
    Ok(Made { account: after.account, password: input.password.as_ref().map(|new| new.kept.clone()) })
}

fn changed(before: &Stored, input: &ChangeAccount, cx: &OpCx<'_>) -> Stored {
    let Stored { account, password } = before.clone();
    let blocked_at = match input.blocked {
        None => account.blocked_at,
        Some(false) => None,
        Some(true) => account.blocked_at.or(Some(cx.wall)),
    };
    let (role, must_change) = (input.role.unwrap_or(account.role), account.must_change || input.password.is_some());
    let password = input.password.as_ref().map_or(password, |new| new.hash.clone());
    Stored { account: Account { role, must_change, blocked_at, ..account }, password }
}

fn what_changed(input: &ChangeAccount) -> String {
    let role = input.role.map(|role| format!("role {}", role.word()));
    let blocked = input.blocked.map(|blocked| if blocked { "blocked" } else { "unblocked" }.to_owned());
    let password = input.password.as_ref().map(|_| "new one-time password".to_owned());
    [role, blocked, password].into_iter().flatten().collect::<Vec<_>>().join(", ")
}
