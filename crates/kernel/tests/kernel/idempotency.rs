//! KER-10, KER-11: repeated requests, caller's time and build.

use std::sync::atomic::Ordering;

use base::limits::ANSWER_STORED_MAX;
use base::{Id, OpError, Sql, Stamp, Wall, args, codes};
use kernel::ops::forget_requests::{FORGET_REQUESTS, ForgetRequests};
use kernel::{KernelConfig, Op, Request};

use crate::world::{NOON, THING_INSERT, THINGS, World, error_code, insert_thing};

static INSERT: Op<(), String> = Op::new("test.insert", |tx, cx, ()| insert_thing(tx, cx));
static REFUSE_TWICE: Op<i64, i64> = Op::new("test.refuse", |tx, cx, limit| {
    let things = tx.query_one(&THINGS, args![])?.map_or(0, |row| row.int(0));
    if things >= *limit {
        return Err(OpError::new(codes::ALIMIT, format!("{things} things already")));
    }
    insert_thing(tx, cx)?;
    Ok(things)
});
static REQUESTS: Sql = Sql::new("test.requests", "SELECT COUNT(*) FROM request");

fn once(world: &World, key: &str) -> Request {
    world.request().once("POST /things", key, [1; 32])
}

#[test]
fn ker_10_the_second_call_gives_the_first_answer_and_does_nothing() {
    let world = World::new();
    let first = world.call(&INSERT, once(&world, "a"), ()).unwrap();
    let second = world.call(&INSERT, once(&world, "a"), ()).unwrap();
    assert_eq!((second.out, second.version), (first.out, first.version));
    assert!(second.replayed && !first.replayed);
    assert_eq!(world.count(&THINGS), 1);
    world.check_invariants();
}

#[test]
fn ker_10_a_repeat_is_answered_though_the_operation_would_now_refuse() {
    let world = World::new();
    let first = world.call(&REFUSE_TWICE, once(&world, "a"), 1).unwrap();
    let again = world.call(&REFUSE_TWICE, once(&world, "a"), 1).unwrap();
    assert_eq!((first.out, again.out, again.replayed), (0, 0, true));
    assert_eq!(error_code(world.call(&REFUSE_TWICE, once(&world, "b"), 1)).0, "ALIMIT");
}

#[test]
fn ker_10_refusals_are_not_stored() {
    let world = World::new();
    world.call(&INSERT, once(&world, "x"), ()).unwrap();
    assert_eq!(error_code(world.call(&REFUSE_TWICE, once(&world, "a"), 1)).0, "ALIMIT");
    assert_eq!(world.count(&REQUESTS), 1);
    assert_eq!(world.call(&REFUSE_TWICE, once(&world, "a"), 2).unwrap().out, 1, "the same key may try again");
}

#[test]
fn ker_10_the_same_key_with_another_body_is_refused_and_changes_nothing() {
    let world = World::new();
    world.call(&INSERT, once(&world, "a"), ()).unwrap();
    let other = world.request().once("POST /things", "a", [2; 32]);
    assert_eq!(error_code(world.call(&INSERT, other, ())), ("AKEYREUSED", 1));
    assert_eq!(world.count(&THINGS), 1);
}

#[test]
fn ker_10_caller_route_and_key_together_are_the_scope() {
    let world = World::new();
    let other_route = world.request().once("POST /others", "a", [1; 32]);
    let mut other_caller = once(&world, "a");
    other_caller.caller = kernel::Caller::server("other");
    for request in [once(&world, "a"), other_route, other_caller, once(&world, "b")] {
        assert!(!world.call(&INSERT, request, ()).unwrap().replayed);
    }
    assert_eq!(world.count(&THINGS), 4);
}

