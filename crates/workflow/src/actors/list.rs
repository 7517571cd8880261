//! Actors as people and programs see them (WFL-21): whether they poll, what waits for them, what they get and bring.

use std::collections::{BTreeMap, BTreeSet};

use base::{Heard, OpError, OpResult, Sql, Tx, Wall, args, codes};
use kernel::counters::list::{CounterPage, LIST_COUNTERS};
use kernel::{Home, Query};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::polled::Polls;
use super::settings::ActorSettings;
use super::unpolled::{NEXT_QUEUE, actor_of};
use crate::engine::ACTORS as COUNTED;
use crate::names::{check_actor, check_text};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&POLLED, &SET, &LENGTH, &OLDEST, &RATE_SINCE];

/// Actors of one page.
const LIMIT_MAX: u32 = 100;
/// Queues, and actors that somebody set, that are looked at.
const QUEUES_MAX: usize = 2_000;
/// Of how many tasks a queue is counted.
const LENGTH_MAX: i64 = 10_000;
/// The same on a page that shows many actors again and again.
pub(crate) const LENGTH_LISTED_MAX: i64 = 1_000;
/// An actor that nobody polled for for so long is silent: the longest poll, twice.
const SILENT_MS: i64 = 120_000;

static POLLED: Sql =
    Sql::new("wfl_polled.all", "SELECT queue, last, last_at FROM wfl_polled ORDER BY queue LIMIT 2000");
static SET: Sql = Sql::new("wfl_actor.all", "SELECT id FROM wfl_actor ORDER BY id LIMIT 2000");
static LENGTH: Sql = Sql::new(
    "wfl_queue.length",
    "SELECT COUNT(*) FROM (SELECT at FROM wfl_queue WHERE queue = ?1 ORDER BY queue, at, process, number LIMIT ?2) AS counted",
);
static OLDEST: Sql = Sql::new(
    "wfl_queue.oldest",
    "SELECT at FROM wfl_queue WHERE queue = ?1 ORDER BY queue, at, process, number LIMIT 1",
);
static RATE_SINCE: Sql = Sql::new(
    "wfl_rate.since",
    "SELECT at, given, done, failed FROM wfl_rate WHERE actor = ?1 AND at <= ?2 ORDER BY actor DESC, at DESC LIMIT 1",
);

/// Actors by name.
pub static ACTORS: Query<ActorsOf, Vec<ActorView>> =
    Query::at_home("workflow.actors", |tx, home, page| list(tx, home, page, LENGTH_MAX));
/// The same for a page: what waits is counted less far.
pub(crate) static LISTED: Query<ActorsOf, Vec<ActorView>> =
    Query::at_home("workflow.actors_listed", |tx, home, page| list(tx, home, page, LENGTH_LISTED_MAX));
/// One actor.
pub static ACTOR: Query<String, ActorView> = Query::at_home("workflow.actor", |tx, home, actor: &String| {
    check_actor(actor)?;
    let queues = queues(tx, home)?.remove(actor).unwrap_or_default();
    shown(tx, home, actor, &queues, LENGTH_MAX)
});

/// Which page.
#[derive(Debug, Clone)]
pub struct ActorsOf {
    /// Behind this actor.
    pub after: Option<String>,
    /// At most so many, 1 to 100.
    pub limit: u32,
}

/// How an actor is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum ActorState {
    /// Somebody polls for it.
    Active,
    /// Nobody polled for it for two minutes.
    Silent,
    /// It gets nothing.
    Blocked,
}

/// An actor.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct ActorView {
    /// How it is.
    pub state: ActorState,
    /// What holds for it.
    #[serde(flatten)]
    pub settings: ActorSettings,
    /// Tasks that wait, in all its queues; each is counted up to 10,000.
    pub waiting: i64,
    /// For how long the oldest waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_waiting_ms: Option<i64>,
    /// When somebody last polled for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_poll_at: Option<String>,
    /// What it got and brought in the last hour.
    pub hour: Rate,
    /// What it got and brought in the last day.
    pub day: Rate,
    /// Its queues: its own, and one of each task list.
    pub queues: Vec<QueueView>,
}

/// What an actor got and brought.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = ActorRate)]
pub struct Rate {
    /// Tasks that were given to it.
    #[serde(rename = "in")]
    pub given: i64,
    /// Results that it brought.
    #[serde(rename = "out")]
    pub done: i64,
    /// Errors that it brought.
    pub errors: i64,
}

/// A queue of an actor.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = ActorQueue)]
pub struct QueueView {
    /// The task list; not given: the actor's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task_list: Option<String>,
    /// Tasks that wait, counted up to 10,000.
    pub waiting: i64,
    /// For how long the oldest waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub oldest_waiting_ms: Option<i64>,
    /// When somebody last polled it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(format = DateTime)]
    pub last_poll_at: Option<String>,
    #[serde(skip)]
    last: Option<Heard>,
}

/// What is known of the polls of a queue.
type Last = Option<(Heard, Wall)>;

/// What is known of a queue before anything in it is counted.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Known {
    pub(super) last: Last,
    /// When its oldest task was queued; none if nothing waits, or if there are more queues than are looked at.
    pub(super) oldest: Option<Heard>,
}

/// The queues of an actor.
pub(super) type OfActor = BTreeMap<String, Known>;

