//! Who sees what, and when (KER-6): nobody hears before COMMIT, readers see committed state only.

use std::sync::Arc;
use std::sync::mpsc::channel;

use base::{Outcome, Store, Verdict, args};
use host::side_by_side;

use crate::fixture::Fixture;
use crate::pace::beside_no_long_write;
use crate::tables::{VALUE_GET, ids, insert, prepared};
use crate::work::{Work, change, look, work};

/// When a job hears its outcome a fresh read must agree, at that very moment: an answer before COMMIT would be a lie if
/// the machine stopped in between. The read is made inside of the answer, so that no later COMMIT can help.
pub fn ker_6_nobody_hears_before_commit(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let (tell, told) = channel();
    let answers: Vec<_> = (0..20)
        .map(|id| {
            let (reader, tell) = (Arc::clone(&store), tell.clone());
            let looking = move |outcome: &Outcome| {
                let there = look(reader.as_ref(), ids).contains(&id);
                // The contract may have failed meanwhile and no longer listen.
                let _ = tell.send((id, outcome.clone(), there));
            };
            writing(id).then(looking).submit(store.as_ref())
        })
        .collect();
    drop(tell);
    answers.into_iter().for_each(|answer| drop(answer.outcome()));
    let heard: Vec<_> = told.try_iter().collect();
    assert_eq!(heard.len(), 20, "every answer could read");
    for (id, outcome, there) in heard {
        assert_eq!(outcome, if id % 4 == 3 { Outcome::Undone } else { Outcome::Committed }, "job {id}");
        assert_eq!(there, id % 4 != 3, "job {id} heard {outcome:?} and a read at that moment disagreed");
    }
}

/// Every fourth one is undone.
fn writing(id: i64) -> Work {
    work("writing", move |tx| {
        insert(tx, id)?;
        Ok(if id % 4 == 3 { Verdict::Undo } else { Verdict::Keep })
    })
}

/// Whoever was told that something is done, and asks for more, builds on it: a job that is blind to a commit from before it was
/// submitted refuses what is right, or takes a task for somebody else's. Many at once, so that jobs share transactions.
pub fn ker_6_a_job_sees_what_was_answered_before_it_came(fixture: &dyn Fixture) {
    let _alone = beside_no_long_write();
    let store = prepared(fixture);
    let blind: usize = side_by_side(ASKERS, |asker| {
        let first = i64::try_from(asker).expect("a small number") * 1_000;
        (first..first + 60).filter(|id| !sees_its_own(store.as_ref(), *id)).count()
    })
    .into_iter()
    .sum();
    assert_eq!(blind, 0, "jobs did not see what their caller had been told of");
}

/// Callers at once.
const ASKERS: usize = 24;

/// Writes a row in one job, and looks for it in the next.
fn sees_its_own(store: &dyn Store, id: i64) -> bool {
    change(store, move |tx| insert(tx, id));
    let (tell, told) = channel();
    change(store, move |tx| {
        let found = tx.query_one(&VALUE_GET, args![id])?.is_some();
        let _ = tell.send(found);
        Ok(())
    });
    told.try_iter().last().expect("the job ran")
}

/// A page or a list that shows what is undone a moment later misleads people and caches alike. A read is also never
/// behind the writer: this one runs while the writer waits for it.
pub fn ker_6_a_read_sees_committed_state_only(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let (reader, (tell, told)) = (Arc::clone(&store), channel());
    let job = work("watched", move |tx| {
        insert(tx, 1)?;
        let _ = tell.send((ids(tx)?, look(reader.as_ref(), ids)));
        Ok(Verdict::Keep)
    });
    assert_eq!(job.outcome(store.as_ref()), Outcome::Committed);
    let (own, others) = told.try_iter().last().expect("the job ran");
    assert_eq!((own, others), (vec![1], vec![]), "before COMMIT");
    assert_eq!(look(store.as_ref(), ids), [1], "after COMMIT");
}

/// A read of several statements must see one moment, or a list and its total disagree; and the writer must not wait for
/// it: this one waits for a writer.
pub fn ker_6_a_snapshot_is_stable(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    change(store.as_ref(), |tx| insert(tx, 1));
    let writer = Arc::clone(&store);
    let (before, after) = look(store.as_ref(), move |tx| {
        let before = ids(tx)?;
        for id in 2..5 {
            change(writer.as_ref(), move |tx| insert(tx, id));
        }
        Ok((before, ids(tx)?))
    });
    assert_eq!((before, after), (vec![1], vec![1]));
    assert_eq!(look(store.as_ref(), ids), [1, 2, 3, 4]);
}

/// A write by a reader would pass the queue, the keys and the group commit.
pub fn a_read_cannot_write(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    let sly = work("sly", |tx| insert(tx, 1).map(|()| Verdict::Keep));
    let outcome = sly.read(store.as_ref()).outcome();
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    assert_eq!(look(store.as_ref(), ids), [0; 0]);
    change(store.as_ref(), |tx| insert(tx, 1));
}
