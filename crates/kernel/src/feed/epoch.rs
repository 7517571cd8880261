//! The store's epoch (KER-46): whoever remembers something of this store remembers it together with the epoch, and starts over
//! when it is another one.
//!
//! It is a count of renewals and chance, so that two copies of one backup differ too.

use base::{OpResult, Sql, Tx, args};
use serde::{Deserialize, Serialize};
use std::fmt::Write as _;

use super::KEPT_MS;
use crate::cx::OpCx;
use crate::kernel::{Kernel, Namespace, ReadDone};
use crate::op::{Op, Query};
use crate::request::Caller;

pub(super) static READ: Sql = Sql::new("feed.epoch", "SELECT epoch, renewals FROM feed WHERE one = 1");
pub(super) static OPEN: Sql = Sql::new(
    "feed.open",
    "INSERT INTO feed (one, epoch, renewals, kept_ms) VALUES (1, ?1, 1, ?2) ON CONFLICT (one) DO NOTHING",
);
pub(super) static RENEW: Sql = Sql::new("feed.renew", "UPDATE feed SET epoch = ?1, renewals = ?2 WHERE one = 1");
pub(super) static KEEP_MS: Sql = Sql::new("feed.keep", "UPDATE feed SET kept_ms = ?1 WHERE one = 1 AND kept_ms <> ?1");
pub(super) static KEPT_MS_NOW: Sql = Sql::new("feed.kept", "SELECT kept_ms FROM feed WHERE one = 1");

/// The store's epoch; gives it its first one if it has none yet.
pub static EPOCH: Op<(), String> = Op::new("feed.epoch", |tx, cx, ()| epoch(tx, cx));

/// Gives the store a new epoch, after it was put back from a backup.
pub static RENEW_EPOCH: Op<(), String> = Op::new("feed.renew_epoch", |tx, cx, ()| renew_epoch(tx, cx));

/// Says how long events are kept. In the store, so that all nodes agree.
pub static KEEP: Op<Keep, ()> = Op::new("feed.keep", keep);

/// How long events are kept.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Keep {
    /// Milliseconds of listening time.
    pub kept_ms: i64,
}

/// The store's epoch, inside an operation.
///
/// # Errors
/// The store failed.
pub fn epoch(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<String> {
    if let Some(epoch) = read(tx)? {
        return Ok(epoch);
    }
    // Whoever comes first names it; the other one's word is gone and the row is read again.
    tx.execute(&OPEN, args![text(1, cx.chance()), KEPT_MS])?;
    Ok(read(tx)?.unwrap_or_default())
}

/// A new epoch of the store, inside an operation: a restore calls this in the commit that ends it.
///
/// # Errors
/// The store failed.
pub fn renew_epoch(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<String> {
    epoch(tx, cx)?;
    let renewals = tx.query_one(&READ, args![])?.map_or(0, |row| row.int(1)) + 1;
    let epoch = text(renewals, cx.chance());
    tx.write(&RENEW, args![&epoch, renewals])?;
    cx.fx.journal("feed.epoch_renewed", &epoch, "the store has a new epoch; readers start over with a full read");
    Ok(epoch)
}

fn keep(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Keep) -> OpResult<()> {
    epoch(tx, cx)?;
    Ok(tx.write(&KEEP_MS, args![input.kept_ms])?)
}

/// The epoch, if the store has one yet.
pub(super) fn read(tx: &mut dyn Tx) -> OpResult<Option<String>> {
    Ok(tx.query_one(&READ, args![])?.map(|row| row.text(0).to_owned()))
}

/// How long events are kept.
pub(super) fn kept_ms(tx: &mut dyn Tx) -> OpResult<i64> {
    Ok(tx.query_one(&KEPT_MS_NOW, args![])?.map_or(KEPT_MS, |row| row.int(0)))
}

fn text(renewals: i64, chance: [u8; 32]) -> String {
    chance[..8].iter().fold(format!("{renewals}-"), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Kernel {
    /// The epoch of a namespace's store, which gets its first one if it has none yet.
    pub fn epoch(&self, ns: &std::sync::Arc<Namespace>, done: ReadDone<String>) {
        static KNOWN: Query<(), Option<String>> = Query::new("feed.epoch_known", |tx, ()| read(tx));
        let (kernel, namespace) = (self.clone(), ns.clone());
        let answer = move |known: OpResult<Option<String>>| match known {
            Ok(None) => {
                let request = kernel.request(Caller::server("feed"));
                kernel.call(&namespace, &EPOCH, request, (), Box::new(|reply| done(reply.map(|reply| reply.out))));
            }
            Ok(Some(epoch)) => done(Ok(epoch)),
            Err(error) => done(Err(error)),
        };
        self.read(ns, &KNOWN, (), Box::new(answer));
    }
}
