//! A page of the feed: what follows a cursor, in the order of the numbers.
//!
//! Numbers have no gaps, so a page is a range of numbers: a reader of few topics among many events pages on by arithmetic,
//! without an index per topic.

use base::mutants::{self, Mutant};
use base::{OpError, OpResult, Row, Sql, Tx, Value, args, codes};
use serde::{Deserialize, Serialize};

use super::cursor::{After, Cursor};
use super::epoch;
use crate::op::Query;

/// Topics that one reader may name.
pub const TOPICS_MAX: usize = 8;
/// Events that are looked through for one page.
const RANGE: i64 = 4_000;
/// Events of one page at most.
const LIMIT_MAX: u32 = 1_000;

/// A page; `None` while the store has no epoch yet: ask for it with [`super::EPOCH`], then read again.
pub static PAGE: Query<PageOf, Option<FeedPage>> = Query::new("feed.page", page);

/// Which page.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PageOf {
    /// Only events of these topics; all, if none is named.
    #[serde(default)]
    pub topics: Vec<String>,
    /// Only events after this cursor; `head` for none yet, empty for all that are kept.
    #[serde(default)]
    pub after: String,
    /// At most so many.
    pub limit: u32,
}

/// A page of the feed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedPage {
    /// The store's epoch.
    pub epoch: String,
    /// The events, oldest first.
    pub events: Vec<FeedEvent>,
    /// Number up to which everything was looked through: the next page begins after it.
    pub through: i64,
    /// Whether there is more already.
    pub more: bool,
}

/// An event as readers see it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FeedEvent {
    /// Its number in the one order of all readers.
    pub number: i64,
    /// What subscribers name.
    pub topic: String,
    /// What changed.
    pub subject: String,
    /// Version of the change.
    pub version: i64,
    /// What the operation says of it.
    pub data: serde_json::Value,
}

impl FeedPage {
    /// Where the next page begins.
    #[must_use]
    pub fn next(&self) -> Cursor {
        self.cursor(self.through)
    }

    /// The place after the event of this number.
    #[must_use]
    pub fn cursor(&self, number: i64) -> Cursor {
        Cursor { epoch: self.epoch.clone(), number }
    }
}

pub(super) static HEAD: Sql = Sql::new("event.head", "SELECT MAX(number) FROM event");
pub(super) static TAIL: Sql = Sql::new("event.tail", "SELECT MIN(number) FROM event");
pub(super) static ALL: Sql = Sql::new(
    "event.page",
    "SELECT number, topic, subject, version, data FROM event WHERE number > ?1 AND number <= ?2 \
     ORDER BY number LIMIT ?3",
);
pub(super) static OF_TOPICS: Sql = Sql::new(
    "event.page_of_topics",
    "SELECT number, topic, subject, version, data FROM event WHERE number > ?1 AND number <= ?2 \
     AND topic IN (?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11) ORDER BY number LIMIT ?3",
);

/// Number of the newest event.
pub(super) fn head(tx: &mut dyn Tx) -> OpResult<i64> {
    Ok(tx.query_one(&HEAD, args![])?.and_then(|row| row.opt_int(0)).unwrap_or(0))
}

/// Number of the newest event that is no longer kept; 0 if all are.
pub(super) fn tail(tx: &mut dyn Tx) -> OpResult<i64> {
    Ok(tx.query_one(&TAIL, args![])?.and_then(|row| row.opt_int(0)).map_or(0, |oldest| oldest - 1))
}

fn page(tx: &mut dyn Tx, input: &PageOf) -> OpResult<Option<FeedPage>> {
    check(input)?;
    let after: After = input.after.parse()?;
    let Some(epoch) = epoch::read(tx)? else { return Ok(None) };
    let state = State { head: head(tx)?, tail: tail(tx)?, epoch };
    let begin = begin(&after, &state)?;
    let end = state.head.min(begin.saturating_add(RANGE));
    let events = events(tx, input, begin, end)?;
    let full = events.len() == input.limit as usize;
    let through = events.last().filter(|_| full).map_or(end, |last| last.number);
    Ok(Some(FeedPage { epoch: state.epoch, events, through, more: through < state.head }))
}

