//! Contention: many jobs on one row all get through (KER-7, cell C2-D of the fault matrix).

use base::{Outcome, Verdict, args};
use host::side_by_side;

use crate::fixture::Fixture;
use crate::pace::{LONG, beside_no_long_write};
use crate::tables::{self, accounts, balance, balances, prepared, transfer};
use crate::work::{Work, change, look, work};

const THREADS: usize = 64;
const TIMES: i64 = 20;

/// Reads, adds one, writes. Without a key that keeps them apart, serial isolation alone lets such jobs starve (measured:
/// a third of them failed); a lost update would show in the sum.
pub fn ker_7_a_hot_row_starves_nobody(fixture: &dyn Fixture) {
    let _alone = beside_no_long_write();
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 1, 0));
    side_by_side(THREADS, |thread| {
        for time in 0..TIMES {
            assert_eq!(increment().outcome(store.as_ref()), Outcome::Committed, "thread {thread}, time {time}");
        }
    });
    let sum = look(store.as_ref(), |tx| balance(tx, 0));
    assert_eq!(sum, TIMES * i64::try_from(THREADS).expect("a small number"));
}

fn increment() -> Work {
    let run = work("increment", |tx| {
        let before = balance(tx, 0)?;
        tx.execute(&tables::ACCOUNT_SET, args![0, before + 1])?;
        Ok(Verdict::Keep)
    });
    run.keys(&[0])
}

/// Jobs with several keys, named in every order: an engine that takes them one by one as named would deadlock, one that
/// forgets the second would lose money.
pub fn ker_7_keys_in_conflicting_orders_starve_nobody(fixture: &dyn Fixture) {
    const ACCOUNTS: usize = 6;
    let _alone = beside_no_long_write();
    let store = prepared(fixture);
    change(store.as_ref(), |tx| accounts(tx, 6, 1_000));
    let started = fixture.clock().monotonic_us();
    side_by_side(THREADS / 2, |thread| {
        for time in 0..20 {
            let (from, to) = (thread % ACCOUNTS, (thread + 1 + time % (ACCOUNTS - 1)) % ACCOUNTS);
            let outcome = moving(id(from), id(to)).outcome(store.as_ref());
            assert_eq!(outcome, Outcome::Committed, "thread {thread}, time {time}");
        }
    });
    let took_us = u128::from(fixture.clock().monotonic_us() - started);
    assert!(took_us < 2 * LONG.as_micros(), "640 transfers took {took_us} us");
    assert_eq!(look(store.as_ref(), balances).iter().sum::<i64>(), 6_000);
}

fn id(account: usize) -> i64 {
    i64::try_from(account).expect("a small number")
}

fn moving(from: i64, to: i64) -> Work {
    let run = work("transfer", move |tx| {
        transfer(tx, from, to, 1).map(|done| if done { Verdict::Keep } else { Verdict::Undo })
    });
    run.keys(&[from, to])
}
