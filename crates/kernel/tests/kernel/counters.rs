//! KER-29: counters are summed in memory and flushed as deltas, each once.

use std::sync::Mutex;
use std::sync::atomic::Ordering;

use base::{Sql, StoreError, Wall, args};
use kernel::counters::Field;
use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
use kernel::counters::rates::{Point, RATES, Rates, RatesPage, Span};
use kernel::{Op, Plan, TaskRow};

use crate::world::{NOON, World};

fn counters(world: &World, kind: &str) -> Vec<CounterInfo> {
    let after = (String::new(), String::new());
    let page = CounterPage { kind: Some(kind.into()), name: None, after, limit: 100 };
    world.read(&LIST_COUNTERS, page).unwrap()
}

#[test]
fn ker_29_counts_reach_the_store_within_a_round_and_add_up() {
    let world = World::new();
    world.kernel.watch_over();
    let main = world.main();
    for round in 1..=3 {
        main.watched.counters.add("device", "d1", Field::Sent, 2, Wall(NOON + round));
        main.watched.counters.add("device", "d2", Field::Errors, 1, Wall(NOON - round));
        world.run_timers_once();
    }
    let found = counters(&world, "device");
    assert_eq!(found.len(), 2);
    assert_eq!((found[0].name.as_str(), found[0].sent, found[0].last_seen), ("d1", 6, Wall(NOON + 3)));
    assert_eq!((found[1].errors, found[1].last_seen), (3, Wall(NOON - 1)), "last seen is the newest");
}

#[test]
fn ker_29_operations_count_themselves_and_the_flush_does_not() {
    static FAILS: Op<(), ()> = Op::new("test.fails", |_, _, ()| Err(StoreError::Conflict.into()));
    let world = World::new();
    world.call(&FAILS, world.request(), ()).unwrap_err();
    world.kernel.watch_over();
    (0..4).for_each(|_| world.run_timers_once());
    let found = counters(&world, "operation");
    let fails = found.iter().find(|counter| counter.name == "test.fails").unwrap();
    assert_eq!((fails.processed, fails.errors, fails.deadlocks, fails.retries), (0, 1, 1, 2));
    assert!(!found.iter().any(|counter| counter.name == "counters.flush"));
}

#[test]
fn ker_29_a_flush_that_comes_again_after_an_unknown_commit_is_counted_once() {
    let world = World::new();
    let flush = world.kernel.operation("counters.flush").unwrap();
    let batch = |life: &str, number: i64| {
        let delta = serde_json::json!({ "kind": "device", "name": "d", "fields": [1, 0, 0, 0, 0], "last_seen": 5 });
        serde_json::json!({ "node": "n", "life": life, "number": number, "deltas": [delta] })
    };
    let call = |life: &str, number: i64| {
        let told = std::sync::Arc::new(Mutex::new(None));
        let tell = told.clone();
        let done = Box::new(move |reply| *tell.lock().unwrap() = Some(reply));
        flush.call_json(&world.kernel, &world.main(), world.request(), batch(life, number), done);
        let reply: base::OpResult<kernel::Reply<serde_json::Value>> = told.lock().unwrap().take().unwrap();
        reply.unwrap().out.as_bool().unwrap()
    };
    let (one, two) = ("01KA2B3C4D5E6F7G8H9JKMNPQR", "01KA2B3C4D5E6F7G8H9JKMNPQS");
    assert_eq!([call(one, 1), call(one, 1), call(one, 2), call(one, 1)], [true, false, true, false]);
    assert_eq!([call(two, 1), call(two, 1)], [true, false], "numbers begin anew with each life of the process");
    assert_eq!(counters(&world, "device")[0].sent, 3);
    assert_eq!(sent(&rates(&world, "device", Span::Day)), [(Wall(NOON), 3)], "the minute is counted once with it");
}

#[test]
fn ker_29_counters_not_seen_for_long_are_forgotten() {
    static FORGET: Op<(), ()> = Op::new("test.forget_counters", |tx, cx, ()| {
        let task = TaskRow::first_attempt(cx.id(), "counters.forget", "null", cx.wall);
        assert_eq!((kernel::counters::SERVICE.tasks[0].plan)(tx, cx, &task)?, Plan::Done);
        Ok(())
    });
    let world = World::new();
    world.main().watched.counters.add("device", "d1", Field::Sent, 1, Wall(NOON));
    world.kernel.flush_watched();
    world.clock.ran_ms.fetch_add(91 * 86_400_000, Ordering::Relaxed);
    world.main().watched.counters.add("device", "d2", Field::Sent, 1, Wall(NOON));
    world.kernel.flush_watched();
    world.call(&FORGET, world.request(), ()).unwrap();
    let names: Vec<String> = counters(&world, "device").into_iter().map(|counter| counter.name).collect();
    assert_eq!(names, ["d2"]);
}

fn rates(world: &World, kind: &str, span: Span) -> Rates {
    world.read(&RATES, RatesPage { kind: kind.into(), span, now: world.kernel.env().clock.wall() }).unwrap()
}

