//! A panic is one job's bug; the store and everybody else go on.

use base::{Outcome, Verdict};

use crate::fixture::Fixture;
use crate::tables::{ids, insert, prepared};
use crate::work::{Gate, Work, change, look, work};

/// A bug in one operation must neither commit a half, nor take its neighbours in the same transaction with it, nor end
/// the writer: that would stop the whole namespace.
pub fn ker_6_a_panic_fails_its_job_alone(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let gate = Gate::close(&store, 0);
    let answers: Vec<_> = (0..20).map(|id| panicking(id).submit(store.as_ref())).collect();
    gate.open();
    for (id, answer) in (0i64..).zip(answers) {
        let text = format!("on purpose in job {id}");
        let expected = if id % 5 == 2 { Outcome::Panicked(text) } else { Outcome::Committed };
        assert_eq!(answer.outcome(), expected, "job {id}");
    }
    change(store.as_ref(), |tx| insert(tx, 100));
    let kept: Vec<i64> = (0..20).filter(|id| id % 5 != 2).chain([100]).collect();
    assert_eq!(look(store.as_ref(), ids), kept);
}

/// Every fifth one panics after it wrote.
fn panicking(id: i64) -> Work {
    let run = work("panicking", move |tx| {
        insert(tx, id)?;
        assert!(id % 5 != 2, "on purpose in job {id}");
        Ok(Verdict::Keep)
    });
    run.keys(&[0])
}

/// Readers must not die one by one, and the receiver of an outcome runs on the store's own thread.
pub fn a_panic_in_a_read_or_an_answer_harms_nobody(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    for round in 0..10 {
        let read = work("panicking read", |_| panic!("on purpose in a read"));
        assert_eq!(read.read(store.as_ref()).outcome(), Outcome::Panicked("on purpose in a read".into()));
        let told = work("panicking answer", move |tx| insert(tx, round).map(|()| Verdict::Keep));
        drop(told.then(|_| panic!("on purpose in an answer")).submit(store.as_ref()));
    }
    change(store.as_ref(), |tx| insert(tx, 100));
    assert_eq!(look(store.as_ref(), ids).last(), Some(&100));
}
