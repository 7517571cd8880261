//! Budgets: one job cannot hold up the others for long (KER-7), nor ask for more than a list may be (KER-34).

use base::limits::OP_ROWS_MAX;
use base::{Outcome, Sql, StoreError, Verdict, args};

use crate::fixture::Fixture;
use crate::pace::as_long_write;
use crate::tables::{self, accounts, ids, insert, prepared};
use crate::work::{Work, change, look, work};

/// A read that would take minutes ends at its budget.
pub fn ker_7_a_long_read_ends_at_its_budget(fixture: &dyn Fixture) {
    ends_at_its_budget(fixture, || {
        work("long read", |tx| tx.query(&tables::ACCOUNT_LONG_READ, args![-1], 1).map(|_| Verdict::Keep))
    });
}

/// So does a write; SQLite drops the whole transaction when it is interrupted in one, its neighbours' part included.
pub fn ker_7_a_long_write_ends_at_its_budget(fixture: &dyn Fixture) {
    let _alone = as_long_write();
    ends_at_its_budget(fixture, || {
        work("long write", |tx| {
            insert(tx, 1_000)?;
            tx.execute(&tables::ACCOUNT_LONG_WRITE, args![-1, 0]).map(|_| Verdict::Keep)
        })
    });
}

fn ends_at_its_budget(fixture: &dyn Fixture, long: impl Fn() -> Work) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 200, 1));
    let neighbour = |id: i64| work("neighbour", move |tx| insert(tx, id).map(|()| Verdict::Keep));
    let before: Vec<_> = (0..5).map(|id| neighbour(id).submit(store.as_ref())).collect();
    let long = long().submit(store.as_ref());
    let after: Vec<_> = (5..10).map(|id| neighbour(id).submit(store.as_ref())).collect();
    for answer in before.into_iter().chain(after) {
        assert_eq!(answer.outcome(), Outcome::Committed, "a neighbour");
    }
    let outcome = long.outcome();
    assert!(is_over(&outcome, fixture.counts_steps()), "{outcome:?}");
    assert_eq!(look(store.as_ref(), ids), (0..10).collect::<Vec<_>>());
}

fn is_over(outcome: &Outcome, counts_steps: bool) -> bool {
    match outcome {
        Outcome::Failed(StoreError::Budget(_)) => true,
        Outcome::Failed(StoreError::Statement { .. }) => !counts_steps,
        _ => false,
    }
}

/// More rows than the caller is ready for is a bug that must show, not a list silently cut.
pub fn ker_34_more_rows_than_asked_for_is_an_error(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| (0..3).try_for_each(|id| insert(tx, id)));
    let asking = |rows_max: usize| {
        work("asking", move |tx| tx.query(&tables::VALUE_IDS, args![], rows_max).map(|_| Verdict::Keep))
    };
    for rows_max in 0..3 {
        let told = [asking(rows_max).outcome(store.as_ref()), asking(rows_max).read(store.as_ref()).outcome()];
        assert!(told.iter().all(|outcome| names(outcome, &tables::VALUE_IDS)), "{rows_max}: {told:?}");
    }
    assert_eq!(asking(3).outcome(store.as_ref()), Outcome::Committed, "as many as asked for is right");
    let one = work("one of three", |tx| tx.query_one(&tables::VALUE_IDS, args![]).map(|_| Verdict::Keep));
    assert!(names(&one.outcome(store.as_ref()), &tables::VALUE_IDS), "one row asked for, three given");
}

fn names(outcome: &Outcome, sql: &Sql) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Statement { statement, .. }) if *statement == sql.name)
}

/// The rows of all statements of a job together are bounded, or a loop of small reads would hold the writer.
pub fn ker_34_rows_of_one_job_are_bounded(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    for part in 0..2 {
        change(store.as_ref(), move |tx| {
            (part * 1_000..(part + 1) * 1_000).try_for_each(|id| tx.write(&tables::VALUE_INSERT_ID, args![id]))
        });
    }
    let greedy = work("greedy", |tx| {
        insert(tx, -1)?;
        (0..OP_ROWS_MAX / 2_000 + 1).try_for_each(|_| ids(tx).map(drop))?;
        Ok(Verdict::Keep)
    });
    let outcome = greedy.outcome(store.as_ref());
    assert!(matches!(outcome, Outcome::Failed(StoreError::Budget(_))), "{outcome:?}");
    assert_eq!(look(store.as_ref(), |tx| ids(tx).map(|ids| ids[0])), 0, "nothing of it is there");
}
