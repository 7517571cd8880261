//! Walks processes in the order of their ids, forwards or backwards, along the index that fits a search best.
//!
//! Each statement has one index and no condition beyond what that holds, so that it costs what it returns, whatever a planner believes
//! of the table. What else is looked for is compared by the caller.

use base::{Heard, OpResult, Row, Sql, Tx, Value, Wall, args};

use super::find::Order;
use super::form::Wanted;
use crate::process::row::State;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] =
    &[&ALL[0], &ALL[1], &BY_CUSTOM_ID[0], &BY_CUSTOM_ID[1], &BY_TYPE[0], &BY_TYPE[1], &BY_STATE[0], &BY_STATE[1], &ONE];

/// Before and behind every id.
const ENDS: [&str; 2] = ["", "~"];

macro_rules! seen {
    () => {
        "SELECT id, type, custom_id, state, starter, started_at, ended_at, changed, error_class, start_key FROM wfl_process WHERE "
    };
}

/// The two directions of one walk: ?1 is the place, ?2 the number of rows, ?3 what the index is entered by.
macro_rules! both_ways {
    ($name:literal, $along:literal) => {
        [
            Sql::new(concat!("wfl_process.walk_", $name), concat!(seen!(), $along, " id > ?1 ORDER BY id LIMIT ?2")),
            Sql::new(
                concat!("wfl_process.walk_back_", $name),
                concat!(seen!(), $along, " id < ?1 ORDER BY id DESC LIMIT ?2"),
            ),
        ]
    };
}

static ALL: [Sql; 2] = both_ways!("all", "");
static BY_CUSTOM_ID: [Sql; 2] = both_ways!("custom_id", "custom_id = ?3 AND custom_id IS NOT NULL AND");
static BY_TYPE: [Sql; 2] = both_ways!("type", "type = ?3 AND");
static BY_STATE: [Sql; 2] = both_ways!("state", "state = ?3 AND state <> 'FINISHED' AND");
static ONE: Sql = Sql::new("wfl_process.walk_one", concat!(seen!(), "id = ?1"));

/// What is seen of a process in passing.
#[derive(Debug, Clone)]
pub(crate) struct Seen {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) custom_id: Option<String>,
    pub(crate) state: State,
    pub(crate) starter: String,
    pub(crate) started_at: Wall,
    pub(crate) ended_at: Option<Wall>,
    pub(crate) changed: Heard,
    pub(crate) error_class: Option<String>,
    pub(crate) start_key: Option<String>,
}

impl Seen {
    fn of(row: &Row) -> Self {
        let text = |column: usize| row.opt_text(column).map(str::to_owned);
        Self {
            id: row.text(0).to_owned(),
            kind: row.text(1).to_owned(),
            custom_id: text(2),
            state: State::of(row.text(3)),
            starter: row.text(4).to_owned(),
            started_at: Wall(row.int(5)),
            ended_at: row.opt_int(6).map(Wall),
            changed: Heard(row.int(7)),
            error_class: text(8),
            start_key: text(9),
        }
    }
}

/// Along what is walked.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Along {
    All,
    One(String),
    CustomId(String),
    Kind(String),
    State(State),
}

impl Along {
    /// What is likely to be fewest.
    fn of(wanted: &Wanted) -> Self {
        let search = &wanted.search;
        match (&search.id, &search.custom_id, wanted.state, &search.kind) {
            (Some(id), ..) => Self::One(id.clone()),
            (_, Some(custom_id), ..) => Self::CustomId(custom_id.clone()),
            (_, _, Some(state @ (State::Broken | State::Aborted)), _) => Self::State(state),
            (_, _, _, Some(kind)) => Self::Kind(kind.clone()),
            (_, _, Some(State::Active), _) => Self::State(State::Active),
            (_, _, Some(State::Finished) | None, None) => Self::All,
        }
    }
}

/// A walk under way.
pub(crate) struct Walk {
    along: Along,
    order: Order,
    /// The last process that was seen; empty: none yet.
    pub(crate) place: String,
    /// There are no more.
    pub(crate) is_over: bool,
}

impl Walk {
    pub(crate) fn of(wanted: &Wanted, order: Order, after: &str) -> Self {
        Self { along: Along::of(wanted), order, place: after.to_owned(), is_over: false }
    }

    /// The next processes, at most so many.
    pub(crate) fn step(&mut self, tx: &mut dyn Tx, most: usize) -> OpResult<Vec<Seen>> {
        let rows = match &self.along {
            Along::All => self.rows(tx, &ALL, most, None)?,
            Along::CustomId(id) => self.rows(tx, &BY_CUSTOM_ID, most, Some(id))?,
            Along::Kind(kind) => self.rows(tx, &BY_TYPE, most, Some(kind))?,
            Along::State(state) => self.rows(tx, &BY_STATE, most, Some(state.text()))?,
            Along::One(id) if self.place.is_empty() => tx.query_one(&ONE, args![id])?.into_iter().collect(),
            Along::One(_) => vec![],
        };
        self.is_over = rows.len() < most || matches!(self.along, Along::One(_));
        let seen: Vec<Seen> = rows.iter().map(Seen::of).collect();
        if let Some(last) = seen.last() {
            self.place.clone_from(&last.id);
        }
        Ok(seen)
    }

    fn rows(&self, tx: &mut dyn Tx, ways: &'static [Sql; 2], most: usize, by: Option<&str>) -> OpResult<Vec<Row>> {
        let way = usize::from(self.order == Order::Newest);
        let place = if self.place.is_empty() { ENDS[way] } else { self.place.as_str() };
        let mut args = vec![Value::from(place), Value::from(i64::try_from(most).unwrap_or(i64::MAX))];
        args.extend(by.map(Value::from));
        Ok(tx.query(&ways[way], &args, most)?)
    }
}
