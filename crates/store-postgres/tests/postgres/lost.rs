//! Connections lost at the worst moment: what may have been done is unknown, and is not done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc::channel;

use base::{Health, Outcome, Store, StoreError, Verdict, args};
use store_postgres::PostgresStore;
use store_suite::{LONG, Work, change, look, work};

use crate::proxy::{Fault, Proxy};
use crate::sandbox::{ITEM_IDS, ITEM_INSERT, ITEM_SET, Sandbox, ids, insert, until_good, url};

/// A store behind a proxy.
fn behind_proxy() -> (Proxy, Sandbox, Arc<PostgresStore>) {
    let proxy = Proxy::new(&url());
    let sandbox = Sandbox::through(&proxy.url(&url()));
    let store = sandbox.open_with(|config| (config.answer_ms, config.workers) = (600, 1));
    (proxy, sandbox, store)
}

/// A job that writes, and counts its runs.
fn counted(id: i64, runs: &Arc<AtomicU32>) -> Work {
    let runs = Arc::clone(runs);
    work("counted", move |tx| {
        runs.fetch_add(1, Ordering::Relaxed);
        tx.query(&ITEM_IDS, args![], 100)?;
        tx.write(&ITEM_INSERT, args![id, 0])?;
        Ok(Verdict::Keep)
    })
}

fn is_unknown(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Unknown(_)))
}

fn is_unavailable(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Unavailable(_)))
}

/// The outcome of one job under a fault, how often it ran, and whether its row is there.
fn under(fault: Fault) -> (Outcome, u32, bool) {
    let (proxy, _sandbox, store) = behind_proxy();
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
    let runs = Arc::new(AtomicU32::new(0));
    proxy.set(fault);
    let outcome = counted(2, &runs).outcome(&*store);
    proxy.set(Fault::None);
    until_good(&*store);
    assert_eq!(insert(3).outcome(&*store), Outcome::Committed, "it goes on by itself");
    let there = ids(&*store);
    assert!(there.contains(&1) && there.contains(&3));
    (outcome, runs.load(Ordering::Relaxed), there.contains(&2))
}

#[test]
fn ker_41_a_commit_cut_before_the_server_is_unknown() {
    let (outcome, runs, is_there) = under(Fault::CutBeforeCommit);
    assert!(is_unknown(&outcome), "{outcome:?}");
    assert_eq!((runs, is_there), (1, false));
}

#[test]
fn ker_41_a_commit_cut_after_the_server_is_unknown() {
    let (outcome, runs, is_there) = under(Fault::CutAfterCommit);
    assert!(is_unknown(&outcome), "{outcome:?}");
    assert_eq!((runs, is_there), (1, true), "it was done, and not done again");
}

#[test]
fn ker_41_a_commit_without_an_answer_is_unknown() {
    let (outcome, runs, is_there) = under(Fault::Swallow("COMMIT"));
    assert!(is_unknown(&outcome), "{outcome:?}");
    assert_eq!((runs, is_there), (1, false));
}

#[test]
fn a_connection_cut_before_commit_did_nothing() {
    // The text of a statement comes by when it is prepared, which is inside the transaction.
    let (outcome, runs, is_there) = under(Fault::Cut("SELECT id FROM item"));
    assert!(is_unavailable(&outcome), "{outcome:?}");
    assert_eq!((runs, is_there), (1, false));
}

#[test]
fn a_silent_server_is_given_up() {
    let (proxy, _sandbox, store) = behind_proxy();
    proxy.set(Fault::Swallow("BEGIN"));
    let outcome = insert(1).outcome(&*store);
    assert!(is_unavailable(&outcome), "{outcome:?}");
    proxy.set(Fault::None);
    until_good(&*store);
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
}

#[test]
fn ker_41_the_kept_jobs_of_a_batch_are_unknown() {
    let (proxy, _sandbox, store) = behind_proxy();
    let (enter, entered) = channel();
    let (open, opened) = channel::<()>();
    // A gate that commits nothing, so that the fault meets the batch behind it.
    let holding = work("holding", move |_| {
        enter.send(()).expect("somebody listens");
        let _ = opened.recv_timeout(LONG);
        Ok(Verdict::Undo)
    });
    let held = holding.keys(&[1]).submit(&*store);
    entered.recv_timeout(LONG).expect("it runs");
    let undone = work("undone", |tx| tx.write(&ITEM_INSERT, args![5, 0]).map(|()| Verdict::Undo));
    let jobs = [insert(4), undone, insert(6)].map(|job| job.keys(&[1]).submit(&*store));
    proxy.set(Fault::CutAfterCommit);
    drop(open);
    assert_eq!(held.outcome(), Outcome::Undone);
    let outcomes = jobs.map(store_suite::Answer::outcome);
    assert!(is_unknown(&outcomes[0]) && is_unknown(&outcomes[2]), "{outcomes:?}");
    assert!(is_unavailable(&outcomes[1]), "it may have looked at what is unknown: {outcomes:?}");
    proxy.set(Fault::None);
    until_good(&*store);
    assert_eq!(ids(&*store), [4, 6]);
}

