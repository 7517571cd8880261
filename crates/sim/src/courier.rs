//! A small service with an outside: parcels that are claimed, delivered by a call to a partner, and settled.
//!
//! It is the pattern of every outside work (plan → call → settle, fenced by the attempt; the wake-up is in the row), small
//! enough to break on purpose.

use std::collections::BTreeMap;

use base::mutants::{self, Mutant};
use base::{Heard, Migration, OpResult, Row, Sql, StoreResult, Tx, args};
use kernel::{Invariant, Op, OpCx, ServiceDef, Violation};
use serde::{Deserialize, Serialize};

/// A claim is void after so long: whoever had it is taken for dead.
const CLAIM_MS: i64 = 30_000;
/// A delivery that failed is tried again after so long.
const AGAIN_MS: i64 = 2_000;

/// The service.
pub static COURIER: ServiceDef = ServiceDef {
    name: "courier",
    migrations: &[Migration {
        service: "courier",
        version: 1,
        text: "CREATE TABLE parcel (id {text} PRIMARY KEY, delivered {int} NOT NULL, attempt {int} NOT NULL, \
               wake_at {int} NOT NULL) {strict};
               CREATE TABLE bump (key {text} PRIMARY KEY, times {int} NOT NULL) {strict};",
    }],
    statements: &[&INSERT, &DUE, &CLAIM, &DELIVERED, &AGAIN, &AGAIN_UNFENCED, &PARCELS, &BUMP, &BUMPED],
    operations: &[&SEND, &CLAIM_ONE, &SETTLE, &BUMP_ONE],
    sessions: &[],
    invariants: &[Invariant { name: "a parcel that is not delivered has a wake-up", check: asleep }],
    ..ServiceDef::EMPTY
};

/// A parcel to send; its id is the natural key.
pub static SEND: Op<String, ()> = Op::new("courier.send", send);
/// Claims a parcel that is due.
pub static CLAIM_ONE: Op<(), Option<Claim>> = Op::new("courier.claim", claim);
/// Takes in what came of the call.
pub static SETTLE: Op<Settle, ()> = Op::new("courier.settle", settle);

/// Counts how often it was done for a key: nothing in the schema stands in the way of a second time, unlike an id that is
/// the same in every attempt.
pub static BUMP_ONE: Op<String, i64> = Op::new("courier.bump", |tx, _, key| {
    let row = tx.query_one(&BUMP, args![key])?;
    Ok(row.map_or(0, |row| row.int(0)))
});

static BUMP: Sql = Sql::new(
    "bump.one",
    "INSERT INTO bump (key, times) VALUES (?1, 1) ON CONFLICT (key) DO UPDATE SET times = bump.times + 1 RETURNING times",
);
static BUMPED: Sql = Sql::new("bump.all", "SELECT key, times FROM bump ORDER BY key LIMIT 4000");

/// How often each key was bumped.
///
/// # Errors
/// The store failed.
pub fn bumped(tx: &mut dyn Tx) -> StoreResult<BTreeMap<String, i64>> {
    let rows = tx.query(&BUMPED, args![], 4000)?;
    Ok(rows.iter().map(|row| (row.text(0).to_owned(), row.int(1))).collect())
}

/// A claimed parcel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Claim {
    /// Which parcel.
    pub id: String,
    /// Which attempt: an earlier one settles nothing.
    pub attempt: i64,
}

/// What came of a call.
#[derive(Debug, Clone, Deserialize)]
pub struct Settle {
    /// Whose call it was.
    pub claim: Claim,
    /// Whether the partner said that it has it.
    pub delivered: bool,
}

static INSERT: Sql = Sql::new(
    "parcel.insert",
    "INSERT INTO parcel (id, delivered, attempt, wake_at) VALUES (?1, 0, 0, ?2) ON CONFLICT (id) DO NOTHING",
);
static DUE: Sql = Sql::new(
    "parcel.due",
    "SELECT id, attempt FROM parcel WHERE delivered = 0 AND wake_at <= ?1 ORDER BY wake_at, id LIMIT 1",
);
static CLAIM: Sql = Sql::new("parcel.claim", "UPDATE parcel SET attempt = ?2, wake_at = ?3 WHERE id = ?1");
static DELIVERED: Sql = Sql::new("parcel.delivered", "UPDATE parcel SET delivered = 1 WHERE id = ?1 AND attempt = ?2");
static AGAIN: Sql =
    Sql::new("parcel.again", "UPDATE parcel SET wake_at = ?3 WHERE id = ?1 AND attempt = ?2 AND delivered = 0");
static AGAIN_UNFENCED: Sql =
    Sql::new("parcel.again_unfenced", "UPDATE parcel SET delivered = 0, wake_at = ?2 WHERE id = ?1");
static PARCELS: Sql = Sql::new("parcel.all", "SELECT id, delivered, wake_at FROM parcel ORDER BY id LIMIT 4000");

fn send(tx: &mut dyn Tx, cx: &mut OpCx<'_>, id: &String) -> OpResult<()> {
    Ok(tx.write(&INSERT, args![id, cx.heard])?)
}

fn claim(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<Option<Claim>> {
    let Some(row) = tx.query_one(&DUE, args![cx.heard])? else { return Ok(None) };
    let claim = Claim { id: row.text(0).to_owned(), attempt: row.int(1) + 1 };
    let in_memory_only = mutants::on(Mutant::TimerInMemory);
    let wake_at = if in_memory_only { Heard(i64::MAX) } else { cx.heard.plus_ms(CLAIM_MS) };
    tx.write(&CLAIM, args![&claim.id, claim.attempt, wake_at])?;
    Ok(Some(claim))
}

fn settle(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Settle) -> OpResult<()> {
    let Claim { id, attempt } = &input.claim;
    let again_at = cx.heard.plus_ms(AGAIN_MS);
    match input.delivered {
        true => tx.write(&DELIVERED, args![id, *attempt])?,
        false if mutants::on(Mutant::SettleNotFenced) => tx.write(&AGAIN_UNFENCED, args![id, again_at])?,
        false => tx.write(&AGAIN, args![id, *attempt, again_at])?,
    }
    Ok(())
}

/// A parcel as it is stored.
pub struct Parcel {
    /// Its id.
    pub id: String,
    /// Whether the partner has it.
    pub delivered: bool,
    wake_at: i64,
}

/// All parcels.
///
/// # Errors
/// The store failed.
pub fn parcels(tx: &mut dyn Tx) -> StoreResult<Vec<Parcel>> {
    let parcel = |row: &Row| Parcel { id: row.text(0).to_owned(), delivered: row.int(1) == 1, wake_at: row.int(2) };
    Ok(tx.query(&PARCELS, args![], 4000)?.iter().map(parcel).collect())
}

fn asleep(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let limit = tx.heard().plus_ms(CLAIM_MS).0;
    let asleep = parcels(tx)?.into_iter().filter(|parcel| !parcel.delivered && parcel.wake_at > limit);
    Ok(asleep.map(|parcel| Violation(format!("parcel {} wakes at {}", parcel.id, parcel.wake_at))).collect())
}