fn sent(rates: &Rates) -> Vec<(Wall, i64)> {
    rates.points.iter().filter(|point| point.sent > 0).map(|point| (point.at, point.sent)).collect()
}

#[test]
fn con_2_ker_29_minutes_hold_what_was_counted_once_by_kind() {
    let world = World::new();
    let count = |name: &str, number: i64| {
        let now = world.kernel.env().clock.wall();
        world.main().watched.counters.add("device", name, Field::Sent, number, now);
        world.kernel.flush_watched();
    };
    count("d1", 2);
    count("d2", 3);
    world.clock.wall_ms.fetch_add(3_600_000, Ordering::Relaxed);
    count("d1", 7);
    let day = rates(&world, "device", Span::Day);
    assert_eq!((day.unit_s, day.points.len()), (300, 288));
    assert_eq!(sent(&day), [(Wall(NOON), 5), (Wall(NOON + 3_600_000), 7)]);
    assert!(day.points[287].partial && day.points[287].sent == 7, "the current step is shown and marked");
    let week = rates(&world, "device", Span::Week);
    assert_eq!((week.unit_s, week.points.len()), (1_800, 336));
    assert_eq!(sent(&week).iter().map(|(_, sent)| sent).sum::<i64>(), 12);
    assert_eq!(sent(&rates(&world, "actor", Span::Week)), []);
    let rows = world.count(&MINUTES);
    assert_eq!(rows, 2, "one row for a kind, a minute and a node");
}

static TOLD: Sql = Sql::new("test.told", "SELECT value FROM setting WHERE name = 'counter_minutes'");
static SETTING: Sql = Sql::new(
    "test.set",
    "INSERT INTO setting (name, value) VALUES ('counter_minutes', ?1) ON CONFLICT (name) DO NOTHING",
);
static MINUTES: Sql = Sql::new("test.minutes", "SELECT COUNT(*) FROM counter_minute WHERE kind = 'device'");

#[test]
fn con_2_ker_29_the_last_minutes_are_read_from_memory_also_while_nothing_is_flushed() {
    let world = World::new();
    let counters = &world.main().watched.counters;
    for second in 0..700 {
        counters.add("device", "d1", Field::Sent, 1, Wall(NOON + second * 1_000));
        if second % 10 == 0 {
            world.kernel.flush_watched();
        }
    }
    let rates = counters.rates("device", Wall(NOON + 699_000));
    assert_eq!((rates.unit_s, rates.points.len()), (2, 300));
    assert!(rates.points.iter().all(|point| point.sent <= 2));
    assert!(sent(&rates).iter().map(|(_, sent)| sent).sum::<i64>() <= 600);
    assert_eq!(rates.points[299], Point { at: Wall(NOON + 698_000), sent: 2, partial: true, ..rates.points[299] });
}

#[test]
fn ker_29_minutes_are_forgotten_by_listening_time_and_a_jump_of_the_calendar_forgets_none() {
    static FORGET: Op<(), bool> = Op::new("test.forget_minutes", |tx, cx, ()| {
        let task = TaskRow::first_attempt(cx.id(), "counters.forget", "null", cx.wall);
        Ok((kernel::counters::SERVICE.tasks[0].plan)(tx, cx, &task)? == Plan::Done)
    });
    static SET: Op<String, ()> = Op::new("test.set", |tx, _, value| Ok(tx.write(&SETTING, args![value])?));
    let told = World::new();
    told.kernel.watch_over();
    let value = told.rows(&TOLD)[0].text(0).to_owned();
    let world = World::new();
    world.call(&SET, world.request(), value).unwrap();
    world.main().watched.counters.add("device", "d1", Field::Sent, 1, Wall(NOON));
    world.kernel.flush_watched();
    world.clock.wall_ms.fetch_add(365 * 86_400_000, Ordering::Relaxed);
    assert!(world.call(&FORGET, world.request(), ()).unwrap().out);
    assert_eq!(world.count(&MINUTES), 1);
    world.clock.ran_ms.fetch_add(7 * 86_400_000 + 1, Ordering::Relaxed);
    assert!(world.call(&FORGET, world.request(), ()).unwrap().out);
    assert_eq!(world.count(&MINUTES), 0);
}

#[test]
fn ker_29_an_operation_counts_when_it_is_committed_and_only_then() {
    static COUNTS: Op<bool, ()> = Op::new("test.counts", |_, cx, good| {
        cx.fx.count("device", "d1", &[(Field::Sent, 3)]);
        if *good { Ok(()) } else { Err(base::OpError::new(base::codes::ABODY, "refused")) }
    });
    let world = World::new();
    world.call(&COUNTS, world.request(), false).unwrap_err();
    world.call(&COUNTS, world.request(), true).unwrap();
    world.kernel.flush_watched();
    assert_eq!(counters(&world, "device")[0].sent, 3);
}
