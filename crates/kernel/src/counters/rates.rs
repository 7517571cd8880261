//! Rates over time (CON-2): what was counted of a kind in each step of a span, for charts.
//!
//! The last ten minutes come from the memory of this node, so that they are there while the store is down; longer spans come
//! from the store, summed over all nodes. Steps without counts are zeros; the last step is not over yet and says so.

use std::collections::BTreeMap;

use base::{OpError, OpResult, Sql, Tx, Wall, args, codes};

use super::minutes::MINUTE_MS;
use super::sums::{Counters, FIELD_COUNT, add_fields};
use crate::op::Query;

/// What was counted of a kind over hours and days, from the store.
pub static RATES: Query<RatesPage, Rates> = Query::new("counter.rates", rates);

/// How far back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Span {
    /// Ten minutes, of this node, from memory.
    TenMinutes,
    /// A day.
    Day,
    /// A week.
    Week,
}

impl Span {
    /// Every span.
    pub const ALL: [Self; 3] = [Self::TenMinutes, Self::Day, Self::Week];

    /// The word used in queries.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::TenMinutes => "10m",
            Self::Day => "24h",
            Self::Week => "7d",
        }
    }

    /// The span of a word.
    ///
    /// # Errors
    /// It is none.
    pub fn from_word(word: &str) -> OpResult<Self> {
        let unknown = || OpError::before_start(codes::ABODY, "span must be 10m, 24h or 7d");
        Self::ALL.into_iter().find(|span| span.word() == word).ok_or_else(unknown)
    }

    /// Seconds of one step, and how many steps there are: no more than a chart can show.
    const fn steps(self) -> (i64, i64) {
        match self {
            Self::TenMinutes => (2, 300),
            Self::Day => (300, 288),
            Self::Week => (1_800, 336),
        }
    }
}

/// Which rates.
#[derive(Debug, Clone)]
pub struct RatesPage {
    /// Of this kind.
    pub kind: String,
    /// So far back.
    pub span: Span,
    /// From now.
    pub now: Wall,
}

/// What was counted over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rates {
    /// Of this kind.
    pub kind: String,
    /// Seconds of one step.
    pub unit_s: i64,
    /// When the first step begins.
    pub from: Wall,
    /// All steps, oldest first.
    pub points: Vec<Point>,
}

/// What was counted in one step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Point {
    /// When it begins.
    pub at: Wall,
    /// Sent.
    pub sent: i64,
    /// Processed well.
    pub processed: i64,
    /// Ended badly.
    pub errors: i64,
    /// Lost against others that changed the same.
    pub deadlocks: i64,
    /// Run again.
    pub retries: i64,
    /// Whether the step is not over yet.
    pub partial: bool,
}

pub(crate) static BY_STEP: Sql = Sql::new(
    "counter_minute.by_step",
    "SELECT step, CAST(SUM(sent) AS BIGINT), CAST(SUM(processed) AS BIGINT), CAST(SUM(errors) AS BIGINT), \
     CAST(SUM(deadlocks) AS BIGINT), CAST(SUM(retries) AS BIGINT) FROM \
     (SELECT minute / ?4 AS step, sent, processed, errors, deadlocks, retries FROM counter_minute \
     WHERE kind = ?1 AND minute >= ?2 AND minute <= ?3) AS steps GROUP BY step ORDER BY step LIMIT ?5",
);

fn rates(tx: &mut dyn Tx, page: &RatesPage) -> OpResult<Rates> {
    let (unit_s, count) = page.span.steps();
    let minutes = (unit_s * 1_000 / MINUTE_MS).max(1);
    let last = page.now.0.div_euclid(MINUTE_MS * minutes);
    let (first_minute, last_minute) = ((last - count + 1) * minutes, (last + 1) * minutes - 1);
    let rows = tx.query(&BY_STEP, args![&page.kind, first_minute, last_minute, minutes, count], 1_000)?;
    let found = rows.iter().map(|row| (row.int(0), std::array::from_fn(|at| row.int(at + 1))));
    Ok(filled(&page.kind, (minutes * MINUTE_MS, count), page.now, found))
}

impl Counters {
    /// What was counted of a kind on this node in the last ten minutes, the current second included.
    pub fn rates(&self, kind: &str, now: Wall) -> Rates {
        let (unit_s, count) = Span::TenMinutes.steps();
        let seconds = self.seconds(kind, now);
        let found = seconds.into_iter().map(|(second, fields)| (second.div_euclid(unit_s), fields));
        filled(kind, (unit_s * 1_000, count), now, found)
    }
}

/// All steps up to now, with zeros where nothing was found.
fn filled(
    kind: &str,
    (unit_ms, count): (i64, i64),
    now: Wall,
    found: impl Iterator<Item = (i64, [i64; FIELD_COUNT])>,
) -> Rates {
    let mut steps: BTreeMap<i64, [i64; FIELD_COUNT]> = BTreeMap::new();
    found.for_each(|(step, fields)| add_fields(steps.entry(step).or_insert([0; FIELD_COUNT]), &fields));
    let last = now.0.div_euclid(unit_ms);
    let point = |step: i64| {
        let [sent, processed, errors, deadlocks, retries] = steps.get(&step).copied().unwrap_or_default();
        Point { at: Wall(step * unit_ms), sent, processed, errors, deadlocks, retries, partial: step == last }
    };
    let first = last - count + 1;
    let points = (first..=last).map(point).collect();
    Rates { kind: kind.to_owned(), unit_s: unit_ms / 1_000, from: Wall(first * unit_ms), points }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn con_2_every_step_is_there_and_the_last_one_is_not_over() {
        let now = Wall(1_794_744_000_000 + 90_000);
        let step = now.0 / 300_000;
        let rates =
            filled("task", (300_000, 288), now, [(step - 1, [0, 7, 1, 0, 2]), (step - 999, [9; 5])].into_iter());
        assert_eq!((rates.unit_s, rates.points.len(), rates.from), (300, 288, rates.points[0].at));
        let busy: Vec<&Point> = rates.points.iter().filter(|point| point.processed + point.errors > 0).collect();
        assert_eq!(busy.len(), 1, "what lies before the span is not shown");
        assert_eq!((busy[0].processed, busy[0].errors, busy[0].retries, busy[0].partial), (7, 1, 2, false));
        let ends: Vec<bool> = rates.points.iter().rev().take(2).map(|point| point.partial).collect();
        assert_eq!(ends, [true, false]);
    }

    #[test]
    fn con_2_no_span_has_more_points_than_a_chart_shows() {
        for span in Span::ALL {
            assert!(span.steps().1 <= 360 && Span::from_word(span.word()) == Ok(span));
        }
        assert!(Span::from_word("1y").is_err());
    }
}
