//! Finds graphs and processes whose time passed (WFL-13, WFL-14): in a read, so that it costs the writer nothing; those that are well are
//! put off together, those that look ill are examined.

use std::collections::BTreeMap;

use base::{OpResult, Row, Sql, Tx, Value, Wall, args, codes};
use kernel::{Home, Op, OpCx, Query};
use serde::{Deserialize, Serialize};

use super::examine::{Examined, calendar_due, examine, is_large};
use super::repair;
use crate::actors::polled::Polls;
use crate::actors::rules::{TypeRules, of_type};

/// All statements of this part.
pub(crate) const STATEMENTS: &[&Sql] = &[&GRAPHS, &PROCESSES, &GRAPHS_LATER, &PROCESSES_LATER];

/// Processes of one look.
const DUE_MAX: usize = 1_000;
/// Those of them that are examined.
const EXAMINED_MAX: usize = 100;

/// Whether a process looks well, by counts alone: each ready task is in work, in its queue, waits for a signal, for a timer that somebody
/// looks after, or for a process that is open; each finished one has its decision; each task is there. Where every open task is ready,
/// those that wait for their time to begin are known by it: `$time` is a minute before now. `g` is its graph.
macro_rules! looks_well {
    ($time:literal) => {
        concat!(
            "CASE WHEN g.open > 0 AND g.ready = (SELECT COUNT(*) FROM wfl_decision d WHERE d.process = g.process \
             AND (d.state = 'WORK' AND d.recovery IS NOT NULL OR d.state = 'REGISTERED' AND (d.queue = '@signal' \
             OR d.queue = '@timer' AND d.recovery IS NOT NULL OR d.queue = '@process' AND EXISTS (SELECT 1 FROM wfl_task t \
             JOIN wfl_process c ON c.type = t.method AND c.start_key = '@' || d.process || '.' || CAST(d.number AS TEXT) \
             AND c.start_key IS NOT NULL WHERE t.process = d.process AND t.number = d.number AND c.state IN ('ACTIVE', 'BROKEN')) \
             OR EXISTS (SELECT 1 FROM wfl_queue q WHERE q.queue = d.queue AND q.at = d.queued AND q.process = d.process \
             AND q.number = d.number)))) + CASE WHEN g.open = g.ready THEN (SELECT COUNT(*) FROM wfl_task t WHERE t.process = g.process \
             AND t.start_at > ",
            $time,
            " AND NOT EXISTS (SELECT 1 FROM wfl_decision d WHERE d.process = t.process AND d.number = t.number)) ELSE 0 END \
             AND g.done = (SELECT COUNT(*) FROM wfl_decision d WHERE d.process = g.process AND d.state = 'FINISH' \
             AND d.broken_at IS NULL) AND g.open + g.done = (SELECT COUNT(*) FROM wfl_task t WHERE t.process = g.process) \
             THEN 1 ELSE 0 END"
        )
    };
}
pub(super) use looks_well;

static GRAPHS: Sql = Sql::new(
    "wfl_graph.due",
    concat!(
        "SELECT g.process, g.recovery, p.type, ",
        looks_well!("?3"),
        " FROM wfl_graph g JOIN wfl_process p ON p.id = g.process WHERE g.recovery IS NOT NULL AND g.recovery <= ?1 \
         ORDER BY g.recovery, g.process LIMIT ?2"
    ),
);
static PROCESSES: Sql = Sql::new(
    "wfl_process.due",
    concat!(
        "SELECT p.id, p.recovery, p.type, ",
        looks_well!("?3"),
        " FROM wfl_process p LEFT JOIN wfl_graph g ON g.process = p.id WHERE p.recovery IS NOT NULL AND p.recovery <= ?1 \
         ORDER BY p.recovery, p.id LIMIT ?2"
    ),
);

/// Processes that are put off by one statement.
const TEN: usize = 10;
static GRAPHS_LATER: Sql = Sql::new(
    "wfl_graph.ten_later",
    "UPDATE wfl_graph SET recovery = ?2 WHERE process IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) AND recovery <= ?1",
);
static PROCESSES_LATER: Sql = Sql::new(
    "wfl_process.ten_later",
    "UPDATE wfl_process SET recovery = ?2 WHERE id IN (?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12) AND recovery <= ?1",
);

/// What is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Whose {
    /// Graphs in which nothing changed for a while.
    Graphs,
    /// Processes that were just started, or take long.
    Processes,
}

/// Looks for those whose time passed, at this moment of the calendar.
pub(super) static LOOK: Query<(Whose, Wall), Found> =
    Query::at_home("workflow.look", |tx, home, (whose, wall)| look(tx, home, *whose, *wall));
