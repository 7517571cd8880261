//! Opens a console session for whoever has shown the password.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::Account;
use super::account::{self, Stored};
use super::rows::{self, Subjects};
use super::session::{IDLE_MS, LONGEST_MS};
use crate::cx::OpCx;
use crate::op::Op;

/// Sessions of one account; a further one ends the oldest.
pub const SESSIONS_MAX: i64 = 50;

/// Opens a session. The token is the edge's: only its hash comes here.
pub static OPEN_SESSION: Op<OpenSession, Opened> = Op::new("session.open", open_session);

/// For whom.
#[derive(Debug, Clone)]
pub struct OpenSession {
    /// The account's name.
    pub account: String,
    /// The hash that the password did fit: if it was changed meanwhile, the login was in vain.
    pub password: String,
    /// Hash of the token.
    pub hash: [u8; 32],
    /// The client's address.
    pub address: String,
}

/// It is open.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Opened {
    /// Whose it is.
    pub account: Account,
}

pub(crate) static INSERT: Sql = Sql::new(
    "console_session.insert",
    "INSERT INTO console_session (hash, account, created_at, idle_at, ends_at) VALUES (?1, ?2, ?3, ?4, ?5)",
);
pub(crate) static EXPIRED: Sql = Sql::new(
    "console_session.expired",
    "DELETE FROM console_session WHERE hash IN (SELECT hash FROM console_session WHERE ends_at <= ?1 \
     ORDER BY ends_at LIMIT ?2)",
);
pub(crate) static OLDEST: Sql = Sql::new(
    "console_session.oldest",
    "DELETE FROM console_session WHERE account = ?1 AND ends_at <= (SELECT ends_at FROM console_session \
     WHERE account = ?1 ORDER BY ends_at DESC LIMIT 1 OFFSET ?2)",
);

fn open_session(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &OpenSession) -> OpResult<Opened> {
    let found = account::find(tx, &input.account)?;
    let fits = |stored: &Stored| stored.password == input.password || mutants::on(Mutant::OldPasswordTaken);
    let still = found.filter(|stored| stored.account.blocked_at.is_none() && fits(stored));
    let stored = still.ok_or_else(|| OpError::new(codes::SLOGIN, "account or password is wrong"))?;
    tx.write(&EXPIRED, args![cx.heard, 100])?;
    tx.write(&OLDEST, args![&input.account, SESSIONS_MAX - 1])?;
    let (idle_at, ends_at) = (cx.heard.plus_ms(IDLE_MS), cx.heard.plus_ms(LONGEST_MS));
    tx.write(&INSERT, args![&input.hash, &input.account, cx.wall, idle_at, ends_at])?;
    rows::succeeded(tx, &Subjects::of(&input.account, &input.address))?;
    cx.fx.journal("login.done", &input.account, format!("from {}", input.address));
    Ok(Opened { account: stored.account })
}
