//! Queues in which work waits and that nobody polls (WFL-21): an alert of each, closed when somebody does. The same look keeps what was
//! counted of actors, so that rates of an hour and a day can be told.

use base::{Heard, OpResult, Row, Sql, Tx, args};
use kernel::counters::list::{CounterPage, LIST_COUNTERS};
use kernel::{Op, OpCx};

use super::{polled, rules};
use crate::engine::ACTORS;

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&NEXT_QUEUE, &OPEN, &NOTE, &FORGET, &LAST_RATE, &KEEP_RATE, &DROP_RATES];

/// Work that waits so long at a queue that nobody polled for so long is told of.
const UNPOLLED_MS: i64 = 600_000;
/// Queues of one look.
const QUEUES_MAX: usize = 1_000;
/// How often rates are kept, and for how long.
const RATE_EVERY_MS: i64 = 600_000;
const RATE_KEPT_MS: i64 = 25 * 3_600_000;
/// Actors whose rates are kept.
const RATES_MAX: u32 = 500;

pub(super) static NEXT_QUEUE: Sql = Sql::new(
    "wfl_queue.next_queue",
    "SELECT queue, at FROM wfl_queue WHERE queue > ?1 ORDER BY queue, at, process, number LIMIT 1",
);
static OPEN: Sql = Sql::new("wfl_unpolled.all", "SELECT queue FROM wfl_unpolled ORDER BY queue LIMIT 1000");
static NOTE: Sql = Sql::new(
    "wfl_unpolled.note",
    "INSERT INTO wfl_unpolled (queue, since) VALUES (?1, ?2) ON CONFLICT (queue) DO NOTHING",
);
static FORGET: Sql = Sql::new("wfl_unpolled.forget", "DELETE FROM wfl_unpolled WHERE queue = ?1");
static LAST_RATE: Sql = Sql::new("wfl_rate.last", "SELECT at FROM wfl_rate ORDER BY at DESC, actor DESC LIMIT 1");
static KEEP_RATE: Sql = Sql::new(
    "wfl_rate.keep",
    "INSERT INTO wfl_rate (actor, at, given, done, failed) VALUES (?1, ?2, ?3, ?4, ?5) ON CONFLICT (actor, at) DO NOTHING",
);
static DROP_RATES: Sql = Sql::new("wfl_rate.drop", "DELETE FROM wfl_rate WHERE at < ?1");

/// Opens and closes alerts of queues that nobody polls; to be called about once a minute.
pub static ALARM_UNPOLLED: Op<(), ()> =
    Op::new("workflow.alarm_unpolled", |tx, cx, ()| look(tx, cx)).keyed(|()| crate::key_of("unpolled")).ending();

fn look(tx: &mut dyn Tx, cx: &mut OpCx<'_>) -> OpResult<()> {
    let known: Vec<String> = tx.query(&OPEN, args![], QUEUES_MAX)?.iter().map(|row| row.text(0).to_owned()).collect();
    let unpolled = unpolled(tx, cx)?;
    for queue in known.iter().filter(|queue| unpolled.iter().all(|(other, _)| other != *queue)) {
        tx.write(&FORGET, args![queue])?;
        cx.fx.close_alert(key(queue));
    }
    for (queue, waited_ms) in unpolled.iter().filter(|(queue, _)| !known.contains(queue)) {
        tx.write(&NOTE, args![queue, cx.heard])?;
        let text = format!("Work of {queue} waits for {} minutes and nobody polls it", waited_ms / 60_000);
        cx.fx.open_alert(key(queue), "workflow-unpolled", text);
    }
    keep_rates(tx, cx)
}

fn key(queue: &str) -> String {
    format!("workflow-unpolled/{queue}")
}

/// The queues, and for how long their oldest waits.
fn unpolled(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<Vec<(String, i64)>> {
    let (mut found, mut last) = (vec![], String::new());
    for _ in 0..QUEUES_MAX {
        let Some(row) = tx.query_one(&NEXT_QUEUE, args![&last])? else { break };
        row.text(0).clone_into(&mut last);
        let waited_ms = cx.heard.0.saturating_sub(row.int(1));
        if waited_ms >= UNPOLLED_MS && is_left_alone(tx, cx, &last)? {
            found.push((last.clone(), waited_ms));
        }
    }
    Ok(found)
}

/// Nobody polled it for long, and nobody blocked its actor.
fn is_left_alone(tx: &mut dyn Tx, cx: &OpCx<'_>, queue: &str) -> OpResult<bool> {
    let here = cx.home.memory::<polled::Polls>().of(queue).map(|polled| polled.last);
    let last = polled::last(tx, queue)?.map(|(last, _)| last).max(here);
    if last.is_some_and(|last| cx.heard.0.saturating_sub(last.0) < UNPOLLED_MS) {
        return Ok(false);
    }
    Ok(!rules::of_actor(tx, actor_of(queue))?.blocked)
}

/// The actor of a queue.
pub(super) fn actor_of(queue: &str) -> &str {
    queue.split('/').next().unwrap_or(queue)
}

/// Keeps what was counted up to now, every ten minutes.
fn keep_rates(tx: &mut dyn Tx, cx: &OpCx<'_>) -> OpResult<()> {
    let last = tx.query_one(&LAST_RATE, args![])?.map(|row: Row| row.int(0));
    if last.is_some_and(|last| cx.heard.0.saturating_sub(last) < RATE_EVERY_MS) {
        return Ok(());
    }
    let page =
        CounterPage { kind: Some(ACTORS.into()), name: None, after: (ACTORS.into(), String::new()), limit: RATES_MAX };
    for counted in LIST_COUNTERS.run_in(tx, cx.home, &page)? {
        tx.write(&KEEP_RATE, args![&counted.name, cx.heard, counted.sent, counted.processed, counted.errors])?;
    }
    let before = Heard(cx.heard.0.saturating_sub(RATE_KEPT_MS));
    Ok(tx.write(&DROP_RATES, args![before])?)
}
