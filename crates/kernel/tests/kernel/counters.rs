//! KER-29: counters are summed in memory and flushed as deltas, each once.

use std::sync::Mutex;

use base::{StoreError, Wall};
use kernel::counters::Field;
use kernel::counters::list::{CounterInfo, CounterPage, LIST_COUNTERS};
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
    world.clock.ran_ms.fetch_add(91 * 86_400_000, std::sync::atomic::Ordering::Relaxed);
    world.main().watched.counters.add("device", "d2", Field::Sent, 1, Wall(NOON));
    world.kernel.flush_watched();
    world.call(&FORGET, world.request(), ()).unwrap();
    let names: Vec<String> = counters(&world, "device").into_iter().map(|counter| counter.name).collect();
    assert_eq!(names, ["d2"]);
}
