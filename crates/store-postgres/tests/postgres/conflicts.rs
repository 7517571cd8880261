//! Two stores on one schema, like two processes: keys do not know of each other, so SERIALIZABLE decides.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Condvar, Mutex};

use base::{Outcome, Sql, Store, StoreError, Verdict, args};
use host::side_by_side;
use store_postgres::PostgresStore;
use store_suite::{Answer, Gate, LONG, Work, change, work};

use crate::sandbox::{Admin, ITEM_INSERT, ITEM_SET, Sandbox, amount, raise, url};

static ON_CALL: Sql = Sql::new("item.on_call", "SELECT COUNT(*) FROM item WHERE amount = 1");
static CLAIM: Sql = Sql::new(
    "item.claim",
    "UPDATE item SET amount = ?1 WHERE amount = 0 AND id = (SELECT id FROM item WHERE amount = 0
     ORDER BY id LIMIT 1 FOR UPDATE SKIP LOCKED) RETURNING id",
);

fn two_stores(sandbox: &Sandbox) -> [Arc<PostgresStore>; 2] {
    [sandbox.open(), sandbox.open()]
}

#[test]
fn a_hot_row_of_two_stores_adds_up() {
    let sandbox = Sandbox::new();
    let stores = two_stores(&sandbox);
    change(&*stores[0], |tx| tx.write(&ITEM_INSERT, args![0, 0]));
    let committed: i64 = side_by_side(8, |caller| {
        let store = &stores[caller % 2];
        let raising = || work("raise", |tx| raise(tx, 0).map(|_| Verdict::Keep)).keys(&[0]);
        (0..50).map(|_| i64::from(raised(&raising().outcome(&**store)))).sum::<i64>()
    })
    .into_iter()
    .sum();
    assert_eq!(amount(&*stores[0], 0), committed, "every acknowledged one is there, and no other");
    // Ten runs and pauses are enough for nearly all; the kernel's own attempts lie above.
    assert!(committed >= 390, "{committed} of 400 got through");
    let retries: u64 = stores.iter().map(|store| store.counters().retries).sum();
    assert!(retries > 0, "they met");
}

/// Raises row 0; in its first run another process raises it by 100 after it was read.
fn disturbed(schema: &str) -> Work {
    let (schema, mut is_first) = (schema.to_owned(), true);
    work("disturbed", move |tx| {
        raise(tx, 0)?;
        if std::mem::take(&mut is_first) {
            Admin::connect(&url(), &schema).run("UPDATE item SET amount = amount + 100 WHERE id = 0");
        }
        Ok(Verdict::Keep)
    })
}

#[test]
fn ker_7_a_conflict_of_a_buffered_write_runs_it_again() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| tx.write(&ITEM_INSERT, args![0, 0]));
    assert_eq!(disturbed(sandbox.schema()).outcome(&*store), Outcome::Committed);
    assert_eq!((amount(&*store, 0), store.counters().retries), (101, 1));
}

#[test]
fn ker_7_a_conflict_of_a_buffered_write_runs_its_batch_again() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| (0..=1).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 0])));
    let other = || work("other", |tx| raise(tx, 1).map(|_| Verdict::Keep));
    let shared: Arc<dyn Store> = store.clone();
    let gate = Gate::close(&shared, 7);
    let jobs = [other(), disturbed(sandbox.schema()), other()].map(|job| job.keys(&[7]).submit(&*store));
    gate.open();
    assert_eq!(jobs.map(Answer::outcome), [(); 3].map(|()| Outcome::Committed));
    assert_eq!([0, 1].map(|id| amount(&*store, id)), [101, 2]);
    assert_eq!(store.counters().retries, 1);
}

fn raised(outcome: &Outcome) -> bool {
    match outcome {
        Outcome::Committed => true,
        Outcome::Failed(StoreError::Conflict) => false,
        other => panic!("{other:?}"),
    }
}

/// Both wait here for each other, the first time.
#[derive(Default)]
struct Meeting {
    arrived: Mutex<u32>,
    both: Condvar,
}

impl Meeting {
    fn attend(&self) {
        let mut arrived = self.arrived.lock().expect("a lock");
        *arrived += 1;
        self.both.notify_all();
        let (_arrived, timeout) = self.both.wait_timeout_while(arrived, LONG, |arrived| *arrived < 2).expect("a lock");
        assert!(!timeout.timed_out(), "the other came");
    }
}

#[test]
fn write_skew_of_two_stores_is_refused() {
    let sandbox = Sandbox::new();
    let stores = two_stores(&sandbox);
    change(&*stores[0], |tx| (1..=2).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 1])));
    let (meeting, runs) = (Arc::new(Meeting::default()), Arc::new(AtomicU32::new(0)));
    let outcomes = side_by_side(2, |doctor| {
        let (meeting, runs) = (Arc::clone(&meeting), Arc::clone(&runs));
        let mut is_first = true;
        let leaving = work("leave", move |tx| {
            runs.fetch_add(1, Ordering::Relaxed);
            let on_call = tx.query_one(&ON_CALL, args![])?.expect("a count").int(0);
            if std::mem::take(&mut is_first) {
                meeting.attend();
            }
            if on_call < 2 {
                return Ok(Verdict::Undo);
            }
            tx.write(&ITEM_SET, args![i64::try_from(doctor).expect("1 or 2") + 1, 0])?;
            Ok(Verdict::Keep)
        });
        leaving.outcome(&*stores[doctor])
    });
    let committed = outcomes.iter().filter(|outcome| **outcome == Outcome::Committed).count();
    // The other sees at last that it must stay, or on a very slow machine gives up first.
    let refused = [Outcome::Undone, Outcome::Failed(StoreError::Conflict)];
    assert!(committed == 1 && refused.iter().any(|refused| outcomes.contains(refused)), "{outcomes:?}");
    assert!(runs.load(Ordering::Relaxed) > 2, "one ran again");
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM item WHERE amount = 1"), 1);
}

#[test]
fn a_claim_is_given_once() {
    let sandbox = Sandbox::new();
    let stores = two_stores(&sandbox);
    change(&*stores[0], |tx| (0..60).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 0])));
    let taken = side_by_side(6, |owner| {
        let (tell, told) = std::sync::mpsc::channel();
        for _ in 0..20 {
            let tell = tell.clone();
            let owner = i64::try_from(owner).expect("small") + 1;
            let claiming = work("claim", move |tx| {
                if let Some(row) = tx.query_one(&CLAIM, args![owner])? {
                    tell.send(row.int(0)).expect("somebody listens");
                }
                Ok(Verdict::Keep)
            });
            assert_eq!(
                claiming.claim().outcome(&*stores[usize::try_from(owner).expect("small") % 2]),
                Outcome::Committed
            );
        }
        told.try_iter().collect::<Vec<_>>()
    });
    let mut all = taken.concat();
    all.sort_unstable();
    assert_eq!(all, (0..60).collect::<Vec<_>>(), "each once");
}