fn list(tx: &mut dyn Tx, home: &Home, page: &ActorsOf, length_max: i64) -> OpResult<Vec<ActorView>> {
    if !(1..=LIMIT_MAX).contains(&page.limit) {
        return Err(OpError::new(codes::ALIMIT, format!("limit is 1 to {LIMIT_MAX}")));
    }
    page.after.iter().try_for_each(|after| check_text("after", after))?;
    let after = page.after.clone().unwrap_or_default();
    let actors: Vec<(String, OfActor)> =
        queues(tx, home)?.into_iter().filter(|(actor, _)| *actor > after).take(page.limit as usize).collect();
    actors.iter().map(|(actor, queues)| shown(tx, home, actor, queues, length_max)).collect()
}

/// All that somebody polls, that somebody set, or for which something waits.
pub(super) fn queues(tx: &mut dyn Tx, home: &Home) -> OpResult<BTreeMap<String, OfActor>> {
    let mut queues: BTreeMap<String, OfActor> = BTreeMap::new();
    let mut take = |queue: &str, last: Last, oldest: Option<Heard>| {
        let of_actor = queues.entry(actor_of(queue).to_owned()).or_default();
        let known = of_actor.entry(queue.to_owned()).or_default();
        *known = Known { last: known.last.max(last), oldest: known.oldest.or(oldest) };
    };
    let polls = home.memory::<Polls>();
    for row in tx.query(&POLLED, args![], QUEUES_MAX)? {
        let kept = (Heard(row.int(1)), Wall(row.int(2)));
        // This node knows more than what is kept every few seconds.
        let here = polls.of(row.text(0)).map(|polled| (polled.last, kept.1.plus_ms(polled.last.0 - kept.0.0)));
        take(row.text(0), Some(here.map_or(kept, |here| here.max(kept))), None);
    }
    for row in tx.query(&SET, args![], QUEUES_MAX)? {
        take(row.text(0), None, None);
    }
    let mut seen = BTreeSet::new();
    while seen.len() < QUEUES_MAX
        && let Some(row) = tx.query_one(&NEXT_QUEUE, args![seen.last().map_or("", String::as_str)])?
    {
        take(row.text(0), None, Some(Heard(row.int(1))));
        seen.insert(row.text(0).to_owned());
    }
    Ok(queues)
}

pub(super) fn shown(
    tx: &mut dyn Tx,
    home: &Home,
    actor: &str,
    queues: &OfActor,
    length_max: i64,
) -> OpResult<ActorView> {
    let settings = ActorSettings::of(tx, actor)?;
    let is_polled = is_polled(queues, tx.heard());
    let queues = queues.iter().map(|(queue, known)| queue_view(tx, queue, known.last, length_max));
    let queues = queues.collect::<OpResult<Vec<_>>>()?;
    let (hour, day) = (rate(tx, home, actor, 3_600_000)?, rate(tx, home, actor, 86_400_000)?);
    Ok(ActorView {
        state: match (settings.blocked, is_polled) {
            (true, _) => ActorState::Blocked,
            (false, true) => ActorState::Active,
            (false, false) => ActorState::Silent,
        },
        settings,
        waiting: queues.iter().map(|queue| queue.waiting).sum(),
        oldest_waiting_ms: queues.iter().filter_map(|queue| queue.oldest_waiting_ms).max(),
        last_poll_at: queues.iter().max_by_key(|queue| queue.last).and_then(|queue| queue.last_poll_at.clone()),
        hour,
        day,
        queues,
    })
}

/// Whether somebody polled for it lately.
pub(super) fn is_polled(queues: &OfActor, now: Heard) -> bool {
    let last = queues.values().filter_map(|known| known.last).map(|(last, _)| last).max();
    last.is_some_and(|last| now.0.saturating_sub(last.0) < SILENT_MS)
}

fn queue_view(tx: &mut dyn Tx, queue: &str, last: Last, length_max: i64) -> OpResult<QueueView> {
    let waiting = tx.query_one(&LENGTH, args![queue, length_max])?.map_or(0, |row| row.int(0));
    let oldest = tx.query_one(&OLDEST, args![queue])?.map(|row| tx.heard().0.saturating_sub(row.int(0)).max(0));
    Ok(QueueView {
        task_list: queue.split_once('/').map(|(_, list)| list.to_owned()),
        waiting,
        oldest_waiting_ms: oldest,
        last_poll_at: last.map(|(_, at)| at.rfc3339()),
        last: last.map(|(last, _)| last),
    })
}

/// What was counted in the last so many milliseconds, to ten minutes: what was counted now less what was then.
fn rate(tx: &mut dyn Tx, home: &Home, actor: &str, ms: i64) -> OpResult<Rate> {
    let page = CounterPage {
        kind: Some(COUNTED.into()),
        name: Some(actor.to_owned()),
        after: (String::new(), String::new()),
        limit: 1,
    };
    let Some(now) = LIST_COUNTERS.run_in(tx, home, &page)?.pop() else { return Ok(Rate::default()) };
    let then = tx.query_one(&RATE_SINCE, args![actor, Heard(tx.heard().0.saturating_sub(ms))])?;
    let less = |now: i64, column: usize| (now - then.as_ref().map_or(0, |row| row.int(column))).max(0);
    Ok(Rate { given: less(now.sent, 1), done: less(now.processed, 2), errors: less(now.errors, 3) })
}
