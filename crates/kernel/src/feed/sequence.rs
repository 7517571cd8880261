//! Numbers events that are committed (PostgreSQL): the sequencer's one step.
//!
//! The step takes the sequencer's lease in the same transaction as it numbers, and the lease's row stays locked until its
//! commit. So a node that was overtaken numbers nothing, and whoever takes over sees every number that was given. It runs as a
//! claim (READ COMMITTED): under SERIALIZABLE it would fight with every operation that writes an event.

use base::{ContentionKey, Keys, OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};

use super::page;
use crate::cx::OpCx;
use crate::leases::{self, Taking};
use crate::op::{Op, Query};

/// Name of the sequencer's lease.
pub(super) const LEASE: &str = "feed.sequencer";
/// How long the sequencer's lease lasts: when a node dies, events wait for at most this long.
pub const SEQUENCER_LEASE_MS: i64 = 3_000;
/// Events that are numbered in one step.
pub(super) const BATCH: i64 = 1_000;

/// Numbers what waits, if the lease is ours or free.
pub static SEQUENCE: Op<Sequence, Sequenced> = Op::new("feed.sequence", sequence)
    .keyed(|_| Keys::of(vec![ContentionKey::of("feed", "sequence")]))
    .claiming()
    .ending();

/// Gives the lease back, when its node stops.
pub(super) static HAND_OVER: Op<i64, bool> =
    Op::new("feed.hand_over", |tx, cx, epoch| leases::release(tx, cx, LEASE, *epoch));

/// Whether there is something to number, and whether it is ours to do.
pub(super) static LOOK: Query<String, Look> = Query::new("feed.look", look);

/// Who numbers.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sequence {
    /// Name of the node, another one in each of its lives.
    pub holder: String,
}

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Sequenced {
    /// Epoch of the lease; `None` if another node holds it.
    pub epoch: Option<i64>,
    /// Events that got their number.
    pub numbered: i64,
}

/// What a look at the feed shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Look {
    /// Number of the newest event.
    pub(super) head: i64,
    /// There are events without a number, and no other node is there to number them.
    pub(super) ours_to_number: bool,
}

pub(super) static WAITING: Sql =
    Sql::new("event.waiting", "SELECT id FROM event WHERE number IS NULL ORDER BY id LIMIT 1");
pub(super) static NUMBER: Sql = Sql::new(
    "event.number",
    "UPDATE event SET number = ?2 + batch.place FROM \
     (SELECT id, ROW_NUMBER() OVER (ORDER BY id) AS place FROM \
     (SELECT id FROM event WHERE number IS NULL ORDER BY id LIMIT ?1) AS oldest) AS batch \
     WHERE event.id = batch.id",
);

fn look(tx: &mut dyn Tx, holder: &String) -> OpResult<Look> {
    let head = page::head(tx)?;
    let ours_to_number = tx.query_one(&WAITING, args![])?.is_some() && {
        let now = tx.heard();
        leases::get(tx, LEASE)?.is_none_or(|lease| lease.holder == *holder || lease.until <= now)
    };
    Ok(Look { head, ours_to_number })
}

fn sequence(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Sequence) -> OpResult<Sequenced> {
    let epoch = match leases::take(tx, cx, LEASE, &input.holder, SEQUENCER_LEASE_MS)? {
        Taking::Taken { epoch } => epoch,
        Taking::HeldBy(_) => return Ok(Sequenced { epoch: None, numbered: 0 }),
    };
    let head = page::head(tx)?;
    let numbered = tx.execute(&NUMBER, args![BATCH, head])?;
    Ok(Sequenced { epoch: Some(epoch), numbered: i64::try_from(numbered).unwrap_or(i64::MAX) })
}
