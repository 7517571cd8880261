//! A full disk (KER-31, cells D1 and D3 of the fault matrix).

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use base::{Health, Outcome, Store, Verdict, args};

use crate::fixture::Fixture;
use crate::pace::{no_room, until_committed};
use crate::tables::{self, accounts, balances, ids, insert, prepared};
use crate::work::{Gate, Work, change, look, work};

/// Eight rows of a mebibyte: more than a full disk still takes.
const BIG_ROWS: i64 = 8;
const BIG_FIRST: i64 = 1_000;

fn big() -> Work {
    work("big", |tx| {
        let bytes = vec![0xA5; 1 << 20];
        for id in BIG_FIRST..BIG_FIRST + BIG_ROWS {
            tx.execute(&tables::VALUE_INSERT_BLOB, args![id, bytes.as_slice()])?;
        }
        Ok(Verdict::Keep)
    })
}

fn add_one(account: i64) -> Work {
    work("add one", move |tx| {
        tx.execute(&tables::ACCOUNT_ADD, args![account, 1])?;
        Ok(Verdict::Keep)
    })
}

fn fills(fixture: &dyn Fixture, store: &Arc<dyn Store>) -> bool {
    let can = fixture.fill_disk(store.as_ref(), true);
    if !can {
        eprintln!("the disk of this engine cannot be filled here; nothing to check");
    }
    can
}

/// All or nothing when there is no room; reads go on; work that ends something may use the reserve; and when there is
/// room again the store takes work by itself, without a restart.
pub fn ker_31_a_full_disk_refuses_writes_and_serves_reads(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 1, 0).and_then(|()| insert(tx, 1)));
    if !fills(fixture, &store) {
        return;
    }
    let refused = big().outcome(store.as_ref());
    assert!(no_room(&refused), "{refused:?}");
    assert_eq!(look(store.as_ref(), ids), [1], "nothing of it is there, and reads go on");
    assert!(!matches!(store.health(), Health::Down(_)), "{:?}", store.health());
    if fixture.full_disk_takes_updates() {
        assert_eq!(add_one(0).ending().outcome(store.as_ref()), Outcome::Committed, "work can be ended");
    }
    fixture.fill_disk(store.as_ref(), false);
    until_committed(|| big().outcome(store.as_ref()));
    let whole: Vec<i64> = [1].into_iter().chain(BIG_FIRST..BIG_FIRST + BIG_ROWS).collect();
    assert_eq!(look(store.as_ref(), ids), whole);
}

/// When one job of a group commit runs the engine out of room, the whole transaction may be gone; the others run again.
/// However often they run, each is done once if it was acknowledged, and not at all if it was not. Those behind it may be
/// refused: the store then takes no new work for a while.
pub fn ker_31_a_job_that_does_not_fit_leaves_its_batch_whole(fixture: &dyn Fixture) {
    const JOBS: i64 = 40;
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, JOBS, 0));
    if !fills(fixture, &store) {
        return;
    }
    let (outcomes, runs) = around_a_big_one(&store, JOBS);
    fixture.fill_disk(store.as_ref(), false);
    let done: Vec<i64> = outcomes.iter().map(|outcome| i64::from(*outcome == Outcome::Committed)).collect();
    let refused_well = outcomes.iter().all(|outcome| *outcome == Outcome::Committed || no_room(outcome));
    assert!(refused_well, "{outcomes:?}");
    assert_eq!(look(store.as_ref(), |tx| Ok((balances(tx)?, ids(tx)?))), (done.clone(), vec![]));
    assert!(done.iter().zip(&runs).all(|(done, runs)| *done == 0 || *runs > 0), "{done:?} {runs:?}");
    if fixture.full_disk_takes_updates() {
        let before = &done[..done.len() / 2];
        assert!(!before.contains(&0), "some that needed no room and came first were refused: {outcomes:?}");
    }
    until_committed(|| add_one(0).outcome(store.as_ref()));
}

/// A big job in the middle of small ones, all queued together: what became of the small ones, and how often each ran.
fn around_a_big_one(store: &Arc<dyn Store>, jobs: i64) -> (Vec<Outcome>, Vec<u32>) {
    let runs: Vec<_> = (0..jobs).map(|_| Arc::new(AtomicU32::new(0))).collect();
    let gate = Gate::close(store, 0);
    let small = |id: i64, runs: &Arc<AtomicU32>| counted(id, runs).submit(store.as_ref());
    let (before, after) = runs.split_at(runs.len() / 2);
    let mut answers: Vec<_> = (0..).zip(before).map(|(id, runs)| small(id, runs)).collect();
    let big = big().keys(&[0]).submit(store.as_ref());
    answers.extend((0..).zip(&runs).skip(before.len()).take(after.len()).map(|(id, runs)| small(id, runs)));
    gate.open();
    let refused = big.outcome();
    assert!(no_room(&refused), "{refused:?}");
    let outcomes = answers.into_iter().map(crate::work::Answer::outcome).collect();
    (outcomes, runs.iter().map(|runs| runs.load(Ordering::SeqCst)).collect())
}

fn counted(account: i64, runs: &Arc<AtomicU32>) -> Work {
    let runs = Arc::clone(runs);
    let run = work("counted", move |tx| {
        runs.fetch_add(1, Ordering::SeqCst);
        tx.execute(&tables::ACCOUNT_ADD, args![account, 1])?;
        Ok(Verdict::Keep)
    });
    run.keys(&[0])
}
