//! Buffered writes: whose error it is, and what is left after it.

use std::sync::mpsc::channel;

use base::{Outcome, Sql, StoreError, Verdict, args, limits};
use store_suite::{change, work};

use crate::sandbox::{ITEM_AMOUNT, ITEM_IDS, ITEM_INSERT, ITEM_SET, Sandbox, WORD_INSERT, ids, insert};

static LEVEL: Sql = Sql::new("level", "SELECT current_setting('transaction_isolation')");
static SLOW: Sql =
    Sql::new("slow", "SELECT CAST(COUNT(*) AS BIGINT) FROM generate_series(1, 1000000000) AS numbers(n)");

fn is_constraint(outcome: &Outcome, name: &str) -> bool {
    matches!(outcome, Outcome::Failed(StoreError::Constraint { statement, .. }) if *statement == name)
}

#[test]
fn an_error_of_a_buffered_write_is_its_own() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| tx.write(&WORD_INSERT, args!["there"]));
    let outcome = work("three writes", |tx| {
        tx.write(&ITEM_INSERT, args![1, 1])?;
        tx.write(&WORD_INSERT, args!["there"])?;
        tx.write(&ITEM_INSERT, args![2, 2])?;
        Ok(Verdict::Keep)
    })
    .outcome(&*store);
    assert!(is_constraint(&outcome, "word.insert"), "{outcome:?}");
    assert_eq!(ids(&*store), [0_i64; 0]);
}

#[test]
fn the_first_error_is_final() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| tx.write(&ITEM_INSERT, args![1, 0]));
    let (tell, told) = channel();
    let outcome = work("goes on", move |tx| {
        tx.write(&ITEM_INSERT, args![1, 0])?;
        let seen = [
            tx.query(&ITEM_IDS, args![], 10).map(drop),
            tx.query(&ITEM_IDS, args![], 10).map(drop),
            tx.execute(&ITEM_SET, args![1, 5]).map(drop),
            tx.write(&ITEM_INSERT, args![2, 0]),
        ];
        tell.send(seen).expect("somebody listens");
        Ok(Verdict::Keep)
    })
    .outcome(&*store);
    let [first, rest @ ..] = told.recv().expect("what was seen");
    assert!(matches!(first, Err(StoreError::Constraint { statement: "item.insert", .. })), "{first:?}");
    assert_eq!(rest, [(); 3].map(|()| Err(StoreError::Poisoned)));
    assert!(is_constraint(&outcome, "item.insert"), "{outcome:?}");
    assert_eq!(ids(&*store), [1]);
}

#[test]
fn a_job_sees_what_it_wrote() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| {
        tx.write(&ITEM_INSERT, args![1, 10])?;
        assert_eq!(tx.query_one(&ITEM_AMOUNT, args![1])?.map(|row| row.int(0)), Some(10));
        tx.write(&ITEM_SET, args![1, 11])?;
        assert_eq!(tx.execute(&ITEM_SET, args![2, 0])?, 0);
        assert_eq!(tx.execute(&ITEM_SET, args![1, 12])?, 1);
        Ok(())
    });
    assert_eq!(crate::sandbox::amount(&*store, 1), 12);
}

/// Many rows by one statement, so that the budget is reached in a moment.
static ITEMS_BELOW: Sql = Sql::new(
    "item.insert_below",
    "INSERT INTO item (id, amount) SELECT n, 0 FROM generate_series(0, CAST(?1 AS BIGINT) - 1) AS numbers(n)",
);

#[test]
fn many_writes_go_out_before_commit_and_within_the_budget() {
    const ONE_BY_ONE: i64 = 600;
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let most = i64::try_from(limits::OP_ROWS_MAX).expect("a number");
    let writing = |rows: i64| {
        work("many writes", move |tx| {
            tx.write(&ITEMS_BELOW, args![rows - ONE_BY_ONE])?;
            (rows - ONE_BY_ONE..rows).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 0])).map(|()| Verdict::Keep)
        })
    };
    let outcome = writing(most + 1).outcome(&*store);
    assert!(matches!(outcome, Outcome::Failed(StoreError::Budget(_))), "{outcome:?}");
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM item"), 0);
    assert_eq!(writing(most).outcome(&*store), Outcome::Committed);
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM item"), most);
}

#[test]
fn large_writes_go_out_before_commit() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| {
        (0..40).try_for_each(|number| tx.write(&WORD_INSERT, args![format!("{number}").repeat(60)]))?;
        let long = |number: i32| "x".repeat(1_500) + &number.to_string();
        (0..1_000).try_for_each(|number| tx.write(&WORD_INSERT, args![long(number)]))
    });
    assert_eq!(sandbox.admin().number("SELECT COUNT(*) FROM word"), 1_040);
}

#[test]
fn more_rows_than_asked_for_is_an_error() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    change(&*store, |tx| (0..5).try_for_each(|id| tx.write(&ITEM_INSERT, args![id, 0])));
    let outcome = work("asks for four", |tx| tx.query(&ITEM_IDS, args![], 4).map(|_| Verdict::Keep)).outcome(&*store);
    let error = StoreError::Statement { statement: "item.ids", message: "gave more than 4 rows".into() };
    assert_eq!(outcome, Outcome::Failed(error));
    assert_eq!(insert(9).outcome(&*store), Outcome::Committed, "the connection goes on");
}

#[test]
fn each_kind_of_job_has_its_isolation() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let level = |job: fn(store_suite::Work) -> store_suite::Work, read: bool| {
        let (tell, told) = channel();
        let asking = job(work("level", move |tx| {
            tell.send(tx.query_one(&LEVEL, args![])?.expect("a row").text(0).to_owned()).expect("somebody listens");
            Ok(Verdict::Keep)
        }));
        let answer = if read { asking.read(&*store) } else { asking.submit(&*store) };
        assert_eq!(answer.outcome(), Outcome::Committed);
        told.recv().expect("a level")
    };
    assert_eq!(level(|job| job, false), "serializable");
    assert_eq!(level(store_suite::Work::claim, false), "read committed");
    assert_eq!(level(|job| job, true), "repeatable read");
}

#[test]
fn a_read_cannot_write() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let outcome =
        work("writes", |tx| tx.execute(&ITEM_INSERT, args![1, 1]).map(|_| Verdict::Keep)).read(&*store).outcome();
    assert!(matches!(outcome, Outcome::Failed(_)), "{outcome:?}");
    assert_eq!(ids(&*store), [0_i64; 0]);
    assert_eq!(store_health(&store), base::Health::Good, "a mistake of a job says nothing about the server");
}

fn store_health(store: &store_postgres::PostgresStore) -> base::Health {
    base::Store::health(store)
}

#[test]
fn a_statement_without_end_is_over_its_budget() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let outcome = work("slow", |tx| tx.query_one(&SLOW, args![]).map(|_| Verdict::Keep)).outcome(&*store);
    match outcome {
        Outcome::Failed(StoreError::Budget(text)) => assert!(text.starts_with("slow: "), "{text}"),
        other => panic!("{other:?}"),
    }
}

#[test]
fn heard_is_the_servers_clock() {
    let sandbox = Sandbox::new();
    let store = sandbox.open();
    let admin = sandbox.admin();
    let now = || admin.number("SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)");
    let before = now();
    let (tell, told) = channel();
    let heard = work("heard", move |tx| {
        tell.send(tx.heard().0).expect("somebody listens");
        Ok(Verdict::Keep)
    });
    assert_eq!(heard.outcome(&*store), Outcome::Committed);
    let heard = told.recv().expect("a time");
    assert!(before <= heard && heard <= now(), "{before} {heard}");
}
