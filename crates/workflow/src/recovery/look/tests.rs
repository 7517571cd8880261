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
static LOST_TIMER: Sql = Sql::new("test.lost_timer", "UPDATE wfl_decision SET recovery = NULL WHERE queue = '@timer'");
static LOSE: Op<&'static Sql, u64> = Op::new("test.lose", |tx, _, sql| Ok(tx.execute(sql, &[])?));

fn lose(world: &World, all: impl IntoIterator<Item = &'static Sql>) {
    for sql in all {
        world.call(&LOSE, sql).unwrap();
    }
}
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

/// What each way to look thinks of the processes that it sees.
type Judged = Vec<(String, i64)>;

/// By the counts one after the other, in the look at graphs, and in the look at processes.
static JUDGED: Query<Wall, [Judged; 3]> = Query::new("test.judged", |tx, wall| {
    static COUNTS: Sql = Sql::new(
        "test.counts",
        concat!("SELECT g.process, CASE WHEN ", counts_agree!("?1"), " THEN 1 ELSE 0 END FROM wfl_graph g"),
    );
    let (late, all, due) = (Heard(i64::MAX), 100, calendar_due(*wall));
    let named = |rows: Vec<Row>, place: usize| {
        let mut found: Judged = rows.iter().map(|row| (row.text(0).to_owned(), row.int(place))).collect();
        found.sort();
        found
    };
    Ok([
        named(tx.query(&COUNTS, args![due], 100)?, 1),
        named(tx.query(&GRAPHS, args![late, all, due], 100)?, 3),
        named(tx.query(&PROCESSES, args![late, all, due, late], 100)?, 3),
    ])
});

fn judged(world: &World) -> [Judged; 3] {
    world.read(&JUDGED, world.kernel.env().clock.wall()).unwrap()
}

fn start(world: &World, kind: &str, task: &Json) {
    world.call(&START, serde_json::from_value(json!({ "type": kind, "start": task })).unwrap()).unwrap();
}

/// Processes of all kinds: new, in work, half done, waiting for a signal, for a timer, for another process, for its time.
fn all_kinds() -> World {
    let world = World::of(&[&crate::SERVICE]);
    let soon = world.kernel.env().clock.wall().plus_ms(3_600_000).rfc3339();
    let child = json!({ "start": { "actor": "child#1" } });
    waits(&world, &json!({ "actor": "leaf#1" }));
    waits(&world, &json!({ "actor": "@signal", "method": "go" }));
    waits(&world, &json!({ "actor": "@timer", "args": [{ "value": 60_000 }] }));
    waits(&world, &json!({ "actor": "@process", "method": "part", "args": [{ "value": child }] }));
    start(&world, "test", &json!({ "actor": "held#1" }));
    let poll = Poll { actor: "held#1".into(), task_list: None, worker: None, max: 1 };
    assert_eq!(world.call(&POLL, poll).unwrap().out.tasks.len(), 1);
    start(&world, "test", &json!({ "actor": "new#1" }));
    start(&world, "test", &json!({ "actor": "new#1", "start_at": soon }));
    let [counts, graphs, processes] = judged(&world);
    assert!(counts.len() == 8 && counts.iter().all(|(_, well)| *well == 1), "{counts:?}");
    assert_eq!((&graphs, &processes), (&counts, &counts));
    world
}

macro_rules! damages {
    ($($name:literal: $text:literal),+ $(,)?) => {
        [$(Sql::new(concat!("test.", $name), $text)),+]
    };
}

