//! Begins a login: counts the try, and gives the hash that the password must fit.

use base::{ContentionKey, Keys, OpResult, Tx};
use serde::{Deserialize, Serialize};

use super::rows::{self, Subjects};
use super::throttle::Next;
use super::{account, check_name};
use crate::cx::OpCx;
use crate::op::Op;

/// Counts a try before its password is looked at: a thousand at once are a thousand, and a kill forgets none.
pub static BEGIN_LOGIN: Op<BeginLogin, LoginBegun> = Op::new("login.begin", begin_login).keyed(|input| {
    Keys::of(vec![ContentionKey::of("login", &input.account), ContentionKey::of("login", &input.address)])
});

/// Who wants in, and from where.
#[derive(Debug, Clone)]
pub struct BeginLogin {
    /// The account's name, as it was given.
    pub account: String,
    /// The client's address, as [`super::session::address_text`] writes it.
    pub address: String,
}

/// How it goes on.
#[derive(Clone, Serialize, Deserialize)]
pub enum LoginBegun {
    /// Not yet.
    Wait {
        /// For so long.
        ms: i64,
    },
    /// Look at the password; `None` where there is no such account, or it is blocked.
    Look {
        /// The hash that it must fit.
        hash: Option<String>,
    },
}

fn begin_login(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &BeginLogin) -> OpResult<LoginBegun> {
    check_name(&input.account)?;
    if let Next::Wait { ms } = rows::tried(tx, cx, &Subjects::of(&input.account, &input.address))? {
        return Ok(LoginBegun::Wait { ms });
    }
    let found = account::find(tx, &input.account)?.filter(|stored| stored.account.blocked_at.is_none());
    Ok(LoginBegun::Look { hash: found.map(|stored| stored.password) })
}
