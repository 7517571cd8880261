//! What is carried is what the schema says, on both engines alike; and every value that a column can hold.

use std::sync::Arc;

use base::archive::{TableSummary, line_row};
use base::carry::{KeyRange, Remembered, RowsIn, RowsOut, TableShape, finish, follow};
use base::{Cell, Heard, Migration, Row};
use host::{OsEntropy, RealClock};
use store_postgres::{PostgresConfig, PostgresStore};

fn schema(name: &str) -> PostgresConfig {
    let url = std::env::var("FASTNESS_TEST_POSTGRES").expect("FASTNESS_TEST_POSTGRES is not set: run `cargo xtask ci`");
    PostgresConfig::new(url, format!("{name}_{}", std::process::id()))
}

fn all_steps() -> Vec<Migration> {
    let services = fastness::services();
    let all = kernel::OWN.into_iter().chain(services.iter().map(|service| service.def));
    all.flat_map(|service| service.migrations.iter().copied()).collect()
}

/// A table that is added tomorrow is carried tomorrow: nothing lists them but the schema. What must hold of it is here.
#[test]
fn ker_3_every_table_of_every_service_is_carried_and_has_a_key_and_is_the_same_on_both_engines() {
    let folder = tempfile::tempdir().expect("a folder");
    let (plan, clock) = (all_steps(), Arc::new(RealClock::new()));
    let mut sqlite = store_sqlite::carry::Arriving::open(&folder.path().join("a.db"), &plan, clock).expect("a store");
    let mut postgres = store_postgres::carry::Arriving::open(&schema("shapes"), &plan, 0).expect("a schema");
    let (here, there) = (sqlite.tables().expect("tables"), postgres.tables().expect("tables"));
    assert_eq!(here, there);
    let created: usize = plan
        .iter()
        .map(|step| base::Dialect::Sqlite.render(step.text))
        .map(|text| text.lines().filter(|line| line.starts_with("CREATE TABLE ")).count())
        .sum();
    assert_eq!(here.len(), created, "each table that a step creates");
    let without: Vec<_> = here.iter().filter(|table| table.key.is_empty()).map(|table| &table.name).collect();
    assert!(without.is_empty(), "no primary key: {without:?}");
    drop(postgres);
    store_postgres::carry::discard(&schema("shapes")).expect("it goes");
}

const ODD: Migration = Migration {
    service: "odd",
    version: 1,
    text: "CREATE TABLE odd_above (id {text} PRIMARY KEY) {strict};
           CREATE TABLE odd (a {int} NOT NULL, b {text} NOT NULL, c {real} NOT NULL, n {int}, t {text}, x {blob}, r {real},
               above {text} REFERENCES odd_above (id), PRIMARY KEY (b, a, c)) {strict};
           CREATE UNIQUE INDEX odd_t ON odd (t);",
};

fn odd_rows() -> Vec<Row> {
    let texts =
        ["", "a", "B", "é", "\u{1f511}", "z\"'\\", "line\nline", "{\"real\":\"1\"}", "\u{7f}\u{1}", "ß", "Z", "aa"];
    let ints = [0, 1, -1, i64::MAX, i64::MIN, 1 << 53];
    let reals = [0.5, 0.1 + 0.2, -1e308, f64::INFINITY, f64::NEG_INFINITY, 5e-324, 3.0];
    let mut rows = vec![];
    for (at, text) in texts.iter().enumerate() {
        for (other, int) in ints.iter().enumerate() {
            let real = reals[(at + other) % reals.len()];
            let number = at * ints.len() + other;
            rows.push(Row(vec![
                Cell::Int(*int),
                Cell::Text((*text).to_owned()),
                Cell::Real(real),
                if number.is_multiple_of(2) { Cell::Null } else { Cell::Int(*int) },
                if number.is_multiple_of(3) { Cell::Null } else { Cell::Text(format!("{text}{number}")) },
                if number.is_multiple_of(5) {
                    Cell::Null
                } else {
                    Cell::Blob(vec![0, 255, u8::try_from(number).unwrap_or(1)])
                },
                if number.is_multiple_of(4) { Cell::Null } else { Cell::Real(-0.0) },
                if number.is_multiple_of(7) { Cell::Null } else { Cell::Text("above".into()) },
            ]));
        }
    }
    rows
}