#[test]
fn ker_10_large_answers_are_rebuilt_from_the_first_calls_ids() {
    static LARGE: Op<(), String> = Op::new("test.large", |tx, cx, ()| {
        let id = cx.id();
        tx.write(&THING_INSERT, args![id, cx.stamp()])?;
        Ok(large(id))
    })
    .rebuilt(|_, cx, ()| Ok(large(cx.id())));
    fn large(id: Id) -> String {
        id.to_string().repeat(1000)
    }
    let world = World::new();
    let first = world.call(&LARGE, once(&world, "a"), ()).unwrap();
    let again = world.call(&LARGE, once(&world, "a"), ()).unwrap();
    assert_eq!((again.out, again.replayed), (first.out, true));
}

#[test]
fn ker_10_a_large_answer_is_kept_and_one_beyond_the_bound_is_a_detected_bug_at_once_and_nothing_is_done() {
    static LARGE: Op<usize, String> = Op::new("test.too_large", |tx, cx, length| {
        insert_thing(tx, cx)?;
        // Two quotes come to the answer's JSON.
        Ok("x".repeat(length - 2))
    });
    let world = World::new();
    let first = world.call(&LARGE, once(&world, "a"), ANSWER_STORED_MAX).unwrap();
    let again = world.call(&LARGE, once(&world, "a"), ANSWER_STORED_MAX).unwrap();
    assert_eq!((again.out, again.replayed), (first.out, true));
    assert_eq!(error_code(world.call(&LARGE, once(&world, "b"), ANSWER_STORED_MAX + 1)).0, "BDETECTED");
    assert_eq!(world.count(&THINGS), 1);
    assert!(world.pauses.lock().unwrap().is_empty(), "no other attempt would give a smaller answer");
}

#[test]
fn ker_10_answers_are_kept_24_hours_of_listening_time_then_forgotten() {
    let world = World::new();
    world.call(&INSERT, once(&world, "a"), ()).unwrap();
    let forget = || world.call(&FORGET_REQUESTS, world.request(), ForgetRequests { limit: 10 }).unwrap().out.count;
    world.clock.wall_ms.fetch_add(400 * 86_400_000, Ordering::Relaxed);
    assert_eq!(forget(), 0, "a jump of the calendar forgets nothing");
    world.clock.ran_ms.fetch_add(86_400_000, Ordering::Relaxed);
    assert_eq!(forget(), 0);
    world.clock.ran_ms.fetch_add(1, Ordering::Relaxed);
    assert_eq!(forget(), 1);
    assert!(!world.call(&INSERT, once(&world, "a"), ()).unwrap().replayed);
}

#[test]
fn ker_10_op_time_may_not_lie_ahead_nor_be_older_than_a_day() {
    let world = World::new();
    let at = |ms: i64| Request { op_time: Some(Stamp::from_wall(Wall(NOON + ms))), ..world.request() };
    for good in [2_000, 0, -86_399_999] {
        assert!(world.call(&INSERT, at(good), ()).is_ok(), "{good}");
    }
    for bad in [2_001, 86_400_000, -86_400_000] {
        assert_eq!(error_code(world.call(&INSERT, at(bad), ())), ("AOPTIME", 0), "{bad}");
    }
    assert_eq!(world.count(&THINGS), 3);
}

#[test]
fn ker_10_operations_see_op_time_and_start_time() {
    static TIMES: Op<(), (Option<i64>, i64)> =
        Op::new("test.times", |_, cx, ()| Ok((cx.op_time.map(Stamp::number), cx.wall.0)));
    let world = World::new();
    let op_time = Stamp::from_wall(Wall(NOON - 5));
    let request = Request { op_time: Some(op_time), ..world.request() };
    assert_eq!(world.call(&TIMES, request, ()).unwrap().out, (Some(op_time.number()), NOON));
}

#[test]
fn ker_11_an_old_build_is_refused() {
    let world = World::with(KernelConfig { build_min: 7, ..KernelConfig::default() });
    let build = |build| Request { build, ..world.request() };
    assert_eq!(error_code(world.call(&INSERT, build(Some(6)), ())), ("DBUILD", 0));
    assert!(world.call(&INSERT, build(Some(7)), ()).is_ok());
    assert!(world.call(&INSERT, build(None), ()).is_ok());
}
