//! Finds tasks for people (KER-22): by operation, text, state, retry and time, in the order of their creation or newest first.
//!
//! A page walks an index that fits what is looked for (see `walk`) and looks at a bounded number of tasks, so that it is quick
//! among a million too. It may therefore hold fewer tasks than asked for, even none, and still have a next page: whoever
//! searches goes on until `next` is `None`.

use base::{Id, OpResult, Tx, Wall};
use serde::{Deserialize, Serialize};

use super::chores::{Chores, Whose};
use super::report_done::{GET, get};
use super::row::{Task, parked_at};
use super::walk::{Seen, Walk};
use crate::home::Home;
use crate::op::Query;

/// Tasks that fit, as many as were asked for: page after page in one read. For few tasks; where there may be many see [`PAGE`].
pub static LIST: Query<Search, Vec<Task>> = Query::at_home("task.list", list);
/// A page of tasks, at a bounded cost.
pub static PAGE: Query<Search, Page> = Query::at_home("task.page", |tx, home, search| page(tx, &home.chores, search));
/// How many tasks fit, by what they do, at a bounded cost.
pub static TALLY: Query<Search, Tally> = Query::at_home("task.tally", tally);
/// One task.
pub static SHOW: Query<Id, Task> = Query::new("task.show", |tx, id| get(tx, *id));

/// Tasks that one page looks at.
pub const LOOKED_AT_MAX: usize = 2_000;

/// What a task is doing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// It waits for its time, or for room.
    Waiting,
    /// It waits for an older one of its lane.
    Behind,
    /// It runs.
    Running,
    /// It waits for a person.
    Parked,
}

impl State {
    /// Of what is known of a task.
    pub(super) fn of(is_owned: bool, start_at: Wall, behind: bool) -> Self {
        match (is_owned, start_at >= parked_at(), behind) {
            (true, _, _) => Self::Running,
            (false, true, _) => Self::Parked,
            (false, false, true) => Self::Behind,
            (false, false, false) => Self::Waiting,
        }
    }
}

impl Task {
    /// What it is doing.
    #[must_use]
    pub fn state(&self) -> State {
        State::of(self.owner.is_some(), self.start_at, self.behind)
    }
}

/// In which order.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Order {
    /// As they were created.
    #[default]
    Oldest,
    /// The last one first.
    Newest,
}

/// Which tasks.
#[derive(Debug, Clone, Default)]
pub struct Search {
    /// Of this operation.
    pub op: Option<String>,
    /// With exactly this text.
    pub info: Option<String>,
    /// With a text that begins so.
    pub info_prefix: Option<String>,
    /// Words that all occur in the operation, the text, the id or the code of the last failure, in any case.
    pub words: Vec<String>,
    /// Of these people.
    pub whose: Whose,
    /// Doing this.
    pub state: Option<State>,
    /// In this queue.
    pub queue: Option<i64>,
    /// With at least so many failed runs.
    pub retry_min: i64,
    /// That start at or after this.
    pub from: Option<Wall>,
    /// That start before this.
    pub to: Option<Wall>,
    /// In which order.
    pub order: Order,
    /// After this id, in that order.
    pub after: Option<Id>,
    /// At most so many.
    pub limit: u32,
}

/// A page of tasks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Page {
    /// Those that were found.
    pub tasks: Vec<Task>,
    /// After which one the next page begins; `None` when everything was looked at.
    pub next: Option<Id>,
}

/// How many tasks were found.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// They wait for their time, or for room.
    pub waiting: i64,
    /// They wait for an older one of their lane.
    pub behind: i64,
    /// They run.
    pub running: i64,
    /// They wait for a person.
    pub parked: i64,
    /// There may be more: only so many were looked at.
    pub goes_on: bool,
}

impl Tally {
    /// Those of all states.
    #[must_use]
    pub fn all(&self) -> i64 {
        self.waiting + self.behind + self.running + self.parked
    }

    fn note(&mut self, state: State) {
        match state {
            State::Waiting => self.waiting += 1,
            State::Behind => self.behind += 1,
            State::Running => self.running += 1,
            State::Parked => self.parked += 1,
        }
    }
}

fn list(tx: &mut dyn Tx, home: &Home, search: &Search) -> OpResult<Vec<Task>> {
    let (mut search, mut tasks) = (search.clone(), vec![]);
    loop {
        let found = page(tx, &home.chores, &search)?;
        search.limit -= u32::try_from(found.tasks.len()).unwrap_or(search.limit);
        tasks.extend(found.tasks);
        match found.next {
            Some(next) if search.limit > 0 => search.after = Some(next),
            _ => return Ok(tasks),
        }
    }
}