/// Puts off those that are well.
pub(super) static PUT_OFF: Op<(Whose, Vec<Well>), ()> = Op::new("workflow.put_off", put_off).ending();
/// Puts off one that cannot be examined now.
pub(super) static FAILED: Op<Failed, ()> = Op::new("workflow.unexamined", put_off_failed).ending();

/// A process that could not be examined.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Failed {
    pub(super) process: String,
    pub(super) error: String,
    pub(super) pause_ms: i64,
}

/// A process that is well.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Well {
    process: String,
    /// When it was to be looked at.
    due: i64,
    /// How long after it is put off it is to be next.
    after_ms: i64,
}

/// What a look finds.
#[derive(Debug, Default)]
pub(super) struct Found {
    pub(super) well: Vec<Well>,
    /// To be repaired.
    pub(super) ill: Vec<String>,
    /// To be repaired, with many tasks.
    pub(super) large: Vec<Examined>,
    /// Could not be examined, and why.
    pub(super) failed: Vec<(String, String)>,
    /// There are more.
    pub(super) more: bool,
}

/// Ten by ten: a million of them are a hundred thousand statements. Those of a ten are looked at together next time too; one that was
/// changed since has another time, and keeps it. The next time counts from now: between the look and this lies a pause, which may be longer.
fn put_off(tx: &mut dyn Tx, cx: &mut OpCx<'_>, (whose, well): &(Whose, Vec<Well>)) -> OpResult<()> {
    let sql = if *whose == Whose::Graphs { &GRAPHS_LATER } else { &PROCESSES_LATER };
    for ten in well.chunks(TEN) {
        let due = ten.iter().map(|well| well.due).max().unwrap_or_default();
        let next = cx.heard.plus_ms(ten.iter().map(|well| well.after_ms).min().unwrap_or_default());
        let last = ten.last().map(|well| well.process.as_str()).unwrap_or_default();
        let names = ten.iter().map(|well| well.process.as_str()).chain(std::iter::repeat(last)).take(TEN);
        let values: Vec<Value<'_>> = args![due, next].iter().cloned().chain(names.map(Value::from)).collect();
        tx.write(sql, &values)?;
    }
    Ok(())
}

fn put_off_failed(tx: &mut dyn Tx, cx: &mut OpCx<'_>, failed: &Failed) -> OpResult<()> {
    repair::put_off(tx, cx, &failed.process, &failed.error, failed.pause_ms)
}

fn look(tx: &mut dyn Tx, home: &Home, whose: Whose, wall: Wall) -> OpResult<Found> {
    let now = tx.heard();
    let sql = if whose == Whose::Graphs { &GRAPHS } else { &PROCESSES };
    let limit = i64::try_from(DUE_MAX).unwrap_or(i64::MAX);
    let rows = tx.query(sql, args![now, limit, calendar_due(wall)], DUE_MAX)?;
    let polls = home.memory::<Polls>();
    let mut found = Found { more: rows.len() == DUE_MAX, ..Found::default() };
    let (mut types, mut examined) = (BTreeMap::new(), 0);
    for row in &rows {
        let rules = rules_of(tx, &mut types, row.text(2))?;
        if row.int(3) == 1 {
            found.well.push(well(row, whose, &rules));
        } else if examined == EXAMINED_MAX {
            found.more = true;
        } else {
            examined += 1;
            look_at(tx, &polls, (whose, wall), row, &rules, &mut found)?;
        }
    }
    Ok(found)
}

/// Examines one that looks ill.
fn look_at(
    tx: &mut dyn Tx,
    polls: &Polls,
    (whose, wall): (Whose, Wall),
    row: &Row,
    rules: &TypeRules,
    found: &mut Found,
) -> OpResult<()> {
    let process = row.text(0);
    match examine(tx, polls, process, wall) {
        Ok(Some(examined)) if !examined.is_ill() => found.well.push(well(row, whose, rules)),
        Ok(None) => found.well.push(well(row, whose, rules)),
        Ok(Some(examined)) if is_large(tx, process)? => found.large.push(examined),
        Ok(Some(_)) => found.ill.push(process.to_owned()),
        Err(error) if error.code == codes::BDETECTED => found.failed.push((process.to_owned(), error.message)),
        Err(error) => return Err(error),
    }
    Ok(())
}

fn rules_of(tx: &mut dyn Tx, types: &mut BTreeMap<String, TypeRules>, kind: &str) -> OpResult<TypeRules> {
    if let Some(known) = types.get(kind) {
        return Ok(*known);
    }
    let rules = of_type(tx, kind)?;
    types.insert(kind.to_owned(), rules);
    Ok(rules)
}

