//! Leases with epochs (KER-24): who alone may do something now, and how everybody else is kept from writing.
//!
//! Plain functions for use inside operations. [`take`] gives an epoch; whoever writes by right of a lease calls [`check`] with
//! it in the same transaction as the write, so that a holder that was overtaken (paused, cut off, slow) writes nothing.
//!
//! Invariants: at every moment at most one epoch of a name passes [`check`]; an epoch is never given twice and never goes
//! back, also after [`release`], because the row stays; leases end by listening time, so a pause of ours ends nobody's lease
//! (KER-43). Each function is one statement that re-checks its own condition: it holds at every isolation, and there is no
//! SELECT before an INSERT.
//!
//! Deliberately not here: renewing by itself (its owner's loop does), and waiting for a lease (its owner asks again).

use base::{Heard, Migration, OpError, OpResult, Row, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use crate::cx::OpCx;
use crate::service::ServiceDef;

/// Leases.
pub static SERVICE: ServiceDef = ServiceDef {
    name: "leases",
    migrations: &[Migration { service: "leases", version: 1, text: include_str!("../../migrations/leases_0001.sql") }],
    statements: &[&TAKE, &RENEW, &RELEASE, &CHECK, &GET],
    ..ServiceDef::EMPTY
};

/// What came of asking for a lease.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Taking {
    /// It is ours, under this epoch.
    Taken {
        /// To be shown at every [`check`].
        epoch: i64,
    },
    /// Somebody else holds it.
    HeldBy(Lease),
}

/// A lease as it stands.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Lease {
    /// Who holds it, or held it last.
    pub holder: String,
    /// Under which epoch.
    pub epoch: i64,
    /// Until when, in listening time; it is free from then on.
    pub until: Heard,
}

static TAKE: Sql = Sql::new(
    "lease.take",
    "INSERT INTO lease (name, holder, epoch, until) VALUES (?1, ?2, 1, ?4) \
     ON CONFLICT (name) DO UPDATE SET holder = ?2, until = ?4, \
     epoch = lease.epoch + CASE WHEN lease.holder = ?2 AND lease.until > ?3 THEN 0 ELSE 1 END \
     WHERE lease.holder = ?2 OR lease.until <= ?3 RETURNING epoch",
);
static RENEW: Sql =
    Sql::new("lease.renew", "UPDATE lease SET until = ?4 WHERE name = ?1 AND epoch = ?2 AND until > ?3");
static RELEASE: Sql =
    Sql::new("lease.release", "UPDATE lease SET until = ?3 WHERE name = ?1 AND epoch = ?2 AND until > ?3");
// The lock keeps a taker waiting until the holder's write is committed, whatever the isolation.
static CHECK: Sql = Sql::new("lease.check", "SELECT holder, epoch, until FROM lease WHERE name = ?1 /*pg FOR SHARE */");
static GET: Sql = Sql::new("lease.get", "SELECT holder, epoch, until FROM lease WHERE name = ?1");

/// Asks for a lease for `ms` milliseconds from now. One that is free or over is taken under a new epoch; our own is made
/// longer under the epoch that it has.
///
/// # Errors
/// The store failed.
pub fn take(tx: &mut dyn Tx, cx: &OpCx<'_>, name: &str, holder: &str, ms: i64) -> OpResult<Taking> {
    if let Some(row) = tx.query_one(&TAKE, args![name, holder, cx.heard, cx.heard.plus_ms(ms)])? {
        return Ok(Taking::Taken { epoch: row.int(0) });
    }
    // Somebody else's row stood in the way, and rows are never deleted.
    let held = get(tx, name)?.ok_or_else(|| OpError::new(codes::BDETECTED, format!("lease {name} is gone")))?;
    Ok(Taking::HeldBy(held))
}

/// Makes a lease last until `ms` milliseconds from now, under its epoch.
///
/// # Errors
/// `CLEASE`: it is over, or somebody else's by now. The store failed.
pub fn renew(tx: &mut dyn Tx, cx: &OpCx<'_>, name: &str, epoch: i64, ms: i64) -> OpResult<()> {
    match tx.execute(&RENEW, args![name, epoch, cx.heard, cx.heard.plus_ms(ms)])? {
        0 => Err(lost(name, epoch, get(tx, name)?.as_ref())),
        _ => Ok(()),
    }
}

/// Gives a lease back, so that the next one need not wait for its end. Tells whether it was still ours; if not, nothing is
/// changed and nothing is wrong.
///
/// # Errors
/// The store failed.
pub fn release(tx: &mut dyn Tx, cx: &OpCx<'_>, name: &str, epoch: i64) -> OpResult<bool> {
    Ok(tx.execute(&RELEASE, args![name, epoch, cx.heard])? > 0)
}

/// Refuses the transaction unless this epoch holds the lease now. To be called in the transaction of every write that only
/// the holder may make.
///
/// # Errors
/// `CLEASE`: it is over, or somebody else's by now. The store failed.
pub fn check(tx: &mut dyn Tx, name: &str, epoch: i64) -> OpResult<()> {
    let lease = tx.query_one(&CHECK, args![name])?.map(|row| lease(&row));
    match &lease {
        Some(lease) if lease.epoch == epoch && lease.until > tx.heard() => Ok(()),
        other => Err(lost(name, epoch, other.as_ref())),
    }
}

/// A lease as it stands; `None` if its name was never taken.
///
/// # Errors
/// The store failed.
pub fn get(tx: &mut dyn Tx, name: &str) -> OpResult<Option<Lease>> {
    Ok(tx.query_one(&GET, args![name])?.map(|row| lease(&row)))
}

fn lease(row: &Row) -> Lease {
    Lease { holder: row.text(0).to_owned(), epoch: row.int(1), until: Heard(row.int(2)) }
}

fn lost(name: &str, epoch: i64, now: Option<&Lease>) -> OpError {
    let now = match now {
        Some(Lease { holder, epoch, .. }) => format!("it stands at epoch {epoch} of {holder}"),
        None => "it was never taken".into(),
    };
    OpError::new(codes::CLEASE, format!("lease {name} is not held under epoch {epoch}: {now}"))
}
