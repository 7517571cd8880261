//! How a namespace stands, in numbers (CON-2), and what is stuck (KER-40).

use base::{Sql, Wall, args};
use kernel::Op;
use kernel::overview::{FIND_STUCK, Look, OVERVIEW, Overview};
use kernel::tasks::{COUNT_MAX, SUSPEND};

use super::world::World;
use crate::world::NOON;

fn overview(world: &World) -> Overview {
    world.read(&OVERVIEW, Look::at(&world.kernel)).unwrap()
}

#[test]
fn con_2_tasks_are_counted_by_what_they_do() {
    let world = World::new();
    let first = world.create(|task| task.at(Wall(NOON - 5)), "test.note");
    world.create(|task| task.at(Wall(NOON - 4)), "test.steps");
    world.create(|task| task.at(Wall(NOON + 7_000)), "test.note");
    for _ in 0..3 {
        world.create(|task| task.lane("l").at(Wall(NOON + 9_000)), "test.note");
    }
    let tasks = overview(&world).tasks;
    assert_eq!((tasks.due, tasks.later, tasks.behind, tasks.parked, tasks.running), (2, 2, 2, 0, 0));
    let oldest = tasks.oldest.unwrap();
    assert_eq!((oldest.id, oldest.op.as_str(), oldest.since), (first, "test.note", Wall(NOON - 5)));
    assert_eq!(tasks.next_at, Some(Wall(NOON + 7_000)));
}

#[test]
fn con_2_running_and_parked_tasks_and_nodes_are_counted() {
    let world = World::new();
    let _node = world.node();
    world.create(|task| task, "test.unknown");
    world.pass(252 * 60_000);
    world.create(|task| task.param("\"https://a/\""), "test.call");
    let seen = overview(&world);
    assert_eq!((seen.tasks.parked, seen.tasks.running), (1, 1), "{seen:?}");
    assert_eq!((seen.nodes.len(), seen.stuck.unwanted()), (1, 0));
    assert!(seen.alerts.open >= 1, "of the parked task");
    assert!(seen.nodes[0].seen_at.0 >= NOON);
}

static MANY: Sql = Sql::new(
    "test.many",
    "INSERT INTO task (id, op, param, info, queue, behind, start_at, attempt, retry, forgiven, created_at) \
     WITH RECURSIVE numbers (n) AS (SELECT ?1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1 + 1999) \
     SELECT '01KA2B3C4D5E6F7G8H9J' || CAST(100000 + n AS TEXT), 'test.note', 'null', '', 0, 0, ?2, 0, 0, 0, 0 FROM numbers",
);

#[test]
fn con_2_counts_end_at_ten_thousand_and_stuck_ones_at_a_hundred() {
    static INSERT: Op<i64, u64> =
        Op::new("test.many", |tx, cx, count| Ok(tx.execute(&MANY, args![*count, cx.wall.plus_ms(-100_000)])?));
    let world = World::new();
    (0..6).for_each(|portion| assert_eq!(world.call(&INSERT, portion * 2_000), Ok(2_000)));
    let seen = overview(&world);
    assert_eq!((seen.tasks.due, seen.stuck.tasks), (COUNT_MAX, 100));
}

#[test]
fn ker_40_tasks_of_a_suspended_queue_are_told_apart_and_a_queue_without_workers_is_found() {
    let world = World::new();
    world.create(|task| task, "test.note");
    world.create(|task| task, "test.steps");
    world.call(&SUSPEND, 1).unwrap();
    world.pass(100_000);
    let stuck = overview(&world).stuck;
    assert_eq!((stuck.tasks, stuck.suspended, stuck.unwanted()), (1, 1, 1));
    let found = world.read(&FIND_STUCK, Look::at(&world.kernel)).unwrap();
    let whats: Vec<&str> = found.iter().map(|found| found.what).collect();
    assert_eq!(whats, ["task", "suspended task"]);
    assert!(found[1].stuck.reason.ends_with("its queue is suspended"), "{found:?}");
}

#[test]
fn ker_30_a_backlog_that_is_worked_off_does_not_stand_still() {
    let world = World::new();
    world.kernel.watch_over();
    world.create(|task| task, "test.note");
    world.pass(100_000);
    let (main, now) = (world.main(), || world.kernel.env().clock.wall());
    assert!(main.watched.stuck().tasks == 1 && main.watched.stands_still(now()), "nobody runs it");
    main.watched.counters.add("task", "test.other", kernel::counters::Field::Sent, 1, now());
    assert!(!main.watched.stands_still(now()), "others were begun");
    let _node = world.node();
    world.pass(10_000);
    assert_eq!((main.watched.stuck().tasks, main.watched.stands_still(now())), (0, false));
}