/// When one that is well is looked at next: a while later, each a little else, so that a million that were started together are not looked
/// at together for ever.
fn well(row: &Row, whose: Whose, rules: &TypeRules) -> Well {
    let after_ms = if whose == Whose::Graphs { rules.idle_timeout_ms } else { rules.process_timeout_ms };
    let spread = row.text(0).bytes().fold(7_i64, |sum, byte| (sum * 31 + i64::from(byte)) % 1_009);
    let after_ms = after_ms.saturating_add(after_ms.max(0) / 4 * spread / 1_009);
    Well { process: row.text(0).to_owned(), due: row.int(1), after_ms }
}

#[cfg(test)]
mod tests {
    use base::Heard;
    use kernel::Op;
    use serde_json::{Value as Json, json};
    use testbed::World;

    use super::*;
    use crate::process::START;
    use crate::work::{POLL, Poll, RELEASE};

    static LOST_CHILD: Sql = Sql::new(
        "test.lost_child",
        "UPDATE wfl_process SET state = 'FINISHED', ended = 1, recovery = NULL WHERE parent IS NOT NULL",
    );
    static LOST_TIMER: Sql =
        Sql::new("test.lost_timer", "UPDATE wfl_decision SET recovery = NULL WHERE queue = '@timer'");
    static LOSE: Op<&'static Sql, u64> = Op::new("test.lose", |tx, _, sql| Ok(tx.execute(sql, &[])?));
    static WELL: Query<Wall, Vec<i64>> = Query::new("test.well", |tx, wall| {
        let rows = tx.query(&GRAPHS, args![Heard(i64::MAX), 100, calendar_due(*wall)], 100)?;
        Ok(rows.iter().map(|row| row.int(3)).collect())
    });

    fn well(world: &World, ms: i64) -> Vec<i64> {
        let mut found = world.read(&WELL, world.kernel.env().clock.wall().plus_ms(ms)).unwrap();
        found.sort_unstable();
        found
    }

    /// A process whose coordinator laid out this task.
    fn waits(world: &World, task: &Json) {
        let start = json!({ "type": "test", "start": { "actor": "decide#1" } });
        world.call(&START, serde_json::from_value(start).unwrap()).unwrap();
        let poll = Poll { actor: "decide#1".into(), task_list: None, worker: None, max: 1 };
        let given = world.call(&POLL, poll).unwrap().out.tasks.remove(0);
        let result = json!({ "task_id": given.task_id, "attempt": 1, "tasks": [task] });
        world.call(&RELEASE, serde_json::from_value(json!({ "results": [result] })).unwrap()).unwrap();
    }

    #[test]
    fn wfl_31_what_waits_for_a_timer_or_a_process_is_known_by_counts() {
        let world = World::of(&[&crate::SERVICE]);
        waits(&world, &json!({ "actor": "@timer", "args": [{ "value": 60_000 }] }));
        let child = json!({ "start": { "actor": "child#1" } });
        waits(&world, &json!({ "actor": "@process", "method": "part", "args": [{ "value": child }] }));
        assert_eq!(well(&world, 0), [1, 1, 1], "both, and the child");
        assert_eq!(world.call(&LOSE, &LOST_TIMER).unwrap().out, 1);
        assert_eq!(well(&world, 0), [0, 1, 1], "nobody looks after the timer");
        assert_eq!(world.call(&LOSE, &LOST_CHILD).unwrap().out, 1);
        assert_eq!(well(&world, 0), [0, 0, 1], "its parent does not know that it ended");
    }

    #[test]
    fn wfl_31_what_waits_for_its_time_is_known_by_counts() {
        let world = World::of(&[&crate::SERVICE]);
        let at = world.kernel.env().clock.wall().plus_ms(3_600_000).rfc3339();
        let start = json!({ "type": "test", "start": { "actor": "a#1", "start_at": at } });
        world.call(&START, serde_json::from_value(start).unwrap()).unwrap();
        assert_eq!((well(&world, 0), well(&world, 3_659_000)), (vec![1], vec![1]));
        assert_eq!(well(&world, 3_661_000), [0], "it should have begun a minute ago");
    }

    #[test]
    fn wfl_14_what_is_well_is_not_due_again_at_once_though_it_was_put_off_late() {
        let world = World::of(&[&crate::SERVICE]);
        let start = json!({ "type": "test", "start": { "actor": "a#1" } });
        world.call(&START, serde_json::from_value(start).unwrap()).unwrap();
        world.pass_ms(86_400_000);
        let look = || world.read(&LOOK, (Whose::Graphs, world.kernel.env().clock.wall())).unwrap().well;
        let well = look();
        assert_eq!(well.len(), 1);
        world.pass_ms(u64::try_from(well[0].after_ms).unwrap() + 1);
        world.call(&PUT_OFF, (Whose::Graphs, well)).unwrap();
        assert_eq!(look().len(), 0);
    }
}