fn carry(from: &mut dyn RowsOut, to: &mut dyn RowsIn) -> Vec<TableSummary> {
    let mut remembered = Remembered::default();
    follow(from, to, &mut remembered, &mut |_| true).expect("it is carried");
    finish(from, to, &mut remembered, &mut |_| true).expect("it is the same")
}

fn table(store: &mut dyn RowsOut, name: &str) -> TableShape {
    store.tables().expect("tables").into_iter().find(|table| table.name == name).expect("a table")
}

#[test]
fn ker_3_every_value_is_carried_exactly_to_postgresql_and_back() {
    let folder = tempfile::tempdir().expect("a folder");
    let clock = Arc::new(RealClock::new());
    let open = |name: &str| {
        store_sqlite::carry::Arriving::open(&folder.path().join(name), &[ODD], clock.clone()).expect("a store")
    };
    let (mut first, mut last) = (open("first.db"), open("last.db"));
    let (above, odd) = (table(&mut first, "odd_above"), table(&mut first, "odd"));
    let whole = KeyRange::default();
    assert!(first.replace(&above, &whole, &[Row(vec![Cell::Text("above".into())])]).expect("it is written"));
    assert!(first.replace(&odd, &whole, &odd_rows()).expect("it is written"));
    let config = schema("odd");
    let mut there = store_postgres::carry::Arriving::open(&config, &[ODD], 0).expect("a schema");
    let out = carry(&mut first, &mut there);
    let back = carry(&mut there, &mut last);
    assert_eq!(out, back);
    assert_eq!(out.iter().find(|table| table.name == "odd").map(|table| table.rows), Some(odd_rows().len() as u64));
    let pages: Vec<Vec<Row>> = [&mut first as &mut dyn RowsOut, &mut last]
        .map(|store| store.page(&odd, &whole, 1_000).expect("rows"))
        .to_vec();
    assert_eq!(pages[0], pages[1]);
    // Whole, with its foreign keys, its listening time, and under its own name.
    let own = PostgresConfig { schema: format!("{}_own", config.schema), creates_schema: false, ..config };
    there.settle(&own.schema, Heard(1_000_000)).expect("it is whole");
    let heard = store_postgres::carry::heard_now(&own).expect("a time").0;
    assert!((1_000_000..1_600_000).contains(&heard), "{heard}: it listens on from there, not from the calendar");
    let store = PostgresStore::open(own.clone(), clock.clone(), Arc::new(OsEntropy)).expect("it opens");
    base::Store::migrate(&store, &[ODD]).expect("its steps are known");
    base::Store::close(&store);
    assert!(store_postgres::carry::discard(&own).is_err(), "what is whole is not thrown away");
}

/// Whoever still knows the old name of a schema that was fenced writes nothing.
#[test]
fn ker_3_a_fenced_schema_takes_no_more_writes_under_its_old_name() {
    let config = schema("fenced");
    let made = store_postgres::carry::Arriving::open(&config, &[ODD], 0).expect("a schema");
    let own = PostgresConfig { schema: format!("{}_own", config.schema), ..config };
    made.settle(&own.schema, Heard(5)).expect("it is whole");
    let mut sleeper = store_postgres::carry::Arriving::open(&own, &[ODD], 0).expect("a schema");
    let above = table(&mut sleeper, "odd_above");
    let row = |text: &str| line_row(&format!("[\"{text}\"]")).expect("a row");
    assert!(sleeper.replace(&above, &KeyRange::default(), &[row("before")]).expect("it is written"));
    let aside = format!("{}_aside", own.schema);
    assert!(store_postgres::carry::fence(&own, &aside).expect("it is fenced"));
    assert!(!store_postgres::carry::fence(&own, &aside).expect("a repeat finds nothing"));
    assert!(sleeper.replace(&above, &KeyRange::default(), &[row("after")]).is_err(), "the old name is nobody's");
    let left = PostgresConfig { schema: aside, ..own };
    let rows = store_postgres::carry::Leaving::open(&left).expect("a schema").page(&above, &KeyRange::default(), 9);
    assert_eq!(rows, Ok(vec![row("before")]));
}
