//! Keeps a pack whose bytes are durable: its row, its reference, and where each text lies in it; the texts leave the store. One commit, so
//! that each text is in one of the two at every moment.

use base::{OpResult, Sql, Tx, args};
use kernel::blobs::{PUT_BLOB, Stored, refer};
use kernel::{Op, OpCx};

use super::owner;
use crate::ledger::together;
use crate::tens::tens;

/// Keeps a pack; says how many texts left the store.
pub(super) static KEEP: Op<Keep, usize> = Op::new("exchange.keep_pack", keep).keyed(together).ending();

/// A pack.
#[derive(Debug, Clone)]
pub(super) struct Keep {
    /// Its bytes, which are durable.
    pub(super) stored: Stored,
    /// Messages whose texts are in it, and where each begins.
    pub(super) texts: Vec<(i64, i64)>,
}

/// Unless it was put back into the queue or removed meanwhile, or another one packed it.
pub(super) static TAKE_IN: Sql = Sql::new(
    "exc_packed.take_in",
    "INSERT INTO exc_packed (number, sha, begins) SELECT m.number, ?2, ?3 FROM exc_message m WHERE m.number = ?1 \
     AND m.place IN ('log', 'unknown', 'error') AND m.process IS NULL \
     AND EXISTS (SELECT 1 FROM exc_body b WHERE b.number = m.number) ON CONFLICT (number) DO NOTHING",
);
pub(super) static DROP_BODIES: Sql =
    Sql::new("exc_body.packed", "DELETE FROM exc_body WHERE number IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)");
pub(super) static LET_BE: Sql = Sql::new(
    "exc_message.packed",
    "UPDATE exc_message SET due = NULL WHERE number IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
);

fn keep(tx: &mut dyn Tx, cx: &mut OpCx<'_>, input: &Keep) -> OpResult<usize> {
    (PUT_BLOB.run)(tx, cx, &input.stored)?;
    let pack = input.stored.name.sha;
    let mut kept = vec![];
    for (number, begins) in &input.texts {
        if tx.execute(&TAKE_IN, args![*number, pack, *begins])? > 0 {
            kept.push(*number);
        }
    }
    // One that nobody needs is collected after its grace.
    if !kept.is_empty() {
        refer(tx, cx, pack, &owner(&pack.to_string()))?;
    }
    for ten in tens(&[], &kept) {
        tx.write(&DROP_BODIES, &ten)?;
        tx.write(&LET_BE, &ten)?;
    }
    Ok(kept.len())
}
