//! Leaves the seats, and forgets the uploads, whose time is over and that nobody touched (FLD-6): a silent client, a node that died.

use base::mutants::{self, Mutant};
use base::{OpResult, Sql, Tx, args};
use kernel::{Op, OpCx, Query};

use super::seats::{Place, seats};
use super::upload;

/// Whether there are any: that costs the writer nothing.
pub static ANY_LAPSED: Query<(), bool> = Query::new("folders.any_lapsed", any);
/// Leaves some of them; whether there may be more.
pub static LAPSE: Op<(), bool> = Op::new("folders.lapse", lapse).ending();

/// Seats and uploads of one call: an upload has up to 400 seats.
const AT_ONCE: usize = 3;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&ANY, &SEATS, &UPLOADS];

static ANY: Sql = Sql::new(
    "fld_seat.any_lapsed",
    "SELECT 1 WHERE EXISTS (SELECT 1 FROM fld_seat WHERE until <= ?1) OR EXISTS (SELECT 1 FROM fld_upload WHERE until <= ?1)",
);
static SEATS: Sql = Sql::new(
    "fld_seat.lapsed",
    concat!(seats!(), " WHERE s.until <= ?1 AND s.upload IS NULL ORDER BY s.until, s.place LIMIT 200"),
);
static UPLOADS: Sql =
    Sql::new("fld_upload.lapsed", "SELECT id FROM fld_upload WHERE until <= ?1 ORDER BY until, id LIMIT 3");

fn any(tx: &mut dyn Tx, (): &()) -> OpResult<bool> {
    let now = tx.heard();
    Ok(tx.query_one(&ANY, args![now])?.is_some())
}

fn lapse(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (): &()) -> OpResult<bool> {
    if mutants::on(Mutant::FoldersSeatsKept) {
        return Ok(false);
    }
    let uploads = tx.query(&UPLOADS, args![cx.heard], AT_ONCE)?;
    for row in &uploads {
        cx.fx.journal("folders.lapsed", row.text(0), "its client fell silent: rolled back");
        upload::end(tx, cx, row.text(0))?;
    }
    let seats = tx.query(&SEATS, args![cx.heard], 200)?;
    for row in &seats {
        Place::read(row)?.lapse(tx, cx)?;
    }
    Ok(uploads.len() == AT_ONCE || seats.len() == 200)
}
