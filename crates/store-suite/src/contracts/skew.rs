//! Serial means serial (KER-6): write skew, the anomaly that weaker isolation lets through.

use std::sync::Arc;

use base::{Outcome, Store, StoreError, Verdict, args};

use crate::fixture::Fixture;
use crate::pace::{Meeting, beside_no_long_write};
use crate::tables::{self, prepared};
use crate::work::{Work, change, look, work};

/// Many shifts at once, so that jobs overlap also by chance.
const SHIFTS: i64 = 20;
const ROUNDS: i64 = 5;

/// Two doctors are on call; each may leave if the other stays. Each reads both rows and writes its own, so nobody writes
/// what another wrote: snapshots alone would let both go.
pub fn ker_6_write_skew_is_refused(fixture: &dyn Fixture) {
    let store = prepared(fixture);
    both_may_not_leave(&store, &store);
}

/// The same between two nodes, where no key and no queue of one process helps.
pub fn ker_6_write_skew_is_refused_between_two_stores(fixture: &dyn Fixture) {
    if !fixture.two_at_once() {
        return eprintln!("this engine has one store at a time; nothing to check");
    }
    let (one, other) = (prepared(fixture), fixture.open());
    both_may_not_leave(&one, &other);
    other.close();
}

fn both_may_not_leave(one: &Arc<dyn Store>, other: &Arc<dyn Store>) {
    let _alone = beside_no_long_write();
    let mut left = 0;
    for round in 0..ROUNDS {
        let shifts = round * SHIFTS..(round + 1) * SHIFTS;
        let on_call = shifts.clone();
        change(one.as_ref(), move |tx| {
            on_call.clone().try_for_each(|shift| {
                tx.write(&tables::DOCTOR_INSERT, args![shift, 1])?;
                tx.write(&tables::DOCTOR_INSERT, args![shift, 2])
            })
        });
        left += shifts
            .clone()
            .zip(leave_at_once(shifts, one, other))
            .map(|(shift, left)| check(one, shift, left))
            .sum::<i64>();
    }
    assert!(left > SHIFTS * ROUNDS / 2, "only {left} of {} could leave: conflicts that never end", SHIFTS * ROUNDS);
}

/// Both doctors of all shifts want to leave; tells how many could, by shift.
fn leave_at_once(shifts: std::ops::Range<i64>, one: &Arc<dyn Store>, other: &Arc<dyn Store>) -> Vec<i64> {
    let pairs: Vec<_> = shifts
        .map(|shift| {
            let meeting = Arc::new(Meeting::default());
            [leave(shift, 1, &meeting).submit(one.as_ref()), leave(shift, 2, &meeting).submit(other.as_ref())]
        })
        .collect();
    pairs.into_iter().map(|pair| pair.into_iter().map(|answer| left(&answer.outcome())).sum()).collect()
}

/// Leaves if two are on call. No keys: the isolation alone must do.
fn leave(shift: i64, doctor: i64, meeting: &Arc<Meeting>) -> Work {
    let meeting = Arc::clone(meeting);
    work("leave", move |tx| {
        let on_call = tx.query_one(&tables::DOCTOR_ON_CALL, args![shift])?.map_or(0, |row| row.int(0));
        meeting.attend();
        if on_call < 2 {
            return Ok(Verdict::Undo);
        }
        tx.execute(&tables::DOCTOR_LEAVE, args![shift, doctor])?;
        Ok(Verdict::Keep)
    })
}

/// 1 if the doctor left. A conflict that outlasted the engine's own tries is an honest no.
fn left(outcome: &Outcome) -> i64 {
    match outcome {
        Outcome::Committed => 1,
        Outcome::Undone | Outcome::Failed(StoreError::Conflict) => 0,
        other => panic!("{other:?}"),
    }
}

fn check(store: &Arc<dyn Store>, shift: i64, left: i64) -> i64 {
    let on_call = look(store.as_ref(), move |tx| tx.query_one(&tables::DOCTOR_ON_CALL, args![shift]));
    let on_call = on_call.expect("a count").int(0);
    assert_eq!(on_call, 2 - left, "shift {shift}: what was acknowledged is what happened");
    assert!(on_call >= 1, "shift {shift} has no doctor: write skew");
    left
}