/// What an examination repairs.
static DAMAGES: [Sql; 10] = damages! {
    "places": "DELETE FROM wfl_queue",
    "moved_places": "UPDATE wfl_queue SET at = at + 1",
    "other_queue": "UPDATE wfl_decision SET queue = 'other#1' WHERE state = 'REGISTERED' AND substr(queue, 1, 1) <> '@'",
    "waiting_decisions": "DELETE FROM wfl_decision WHERE state = 'REGISTERED'",
    "work": "DELETE FROM wfl_decision WHERE state = 'WORK'",
    "unheard_results": "UPDATE wfl_decision SET state = 'FINISH', recovery = NULL WHERE state = 'WORK'",
    "results": "DELETE FROM wfl_decision WHERE state = 'FINISH'",
    "tasks": "DELETE FROM wfl_task WHERE number > 1",
    "first_tasks": "DELETE FROM wfl_task WHERE number = 1",
    "children": "UPDATE wfl_process SET state = 'FINISHED', ended = 1, recovery = NULL WHERE parent IS NOT NULL",
};
/// What only counts tell, and an examination puts right or finds to be well.
static OTHER_DAMAGES: [Sql; 8] = damages! {
    "unwatched_work": "UPDATE wfl_decision SET recovery = NULL WHERE state = 'WORK'",
    "unwatched_timers": "UPDATE wfl_decision SET recovery = NULL WHERE queue = '@timer'",
    "broken": "UPDATE wfl_decision SET broken_at = 1 WHERE state = 'FINISH'",
    "open": "UPDATE wfl_graph SET open = open + 1",
    "ready": "UPDATE wfl_graph SET ready = ready - 1",
    "done": "UPDATE wfl_graph SET done = done + 1",
    "more_decisions": "INSERT INTO wfl_decision (process, number, state, attempt, queue, queued, ready_at) \
                       SELECT process, number + 100, 'FINISH', 1, queue, queued, ready_at FROM wfl_decision",
    "more_tasks": "INSERT INTO wfl_task (process, number, parent, actor, list, method, accept_fail, args) \
                   SELECT process, number + 100, parent, actor, list, method, accept_fail, args FROM wfl_task",
};

#[test]
fn wfl_31_each_kind_of_damage_is_seen_by_both_looks_as_by_the_counts_one_after_the_other() {
    for damage in DAMAGES.iter().chain(&OTHER_DAMAGES) {
        let world = all_kinds();
        assert!(world.call(&LOSE, damage).unwrap().out > 0, "{}", damage.name);
        let [counts, graphs, processes] = judged(&world);
        assert!(counts.iter().any(|(_, well)| *well == 0), "{}", damage.name);
        assert_eq!(graphs, counts, "{}", damage.name);
        // A process that is over is looked at by nobody.
        assert!(processes.iter().all(|seen| counts.contains(seen)), "{}: {processes:?}", damage.name);
        assert!(processes.len() >= counts.len() - 1, "{}", damage.name);
    }
    for order in [[&DAMAGES[..], &OTHER_DAMAGES[..]], [&OTHER_DAMAGES[..], &DAMAGES[..]]] {
        let world = all_kinds();
        for damage in order.into_iter().flatten() {
            world.call(&LOSE, damage).unwrap();
            let [counts, graphs, _] = judged(&world);
            assert_eq!(graphs, counts, "{} on top of others", damage.name);
        }
    }
}

static ALL_DUE: [Sql; 2] = [
    Sql::new("test.graphs_due", "UPDATE wfl_graph SET recovery = 0 WHERE recovery IS NOT NULL"),
    Sql::new("test.processes_due", "UPDATE wfl_process SET recovery = 0 WHERE recovery IS NOT NULL"),
];
/// Somebody polls all queues: what is not in them is lost.
static POLLED: Sql = Sql::new(
    "test.polled",
    "INSERT INTO wfl_polled (queue, actor, list, polled, first_at, last, last_at) \
     SELECT DISTINCT queue, queue, '', 9000000000000000, 0, 0, 0 FROM wfl_decision WHERE true \
     ON CONFLICT (queue) DO UPDATE SET polled = excluded.polled",
);
static GRAPHS_NOT_DUE: Sql = Sql::new("test.graphs_not_due", "UPDATE wfl_graph SET recovery = 9000000000000000");
static LOST_GRAPHS: Sql = Sql::new("test.lost_graphs", "DELETE FROM wfl_graph");

fn look_at_all(world: &World, whose: Whose) -> Found {
    world.read(&LOOK, Look { whose, wall: world.kernel.env().clock.wall(), leaves: true }).unwrap()
}

/// Well, ill, and what could not be examined.
fn many(found: &Found) -> (usize, usize, usize) {
    (found.well.len(), found.ill.len(), found.failed.len())
}

#[test]
fn wfl_31_what_is_damaged_is_found_by_whichever_look_comes_to_it() {
    for (place, damage) in DAMAGES.iter().chain(&OTHER_DAMAGES).enumerate() {
        let world = all_kinds();
        lose(&world, [&POLLED, damage, &POLLED]);
        lose(&world, &ALL_DUE);
        let by_graphs = look_at_all(&world, Whose::Graphs);
        assert!(by_graphs.failed.is_empty(), "{}: {by_graphs:?}", damage.name);
        assert!(!by_graphs.ill.is_empty() || place >= DAMAGES.len(), "{}", damage.name);
        assert_eq!(many(&look_at_all(&world, Whose::Processes)), (0, 0, 0), "{}: it is left to that", damage.name);
        world.call(&LOSE, &GRAPHS_NOT_DUE).unwrap();
        assert_eq!(look_at_all(&world, Whose::Processes).ill, by_graphs.ill, "{}", damage.name);
    }
    let world = all_kinds();
    world.call(&LOSE, &LOST_GRAPHS).unwrap();
    lose(&world, &ALL_DUE);
    assert_eq!(many(&look_at_all(&world, Whose::Processes)), (0, 8, 0), "nobody else would");
}

