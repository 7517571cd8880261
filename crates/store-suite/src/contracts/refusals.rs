//! A refused job leaves no trace (KER-6).

use std::sync::{Arc, Mutex};

use base::{Outcome, Verdict, args};

use crate::fixture::Fixture;
use crate::tables::{self, accounts, balance, ids, insert, prepared};
use crate::work::{Gate, Work, change, look, work};

/// An operation that finds at its end that it may not be done has already written; none of it may stay.
pub fn ker_6_a_refused_job_leaves_no_trace(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 1, 10));
    let refused = work("refused", |tx| {
        insert(tx, 1)?;
        tx.write(&tables::VALUE_INSERT_ID, args![2])?;
        tx.execute(&tables::ACCOUNT_SET, args![0, 99])?;
        assert_eq!((ids(tx)?, balance(tx, 0)?), (vec![1, 2], 99), "it sees its own writes");
        tx.write(&tables::VALUE_INSERT_ID, args![3])?;
        Ok(Verdict::Undo)
    });
    assert_eq!(refused.outcome(store.as_ref()), Outcome::Undone);
    assert_eq!(look(store.as_ref(), |tx| Ok((ids(tx)?, balance(tx, 0)?))), (vec![], 10));
}

/// In a group commit the refused share a transaction with the others: undoing one part must not touch its neighbours,
/// and no job may see what was undone before it.
pub fn ker_6_refused_jobs_leave_their_batch_whole(fixture: &dyn Fixture) {
    const JOBS: i64 = 50;
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 1, 0));
    let seen = Arc::new(Mutex::new(vec![]));
    let gate = Gate::close(&store, 0);
    let answers: Vec<_> = (0..JOBS).map(|id| counted(id, is_kept(id), &seen).submit(store.as_ref())).collect();
    gate.open();
    for (id, answer) in (0..).zip(answers) {
        let expected = if is_kept(id) { Outcome::Committed } else { Outcome::Undone };
        assert_eq!(answer.outcome(), expected, "job {id}");
    }
    let kept: Vec<i64> = (0..JOBS).filter(|id| is_kept(*id)).collect();
    let sum = i64::try_from(kept.len()).expect("a small number");
    assert_eq!(look(store.as_ref(), |tx| Ok((ids(tx)?, balance(tx, 0)?))), (kept, sum));
    one_after_the_other(&seen, sum);
}

fn is_kept(id: i64) -> bool {
    id % 3 != 1
}

/// Writes a row and adds one to an account; notes what the account held before.
fn counted(id: i64, keep: bool, seen: &Arc<Mutex<Vec<(i64, i64)>>>) -> Work {
    let seen = Arc::clone(seen);
    let run = work("counted", move |tx| {
        let before = balance(tx, 0)?;
        insert(tx, id)?;
        tx.write(&tables::ACCOUNT_SET, args![0, before + 1])?;
        seen.lock().expect("no panic before").push((id, before));
        Ok(if keep { Verdict::Keep } else { Verdict::Undo })
    });
    run.keys(&[0])
}

/// Each kept job saw a number of kept ones before it that no other kept one saw. Only the last run of a job counts.
fn one_after_the_other(seen: &Mutex<Vec<(i64, i64)>>, kept: i64) {
    let seen = seen.lock().expect("no panic before");
    let last = |id: i64| seen.iter().rev().find(|(of, _)| *of == id).map(|(_, before)| *before);
    let mut places: Vec<i64> = (0..).take(50).filter(|id| is_kept(*id)).filter_map(last).collect();
    places.sort_unstable();
    assert_eq!(places, (0..kept).collect::<Vec<_>>());
}
