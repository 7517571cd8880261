//! Values there and back, and what is refused on the way.

use base::{Cell, Migration, Outcome, Row, Sql, Store, StoreError, StoreResult, Tx, Value, Verdict, args};
use store_suite::{look, work};

use crate::sandbox::Sandbox;

const TABLES: &[Migration] = &[Migration {
    service: "values",
    version: 1,
    text: "CREATE TABLE portable (id {int} PRIMARY KEY, i {int}, r {real}, t {text}, b {blob}) {strict};
           CREATE TABLE narrow (id BIGINT PRIMARY KEY, i2 SMALLINT, i4 INTEGER, f4 REAL, v VARCHAR(20), yes BOOLEAN)",
}];
static INSERT: Sql = Sql::new("portable.insert", "INSERT INTO portable (id, i, r, t, b) VALUES (?1, ?2, ?3, ?4, ?5)");
static GET: Sql = Sql::new("portable.get", "SELECT i, r, t, b FROM portable WHERE id = ?1");
static NARROW_INSERT: Sql =
    Sql::new("narrow.insert", "INSERT INTO narrow (id, i2, i4, f4, v, yes) VALUES (?1, ?2, ?3, ?4, ?5, ?6)");
static NARROW_GET: Sql = Sql::new("narrow.get", "SELECT i2, i4, f4, v, yes FROM narrow WHERE id = ?1");
static SCALED: Sql = Sql::new("scaled", "SELECT CAST(?1 * 1.5 AS BIGINT)");
static SUM: Sql = Sql::new("portable.sum", "SELECT SUM(i) FROM portable");
static SUM_CAST: Sql = Sql::new("portable.sum_cast", "SELECT CAST(SUM(i) AS BIGINT) FROM portable");
static NOW: Sql = Sql::new("now", "SELECT clock_timestamp()");

fn sandbox() -> (Sandbox, std::sync::Arc<store_postgres::PostgresStore>) {
    let sandbox = Sandbox::new();
    let store = sandbox.open_bare(|_| ());
    store.migrate(TABLES).expect("the tables");
    (sandbox, store)
}

fn there_and_back(store: &dyn Store, id: i64, cells: [Cell; 4]) {
    let row = Row(cells.to_vec());
    store_suite::change(store, move |tx| {
        let [i, r, t, b] = cells.each_ref().map(value);
        tx.write(&INSERT, &[Value::Int(id), i, r, t, b])
    });
    assert_eq!(look(store, move |tx| tx.query_one(&GET, args![id])), Some(row));
}

fn value(cell: &Cell) -> Value<'_> {
    match cell {
        Cell::Null => Value::Null,
        Cell::Int(value) => Value::Int(*value),
        Cell::Real(value) => Value::Real(*value),
        Cell::Text(value) => value.into(),
        Cell::Blob(value) => value.as_slice().into(),
    }
}

#[test]
fn values_come_back_as_they_went() {
    let (_sandbox, store) = sandbox();
    let text = |text: &str| Cell::Text(text.into());
    there_and_back(&*store, 1, [Cell::Null, Cell::Null, Cell::Null, Cell::Null]);
    there_and_back(&*store, 2, [Cell::Int(i64::MIN), Cell::Real(f64::MIN_POSITIVE), text(""), Cell::Blob(vec![])]);
    there_and_back(
        &*store,
        3,
        [Cell::Int(i64::MAX), Cell::Real(-0.1), text("čaj 🫖 \u{10FFFF} '?1'"), Cell::Blob(vec![0, 255])],
    );
    let large: Vec<u8> = (0..8_000_000u32).map(|n| n.wrapping_mul(2_654_435_761).to_be_bytes()[0]).collect();
    there_and_back(
        &*store,
        4,
        [Cell::Int(0), Cell::Real(f64::INFINITY), text(&"ß".repeat(1_000_000)), Cell::Blob(large)],
    );
}

