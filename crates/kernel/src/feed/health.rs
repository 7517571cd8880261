//! What must hold of the feed, and what is stuck in it.

use base::{Id, Sql, StoreResult, Tx, Wall, args};

use crate::service::{Stuck, Violation};

/// An event without a number for so long is stuck.
const STUCK_MS: i64 = 10_000;
/// Newest numbers that are counted.
const LOOKED_AT: i64 = 1_000;

pub(super) static UNNUMBERED: Sql =
    Sql::new("event.unnumbered", "SELECT id, topic, heard_at FROM event WHERE number IS NULL ORDER BY id LIMIT 100");
pub(super) static NEWEST: Sql = Sql::new(
    "event.newest",
    "SELECT COUNT(*), MIN(number), MAX(number) FROM event WHERE number > (SELECT COALESCE(MAX(number), 0) FROM event) - ?1",
);

/// Events that should long have their number, by listening time.
pub(super) fn stuck(tx: &mut dyn Tx, _: Wall) -> StoreResult<Vec<Stuck>> {
    let now = tx.heard().0;
    let rows = tx.query(&UNNUMBERED, args![], 100)?;
    let stuck = rows.iter().map(|row| {
        let id: Id = row.id(0);
        let reason = format!("event of {} has no number: no node numbers events", row.text(1));
        Stuck { subject: id.to_string(), reason, overdue_ms: now - row.int(2) - STUCK_MS }
    });
    Ok(stuck.filter(|stuck| stuck.overdue_ms > 0).collect())
}

pub(super) fn gaps(tx: &mut dyn Tx) -> StoreResult<Vec<Violation>> {
    let Some(row) = tx.query_one(&NEWEST, args![LOOKED_AT])? else { return Ok(vec![]) };
    let (Some(first), Some(last)) = (row.opt_int(1), row.opt_int(2)) else { return Ok(vec![]) };
    let there = row.int(0);
    let expected = last - first + 1;
    if there == expected { Ok(vec![]) } else { Ok(vec![Violation(format!("{there} events from {first} to {last}"))]) }
}