fn tally(tx: &mut dyn Tx, home: &Home, search: &Search) -> OpResult<Tally> {
    let search = Search { limit: u32::MAX, ..search.clone() };
    let (mut tally, mut walk, mut looked_at) = (Tally::default(), Walk::of(&search, &home.chores), 0);
    while looked_at < LOOKED_AT_MAX && !walk.is_over() {
        let step = walk.step(tx, LOOKED_AT_MAX - looked_at)?;
        looked_at += step.len();
        step.iter().filter(|seen| fits(seen, &search, &home.chores)).for_each(|seen| tally.note(seen.state));
    }
    Ok(Tally { goes_on: !walk.is_over(), ..tally })
}

fn page(tx: &mut dyn Tx, chores: &Chores, search: &Search) -> OpResult<Page> {
    let (mut ids, mut walk, mut looked_at) = (vec![], Walk::of(search, chores), 0);
    while looked_at < LOOKED_AT_MAX {
        let step = walk.step(tx, LOOKED_AT_MAX - looked_at)?;
        looked_at += step.len();
        for seen in &step {
            if ids.len() == search.limit as usize {
                let next = ids.last().copied();
                return Ok(Page { tasks: whole(tx, &ids)?, next });
            }
            if fits(seen, search, chores) {
                ids.push(seen.id);
            }
        }
        if walk.is_over() {
            return Ok(Page { tasks: whole(tx, &ids)?, next: None });
        }
    }
    Ok(Page { tasks: whole(tx, &ids)?, next: walk.place() })
}

/// All that is known of them. Walking looks at little of each task, because a parameter may be large.
fn whole(tx: &mut dyn Tx, ids: &[Id]) -> OpResult<Vec<Task>> {
    let sets: Vec<_> = ids.iter().map(|id| vec![base::Value::from(*id)]).collect();
    Ok(tx.query_each(&GET, &sets)?.iter().flatten().map(Task::read).collect())
}

fn fits(seen: &Seen, search: &Search, chores: &Chores) -> bool {
    // Empty stands for any.
    let same =
        |wanted: &Option<String>, is: &String| wanted.as_ref().is_none_or(|wanted| wanted.is_empty() || wanted == is);
    same(&search.op, &seen.op)
        && same(&search.info, &seen.info)
        && search.info_prefix.as_ref().is_none_or(|prefix| seen.info.starts_with(prefix.as_str()))
        && search.queue.is_none_or(|queue| queue == seen.queue)
        && seen.retry >= search.retry_min
        && search.from.is_none_or(|from| seen.start_at >= from)
        && search.to.is_none_or(|to| seen.start_at < to)
        && search.state.is_none_or(|state| state == seen.state)
        && chores.fits(search.whose, seen)
        && has_words(seen, &search.words)
}

fn has_words(seen: &Seen, words: &[String]) -> bool {
    if words.is_empty() {
        return true;
    }
    let text = format!("{} {} {} {}", seen.op, seen.info, seen.id, seen.exc).to_lowercase();
    words.iter().all(|word| text.contains(word.as_str()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen() -> Seen {
        let id = Id::new(Wall(7), [1; 10]);
        let (op, info, exc) = ("mail.send".into(), "Order 17".into(), "XTARGET".into());
        let (has_target, is_standing) = (false, true);
        Seen {
            id,
            op,
            info,
            exc,
            queue: 1,
            start_at: Wall(50),
            retry: 2,
            state: State::Waiting,
            has_target,
            is_standing,
        }
    }

    #[test]
    fn ker_22_a_task_fits_when_everything_asked_for_does() {
        let all = Search::default();
        let chores = Chores::default();
        let yes = |search: Search| assert!(fits(&seen(), &search, &chores), "{search:?}");
        let no = |search: Search| assert!(!fits(&seen(), &search, &chores), "{search:?}");
        yes(all.clone());
        yes(Search { words: crate::watch::query_words("ORDER xtar mail").unwrap(), ..all.clone() });
        no(Search { words: crate::watch::query_words("order 18").unwrap(), ..all.clone() });
        yes(Search { info_prefix: Some("Ord".into()), queue: Some(1), retry_min: 2, ..all.clone() });
        no(Search { info_prefix: Some("rder".into()), ..all.clone() });
        no(Search { info: Some("Order".into()), ..all.clone() });
        no(Search { op: Some("mail".into()), ..all.clone() });
        no(Search { queue: Some(0), ..all.clone() });
        no(Search { retry_min: 3, ..all.clone() });
        yes(Search { from: Some(Wall(50)), to: Some(Wall(51)), ..all.clone() });
        no(Search { to: Some(Wall(50)), ..all.clone() });
        no(Search { state: Some(State::Parked), ..all.clone() });
        yes(Search { whose: Whose::Server, ..all.clone() });
        no(Search { whose: Whose::People, ..all.clone() });
        let parked = Seen { state: State::Parked, ..seen() };
        assert!(fits(&parked, &Search { whose: Whose::People, ..all }, &chores), "it waits for a person");
    }
}
