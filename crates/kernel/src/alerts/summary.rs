//! How alerts stand, in a few numbers: for the banner, `/readyz` and the metrics.

use base::{OpResult, Sql, Tx, args};

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
    let banner = banner(tx)?;
    Ok(Summary { open: live - acknowledged, acknowledged, banner, late_kinds: kind::overdue(tx)?.len() })
}

/// What is wrong with the channels, for people.
pub(crate) fn banner(tx: &mut dyn Tx) -> OpResult<Vec<String>> {
    let rows = tx.query(&BANNER, args![CHANNEL_KIND], BANNER_MAX)?;
    Ok(rows.iter().map(|row| row.text(0).to_owned()).collect())
}
