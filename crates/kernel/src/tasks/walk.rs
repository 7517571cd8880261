//! Walks tasks in the order of their ids, forwards or backwards, along the index that fits a search best.
//!
//! Each statement has one index and no condition beyond what that holds, so that it costs what it returns, whatever a planner
//! believes of the table. What else is looked for is compared by the caller, of the few columns that are read here.

use base::{Id, OpResult, Row, Sql, StoreResult, Tx, Value, Wall, args};

use super::chores::{Chores, Whose};
use super::counts::queues;
use super::list::{Order, Search, State};
use super::merge::{self, Source};
use super::row::parked_at;

/// Tasks of one step at most.
const STEP: usize = 500;
/// Running tasks that are read at once. More are found along all tasks.
const RUNNING_MAX: usize = 1_000;
/// Before and behind every id.
const ENDS: [&str; 2] = ["", "~"];

/// What is seen of a task in passing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Seen {
    pub(super) id: Id,
    pub(super) op: String,
    pub(super) info: String,
    pub(super) exc: String,
    pub(super) queue: i64,
    pub(super) start_at: Wall,
    pub(super) retry: i64,
    pub(super) state: State,
    pub(super) has_target: bool,
    pub(super) is_standing: bool,
}

impl Seen {
    fn read(row: &Row) -> Self {
        let (start_at, behind) = (Wall(row.int(4)), row.int(6) == 1);
        Self {
            id: row.id(0),
            op: row.text(1).to_owned(),
            info: row.text(2).to_owned(),
            exc: row.opt_text(8).unwrap_or_default().to_owned(),
            queue: row.int(3),
            start_at,
            retry: row.int(5),
            state: State::of(row.int(7) == 1, start_at, behind),
            has_target: row.int(9) == 1,
            is_standing: row.int(10) == 1,
        }
    }
}

macro_rules! seen {
    () => {
        "SELECT id, op, info, queue, start_at, retry, behind, CASE WHEN owner IS NULL THEN 0 ELSE 1 END, exc, \
         CASE WHEN target IS NULL THEN 0 ELSE 1 END, CASE WHEN standing IS NULL THEN 0 ELSE 1 END FROM task WHERE "
    };
}

/// The two directions of one walk: ?1 is the place, ?2 the number of tasks, ?3 and ?4 what the index is entered by.
macro_rules! both_ways {
    ($name:literal, $along:literal) => {
        [
            Sql::new(concat!("task.walk_", $name), concat!(seen!(), $along, " id > ?1 ORDER BY id LIMIT ?2")),
            Sql::new(concat!("task.walk_back_", $name), concat!(seen!(), $along, " id < ?1 ORDER BY id DESC LIMIT ?2")),
        ]
    };
}

/// One statement for each direction.
pub(super) type Ways = [Sql; 2];

pub(super) static ALL: Ways = both_ways!("all", "");
pub(super) static BY_OP: Ways = both_ways!("op", "op = ?3 AND op <> '' AND");
pub(super) static BY_INFO: Ways = both_ways!("info", "info = ?3 AND info <> '' AND");
pub(super) static BEHIND: Ways = both_ways!("behind", "behind = 1 AND");
pub(super) static RETRIED: Ways = both_ways!("retried", "retry > 0 AND");
pub(super) static PARKED: Ways =
    both_ways!("parked", "owner IS NULL AND behind = 0 AND queue = ?3 AND start_at = ?4 AND");
pub(super) static TARGETED: Ways = both_ways!("targeted", "target IS NOT NULL AND");
pub(super) static RUNNING: Sql =
    Sql::new("task.walk_running", concat!(seen!(), "owner IS NOT NULL ORDER BY owner, lost_at LIMIT ?1"));

/// Along what is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Along<'a> {
    /// All tasks.
    All,
    /// Those of one operation.
    Op(&'a str),
    /// Those of one text.
    Info(&'a str),
    /// Those that are behind others.
    Behind,
    /// Those that failed.
    Retried,
    /// Those that are parked, queue by queue.
    Parked,
    /// Those that run.
    Running,
    /// Those of people, or of the server, operation by operation.
    Whose(Whose),
}

impl<'a> Along<'a> {
    /// What is likely to be fewest.
    fn of(search: &'a Search) -> Self {
        match (search.state, &search.info, &search.op) {
            (Some(State::Running), ..) => Self::Running,
            (_, Some(info), _) if !info.is_empty() => Self::Info(info),
            (Some(State::Parked), ..) => Self::Parked,
            (_, _, _) if search.retry_min > 0 => Self::Retried,
            (_, _, Some(op)) if !op.is_empty() => Self::Op(op),
            (Some(State::Behind), ..) => Self::Behind,
            (Some(State::Waiting) | None, ..) if search.whose != Whose::All => Self::Whose(search.whose),
            (Some(State::Waiting) | None, ..) => Self::All,
        }
    }
}

/// A walk under way.
pub(super) struct Walk<'a> {
    along: Along<'a>,
    order: Order,
    place: Option<Id>,
    /// Tasks of the next step: about as many as are asked for, then more.
    size: usize,
    is_over: bool,
    chores: &'a Chores,
    /// Where several indexes are walked along at once.
    sources: Vec<Source>,
}

impl<'a> Walk<'a> {
    pub(super) fn of(search: &'a Search, chores: &'a Chores) -> Self {
        let size = (search.limit as usize + 1).clamp(50, STEP);
        let (along, order, place) = (Along::of(search), search.order, search.after);
        Self { along, order, place, size, is_over: false, chores, sources: vec![] }
    }

    /// The last task that was seen.
    pub(super) fn place(&self) -> Option<Id> {
        self.place
    }

    /// Whether there are no more.
    pub(super) fn is_over(&self) -> bool {
        self.is_over
    }

