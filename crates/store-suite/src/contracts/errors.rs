//! The first error of a transaction is final on every engine (KER-6). PostgreSQL aborts by itself; SQLite would go on, and
//! an operation that overlooked an error would commit a half.

use base::{Outcome, Sql, StoreError, Verdict, args};

use crate::fixture::Fixture;
use crate::tables::{self, ids, insert, prepared};
use crate::work::{Gate, Work, change, look, work};

static MISSING: Sql = Sql::new("suite_missing.all", "SELECT id FROM suite_missing ORDER BY id");

/// Whether the job failed by a broken rule in this statement.
fn broke_a_rule(outcome: &Outcome, name: &str) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Constraint { statement, .. }) if *statement == name)
}

/// After the first error every call answers `Poisoned`, whatever it asks; the job fails with the first error and the
/// name of its statement, although it says keep, and nothing it wrote stays.
pub fn ker_6_the_first_error_is_final(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| insert(tx, 1));
    let (tell, told) = std::sync::mpsc::channel();
    let job = work("overlooks errors", move |tx| {
        insert(tx, 2)?;
        let first = insert(tx, 1);
        let later = [insert(tx, 3), ids(tx).map(drop), tx.write(&tables::VALUE_DELETE, args![1])];
        // The contract may have failed meanwhile and no longer listen.
        let _ = tell.send((first, later));
        Ok(Verdict::Keep)
    });
    let outcome = job.outcome(store.as_ref());
    assert!(broke_a_rule(&outcome, tables::VALUE_INSERT_ID.name), "{outcome:?}");
    let (first, later) = told.iter().last().expect("the job ran");
    assert!(matches!(first, Err(StoreError::Constraint { .. })), "{first:?}");
    assert!(later.iter().all(|call| *call == Err(StoreError::Poisoned)), "{later:?}");
    assert_eq!(look(store.as_ref(), ids), [1]);
}

/// The same inside of a group commit: the failed one alone is undone, and its error does not stick to the next.
pub fn ker_6_the_first_error_outweighs_the_verdict_in_a_batch(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let gate = Gate::close(&store, 0);
    let answers: Vec<_> = (1..=20).map(|id| stumbling(id).submit(store.as_ref())).collect();
    gate.open();
    for (id, answer) in (1..).zip(answers) {
        let outcome = answer.outcome();
        let expected = if id % 2 == 0 {
            broke_a_rule(&outcome, tables::VALUE_INSERT_ID.name)
        } else {
            outcome == Outcome::Committed
        };
        assert!(expected, "job {id}: {outcome:?}");
    }
    assert_eq!(look(store.as_ref(), ids), (1..=20).filter(|id| id % 2 == 1).collect::<Vec<_>>());
}

/// Every second one writes its row twice, overlooks the error and says keep.
fn stumbling(id: i64) -> Work {
    let run = work("stumbling", move |tx| {
        insert(tx, id)?;
        if id % 2 == 0 {
            insert(tx, id).expect_err("it is there already");
        }
        Ok(Verdict::Keep)
    });
    run.keys(&[0])
}

/// An engine may send a write later; its error must still fail the job that wrote it, under the right name, also when
/// it shows at COMMIT only.
pub fn ker_6_an_error_of_a_deferred_write_fails_its_job(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| insert(tx, 1));
    let job = work("deferred", |tx| {
        tx.write(&tables::VALUE_INSERT_ID, args![2])?;
        // Told here or later, as the engine likes.
        let _ = tx.write(&tables::VALUE_INSERT_ID, args![1]);
        let _ = tx.write(&tables::WORD_INSERT, args!["a good one"]);
        Ok(Verdict::Keep)
    });
    let outcome = job.outcome(store.as_ref());
    assert!(broke_a_rule(&outcome, tables::VALUE_INSERT_ID.name), "{outcome:?}");
    let words = look(store.as_ref(), |tx| tx.query(&tables::WORD_ALL, args![], 9));
    assert_eq!((look(store.as_ref(), ids), words), (vec![1], vec![]));
}

/// A mistake in a text must be found by its name, and harm nobody else.
pub fn a_wrong_statement_is_named(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let job = work("mistaken", |tx| {
        insert(tx, 1)?;
        tx.query(&MISSING, args![], 1).map(|_| Verdict::Keep)
    });
    let outcome = job.outcome(store.as_ref());
    assert!(
        matches!(&outcome, Outcome::Failed(StoreError::Statement { statement, .. }) if *statement == MISSING.name),
        "{outcome:?}"
    );
    change(store.as_ref(), |tx| insert(tx, 2));
    assert_eq!(look(store.as_ref(), ids), [2]);
}