#[test]
fn wfl_31_a_look_at_a_graph_serves_for_its_process_if_that_is_due_too() {
    let world = all_kinds();
    let due = || [Whose::Graphs, Whose::Processes].map(|whose| look_at_all(&world, whose).well.len());
    assert_eq!(due(), [0, 0]);
    world.call(&LOSE, &ALL_DUE[0]).unwrap();
    assert_eq!(due(), [8, 0]);
    let before = world.count(&WHOLES);
    world.call(&PUT_OFF, look_at_all(&world, Whose::Graphs).well).unwrap();
    assert_eq!((due(), world.count(&WHOLES)), ([0, 0], before), "no process was due: each keeps its time");
    lose(&world, &ALL_DUE);
    assert_eq!(due(), [8, 0]);
    world.call(&PUT_OFF, look_at_all(&world, Whose::Graphs).well).unwrap();
    assert_eq!((due(), world.count(&LEFT_DUE)), ([0, 0], 0), "all of them, once");
}

static WHOLES: Sql = Sql::new("test.wholes", "SELECT SUM(recovery) FROM wfl_process");
static LEFT_DUE: Sql = Sql::new("test.left_due", "SELECT COUNT(*) FROM wfl_process WHERE recovery = 0");

#[test]
fn wfl_14_a_process_is_not_left_to_a_look_at_graphs_that_does_not_come() {
    let world = all_kinds();
    lose(&world, &ALL_DUE);
    let look = Look { whose: Whose::Processes, wall: world.kernel.env().clock.wall(), leaves: false };
    assert_eq!(many(&look_at_all(&world, Whose::Processes)), (0, 0, 0));
    assert_eq!(many(&world.read(&LOOK, look).unwrap()), (8, 0, 0));
}

#[test]
fn wfl_14_hundreds_are_put_off_together_each_by_the_time_of_its_type() {
    static SLOW: Sql = Sql::new("test.slow", "INSERT INTO wfl_type (id, idle_timeout_ms) VALUES ('slow', 3600000)");
    static TIMES: Sql = Sql::new(
        "test.times",
        "SELECT p.type, COUNT(*), COUNT(DISTINCT g.recovery), MIN(g.recovery), MAX(g.recovery) FROM wfl_graph g \
         JOIN wfl_process p ON p.id = g.process GROUP BY p.type ORDER BY p.type",
    );
    static NOW: Query<(), i64> = Query::new("test.now", |tx, ()| Ok(tx.heard().0));
    let world = World::of(&[&crate::SERVICE]);
    world.call(&LOSE, &SLOW).unwrap();
    (0..300).for_each(|number| start(&world, ["slow", "test"][number % 2], &json!({ "actor": "a#1" })));
    lose(&world, &ALL_DUE);
    let now = world.read(&NOW, ()).unwrap();
    world.call(&PUT_OFF, look_at_all(&world, Whose::Graphs).well).unwrap();
    let rows = world.rows(&TIMES);
    for (row, (kind, after_ms)) in rows.iter().zip([("slow", 3_600_000), ("test", 300_000)]) {
        assert_eq!((row.text(0), row.int(1), row.int(2)), (kind, 150, 2), "a hundred, and fifty");
        let (first, last) = (row.int(3) - now, row.int(4) - now);
        assert!(after_ms <= first && last <= after_ms + after_ms / 4, "{kind}: {first} to {last}");
    }
}

#[test]
fn wfl_14_what_is_well_is_not_due_again_at_once_though_it_was_put_off_late() {
    let world = World::of(&[&crate::SERVICE]);
    let start = json!({ "type": "test", "start": { "actor": "a#1" } });
    world.call(&START, serde_json::from_value(start).unwrap()).unwrap();
    world.pass_ms(86_400_000);
    let look = || look_at_all(&world, Whose::Graphs).well;
    let well = look();
    assert_eq!(well.len(), 1);
    world.pass_ms(u64::try_from(well[0].graph.unwrap().after_ms).unwrap() + 1);
    world.call(&PUT_OFF, well).unwrap();
    assert_eq!(look().len(), 0);
}
