//! KER-6, KER-7, KER-9: attempts, phases, codes.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base::{OpError, codes};
use kernel::Op;

use crate::world::{THINGS, World, error_code, insert_thing};

type Runs = Arc<AtomicU32>;

/// Writes, then fails with a fault until its third run.
static FLAKY: Op<Runs, String> = Op::new("test.flaky", |tx, cx, runs| {
    let id = insert_thing(tx, cx)?;
    match runs.fetch_add(1, Ordering::Relaxed) {
        0 | 1 => Err(OpError::new(codes::XUNEXPECTED, "not yet")),
        _ => Ok(id),
    }
});

static REFUSED: Op<Runs, ()> = Op::new("test.refused", |tx, cx, runs| {
    runs.fetch_add(1, Ordering::Relaxed);
    insert_thing(tx, cx)?;
    Err(OpError::new(codes::ALIMIT, "no"))
});

static PANICS: Op<Runs, ()> = Op::new("test.panics", |tx, cx, runs| {
    runs.fetch_add(1, Ordering::Relaxed);
    insert_thing(tx, cx)?;
    panic!("a bug in the work")
});

static BAD_AFTERWORK: Op<Runs, String> = Op::new("test.bad_afterwork", |tx, cx, runs: &Runs| {
    runs.fetch_add(1, Ordering::Relaxed);
    insert_thing(tx, cx)
})
.then(|_, _| panic!("a bug in the afterwork"));

static STAMPED: Op<(), i64> = Op::new("test.stamped", |tx, cx, ()| {
    insert_thing(tx, cx)?;
    Ok(0)
})
.then(|out, stamp| *out = stamp.number());

#[test]
fn ker_7_a_fault_is_run_again_with_growing_pauses_and_leaves_one_trace() {
    let world = World::new();
    let runs = Runs::default();
    let reply = world.call(&FLAKY, world.request(), runs.clone()).unwrap();
    assert_eq!(runs.load(Ordering::Relaxed), 3);
    assert_eq!(world.count(&THINGS), 1);
    assert!(reply.version.is_some());
    let pauses = world.pauses.lock().unwrap().clone();
    assert!((5..=15).contains(&pauses[0]) && (20..=60).contains(&pauses[1]), "{pauses:?}");
}

#[test]
fn ker_7_ker_6_a_refusal_fails_at_once_and_leaves_no_trace() {
    let world = World::new();
    let runs = Runs::default();
    assert_eq!(error_code(world.call(&REFUSED, world.request(), runs.clone())), ("ALIMIT", 1));
    assert_eq!((runs.load(Ordering::Relaxed), world.count(&THINGS)), (1, 0));
}

#[test]
fn ker_7_ker_6_a_panic_is_a_detected_bug_three_attempts_no_trace() {
    let world = World::new();
    let runs = Runs::default();
    let error = world.call(&PANICS, world.request(), runs.clone()).unwrap_err();
    assert_eq!((error.code, error.phase as u8), (codes::BPANIC, 1));
    assert!(error.message.contains("a bug in the work"), "{error}");
    assert_eq!((runs.load(Ordering::Relaxed), world.count(&THINGS)), (3, 0));
}

#[test]
fn ker_7_an_error_after_validation_means_committed_and_carries_the_version() {
    let world = World::new();
    let runs = Runs::default();
    let error = world.call(&BAD_AFTERWORK, world.request(), runs.clone()).unwrap_err();
    assert_eq!((error.code, error.phase as u8), (codes::BPANIC, 3));
    assert!(error.version.is_some());
    assert_eq!((runs.load(Ordering::Relaxed), world.count(&THINGS)), (1, 1), "never run again, and committed");
}

#[test]
fn ker_7_afterwork_puts_the_stamp_into_the_result_of_the_first_and_of_a_repeated_call() {
    let world = World::new();
    let request = || world.request().once("POST /t", "k1", [1; 32]);
    let first = world.call(&STAMPED, request(), ()).unwrap();
    assert_eq!(Some(first.out), first.version.map(|stamp| stamp.number()));
    world.clock.wall_ms.fetch_add(5_000, Ordering::Relaxed);
    let again = world.call(&STAMPED, request(), ()).unwrap();
    assert_eq!((again.out, again.replayed), (first.out, true));
}

#[test]
fn ker_7_over_ten_seconds_is_code_t() {
    static SLOW: Op<Arc<crate::world::ManualClock>, ()> = Op::new("test.slow", |_, _, clock| {
        clock.ran_ms.fetch_add(10_000, Ordering::Relaxed);
        Err(OpError::new(codes::XUNEXPECTED, "the disk is slow"))
    });
    let world = World::new();
    let error = world.call(&SLOW, world.request(), world.clock.clone()).unwrap_err();
    assert_eq!(error.code, codes::TTIME);
    assert!(error.detail[0].contains("the disk is slow"), "{error:?}");
}

/// A later attempt that could not even run does not turn "unknown" into "not done".
#[test]
fn ker_41_an_unknown_outcome_stays_unknown_until_the_row_tells() {
    let world = World::new();
    let unknown = base::StoreError::Unknown("cut at COMMIT".into());
    let down = base::StoreError::Unavailable("down".into());
    let script = vec![unknown, down.clone(), down];
    let error =
        world.call_on_failing_store(&STAMPED, world.request().once("POST /t", "k", [1; 32]), (), script).unwrap_err();
    assert_eq!((error.code, error.phase as u8, error.outcome_unknown), (codes::XSTORE, 2, true));
}

#[test]
fn ker_6_all_writes_of_an_operation_carry_one_stamp() {
    static TWO: Op<(), ()> = Op::new("test.two", |tx, cx, ()| {
        insert_thing(tx, cx)?;
        insert_thing(tx, cx)?;
        Ok(())
    });
    static VERSIONS: base::Sql = base::Sql::new("test.versions", "SELECT COUNT(DISTINCT version), COUNT(*) FROM thing");
    let world = World::new();
    world.call(&TWO, world.request(), ()).unwrap();
    let row = &world.rows(&VERSIONS)[0];
    assert_eq!((row.int(0), row.int(1)), (1, 2));
}

#[test]
fn operations_are_found_by_name_and_take_json() {
    let world = World::new();
    let call = |name: &str, input| {
        let (tell, told) = std::sync::mpsc::channel();
        let operation = world.kernel.operation(name).expect("an operation");
        let done = Box::new(move |reply| tell.send(reply).unwrap());
        operation.call_json(&world.kernel, &world.main(), world.request(), input, done);
        told.try_recv().unwrap()
    };
    assert_eq!(
        call("request.forget", serde_json::json!({ "limit": 5 })).unwrap().out,
        serde_json::json!({ "count": 0 })
    );
    assert_eq!(error_code(call("request.forget", serde_json::json!({ "limit": "5" }))), ("ABODY", 0));
    assert!(world.kernel.operation("no.such").is_none());
}