    /// The next tasks, at most so many.
    pub(super) fn step(&mut self, tx: &mut dyn Tx, max: usize) -> OpResult<Vec<Seen>> {
        self.size = self.size.min(max);
        let seen = match self.along {
            Along::All => self.along_index(tx, &ALL, &[])?,
            Along::Op(op) => self.along_index(tx, &BY_OP, args![op])?,
            Along::Info(info) => self.along_index(tx, &BY_INFO, args![info])?,
            Along::Behind => self.along_index(tx, &BEHIND, &[])?,
            Along::Retried => self.along_index(tx, &RETRIED, &[])?,
            Along::Parked => self.parked(tx)?,
            Along::Running => self.running(tx)?,
            Along::Whose(whose) => self.merged(tx, whose)?,
        };
        self.is_over = seen.len() < self.size || self.along == Along::Running;
        self.size = (self.size * 2).min(STEP);
        self.place = seen.last().map(|seen| seen.id).or(self.place);
        Ok(seen)
    }

    fn along_index(&self, tx: &mut dyn Tx, ways: &'static Ways, entered_by: &[Value<'_>]) -> StoreResult<Vec<Seen>> {
        along(tx, ways, entered_by, (self.order, self.place, self.size))
    }

    /// Only along operations that such tasks have: what people made must not lie behind a million notifications.
    fn merged(&mut self, tx: &mut dyn Tx, whose: Whose) -> StoreResult<Vec<Seen>> {
        if self.sources.is_empty() {
            let Some(ops) = self.chores.ops(tx, whose)? else {
                self.along = Along::All;
                return self.along_index(tx, &ALL, &[]);
            };
            let place = self.place;
            self.sources.extend(ops.into_iter().map(|op| Source::new(&BY_OP, vec![Value::from(op)], place)));
            if whose == Whose::People {
                self.sources.push(Source::new(&TARGETED, vec![], place));
                let parked = |queue| Source::new(&PARKED, vec![Value::from(queue), Value::from(parked_at())], place);
                self.sources.extend(queues(tx)?.into_iter().map(parked));
            }
        }
        merge::next(tx, &mut self.sources, self.order, self.size)
    }

    /// Each queue has its parked tasks in the order of their ids, at the end of those that wait.
    fn parked(&self, tx: &mut dyn Tx) -> StoreResult<Vec<Seen>> {
        let mut seen = vec![];
        for queue in queues(tx)? {
            seen.extend(self.along_index(tx, &PARKED, args![queue, parked_at()])?);
        }
        let mut seen = self.in_order(seen);
        seen.truncate(self.size);
        Ok(seen)
    }

    /// Those that run are few, workers and calls of all nodes: they are seen in one step.
    fn running(&mut self, tx: &mut dyn Tx) -> StoreResult<Vec<Seen>> {
        let max = i64::try_from(RUNNING_MAX).unwrap_or(i64::MAX);
        let rows = tx.query(&RUNNING, args![max], RUNNING_MAX)?;
        if rows.len() == RUNNING_MAX {
            self.along = Along::All;
            return self.along_index(tx, &ALL, &[]);
        }
        let is_ahead = |seen: &Seen| match (self.place, self.order) {
            (None, _) => true,
            (Some(place), Order::Oldest) => seen.id > place,
            (Some(place), Order::Newest) => seen.id < place,
        };
        Ok(self.in_order(rows.iter().map(Seen::read).filter(is_ahead).collect()))
    }

    fn in_order(&self, mut seen: Vec<Seen>) -> Vec<Seen> {
        seen.sort_by_key(|seen| seen.id);
        if self.order == Order::Newest {
            seen.reverse();
        }
        seen
    }
}

/// The next tasks along an index, in an order, after a place, at most so many.
pub(super) fn along(
    tx: &mut dyn Tx,
    ways: &'static Ways,
    entered_by: &[Value<'_>],
    (order, place, size): (Order, Option<Id>, usize),
) -> StoreResult<Vec<Seen>> {
    let way = usize::from(order == Order::Newest);
    let place = place.map_or_else(|| ENDS[way].to_owned(), |id| id.to_string());
    let many = i64::try_from(size).unwrap_or(i64::MAX);
    let args: Vec<Value<'_>> =
        [Value::from(place), Value::from(many)].into_iter().chain(entered_by.iter().cloned()).collect();
    Ok(tx.query(&ways[way], &args, size)?.iter().map(Seen::read).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ker_22_a_search_walks_along_what_is_likely_to_be_fewest() {
        let all = Search::default();
        let (op, info) = (Some("o".to_owned()), Some("i".to_owned()));
        let check = |search: Search, along: Along<'_>| assert_eq!(Along::of(&search), along);
        check(all.clone(), Along::All);
        check(Search { op: op.clone(), ..all.clone() }, Along::Op("o"));
        check(Search { op: op.clone(), info, ..all.clone() }, Along::Info("i"));
        check(Search { op: op.clone(), retry_min: 1, ..all.clone() }, Along::Retried);
        check(Search { state: Some(State::Parked), op: op.clone(), ..all.clone() }, Along::Parked);
        check(Search { state: Some(State::Running), op, ..all.clone() }, Along::Running);
        check(Search { state: Some(State::Behind), ..all.clone() }, Along::Behind);
        check(Search { state: Some(State::Waiting), ..all.clone() }, Along::All);
        check(Search { op: Some(String::new()), ..all.clone() }, Along::All);
        let of_people = Search { whose: Whose::People, ..all };
        check(of_people.clone(), Along::Whose(Whose::People));
        check(Search { op: Some("o".into()), ..of_people.clone() }, Along::Op("o"));
        check(Search { state: Some(State::Parked), ..of_people }, Along::Parked);
    }
}
