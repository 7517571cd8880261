//! Cell B1: the server crashes under load and comes back; nothing acknowledged is lost, nothing is there twice.

use std::sync::atomic::{AtomicBool, AtomicI64, AtomicUsize, Ordering};

use base::{Outcome, Store, StoreError, Verdict, args};
use host::side_by_side;
use store_suite::work;

use crate::cluster::Cluster;
use crate::sandbox::{ITEM_INSERT, ITEM_SET, Sandbox, ids, insert, until, until_good};

const CALLERS: usize = 8;
const CRASHES: usize = 2;

/// What a caller heard of one row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Heard {
    Done,
    Refused,
    Unknown,
}

fn heard(outcome: &Outcome) -> Heard {
    match outcome {
        Outcome::Committed => Heard::Done,
        Outcome::Failed(StoreError::Unknown(_)) => Heard::Unknown,
        Outcome::Failed(StoreError::Unavailable(_) | StoreError::Conflict) => Heard::Refused,
        other => panic!("{other:?}"),
    }
}

#[test]
fn b1_a_crashing_server_loses_nothing_that_was_acknowledged() {
    let cluster = Cluster::start();
    let sandbox = Sandbox::on(&cluster.url(), &cluster.url());
    let store = sandbox.open();
    let (next, stop, done) = (AtomicI64::new(0), AtomicBool::new(false), AtomicUsize::new(0));
    let call = || {
        let id = next.fetch_add(1, Ordering::Relaxed);
        let two_writes = work("insert", move |tx| {
            tx.execute(&ITEM_INSERT, args![id, 0])?;
            tx.write(&ITEM_SET, args![id, id])?;
            Ok(Verdict::Keep)
        });
        let outcome = heard(&two_writes.keys(&[id % 3]).outcome(&*store));
        done.fetch_add(usize::from(outcome == Heard::Done), Ordering::Relaxed);
        (id, outcome)
    };
    let caller = || {
        let mut history = vec![];
        while !stop.load(Ordering::Relaxed) {
            history.push(call());
            if history.last().is_some_and(|(_, heard)| *heard == Heard::Refused) {
                until("the server is back", || store.health() == base::Health::Good || stop.load(Ordering::Relaxed));
            }
        }
        history
    };
    let history = side_by_side(CALLERS + 1, |index| {
        if index < CALLERS {
            return caller();
        }
        for _ in 0..CRASHES {
            let before = done.load(Ordering::Relaxed);
            until("work is done", || done.load(Ordering::Relaxed) > before + 200);
            cluster.crash();
            cluster.resume();
            until_good(&*store);
        }
        let before = done.load(Ordering::Relaxed);
        until("work is done after the last crash", || done.load(Ordering::Relaxed) > before + 200);
        stop.store(true, Ordering::Relaxed);
        vec![]
    })
    .concat();
    check(&sandbox, &history);
}

#[test]
fn b1_a_hanging_server_is_given_up_and_found_again() {
    let cluster = Cluster::start();
    let sandbox = Sandbox::on(&cluster.url(), &cluster.url());
    let store = sandbox.open_with(|config| (config.answer_ms, config.connect_ms) = (700, 700));
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
    cluster.hang(true);
    let outcome = insert(2).outcome(&*store);
    assert!(matches!(outcome, Outcome::Failed(StoreError::Unavailable(_))), "{outcome:?}");
    assert!(matches!(store.health(), base::Health::Down(_)), "{:?}", store.health());
    cluster.hang(false);
    until_good(&*store);
    assert_eq!(insert(3).outcome(&*store), Outcome::Committed);
    assert_eq!(ids(&*store), [1, 3]);
}

/// Done means there, refused means not there, unknown means either; and each row is whole.
fn check(sandbox: &Sandbox, history: &[(i64, Heard)]) {
    let admin = sandbox.admin();
    let is_there = |id: &i64| admin.number(&format!("SELECT COUNT(*) FROM item WHERE id = {id}")) == 1;
    for (id, heard) in history {
        match heard {
            Heard::Done => assert!(is_there(id), "{id} was acknowledged"),
            Heard::Refused => assert!(!is_there(id), "{id} was refused"),
            Heard::Unknown => {}
        }
    }
    assert_eq!(admin.number("SELECT COUNT(*) FROM item WHERE amount <> id"), 0, "each is whole");
    let refused = history.iter().filter(|(_, heard)| *heard != Heard::Done).count();
    assert!(refused > 0, "the crashes were noticed");
}
