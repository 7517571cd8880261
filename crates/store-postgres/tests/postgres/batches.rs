//! Several jobs in one transaction: they share a COMMIT and nothing else.

use std::sync::Arc;

use base::{Outcome, Sql, Store, StoreError, Verdict, args};
use store_postgres::PostgresStore;
use store_suite::{Gate, Work, change, work};

use crate::sandbox::{
    ITEM_AMOUNT, ITEM_INSERT, ITEM_RETURNING, ITEM_SET, Sandbox, WORD_INSERT, amount, ids, insert, outcomes, raise,
};

const KEY: i64 = 7;
static DIVIDE: Sql = Sql::new("divide", "SELECT 1 / amount FROM item WHERE id = ?1");

/// Runs jobs of one key that wait together behind a gate; gives their outcomes and the number of commits.
fn queued(store: &Arc<PostgresStore>, jobs: Vec<Work>) -> (Vec<Outcome>, u64) {
    let shared: Arc<dyn Store> = store.clone();
    let gate = Gate::close(&shared, KEY);
    let before = store.counters().commits;
    let answers: Vec<_> = jobs.into_iter().map(|job| job.keys(&[KEY]).submit(&**store)).collect();
    gate.open();
    let outcomes = answers.into_iter().map(store_suite::Answer::outcome).collect();
    // The gate's own commit is one of them.
    (outcomes, store.counters().commits - before - 1)
}

/// A store whose batches are closed by nothing but their size.
fn store(sandbox: &Sandbox) -> Arc<PostgresStore> {
    let store = sandbox.open_with(|config| config.batch_us = 20_000_000);
    change(&*store, |tx| tx.write(&ITEM_INSERT, args![0, 0]));
    store
}

fn counting() -> Work {
    work("count", |tx| raise(tx, 0).map(|_| Verdict::Keep))
}

/// A batch in which one job is `odd` and the others count; the others must be whole.
fn one_among_many(odd: fn() -> Work, is_right: impl Fn(&Outcome) -> bool) {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    for place in [0, 3, 6] {
        let before = amount(&*store, 0);
        let jobs = (0..7).map(|number| if number == place { odd() } else { counting() }).collect();
        let (mut outcomes, commits) = queued(&store, jobs);
        let outcome = outcomes.remove(place);
        assert!(is_right(&outcome), "{outcome:?} at {place}");
        assert_eq!(outcomes, vec![Outcome::Committed; 6], "the others at {place}");
        assert_eq!(amount(&*store, 0), before + 6, "nothing of the odd one is left at {place}");
        assert_eq!(ids(&*store), [0], "at {place}");
        assert!(commits <= 2, "{commits} commits for 7 jobs at {place}");
    }
}

#[test]
fn one_key_shares_a_commit_and_keeps_its_order() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    let (tell, told) = std::sync::mpsc::channel();
    let job = |number: i64| {
        let tell = tell.clone();
        work("ordered", move |tx| {
            let amount = raise(tx, 0)?;
            tell.send((number, amount)).expect("somebody listens");
            Ok(Verdict::Keep)
        })
    };
    let (outcomes, commits) = queued(&store, (1..=30).map(job).collect());
    assert_eq!(outcomes, vec![Outcome::Committed; 30]);
    assert_eq!(told.try_iter().collect::<Vec<_>>(), (1..=30).map(|number| (number, number)).collect::<Vec<_>>());
    assert!(commits <= 3, "{commits} commits for 30 jobs");
    assert_eq!(amount(&*store, 0), 30);
}

#[test]
fn an_undone_job_leaves_its_batch_whole() {
    let odd = || {
        work("undone", |tx| {
            tx.write(&ITEM_INSERT, args![5, 0])?;
            tx.write(&ITEM_SET, args![0, 1_000])?;
            Ok(Verdict::Undo)
        })
    };
    one_among_many(odd, |outcome| *outcome == Outcome::Undone);
}

#[test]
fn a_job_that_is_undone_after_it_was_sent_leaves_its_batch_whole() {
    let odd = || {
        work("undone late", |tx| {
            tx.write(&ITEM_SET, args![0, 1_000])?;
            assert_eq!(tx.query_one(&ITEM_AMOUNT, args![0])?.map(|row| row.int(0)), Some(1_000));
            tx.write(&ITEM_INSERT, args![5, 0])?;
            Ok(Verdict::Undo)
        })
    };
    one_among_many(odd, |outcome| *outcome == Outcome::Undone);
}

#[test]
fn a_panic_leaves_its_batch_whole() {
    let odd = || {
        work("panics", |tx| {
            tx.execute(&ITEM_SET, args![0, 1_000])?;
            tx.write(&ITEM_INSERT, args![5, 0])?;
            panic!("out of tea")
        })
    };
    one_among_many(odd, |outcome| *outcome == Outcome::Panicked("out of tea".into()));
}

#[test]
fn a_broken_rule_of_a_buffered_write_leaves_its_batch_whole() {
    let odd = || {
        work("buffered twice", |tx| {
            tx.write(&ITEM_SET, args![0, 1_000])?;
            tx.write(&WORD_INSERT, args!["one"])?;
            tx.write(&WORD_INSERT, args!["one"])?;
            Ok(Verdict::Keep)
        })
    };
    let is_right =
        |outcome: &Outcome| matches!(outcome, Outcome::Failed(StoreError::Constraint { statement: "word.insert", .. }));
    one_among_many(odd, is_right);
}

