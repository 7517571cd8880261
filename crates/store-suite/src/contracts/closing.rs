//! Closing a store: everybody is answered, and nothing acknowledged is lost (KER-35).

use std::sync::Arc;

use base::{Outcome, Store, StoreError, Verdict};

use crate::fixture::Fixture;
use crate::tables::{ids, insert, prepared};
use crate::work::{Answer, Work, change, look, work};

fn adding(id: i64) -> Work {
    work("adding", move |tx| insert(tx, id).map(|()| Verdict::Keep))
}

fn is_closed(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Unavailable(_)))
}

/// A stop by SIGTERM drains: when `close` returns, every caller has its answer, and what was queued is done.
pub fn ker_35_close_answers_everybody(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let writes: Vec<_> = (0..50).map(|id| adding(id).submit(store.as_ref())).collect();
    let reads: Vec<_> = (0..20).map(|_| reading().read(store.as_ref())).collect();
    store.close();
    let now = |answer: &Answer| answer.now().expect("answered when close returns");
    for (id, outcome) in writes.iter().map(now).enumerate() {
        assert_eq!(outcome, Outcome::Committed, "job {id}");
    }
    for outcome in reads.iter().map(now) {
        assert!(outcome == Outcome::Committed || is_closed(&outcome), "{outcome:?}");
    }
    drop(store);
    assert_eq!(look(fixture.open().as_ref(), ids), (0..50).collect::<Vec<_>>());
}

fn reading() -> Work {
    work("reading", |tx| ids(tx).map(|_| Verdict::Keep))
}

/// A late caller is refused and not left waiting; closing twice is harmless; the data is there for the next.
pub fn ker_35_a_closed_store_refuses_and_its_data_stays(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| insert(tx, 1));
    closes_for_good(&store);
    drop(store);
    let store = fixture.open();
    change(store.as_ref(), |tx| insert(tx, 3));
    assert_eq!(look(store.as_ref(), ids), [1, 3]);
}

fn closes_for_good(store: &Arc<dyn Store>) {
    for _ in 0..2 {
        store.close();
        let late = [adding(2).outcome(store.as_ref()), reading().read(store.as_ref()).outcome()];
        assert!(late.iter().all(is_closed), "{late:?}");
    }
}
