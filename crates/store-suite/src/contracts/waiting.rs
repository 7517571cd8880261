//! Waiting for the store: not for ever (KER-7), and not in a line without end (KER-45).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base::limits::BATCH_US;
use base::{Outcome, StoreError, Verdict};

use crate::fixture::Fixture;
use crate::pace::LONG;
use crate::tables::{ids, insert, prepared, with_schema};
use crate::work::{Gate, Work, look, work};

const EXPIRED: Outcome = Outcome::Failed(StoreError::Expired);
const OVERLOADED: Outcome = Outcome::Failed(StoreError::Overloaded);

fn counting(runs: &Arc<AtomicU32>) -> Work {
    let runs = Arc::clone(runs);
    work("counting", move |_| {
        runs.fetch_add(1, Ordering::SeqCst);
        Ok(Verdict::Keep)
    })
}

/// Work whose caller has given up is wasted, and under overload it is what keeps a server from recovering.
pub fn ker_7_an_expired_job_does_not_run(fixture: &dyn Fixture) {
    let (store, runs) = (prepared(fixture), Arc::new(AtomicU32::new(0)));
    let past_us = fixture.clock().monotonic_us().saturating_sub(1);
    let told = [
        counting(&runs).deadline_us(past_us).outcome(store.as_ref()),
        counting(&runs).deadline_us(past_us).read(store.as_ref()).outcome(),
    ];
    assert_eq!((told, runs.load(Ordering::SeqCst)), ([EXPIRED, EXPIRED], 0));
    let soon_us = fixture.clock().monotonic_us() + u64::try_from(LONG.as_micros()).expect("a short time");
    assert_eq!(counting(&runs).deadline_us(soon_us).outcome(store.as_ref()), Outcome::Committed, "in time");
}

/// The deadline is looked at when the job's turn comes, not only when it is queued. A group commit that began in time may
/// still take it along, so this one is later by more than such a commit stays open.
pub fn ker_7_a_job_expires_while_it_waits(fixture: &dyn Fixture) {
    let (store, clock, runs) = (prepared(fixture), fixture.clock(), Arc::new(AtomicU32::new(0)));
    let gate = Gate::close(&store, 0);
    let deadline_us = clock.monotonic_us() + 2_000;
    let waiting = [deadline_us, u64::MAX, deadline_us]
        .map(|deadline_us| counting(&runs).keys(&[0]).deadline_us(deadline_us).submit(store.as_ref()));
    while clock.monotonic_us() <= deadline_us + 2 * BATCH_US {
        std::hint::spin_loop();
    }
    gate.open();
    let told = waiting.map(crate::work::Answer::outcome);
    assert_eq!((told, runs.load(Ordering::SeqCst)), ([EXPIRED, Outcome::Committed, EXPIRED], 1));
}

/// A queue without bound turns overload into memory growth and answers that come too late for all. The refused hear at
/// once, while the store is still busy; those that were taken are done.
pub fn ker_45_a_full_queue_answers_at_once(fixture: &dyn Fixture) {
    const QUEUE_MAX: usize = 8;
    let store = with_schema(fixture.open_small(QUEUE_MAX));
    let gate = Gate::close(&store, 0);
    let adding = |id: i64| work("adding", move |tx| insert(tx, id).map(|()| Verdict::Keep)).keys(&[0]);
    let answers: Vec<_> = (0..30).map(|id| adding(id).submit(store.as_ref())).collect();
    let early: Vec<_> = answers.iter().map(crate::work::Answer::now).collect();
    let taken = early.iter().filter(|answer| answer.is_none()).count();
    assert!((QUEUE_MAX - 1..=QUEUE_MAX + 1).contains(&taken), "{taken} of 30 were taken: {early:?}");
    assert!(store.waiting() + 1 >= taken, "{} waiting, {taken} were taken", store.waiting());
    gate.open();
    let late = early.into_iter().zip(answers).map(|(early, answer)| early.unwrap_or_else(|| answer.outcome()));
    for (at, outcome) in late.enumerate() {
        assert_eq!(outcome, if at < taken { Outcome::Committed } else { OVERLOADED }, "job {at}: the oldest first");
    }
    let taken = i64::try_from(taken).expect("a small number");
    assert_eq!(look(store.as_ref(), ids), (0..taken).collect::<Vec<_>>());
}