#[test]
fn narrow_columns_take_what_fits() {
    let (_sandbox, store) = sandbox();
    store_suite::change(&*store, |tx| tx.write(&NARROW_INSERT, args![1, 7, -8, 0.5, "word", true]));
    let row = look(&*store, |tx| tx.query_one(&NARROW_GET, args![1]));
    let cells = vec![Cell::Int(7), Cell::Int(-8), Cell::Real(0.5), Cell::Text("word".into()), Cell::Int(1)];
    assert_eq!(row, Some(Row(cells)));
    let refused = failure(&*store, |tx| tx.write(&NARROW_INSERT, args![2, 40_000, 0, 0.0, "", false]));
    assert_eq!(refused, mistake("narrow.insert", "parameter 2: 40000 is beyond int2"));
}

#[test]
fn a_numeric_parameter_takes_numbers() {
    let (_sandbox, store) = sandbox();
    let scaled = |value: Value<'static>| {
        look(&*store, move |tx| Ok(tx.query_one(&SCALED, std::slice::from_ref(&value))?.expect("a row").int(0)))
    };
    assert_eq!(scaled(Value::Int(10)), 15);
    assert_eq!(scaled(Value::Real(0.5)), 1);
}

#[test]
fn nul_in_a_text_is_refused_by_name() {
    let (_sandbox, store) = sandbox();
    let refused = failure(&*store, |tx| tx.write(&INSERT, args![1, 0, 0.0, "a\0b", b""]));
    assert_eq!(refused, mistake("portable.insert", "parameter 4: a text must not hold NUL"));
}

#[test]
fn a_mixed_up_type_is_refused_by_name() {
    let (_sandbox, store) = sandbox();
    let refused = failure(&*store, |tx| tx.query(&GET, args!["one"], 1).map(drop));
    assert_eq!(refused, mistake("portable.get", "parameter 1: a text was given, the server wants int8"));
    let refused = failure(&*store, |tx| tx.query(&GET, args![1, 2], 1).map(drop));
    assert_eq!(refused, mistake("portable.get", "2 parameters given, 1 wanted"));
}

#[test]
fn a_bare_sum_is_found_by_preparing_and_by_running() {
    let (_sandbox, store) = sandbox();
    let wrong = mistake(
        "portable.sum",
        "column 0: a result of type numeric is not portable, cast it (a sum of integers to BIGINT)",
    );
    assert_eq!(store.prepare(&SUM), Err(wrong.clone()));
    assert_eq!(failure(&*store, |tx| tx.query(&SUM, args![], 1).map(drop)), wrong);
    assert_eq!(store.prepare(&SUM_CAST), Ok(()));
    assert!(store.prepare(&NOW).is_err(), "a time is no portable value");
    assert_eq!(look(&*store, |tx| Ok(tx.query_one(&SUM_CAST, args![])?.expect("a row").opt_int(0))), None);
}

#[test]
fn preparing_finds_wrong_texts() {
    let (_sandbox, store) = sandbox();
    static WRONG: Sql = Sql::new("wrong", "SELECT nothing FROM nowhere WHERE id = ?1");
    match store.prepare(&WRONG) {
        Err(StoreError::Statement { statement: "wrong", message }) => assert!(message.contains("nowhere"), "{message}"),
        other => panic!("{other:?}"),
    }
    assert_eq!(store.prepare(&GET), Ok(()));
}

#[test]
fn two_texts_of_one_name_are_found() {
    let (_sandbox, store) = sandbox();
    static TWIN: Sql = Sql::new("portable.get", "SELECT 1");
    let refused = failure(&*store, |tx| {
        tx.query(&GET, args![1], 1)?;
        tx.query(&TWIN, args![], 1).map(drop)
    });
    assert_eq!(refused, mistake("portable.get", "another statement has the same name"));
}

fn mistake(statement: &'static str, message: &str) -> StoreError {
    StoreError::Statement { statement, message: message.into() }
}

fn failure(store: &dyn Store, mut run: impl FnMut(&mut dyn Tx) -> StoreResult<()> + Send + 'static) -> StoreError {
    match work("failing", move |tx| run(tx).map(|()| Verdict::Keep)).outcome(store) {
        Outcome::Failed(error) => error,
        other => panic!("{other:?} where a failure was expected"),
    }
}
