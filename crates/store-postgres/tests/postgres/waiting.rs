//! The queue: bounded, in order, and everybody is answered.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use base::{Outcome, Store, StoreError, StoreResult, Tx, Verdict, args};
use store_suite::{Answer, Gate, LONG, Work, change, work};

use crate::sandbox::{ITEM_IDS, ITEM_INSERT, Sandbox, amount, ids, insert, raise, until};

fn failed(error: StoreError) -> Outcome {
    Outcome::Failed(error)
}

#[test]
fn an_expired_job_does_not_run() {
    let sandbox = Sandbox::new();
    let store: Arc<dyn Store> = sandbox.open();
    let runs = Arc::new(AtomicU32::new(0));
    let job = || {
        let runs = Arc::clone(&runs);
        work("late", move |_| {
            runs.fetch_add(1, Ordering::Relaxed);
            Ok(Verdict::Keep)
        })
    };
    assert_eq!(job().deadline_us(sandbox.now_us() - 1).outcome(&*store), failed(StoreError::Expired));
    assert_eq!(job().deadline_us(sandbox.now_us() - 1).read(&*store).outcome(), failed(StoreError::Expired));
    let gate = Gate::close(&store, 1);
    let waiting = job().keys(&[1]).deadline_us(sandbox.now_us()).submit(&*store);
    let behind = insert(1).keys(&[1]).submit(&*store);
    gate.open();
    assert_eq!(waiting.outcome(), failed(StoreError::Expired));
    assert_eq!(behind.outcome(), Outcome::Committed);
    assert_eq!(runs.load(Ordering::Relaxed), 0);
}

/// Far more small reads than the time of its job allows.
fn endless(tx: &mut dyn Tx) -> StoreResult<Verdict> {
    (0..200_000).try_for_each(|_| tx.query(&ITEM_IDS, args![], 10).map(drop)).map(|()| Verdict::Keep)
}

#[test]
fn ker_7_a_job_ends_when_its_time_passes_in_its_work_and_its_neighbours_go_on() {
    let sandbox = Sandbox::new();
    let store: Arc<dyn Store> = sandbox.open();
    let soon = |job: Work| job.keys(&[1]).deadline_us(sandbox.now_us() + 300_000);
    let writing = || soon(work("endless", |tx| tx.write(&ITEM_INSERT, args![9, 0]).and_then(|()| endless(tx))));
    assert_eq!(writing().outcome(&*store), failed(StoreError::Late));
    assert_eq!(soon(work("endless read", endless)).read(&*store).outcome(), failed(StoreError::Late));
    let gate = Gate::close(&store, 1);
    let answers = [insert(1).keys(&[1]), writing(), insert(2).keys(&[1])].map(|job| job.submit(&*store));
    gate.open();
    let [before, late, behind] = answers.map(Answer::outcome);
    // On a busy machine its time may be over before its turn comes.
    assert!([failed(StoreError::Late), failed(StoreError::Expired)].contains(&late), "{late:?}");
    assert_eq!((before, behind), (Outcome::Committed, Outcome::Committed));
    assert_eq!(ids(&*store), [1, 2]);
}

#[test]
fn a_full_queue_answers_at_once() {
    let sandbox = Sandbox::new();
    let store: Arc<dyn Store> = sandbox.open_with(|config| config.queue_max = 3);
    let gate = Gate::close(&store, 1);
    let waiting: Vec<_> = (0..3).map(|id| insert(id).keys(&[1]).submit(&*store)).collect();
    assert_eq!(store.waiting(), 3);
    let refused = insert(9).keys(&[1]).submit(&*store);
    assert_eq!(refused.now(), Some(failed(StoreError::Overloaded)));
    gate.open();
    assert!(waiting.into_iter().all(|answer| answer.outcome() == Outcome::Committed));
    assert_eq!(store.waiting(), 0);
    assert_eq!(insert(9).outcome(&*store), Outcome::Committed);
}

#[test]
fn a_full_queue_of_readers_answers_at_once() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_with(|config| (config.queue_max, config.readers) = (1, 1));
    let (running, runs) = channel();
    let (open, opened) = channel::<()>();
    let holding = work("holds", move |_| {
        running.send(()).expect("somebody listens");
        let _ = opened.recv_timeout(LONG);
        Ok(Verdict::Keep)
    });
    let idle = || work("idle", |_| Ok(Verdict::Keep));
    let held = holding.read(&*store);
    runs.recv_timeout(LONG).expect("it runs");
    let waiting = idle().read(&*store);
    assert_eq!(idle().read(&*store).now(), Some(failed(StoreError::Overloaded)));
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed, "writers are not behind readers");
    drop(open);
    assert_eq!((held.outcome(), waiting.outcome()), (Outcome::Committed, Outcome::Committed));
}

#[test]
fn keys_in_conflicting_orders_run_and_add_up() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| (0..4).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 0])));
    let job = |number: i64| -> Work {
        let (one, two) = (number % 4, (number * 3 + 1) % 4);
        work("two keys", move |tx| {
            raise(tx, one)?;
            raise(tx, two)?;
            Ok(Verdict::Keep)
        })
        .keys(&[one, two])
    };
    let answers: Vec<_> = (0..200).map(|number| job(number).submit(&*store)).collect();
    assert!(answers.into_iter().all(|answer| answer.outcome() == Outcome::Committed));
    assert_eq!((0..4).map(|id| amount(&*store, id)).sum::<i64>(), 400);
}

#[test]
fn closing_answers_everybody_and_keeps_the_data() {
    let sandbox = Sandbox::new();
    let store: Arc<dyn Store> = sandbox.open();
    let gate = Gate::close(&store, 1);
    let waiting: Vec<_> = (0..20).map(|id| insert(id).keys(&[1]).submit(&*store)).collect();
    let gate = std::sync::Mutex::new(Some(gate));
    host::side_by_side(2, |side| {
        if side == 0 {
            return store.close();
        }
        // The gate opens only after closing has begun.
        let is_closing = || matches!(insert(50).outcome(&*store), Outcome::Failed(StoreError::Unavailable(_)));
        until("the store closes", is_closing);
        gate.lock().expect("a lock").take().expect("the gate").open();
    });
    assert!(waiting.into_iter().all(|answer| answer.outcome() == Outcome::Committed));
    assert!(matches!(insert(51).read(&*store).outcome(), Outcome::Failed(StoreError::Unavailable(_))));
    let left: Vec<_> = ids(&*sandbox.open()).into_iter().filter(|id| *id < 50).collect();
    assert_eq!(left, (0..20).collect::<Vec<_>>());
}

#[test]
fn a_store_can_be_opened_and_closed_inside_an_async_runtime() {
    let sandbox = Sandbox::new();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(async {
        let store = sandbox.open();
        assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
        store.close();
        drop(store);
    });
}

#[test]
fn the_last_handle_may_be_dropped_by_an_answer() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let (tell, told) = channel();
    let (last, (go, gone)) = (Arc::clone(&store), channel::<()>());
    let answer = insert(1).then(move |_| {
        let _ = gone.recv_timeout(LONG);
        drop(last);
        tell.send(()).expect("somebody listens");
    });
    let answer = answer.submit(&*store);
    drop(store);
    drop(go);
    told.recv_timeout(LONG).expect("it did not wait for itself");
    assert_eq!(answer.outcome(), Outcome::Committed);
}