#[test]
fn a_broken_rule_of_a_returning_insert_leaves_its_batch_whole() {
    let odd = || {
        work("returning twice", |tx| {
            tx.write(&ITEM_SET, args![0, 1_000])?;
            tx.query_one(&ITEM_RETURNING, args![0, 0]).map(|_| Verdict::Keep)
        })
    };
    let is_right = |outcome: &Outcome| {
        matches!(outcome, Outcome::Failed(StoreError::Constraint { statement: "item.insert_returning", .. }))
    };
    one_among_many(odd, is_right);
}

#[test]
fn a_read_that_fails_leaves_its_batch_whole() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    change(&*store, |tx| tx.write(&ITEM_INSERT, args![1, 0]));
    let odd = work("divides", |tx| tx.query_one(&DIVIDE, args![1]).map(|_| Verdict::Keep));
    let (mut outcomes, commits) = queued(&store, vec![counting(), counting(), odd, counting()]);
    let failed = outcomes.remove(2);
    assert!(matches!(&failed, Outcome::Failed(StoreError::Statement { statement: "divide", .. })), "{failed:?}");
    assert_eq!(outcomes, vec![Outcome::Committed; 3]);
    assert_eq!(amount(&*store, 0), 3);
    assert!(commits <= 2, "{commits} commits");
}

#[test]
fn a_wrong_statement_leaves_its_batch_whole() {
    static WRONG: Sql = Sql::new("wrong", "SELECT nothing FROM nowhere");
    let odd = || work("wrong", |tx| tx.query_one(&WRONG, args![]).map(|_| Verdict::Keep));
    let is_right =
        |outcome: &Outcome| matches!(outcome, Outcome::Failed(StoreError::Statement { statement: "wrong", .. }));
    one_among_many(odd, is_right);
}

#[test]
fn a_job_that_goes_on_after_its_error_is_refused() {
    let odd = || {
        work("goes on", |tx| {
            let _ = tx.execute(&ITEM_INSERT, args![0, 0]);
            let _ = tx.write(&ITEM_INSERT, args![5, 0]);
            Ok(Verdict::Keep)
        })
    };
    let is_right = |outcome: &Outcome| matches!(outcome, Outcome::Failed(StoreError::Constraint { .. }));
    one_among_many(odd, is_right);
}

#[test]
fn two_errors_in_one_batch_find_their_jobs() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    let twice = |id| {
        work("twice", move |tx| {
            tx.write(&ITEM_INSERT, args![id, 0])?;
            tx.write(&ITEM_INSERT, args![id, 0]).map(|()| Verdict::Keep)
        })
    };
    let (outcomes, _) = queued(&store, vec![insert(1), twice(2), insert(3), twice(4), insert(5)]);
    let kept: Vec<bool> = outcomes.iter().map(|outcome| *outcome == Outcome::Committed).collect();
    assert_eq!(kept, [true, false, true, false, true]);
    assert_eq!(ids(&*store), [0, 1, 3, 5]);
}

#[test]
fn jobs_of_different_keys_share_commits_when_many_wait() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_with(|config| (config.workers, config.batch_us) = (2, 20_000_000));
    let shared: Arc<dyn Store> = store.clone();
    let gates = [Gate::close(&shared, -1), Gate::close(&shared, -2)];
    let before = store.counters();
    let answers: Vec<_> = (0..64).map(|id| insert(id).keys(&[id]).submit(&*store)).collect();
    gates.into_iter().for_each(Gate::open);
    assert!(answers.into_iter().all(|answer| answer.outcome() == Outcome::Committed));
    let after = store.counters();
    assert_eq!(after.operations - before.operations, 66);
    assert!(after.commits - before.commits <= 20, "{} commits", after.commits - before.commits);
    assert_eq!(ids(&*store), (0..64).collect::<Vec<_>>());
}

#[test]
fn lone_jobs_that_fail_do_not_harm_each_other() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    let jobs = vec![work("panics", |_| panic!("no")), insert(0), insert(1), work("undone", |_| Ok(Verdict::Undo))];
    let outcomes = outcomes(&*store, jobs);
    assert_eq!(outcomes[0], Outcome::Panicked("no".into()));
    assert!(matches!(outcomes[1], Outcome::Failed(StoreError::Constraint { .. })));
    assert_eq!(outcomes[2..], [Outcome::Committed, Outcome::Undone]);
}

#[test]
fn a_panic_in_an_answer_harms_nobody() {
    let sandbox = Sandbox::new();
    let store = store(&sandbox);
    let shared: Arc<dyn Store> = store.clone();
    let gate = Gate::close(&shared, KEY);
    let rude = insert(1).keys(&[KEY]).then(|_| panic!("rude")).submit(&*store);
    let polite = insert(2).keys(&[KEY]).submit(&*store);
    gate.open();
    assert_eq!(polite.outcome(), Outcome::Committed);
    drop(rude);
    assert_eq!(ids(&*store), [0, 1, 2]);
}