#[test]
fn ker_41_a_backend_that_dies_in_commit_leaves_an_unknown() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    sandbox.admin().run(
        "CREATE FUNCTION die() RETURNS trigger LANGUAGE plpgsql AS
             $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(10); RETURN NULL; END $$;
         CREATE CONSTRAINT TRIGGER die AFTER INSERT ON word DEFERRABLE INITIALLY DEFERRED
             FOR EACH ROW EXECUTE FUNCTION die()",
    );
    let outcome = work("dies", |tx| {
        tx.write(&crate::sandbox::WORD_INSERT, args!["last"])?;
        Ok(Verdict::Keep)
    })
    .outcome(&*store);
    assert!(is_unknown(&outcome), "{outcome:?}");
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM word"), 0);
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
}

#[test]
fn a_rule_that_is_checked_at_commit_is_a_refusal() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    sandbox.admin().run("ALTER TABLE item ADD CONSTRAINT amount_once UNIQUE (amount) DEFERRABLE INITIALLY DEFERRED");
    change(&*store, |tx| tx.write(&ITEM_INSERT, args![1, 7]));
    let outcome = work("twice", |tx| tx.execute(&ITEM_INSERT, args![2, 7]).map(|_| Verdict::Keep)).outcome(&*store);
    assert!(matches!(outcome, Outcome::Failed(StoreError::Constraint { statement: "COMMIT", .. })), "{outcome:?}");
}

/// Ends all connections of the stores on this schema, as an operator or a failing server would.
fn kill_all(sandbox: &Sandbox) {
    let name = sandbox.schema();
    let killed = sandbox.admin().number(&format!(
        "SELECT COUNT(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = '{name}'"
    ));
    assert!(killed > 0, "somebody was connected");
}

#[test]
fn idle_connections_that_broke_are_replaced_without_a_word() {
    let sandbox = Sandbox::new();
    let store = sandbox.open_with(|config| {
        config.url = format!("{} application_name={}", config.url, sandbox.schema());
        (config.workers, config.readers) = (2, 2);
    });
    for id in 0..4 {
        assert_eq!(insert(id).outcome(&*store), Outcome::Committed);
        assert_eq!(ids(&*store).len(), usize::try_from(id).expect("small") + 1);
        kill_all(&sandbox);
    }
    assert_eq!(store.prepare(&ITEM_IDS), Ok(()), "the desk's connection as well");
    assert_eq!(store.health(), Health::Good);
}

#[test]
fn a_read_that_lost_its_connection_runs_once_more() {
    let sandbox = Sandbox::new();
    let store =
        sandbox.open_with(|config| config.url = format!("{} application_name={}", config.url, sandbox.schema()));
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
    let (runs, schema) = (Arc::new(AtomicU32::new(0)), Arc::new(sandbox));
    let (counting, killing) = (Arc::clone(&runs), Arc::clone(&schema));
    let seen = look(&*store, move |tx| {
        if counting.fetch_add(1, Ordering::Relaxed) == 0 {
            kill_all(&killing);
        }
        tx.query(&ITEM_IDS, args![], 10).map(|rows| rows.len())
    });
    assert_eq!((seen, runs.load(Ordering::Relaxed)), (1, 2));
}

#[test]
fn a_write_that_lost_its_connection_did_nothing_and_is_told_so() {
    let sandbox = Sandbox::new();
    let store =
        sandbox.open_with(|config| config.url = format!("{} application_name={}", config.url, sandbox.schema()));
    assert_eq!(insert(1).outcome(&*store), Outcome::Committed);
    let sandbox = Arc::new(sandbox);
    let killing = Arc::clone(&sandbox);
    let outcome = work("killed", move |tx| {
        tx.execute(&ITEM_SET, args![1, 5])?;
        kill_all(&killing);
        tx.query(&ITEM_IDS, args![], 10).map(|_| Verdict::Keep)
    })
    .outcome(&*store);
    assert!(is_unavailable(&outcome), "{outcome:?}");
    assert_eq!(crate::sandbox::amount(&*store, 1), 0);
}
