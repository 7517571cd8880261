//! Puts a blob: its bytes are durable, now it has a row.

use base::limits::BLOB_PUT_WITHIN_MS;
use base::mutants::{self, Mutant};
use base::{BlobName, Heard, Keys, OpError, OpResult, Row, Sql, Tx, args, codes};
use serde::{Deserialize, Serialize};

use super::{damage, garbage, usage};
use crate::cx::OpCx;
use crate::op::Op;

/// Gives uploaded bytes their row. A repeat changes nothing but that the grace begins anew.
pub static PUT_BLOB: Op<super::Stored, PutBlob> =
    Op::new("blob.put", put).keyed(|stored| Keys::of(vec![usage::line(stored.name.sha)]));

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum PutBlob {
    /// These bytes are the blob's now.
    New,
    /// The blob has bytes already; these ones are doomed, and may be removed at once.
    Known,
}

pub(super) static INSERT: Sql = Sql::new(
    "blob.insert",
    "INSERT INTO blob (sha, name, size, pieces, stored_at, unused_since) VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
     ON CONFLICT (sha) DO NOTHING",
);
pub(super) static EXISTING: Sql = Sql::new("blob.existing", "SELECT name, damaged_at FROM blob WHERE sha = ?1");
pub(super) static REVIVE: Sql = Sql::new(
    "blob.revive",
    "UPDATE blob SET unused_since = ?2, marked_at = NULL WHERE sha = ?1 AND unused_since IS NOT NULL",
);
pub(super) static HEAL: Sql =
    Sql::new("blob.heal", "UPDATE blob SET name = ?2, pieces = ?3, stored_at = ?4, damaged_at = NULL WHERE sha = ?1");

fn put(tx: &mut dyn Tx, cx: &mut OpCx<'_>, stored: &super::Stored) -> OpResult<PutBlob> {
    let name = stored.name;
    let late = is_late(stored.named_after, cx.heard) && !mutants::on(Mutant::LatePutTaken);
    if late || garbage::is_doomed(tx, &name)? {
        return Err(OpError::new(
            codes::XBUSY,
            format!("{name} may have been swept before its put came, upload it again"),
        ));
    }
    if tx.execute(&INSERT, args![name.sha, name, stored.size, &stored.pieces[..], cx.wall, cx.heard])? == 1 {
        usage::add(tx, name.sha, 1, stored.size)?;
        garbage::claim(tx, &name)?;
        return Ok(PutBlob::New);
    }
    put_again(tx, cx, stored)
}

fn put_again(tx: &mut dyn Tx, cx: &mut OpCx<'_>, stored: &super::Stored) -> OpResult<PutBlob> {
    let name = stored.name;
    tx.write(&REVIVE, args![name.sha, cx.heard])?;
    let row = tx.query_one(&EXISTING, args![name.sha])?;
    let vanished = || OpError::new(codes::BDETECTED, format!("the row of {} vanished within a transaction", name.sha));
    let old = Existing::of(&row.ok_or_else(vanished)?)?;
    match decide(&old, &name) {
        Again::Same => Ok(PutBlob::New),
        Again::Known => {
            garbage::doom(tx, cx.heard, &name)?;
            Ok(PutBlob::Known)
        }
        Again::Heal => {
            tx.write(&HEAL, args![name.sha, name, &stored.pieces[..], cx.wall])?;
            garbage::claim(tx, &name)?;
            garbage::doom(tx, cx.heard, &old.name)?;
            damage::healed(cx, name.sha);
            Ok(PutBlob::New)
        }
    }
}

/// Whether the sweep may have been there before. It dooms no name before the delay since the name appeared is over, and
/// the delay is never shorter than this.
fn is_late(named_after: Heard, now: Heard) -> bool {
    now >= named_after.plus_ms(BLOB_PUT_WITHIN_MS)
}

/// The bytes that a row has.
struct Existing {
    name: BlobName,
    is_damaged: bool,
}

impl Existing {
    fn of(row: &Row) -> OpResult<Self> {
        Ok(Self { name: super::garbage::name_of(row.text(0))?, is_damaged: row.opt_int(1).is_some() })
    }
}

/// What a further put of the same hash is.
#[derive(Debug, PartialEq, Eq)]
enum Again {
    /// The same upload once more: its first answer was lost.
    Same,
    /// Other bytes of the same content, which are not needed.
    Known,
    /// Good bytes in the place of damaged ones.
    Heal,
}

fn decide(old: &Existing, new: &BlobName) -> Again {
    match (old.name == *new, old.is_damaged) {
        (true, _) => Again::Same,
        (false, true) => Again::Heal,
        (false, false) => Again::Known,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use base::{Id, Sha, Wall};

    #[test]
    fn ker_7_puts_that_count_into_one_row_stand_in_one_line() {
        let keys = |first| {
            let name = BlobName { sha: Sha([first; 32]), upload: Id::new(Wall(1), [0; 10]) };
            let stored = crate::blobs::Stored { name, size: 1, named_after: Heard(0), pieces: vec![] };
            (PUT_BLOB.keys)(&stored).as_slice().to_vec()
        };
        assert_eq!(keys(0x10), keys(0x1f), "one row of usage");
        assert_ne!(keys(0x1f), keys(0x20), "rows of their own");
        let lines: std::collections::BTreeSet<_> = (0..=255).flat_map(keys).collect();
        assert_eq!(lines.len(), 16);
    }

    #[test]
    fn ker_26_a_further_put_is_a_repeat_a_duplicate_or_a_cure() {
        let name = |upload| BlobName { sha: Sha([1; 32]), upload: Id::new(Wall(upload), [0; 10]) };
        let check = |is_damaged, new, again| {
            assert_eq!(decide(&Existing { name: name(1), is_damaged }, &name(new)), again);
        };
        check(false, 1, Again::Same);
        check(false, 2, Again::Known);
        check(true, 2, Again::Heal);
        assert!(!is_late(Heard(5), Heard(30_004)) && is_late(Heard(5), Heard(30_005)));
        // Bytes that were found damaged do not become good by a late repeat.
        check(true, 1, Again::Same);
    }
}