fn check(input: &PageOf) -> OpResult<()> {
    let refuse = |message: String| Err(OpError::new(codes::ALIMIT, message));
    if !(1..=LIMIT_MAX).contains(&input.limit) {
        return refuse(format!("limit is {}, it must be 1 to {LIMIT_MAX}", input.limit));
    }
    if input.topics.len() > TOPICS_MAX {
        return refuse(format!("{} topics, at most {TOPICS_MAX}", input.topics.len()));
    }
    Ok(())
}

/// What a store can say of its feed.
struct State {
    epoch: String,
    head: i64,
    tail: i64,
}

/// The number after which to read, or why the cursor cannot be followed without a hole.
fn begin(after: &After, state: &State) -> OpResult<i64> {
    let State { epoch, head, tail } = state;
    let refuse = |code, message: String| Err(OpError::new(code, message));
    match after {
        After::Oldest => Ok(*tail),
        After::Head => Ok(*head),
        After::Cursor(cursor) if cursor.epoch != *epoch => {
            refuse(codes::CEPOCH, format!("cursor {cursor} is of another epoch than {epoch}"))
        }
        After::Cursor(Cursor { number, .. }) if number > head => {
            refuse(codes::CEPOCH, format!("event {number} was never given, the newest is {head}"))
        }
        After::Cursor(Cursor { number, .. }) if number < tail && mutants::on(Mutant::GoneIsSilent) => Ok(*tail),
        After::Cursor(Cursor { number, .. }) if number < tail => {
            refuse(codes::CGONE, format!("events up to {tail} are no longer kept, the cursor is at {number}"))
        }
        After::Cursor(cursor) => Ok(cursor.number),
    }
}

fn events(tx: &mut dyn Tx, input: &PageOf, begin: i64, end: i64) -> OpResult<Vec<FeedEvent>> {
    let mut args = args![begin, end, input.limit].to_vec();
    let sql = match input.topics.first() {
        None => &ALL,
        Some(first) => {
            let padded = input.topics.iter().chain(std::iter::repeat(first));
            args.extend(padded.take(TOPICS_MAX).map(Value::from));
            &OF_TOPICS
        }
    };
    Ok(tx.query(sql, &args, input.limit as usize)?.iter().map(event).collect())
}

fn event(row: &Row) -> FeedEvent {
    let data = row.text(4);
    FeedEvent {
        number: row.int(0),
        topic: row.text(1).to_owned(),
        subject: row.text(2).to_owned(),
        version: row.int(3),
        data: serde_json::from_str(data).unwrap_or_else(|_| data.into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn begins(after: &str, head: i64, tail: i64) -> Result<i64, &'static str> {
        let state = State { epoch: "1-aa".into(), head, tail };
        begin(&after.parse().unwrap(), &state).map_err(|error| error.code.name)
    }

    #[test]
    fn ker_25_a_cursor_is_followed_only_where_nothing_is_missing() {
        assert_eq!(begins("", 9, 4), Ok(4));
        assert_eq!(begins("head", 9, 4), Ok(9));
        assert_eq!(begins("1-aa.9", 9, 4), Ok(9));
        assert_eq!(begins("1-aa.4", 9, 4), Ok(4), "the next one is still there");
        assert_eq!(begins("1-aa.3", 9, 4), Err("CGONE"));
        assert_eq!(begins("1-aa.0", 0, 0), Ok(0));
    }

    #[test]
    fn ker_46_a_cursor_of_another_state_of_the_store_is_refused() {
        assert_eq!(begins("2-aa.5", 9, 4), Err("CEPOCH"));
        assert_eq!(begins("1-aa.10", 9, 4), Err("CEPOCH"));
    }
}
