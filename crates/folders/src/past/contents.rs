//! Lets go of contents and segments that nothing uses for a day. The blobs of a segment are let go with it; the kernel collects them later.

use std::collections::BTreeSet;

use base::{OpResult, Sha, Sql, Tx, args};
use kernel::OpCx;
use kernel::blobs::{Owner, unrefer};

use crate::desk::segment::{OWNER, chunks};

/// How long what nothing uses is kept: somebody may be about to use it.
const GRACE_MS: i64 = 86_400_000;
/// Segments of one portion: each has up to 500 chunks, each of up to three rows.
const SEGMENTS: usize = 2;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&UNUSED, &DROP, &UNREFER, &UNUSED_SEGMENTS, &DROP_SEGMENT];

static UNUSED: Sql = Sql::new(
    "fld_content.unused",
    "SELECT id, segments FROM fld_content WHERE refs = 0 AND unused_since < ?1 ORDER BY unused_since, id LIMIT 1",
);
static DROP: Sql = Sql::new("fld_content.drop", "DELETE FROM fld_content WHERE id = ?1 AND refs = 0");
static UNREFER: Sql = Sql::new(
    "fld_segment.unrefer",
    "UPDATE fld_segment SET refs = refs - 1, unused_since = CASE WHEN refs = 1 THEN CAST(?2 AS BIGINT) ELSE NULL END WHERE id = ?1",
);
static UNUSED_SEGMENTS: Sql = Sql::new(
    "fld_segment.unused",
    "SELECT id, chunks FROM fld_segment WHERE refs = 0 AND unused_since < ?1 ORDER BY unused_since, id LIMIT 2",
);
static DROP_SEGMENT: Sql = Sql::new("fld_segment.drop", "DELETE FROM fld_segment WHERE id = ?1 AND refs = 0");

/// Lets go of a portion; whether there may be more.
pub(super) fn forget(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<bool> {
    let before = cx.heard.plus_ms(-GRACE_MS);
    if let Some(row) = tx.query_one(&UNUSED, args![before])? {
        let (ids, _) = row.blob(1).as_chunks::<32>();
        for id in ids.iter().collect::<BTreeSet<_>>() {
            tx.write(&UNREFER, args![Sha(*id), cx.heard])?;
        }
        tx.write(&DROP, args![row.text(0)])?;
        return Ok(true);
    }
    let rows = tx.query(&UNUSED_SEGMENTS, args![before], SEGMENTS)?;
    for row in &rows {
        let owner = Owner { kind: OWNER, id: row.text(0) };
        chunks(row.blob(1)).into_iter().try_for_each(|(sha, _)| unrefer(tx, cx, sha, &owner))?;
        tx.write(&DROP_SEGMENT, args![row.text(0)])?;
    }
    Ok(rows.len() == SEGMENTS)
}
