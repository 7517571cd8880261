//! How alerts stand, in a few numbers: for the banner, `/readyz` and the metrics.

use base::{OpResult, Row, Sql, Tx, args};

use super::send::NO_CHANNEL;
use super::{CHANNEL_KIND, kind};
use crate::op::Query;

/// How alerts stand.
pub static SUMMARY: Query<(), Summary> = Query::new("alert.summary", summary);

pub(crate) const BANNER_MAX: usize = 20;

/// How alerts stand.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Summary {
    /// Open ones that nobody acknowledged.
    pub open: i64,
    /// Open ones that somebody acknowledged.
    pub acknowledged: i64,
    /// What is wrong with the channels.
    pub banner: Vec<String>,
    /// Channels that do not work.
    pub failing: usize,
    /// Whether something is to be told and no channel is set: advice, no failure.
    pub is_nobody_told: bool,
    /// Kinds whose task is late.
    pub late_kinds: usize,
}

pub(crate) static COUNTS: Sql = Sql::new(
    "alert.counts",
    "SELECT COUNT(*), COUNT(acknowledged_at) FROM (SELECT acknowledged_at FROM alert WHERE closed_at IS NULL \
     ORDER BY id LIMIT 10000) AS live",
);
pub(crate) static BANNER: Sql = Sql::new(
    "alert.banner",
    "SELECT message, key FROM alert WHERE kind = ?1 AND closed_at IS NULL ORDER BY id LIMIT 20",
);

fn summary(tx: &mut dyn Tx, (): &()) -> OpResult<Summary> {
    let counts = tx.query_one(&COUNTS, args![])?;
    let (live, acknowledged) = counts.map_or((0, 0), |row| (row.int(0), row.int(1)));
    let rows = tx.query(&BANNER, args![CHANNEL_KIND], BANNER_MAX)?;
    let (none, failing): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.text(1) == NO_CHANNEL);
    Ok(Summary {
        open: live - acknowledged,
        acknowledged,
        banner: messages(&rows),
        failing: failing.len(),
        is_nobody_told: !none.is_empty(),
        late_kinds: kind::overdue(tx)?.len(),
    })
}

/// What is wrong with the channels, for people.
pub(crate) fn banner(tx: &mut dyn Tx) -> OpResult<Vec<String>> {
    let rows = tx.query(&BANNER, args![CHANNEL_KIND], BANNER_MAX)?;
    Ok(messages(&rows))
}

fn messages(rows: &[Row]) -> Vec<String> {
    rows.iter().map(|row| row.text(0).to_owned()).collect()
}
