//! Claims: many takers, one row each (KER-18).

use std::sync::mpsc::channel;

use base::{Outcome, Store, Verdict, args};
use host::side_by_side;

use crate::fixture::Fixture;
use crate::pace::beside_no_long_write;
use crate::tables::{self, prepared};
use crate::work::{change, look, work};

const ROWS: i64 = 200;
const TAKERS: usize = 8;

/// Claiming at serial isolation starves under load, so it is one statement that checks its own condition again. Every
/// row is claimed, none twice, and the row says the same as the answer.
pub fn ker_18_each_row_is_claimed_exactly_once(fixture: &dyn Fixture) {
    let _alone = beside_no_long_write();
    let store = prepared(fixture);
    change(store.as_ref(), |tx| (0..ROWS).try_for_each(|id| tx.write(&tables::CLAIM_INSERT, args![id])));
    let mut taken: Vec<(i64, i64)> = side_by_side(TAKERS, |taker| {
        let owner = i64::try_from(taker).expect("a small number");
        take_all(store.as_ref(), owner).into_iter().map(|id| (id, owner)).collect::<Vec<_>>()
    })
    .concat();
    taken.sort_unstable();
    assert_eq!(taken.iter().map(|(id, _)| *id).collect::<Vec<_>>(), (0..ROWS).collect::<Vec<_>>());
    let owners = look(store.as_ref(), |tx| tx.query(&tables::CLAIM_OWNERS, args![], 1_000));
    assert_eq!(owners.iter().map(|row| (row.int(0), row.int(1))).collect::<Vec<_>>(), taken);
}

/// Claims until nothing is open. Coming to nothing is allowed: another was quicker.
fn take_all(store: &dyn Store, owner: i64) -> Vec<i64> {
    let mut taken = vec![];
    for _ in 0..100 * ROWS {
        match take(store, owner) {
            Some(id) => taken.push(id),
            None if open(store) == 0 => return taken,
            None => {}
        }
    }
    panic!("taker {owner} comes to nothing although rows are open")
}

fn take(store: &dyn Store, owner: i64) -> Option<i64> {
    let (tell, told) = channel();
    let claim = work("claim", move |tx| {
        let row = tx.query_one(&tables::CLAIM_TAKE, args![owner])?;
        // The contract may have failed meanwhile and no longer listen.
        let _ = tell.send(row.map(|row| row.int(0)));
        Ok(Verdict::Keep)
    });
    assert_eq!(claim.claim().outcome(store), Outcome::Committed, "a claim conflicts with nobody");
    told.try_iter().last().expect("the claim ran")
}

fn open(store: &dyn Store) -> i64 {
    look(store, |tx| tx.query_one(&tables::CLAIM_OPEN, args![])).expect("a count").int(0)
}
