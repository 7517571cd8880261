//! Rows of failed logins: found by subject, forgotten in time, bounded in number.

use base::mutants::{self, Mutant};
use base::{Heard, OpResult, Sql, Tx, args};

use super::throttle::{ACCOUNT, ADDRESS, Event, Failures, Next, PAIR, Policy, next, pair_policy};
use crate::cx::OpCx;

/// Rows that are kept of one namespace; beyond, the oldest go.
pub(crate) const ROWS_MAX: i64 = 10_000;
/// One try in so many tidies up …
const TIDIED_EVERY: u8 = 32;
/// … and forgets so many, more than as many tries add.
const TIDIED_MAX: i64 = 300;

pub(crate) static GET: Sql =
    Sql::new("login_failure.get", "SELECT failures, last_at FROM login_failure WHERE subject = ?1");
pub(crate) static PUT: Sql = Sql::new(
    "login_failure.put",
    "INSERT INTO login_failure (subject, failures, last_at) VALUES (?1, ?2, ?3) \
     ON CONFLICT (subject) DO UPDATE SET failures = ?2, last_at = ?3",
);
pub(crate) static TAKE_BACK: Sql = Sql::new(
    "login_failure.take_back",
    "UPDATE login_failure SET failures = failures - 1 WHERE subject = ?1 AND failures > 0",
);
pub(crate) static FORGET: Sql = Sql::new("login_failure.forget", "DELETE FROM login_failure WHERE subject = ?1");
pub(crate) static FORGET_OLD: Sql = Sql::new(
    "login_failure.forget_old",
    "DELETE FROM login_failure WHERE subject IN (SELECT subject FROM login_failure WHERE last_at <= ?1 \
     ORDER BY last_at, subject LIMIT ?2)",
);
pub(crate) static BEYOND: Sql = Sql::new(
    "login_failure.beyond",
    "SELECT last_at FROM login_failure ORDER BY last_at DESC, subject DESC LIMIT 1 OFFSET ?1",
);

/// The three things that failures are counted of.
pub(crate) struct Subjects {
    pair: String,
    account: String,
    address: String,
}

impl Subjects {
    /// Names of accounts hold no space, so that none can pass for another subject.
    pub(crate) fn of(account: &str, address: &str) -> Self {
        Self {
            pair: format!("pair {account} {address}"),
            account: format!("account {account}"),
            address: format!("address {address}"),
        }
    }
}

/// Counts a try, unless it must wait.
pub(crate) fn tried(tx: &mut dyn Tx, cx: &mut OpCx<'_>, subjects: &Subjects) -> OpResult<Next> {
    tried_within(tx, cx, subjects, ACCOUNT)
}

/// The same with a policy for tries from all addresses together.
pub(crate) fn tried_within(tx: &mut dyn Tx, cx: &mut OpCx<'_>, subjects: &Subjects, all: Policy) -> OpResult<Next> {
    let account = get(tx, &subjects.account)?;
    let counts: [(&str, Policy, Option<Failures>); 3] = [
        (&subjects.pair, pair_policy(account, cx.heard), get(tx, &subjects.pair)?),
        (&subjects.address, ADDRESS, get(tx, &subjects.address)?),
        (&subjects.account, all, account),
    ];
    let decide = |(_, policy, failures): &(_, Policy, _)| next(policy, *failures, Event::Tried, cx.heard);
    let decided = counts.each_ref().map(decide);
    let wait_ms = decided.iter().map(|next| if let Next::Wait { ms } = next { *ms } else { 0 }).max();
    if let Some(ms @ 1..) = wait_ms {
        return Ok(Next::Wait { ms });
    }
    for ((subject, _, _), next) in counts.iter().zip(decided) {
        put(tx, subject, next)?;
    }
    tidy(tx, cx)?;
    Ok(Next::Go(None))
}

/// Takes a try back that has succeeded. Of the account and the address only this one: a guesser with an account of their own must
/// not be able to wash an address clean.
pub(crate) fn succeeded(tx: &mut dyn Tx, subjects: &Subjects) -> OpResult<()> {
    tx.write(&FORGET, args![&subjects.pair])?;
    tx.write(&TAKE_BACK, args![&subjects.account])?;
    Ok(tx.write(&TAKE_BACK, args![&subjects.address])?)
}

fn get(tx: &mut dyn Tx, subject: &str) -> OpResult<Option<Failures>> {
    let row = tx.query_one(&GET, args![subject])?;
    let failures = |count: i64, last_at| Failures { count: u32::try_from(count).unwrap_or(u32::MAX), last_at };
    Ok(row.map(|row| failures(row.int(0), Heard(row.int(1)))))
}

fn put(tx: &mut dyn Tx, subject: &str, next: Next) -> OpResult<()> {
    let Next::Go(Some(failures)) = next else { return Ok(()) };
    if mutants::on(Mutant::LoginTryNotCounted) {
        return Ok(());
    }
    Ok(tx.write(&PUT, args![subject, failures.count, failures.last_at])?)
}

/// Now and then, because it looks at many rows.
fn tidy(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    if cx.chance()[0] >= u8::MAX / TIDIED_EVERY {
        return Ok(());
    }
    let in_time = cx.heard.plus_ms(-PAIR.forgotten_ms).0;
    let beyond = tx.query_one(&BEYOND, args![ROWS_MAX])?.map_or(i64::MIN, |row| row.int(0));
    Ok(tx.write(&FORGET_OLD, args![in_time.max(beyond), TIDIED_MAX])?)
}
